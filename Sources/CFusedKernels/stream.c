/// How rows go from stage to stage.
#include "workspace.h"

/// Columns of a depthwise convolution that are made right after those of the 1×1 convolution it takes, while both are in
/// the first-level cache: little at the usual sizes, 4% at 3840×2176. A multiple of the usual blocks of `multiply`.
enum { COLUMN_BLOCK = 36 };
/// Columns that the 1×1 convolution is ahead; at least the one that the last depthwise column needs.
enum { COLUMN_LEAD = 12 };

typedef struct {
  fused_workspace *workspace;
  fused_lane *lane;
} stream;

static const fused_layer *layer_of(const stream *stream, int index) { return &stream->workspace->network->layers[index]; }
static const fused_plan *plan_of(const stream *stream, int index) { return &stream->workspace->plans[index]; }
static fused_stage *stage_of(const stream *stream, int index) { return &stream->lane->stages[index]; }
static const fused_kernels *kernels_of(const stream *stream) { return stream->workspace->network->kernels; }

/// Where the row `y` is that a stage makes: in its map if it is this thread's own, else in the ring.
static float *made_row(const stream *stream, int index, int y) {
  const fused_plan *plan = plan_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (plan->map && y >= stage->own_begin && y < stage->own_end) return plan->map + (size_t)y * plan->row_stride;
  return stage->ring ? stage->ring + (size_t)(y % plan->ring_rows) * plan->row_stride : NULL;
}

static float *made_pooled(const stream *stream, int index, int y) {
  const fused_plan *plan = plan_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (plan->pooled_map && 2 * y >= stage->own_begin && 2 * y < stage->own_end)
    return plan->pooled_map + (size_t)y * plan->pooled_stride;
  return stage->pooled_ring + (size_t)(y % plan->pooled_ring_rows) * plan->pooled_stride;
}

/// The row `y` of `source` as the stage `taker` sees it: a root sees what all threads have made. Begins with the column of
/// zeros; outside there is nothing else.
static const float *taken_row(const stream *stream, int taker, int source, int y) {
  const fused_plan *plan = plan_of(stream, source);
  if (y < 0 || y >= plan->height) return stream->workspace->zeros;
  if (plan_of(stream, taker)->is_root) return plan->map + (size_t)y * plan->row_stride;
  return made_row(stream, source, y);
}

static const float *taken_pooled(const stream *stream, int taker, int source, int y) {
  const fused_plan *plan = plan_of(stream, source);
  if (plan_of(stream, taker)->is_root) return plan->pooled_map + (size_t)y * plan->pooled_stride;
  return made_pooled(stream, source, y);
}

static float *image_row(const stream *stream, int y) {
  return stream->lane->image_ring + (size_t)(y % IMAGE_ROWS) * fused_image_row_stride(stream->workspace);
}

static void read_planes(const fused_image *image, int y, float *restrict row) {
  const size_t at = (size_t)y * image->plane_stride;
  const float *const first = image->planes[0] + at, *const second = image->planes[1] + at, *const third = image->planes[2] + at;
  for (int x = 0; x < image->width; x++) {
    row[x * IMAGE_CHANNELS] = first[x];
    row[x * IMAGE_CHANNELS + 1] = second[x];
    row[x * IMAGE_CHANNELS + 2] = third[x];
  }
}

/// Reads the image's row `y` as floats, after the pixel of zeros.
static void read_row(const stream *stream, int y) {
  const fused_workspace *workspace = stream->workspace;
  const fused_image *image = workspace->image;
  float *row = image_row(stream, y) + IMAGE_CHANNELS;
  int filled = 0;
  if (y < image->height) {
    filled = image->width;
    if (image->pixels) {
      kernels_of(stream)->read_pixels(image, image->pixels + (size_t)y * image->stride, filled, row);
    } else {
      read_planes(image, y, row);
    }
  }
  // And the pixel after the last.
  for (int i = filled * IMAGE_CHANNELS; i < (workspace->width + 1) * IMAGE_CHANNELS; i++) row[i] = 0;
}

static const float *taken_image_row(const stream *stream, int y) {
  if (y < 0 || y >= stream->workspace->height) return stream->workspace->zeros;
  for (; stream->lane->image_next <= y; stream->lane->image_next++) read_row(stream, stream->lane->image_next);
  return image_row(stream, y);
}

/// The multiplication that makes the row `y` of a convolution.
static fused_product convolution(const stream *stream, int index, int y) {
  const fused_layer *layer = layer_of(stream, index);
  const int channels = layer->in_channels;
  fused_product product = {
      .runs = layer->kernel,
      .run_length = layer->kernel * channels,
      .pixel_stride = layer->stride * channels,
      .width = plan_of(stream, index)->width,
      .out_channels = layer->out_channels,
      .weights = layer->weights,
      .bias = layer->bias,
      .activation = layer->activation,
      .slopes = layer->slopes,
      .out = made_row(stream, index, y) + layer->out_channels,
  };
  for (int i = 0; i < layer->kernel; i++) {
    const int row = y * layer->stride - layer->padding + i;
    if (layer->source_pooled) product.in[i] = taken_pooled(stream, index, layer->source, row);
    else
      product.in[i] = (layer->source < 0 ? taken_image_row(stream, row)
                                         : taken_row(stream, index, layer->source, row)) +
          (1 - layer->padding) * channels;
  }
  return product;
}

/// The multiplication that makes the row `y` of a transposed convolution: from pixels to pairs of pixels.
static fused_product transposed(const stream *stream, int index, int y) {
  const fused_layer *layer = layer_of(stream, index);
  return (fused_product){
      .in = {taken_row(stream, index, layer->source, y / 2) + layer->in_channels},
      .runs = 1,
      .run_length = layer->in_channels,
      .pixel_stride = layer->in_channels,
      .width = plan_of(stream, layer->source)->width,
      .out_channels = 2 * layer->out_channels,
      .weights = layer->weights + (y % 2) * (ptrdiff_t)layer->in_channels * 2 * layer->out_channels,
      .bias = layer->bias,
      .activation = layer->activation,
      .slopes = layer->slopes,
      .out = made_row(stream, index, y) + layer->out_channels,
  };
}

static void add_to(const stream *stream, fused_product *product, int index, int y) {
  const fused_layer *layer = layer_of(stream, index);
  if (layer->added < 0) return;
  const int channels = layer_of(stream, layer->added)->out_channels;
  product->added = layer->added_pooled ? taken_pooled(stream, index, layer->added, y)
                                       : taken_row(stream, index, layer->added, y) + channels;
  product->added_channels = layer->kind == FUSED_STEP_TRANSPOSED ? 2 * channels : channels;
  product->added_last = layer->added_last;
}

/// Makes the columns from `begin` to before `end`.
static void multiply_columns(const stream *stream, const fused_product *whole, int begin, int end) {
  fused_product part = *whole;
  for (int i = 0; i < part.runs; i++) part.in[i] += (ptrdiff_t)begin * part.pixel_stride;
  part.out += (ptrdiff_t)begin * part.out_channels;
  if (part.added) part.added += (ptrdiff_t)begin * part.added_channels;
  part.width = end - begin;
  kernels_of(stream)->multiply(&part);
}

/// A depthwise step's next one or two rows.
typedef struct {
  const float *in[4];
  float *out[2];
  float *pooled;
} row_pair;

static row_pair next_pair(const stream *stream, int index, int count) {
  const fused_layer *layer = layer_of(stream, index);
  const int y = stage_of(stream, index)->next;
  row_pair pair = {0};
  // The row after a lone one's is not looked at: its lower output is nobody's.
  for (int i = 0; i < 4; i++)
    pair.in[i] = i < 2 + count ? taken_row(stream, index, layer->source, y - 1 + i) : stream->workspace->zeros;
  if (layer->rows_taken) {
    pair.out[0] = made_row(stream, index, y) + layer->out_channels;
    pair.out[1] = count == 2 ? made_row(stream, index, y + 1) + layer->out_channels : stream->lane->spare;
  }
  if (layer->pooled_taken) pair.pooled = made_pooled(stream, index, y / 2);
  return pair;
}

/// The columns from `begin` to before `end`, `begin` even.
static void convolve_depthwise(const stream *stream, int index, const row_pair *pair, int begin, int end) {
  const fused_layer *layer = layer_of(stream, index);
  const size_t at = (size_t)begin * (size_t)layer->out_channels;
  const float *const in[4] = {pair->in[0] + at, pair->in[1] + at, pair->in[2] + at, pair->in[3] + at};
  float *const out[2] = {pair->out[0] ? pair->out[0] + at : NULL, pair->out[1] ? pair->out[1] + at : NULL};
  kernels_of(stream)->depthwise(
      in, layer->out_channels, end - begin, layer->weights, layer->activation, out,
      pair->pooled ? pair->pooled + at / 2 : NULL);
}

static void make_depthwise(const stream *stream, int index, int count) {
  const fused_layer *layer = layer_of(stream, index);
  const fused_plan *plan = plan_of(stream, index);
  if (layer->stride == 1) {
    const row_pair pair = next_pair(stream, index, count);
    convolve_depthwise(stream, index, &pair, 0, plan->width);
    return;
  }
  const int y = stage_of(stream, index)->next;
  const float *in[3];
  for (int i = 0; i < 3; i++) in[i] = taken_row(stream, index, layer->source, 2 * y - 1 + i);
  kernels_of(stream)->depthwise_halved(
      in, layer->out_channels, plan->width, layer->weights, layer->activation,
      made_row(stream, index, y) + layer->out_channels);
}

static void make_sum(const stream *stream, int index) {
  const fused_layer *layer = layer_of(stream, index);
  const int y = stage_of(stream, index)->next;
  const int channels = layer->out_channels;
  kernels_of(stream)->add_upsampled(
      taken_row(stream, index, layer->source, y) + channels, taken_row(stream, index, layer->added, y / 2) + channels,
      channels, plan_of(stream, index)->width, made_row(stream, index, y) + channels);
}

/// The stage that alone takes this one's rows and is made together with it, block of columns by block of columns; or -1.
static int partner_of(const stream *stream, int index) {
  const fused_layer *layer = layer_of(stream, index);
  const fused_plan *plan = plan_of(stream, index);
  const int next = plan->first_follower;
  if (layer->kind != FUSED_STEP_CONVOLUTION || layer->kernel != 1 || next < 0 || layer->pooled_taken ||
      plan_of(stream, next)->next_follower >= 0 || fused_rows_at_once(layer_of(stream, next)) != 2)
    return -1;
  return next;
}

/// Whether the row `y` is the last of those that a depthwise stage's next two are made of.
static bool completes_pair(const stream *stream, int depthwise, int y) {
  const fused_stage *stage = stage_of(stream, depthwise);
  return y == stage->next + 2 && stage->end - stage->next >= 2;
}

static void make_together(const stream *stream, int index, const fused_product *product, int depthwise) {
  const row_pair pair = next_pair(stream, depthwise, 2);
  const int width = plan_of(stream, index)->width;
  int multiplied = 0;
  for (int x = 0; x < width; x += COLUMN_BLOCK) {
    int end = x + COLUMN_BLOCK + COLUMN_LEAD;
    if (end + COLUMN_LEAD > width) end = width;
    if (multiplied < end) multiply_columns(stream, product, multiplied, end);
    multiplied = end;
    convolve_depthwise(stream, depthwise, &pair, x, x + COLUMN_BLOCK < width ? x + COLUMN_BLOCK : width);
  }
}

static void pool_rows(const stream *stream, int index, int y) {
  const fused_layer *layer = layer_of(stream, index);
  // Where two rows are made together, their maxima are as well.
  if (!layer->pooled_taken || y % 2 == 0 || fused_rows_at_once(layer) == 2) return;
  const int channels = layer->out_channels;
  const float *const rows[2] = {
      made_row(stream, index, y - 1) + channels, made_row(stream, index, y) + channels};
  kernels_of(stream)->pool(rows, channels, plan_of(stream, index)->width / 2, made_pooled(stream, index, y / 2));
}

static void make_rows(stream *stream, int index);

/// The rows up to before `next` are made: whoever follows makes what that allows.
static void hand_on(stream *stream, int index, int next) {
  stage_of(stream, index)->next = next;
  for (int i = plan_of(stream, index)->first_follower; i >= 0; i = plan_of(stream, i)->next_follower)
    make_rows(stream, i);
}

/// How many rows a stage makes next: two, one, or none as long as there are not all that it takes.
static int rows_ready(const stream *stream, int index) {
  const fused_layer *layer = layer_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  const int left = stage->end - stage->next;
  const int most = fused_rows_at_once(layer);
  const int count = left < most ? left : most;
  if (count <= 0 || plan_of(stream, index)->is_root) return count;
  int last = stage->next + count - 1;
  if (layer->kind == FUSED_STEP_TRANSPOSED) last /= 2;
  else if (layer->source_pooled) last = 2 * last + 1;
  else last = last * layer->stride - layer->padding + layer->kernel - 1;
  const int height = plan_of(stream, layer->source)->height;
  if (last >= height) last = height - 1;
  return last < stage_of(stream, layer->source)->next ? count : 0;
}

static void make_rows(stream *stream, int index) {
  const fused_layer *layer = layer_of(stream, index);
  for (int count; (count = rows_ready(stream, index)) > 0;) {
    const int y = stage_of(stream, index)->next;
    int partner = -1;
    switch (layer->kind) {
      case FUSED_STEP_DEPTHWISE: make_depthwise(stream, index, count); break;
      case FUSED_STEP_SUM: make_sum(stream, index); break;
      case FUSED_STEP_CONVOLUTION:
      case FUSED_STEP_TRANSPOSED: {
        fused_product product =
            layer->kind == FUSED_STEP_CONVOLUTION ? convolution(stream, index, y) : transposed(stream, index, y);
        add_to(stream, &product, index, y);
        partner = partner_of(stream, index);
        if (partner >= 0 && completes_pair(stream, partner, y)) {
          make_together(stream, index, &product, partner);
        } else {
          partner = -1;
          kernels_of(stream)->multiply(&product);
        }
        break;
      }
    }
    pool_rows(stream, index, y);
    if (partner < 0) {
      hand_on(stream, index, y + count);
    } else {
      stage_of(stream, index)->next = y + 1;
      hand_on(stream, partner, y);
      make_rows(stream, partner);
    }
  }
}

/// The rows of its source, from `*begin` to before `*end`, that a stage's rows are made of.
static void rows_taken(const stream *stream, int index, int *begin, int *end) {
  const fused_layer *layer = layer_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (layer->kind == FUSED_STEP_TRANSPOSED) {
    *begin = stage->begin / 2;
    *end = (stage->end + 1) / 2;
  } else if (layer->source_pooled) {
    *begin = 2 * stage->begin;
    *end = 2 * stage->end;
  } else {
    *begin = stage->begin * layer->stride - layer->padding;
    *end = (stage->end - 1) * layer->stride - layer->padding + layer->kernel;
  }
  const int height = plan_of(stream, layer->source)->height;
  if (*begin < 0) *begin = 0;
  if (*end > height) *end = height;
}

/// Sets the rows that a stage, and all that follow, make of one image, from what this thread keeps.
static void set_ranges(const stream *stream, int lane_index, int index) {
  const int lanes = stream->workspace->lane_count;
  const fused_plan *plan = plan_of(stream, index);
  fused_stage *stage = stage_of(stream, index);
  // Whole pairs of rows, as they are pooled.
  const int pairs = (plan->height + 1) / 2;
  const int own_begin = 2 * (pairs * lane_index / lanes);
  const int own_end = 2 * (pairs * (lane_index + 1) / lanes);
  stage->own_begin = own_begin;
  stage->own_end = own_end < plan->height ? own_end : plan->height;
  const bool keeps = (plan->map || plan->pooled_map) && stage->own_begin < stage->own_end;
  int begin = keeps ? stage->own_begin : plan->height;
  int end = keeps ? stage->own_end : 0;
  for (int next = plan->first_follower; next >= 0; next = plan_of(stream, next)->next_follower) {
    set_ranges(stream, lane_index, next);
    const fused_stage *follower = stage_of(stream, next);
    if (follower->begin >= follower->end) continue;
    int first, last;
    rows_taken(stream, next, &first, &last);
    if (first < begin) begin = first;
    if (last > end) end = last;
  }
  if (layer_of(stream, index)->pooled_taken) {
    begin = begin / 2 * 2;
    end = (end + 1) / 2 * 2;
  }
  if (begin >= end) begin = end = 0;
  stage->begin = stage->next = begin;
  stage->end = end;
}

void fused_run_root(fused_workspace *workspace, fused_lane *lane, int lane_index, int root) {
  stream stream = {workspace, lane};
  set_ranges(&stream, lane_index, root);
  const fused_layer *layer = &workspace->network->layers[root];
  const int first = lane->stages[root].begin * layer->stride - layer->padding;
  if (layer->source < 0) lane->image_next = first > 0 ? first : 0;
  make_rows(&stream, root);
}
