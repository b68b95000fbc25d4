/// How rows go from stage to stage.
#include "workspace.h"

/// Columns of a unit whose depthwise rows are made right after its 1×1 convolution, while both are in the first-level
/// cache: little at the usual sizes, 4% at 3840×2176. A multiple of the usual blocks of `multiply`.
enum { COLUMN_BLOCK = 36 };
/// Columns that the 1×1 convolution is ahead; at least the one that the last depthwise column needs.
enum { COLUMN_LEAD = 12 };

typedef struct {
  fused_workspace *workspace;
  fused_lane *lane;
} stream;

static float *ring_row(const fused_plan *plan, const fused_layer *layer, const fused_stage *stage, int row) {
  return stage->ring + (row % RING_ROWS) * (plan->row_stride + 2 * (size_t)layer->out_channels);
}

static void take_row(stream *stream, int index, int y, const float *row);

/// Gives the rows from `y` on, and their maxima, to all that follow.
static void hand_on(stream *stream, int index, int y, const float *const rows[2], int count, const float *pooled) {
  const fused_workspace *workspace = stream->workspace;
  for (int next = workspace->plans[index].first_follower; next >= 0; next = workspace->plans[next].next_follower) {
    if (workspace->network->layers[next].source_pooled) take_row(stream, next, y / 2, pooled);
    else
      for (int i = 0; i < count; i++) take_row(stream, next, y + i, rows[i]);
  }
}

/// Where the row `y` goes that a stage makes: to its map if it is this thread's own, else where the next overwrites it.
static float *target_row(const fused_plan *plan, const fused_stage *stage, int y, int of_pair) {
  return plan->map && y >= stage->own_begin && y < stage->own_end ? plan->map + (size_t)y * plan->row_stride
                                                                  : stage->scratch + of_pair * plan->row_stride;
}

/// A unit's next one or two rows: what the depthwise convolution reads and writes.
typedef struct {
  const float *in[4];
  float *out[2];
  float *pooled;
  int count;
} row_pair;

static row_pair next_pair(const stream *stream, int index) {
  const fused_workspace *workspace = stream->workspace;
  const fused_layer *layer = &workspace->network->layers[index];
  const fused_plan *plan = &workspace->plans[index];
  const fused_stage *stage = &stream->lane->stages[index];
  const int y = stage->next_out;
  row_pair pair = {.count = stage->end - y < 2 ? 1 : 2};
  for (int i = 0; i < 4; i++) {
    const int row = y - 1 + i;
    pair.in[i] = row < 0 || row >= stage->in_end ? workspace->zeros : ring_row(plan, layer, stage, row);
  }
  if (layer->rows_taken) {
    pair.out[0] = target_row(plan, stage, y, 0);
    // The second of a lone row is no row; it must not be written over its neighbour's.
    pair.out[1] = pair.count == 2 ? target_row(plan, stage, y + 1, 1) : stage->scratch + plan->row_stride;
  }
  if (layer->pooled_taken)
    pair.pooled = plan->pooled_map && y >= stage->own_begin && y < stage->own_end
        ? plan->pooled_map + (size_t)(y / 2) * (plan->row_stride / 2)
        : stage->pooled_scratch;
  return pair;
}

/// The columns from `begin` to before `end`, `begin` even.
static void convolve_depthwise(const stream *stream, int index, const row_pair *pair, int begin, int end) {
  const fused_layer *layer = &stream->workspace->network->layers[index];
  const size_t at = (size_t)begin * (size_t)layer->out_channels;
  const float *const in[4] = {pair->in[0] + at, pair->in[1] + at, pair->in[2] + at, pair->in[3] + at};
  float *const out[2] = {pair->out[0] ? pair->out[0] + at : NULL, pair->out[1] ? pair->out[1] + at : NULL};
  stream->workspace->network->kernels->depthwise(
      in, layer->out_channels, end - begin, layer->depthwise, layer->activation, out,
      pair->pooled ? pair->pooled + at / 2 : NULL);
}

static void finish_pair(stream *stream, int index, const row_pair *pair) {
  fused_stage *stage = &stream->lane->stages[index];
  const int y = stage->next_out;
  stage->next_out += pair->count;
  const float *const rows[2] = {pair->out[0], pair->out[1]};
  hand_on(stream, index, y, rows, pair->count, pair->pooled);
}

/// The 1×1 convolution of the columns from `begin` to before `end`.
static void convolve_pixels(const stream *stream, int index, const float *row, float *out, int begin, int end) {
  const fused_layer *layer = &stream->workspace->network->layers[index];
  const float *const from = row + (size_t)begin * (size_t)layer->in_channels;
  stream->workspace->network->kernels->multiply(
      &from, 1, layer->in_channels, layer->in_channels, end - begin, layer->out_channels, layer->weights, layer->bias,
      FUSED_ACTIVATION_NONE, out + (size_t)begin * (size_t)layer->out_channels);
}

/// Gives a unit its input row `y`. Every second row completes a pair of output rows, which is then made block of columns
/// by block of columns.
static void take_row(stream *stream, int index, int y, const float *row) {
  const fused_layer *layer = &stream->workspace->network->layers[index];
  const fused_plan *plan = &stream->workspace->plans[index];
  fused_stage *stage = &stream->lane->stages[index];
  // With several threads a stage may make rows for one follower that another has no use for.
  if (y != stage->next_in || y >= stage->in_end) return;
  stage->next_in++;
  // Before its first column there is one of zeros.
  float *const out = ring_row(plan, layer, stage, y) + layer->out_channels;
  const bool completes_pair = y == stage->next_out + 2 && stage->end - stage->next_out >= 2;
  if (!completes_pair) {
    convolve_pixels(stream, index, row, out, 0, plan->width);
  } else {
    const row_pair pair = next_pair(stream, index);
    int multiplied = 0;
    for (int x = 0; x < plan->width; x += COLUMN_BLOCK) {
      int end = x + COLUMN_BLOCK + COLUMN_LEAD;
      if (end + COLUMN_LEAD > plan->width) end = plan->width;
      if (multiplied < end) convolve_pixels(stream, index, row, out, multiplied, end);
      multiplied = end;
      convolve_depthwise(stream, index, &pair, x, x + COLUMN_BLOCK < plan->width ? x + COLUMN_BLOCK : plan->width);
    }
    finish_pair(stream, index, &pair);
  }
  if (stage->next_in < stage->in_end) return;
  while (stage->next_out < stage->end) {
    const row_pair pair = next_pair(stream, index);
    convolve_depthwise(stream, index, &pair, 0, plan->width);
    finish_pair(stream, index, &pair);
  }
}

/// Sets the rows that a stage, and all that follow, make of one image, from what this thread keeps.
static void set_ranges(const stream *stream, int lane_index, int index) {
  const fused_workspace *workspace = stream->workspace;
  const fused_layer *layer = &workspace->network->layers[index];
  const fused_plan *plan = &workspace->plans[index];
  fused_stage *stage = &stream->lane->stages[index];
  // Whole pairs of rows, as they are pooled.
  const int pairs = (plan->height + 1) / 2;
  const int own_begin = 2 * (pairs * lane_index / workspace->lane_count);
  const int own_end = 2 * (pairs * (lane_index + 1) / workspace->lane_count);
  stage->own_begin = own_begin;
  stage->own_end = own_end < plan->height ? own_end : plan->height;
  const bool keeps = (plan->map || plan->pooled_map) && stage->own_begin < stage->own_end;
  int begin = keeps ? stage->own_begin : plan->height;
  int end = keeps ? stage->own_end : 0;
  for (int next = plan->first_follower; next >= 0; next = workspace->plans[next].next_follower) {
    set_ranges(stream, lane_index, next);
    const fused_stage *follower = &stream->lane->stages[next];
    if (follower->begin >= follower->end) continue;
    const int scale = workspace->network->layers[next].source_pooled ? 2 : 1;
    if (follower->next_in * scale < begin) begin = follower->next_in * scale;
    if (follower->in_end * scale > end) end = follower->in_end * scale;
  }
  if (layer->pooled_taken) {
    begin = begin / 2 * 2;
    end = (end + 1) / 2 * 2;
  }
  if (begin >= end) begin = end = 0;
  stage->begin = stage->next_out = begin;
  stage->end = end;
  const bool unit = layer->kind == FUSED_STEP_UNIT && begin < end;
  stage->next_in = unit && begin > 0 ? begin - 1 : begin;
  stage->in_end = unit && end < plan->height ? end + 1 : end;
}

/// The image's row `y` as floats, from the pixel of zeros before its first.
static void read_row(const stream *stream, int y) {
  const fused_workspace *workspace = stream->workspace;
  const fused_image *image = workspace->image;
  float *row = stream->lane->image_ring + (y % RING_ROWS) * fused_image_row_stride(workspace) + IMAGE_CHANNELS;
  int filled = 0;
  if (y < image->height) {
    filled = image->width;
    if (image->pixels) {
      workspace->network->kernels->read_pixels(image, image->pixels + (size_t)y * image->stride, filled, row);
    } else {
      for (int c = 0; c < IMAGE_CHANNELS; c++) {
        const float *plane = image->planes[c] + (size_t)y * image->plane_stride;
        for (int x = 0; x < filled; x++) row[x * IMAGE_CHANNELS + c] = plane[x];
      }
    }
  }
  for (int i = filled * IMAGE_CHANNELS; i < workspace->width * IMAGE_CHANNELS; i++) row[i] = 0;
}

static void run_stem(stream *stream, int index) {
  const fused_workspace *workspace = stream->workspace;
  const fused_layer *layer = &workspace->network->layers[index];
  const fused_plan *plan = &workspace->plans[index];
  const fused_stage *stage = &stream->lane->stages[index];
  int read = stage->begin > 0 ? 2 * stage->begin - 1 : 0;
  for (int y = stage->begin; y < stage->end; y++) {
    for (; read <= 2 * y + 1; read++) read_row(stream, read);
    const float *in[3];
    for (int i = 0; i < 3; i++) {
      const int row = 2 * y - 1 + i;
      in[i] = row < 0 ? workspace->zeros
                      : stream->lane->image_ring + (row % RING_ROWS) * fused_image_row_stride(workspace);
    }
    float *out = target_row(plan, stage, y, 0);
    workspace->network->kernels->multiply(
        in, 3, 3 * IMAGE_CHANNELS, 2 * IMAGE_CHANNELS, plan->width, layer->out_channels, layer->weights, layer->bias,
        layer->activation, out);
    const float *const rows[2] = {out, NULL};
    hand_on(stream, index, y, rows, 1, NULL);
  }
}

/// Feeds a unit from maps.
static void run_unit(stream *stream, int index) {
  const fused_workspace *workspace = stream->workspace;
  const fused_layer *layer = &workspace->network->layers[index];
  const fused_plan *plan = &workspace->plans[index];
  const fused_plan *source = &workspace->plans[layer->source];
  const fused_stage *stage = &stream->lane->stages[index];
  const int begin = stage->next_in;
  const int end = stage->in_end;
  for (int y = begin; y < end; y++) {
    const float *row = layer->source_pooled ? source->pooled_map + (size_t)y * (source->row_stride / 2)
                                            : source->map + (size_t)y * source->row_stride;
    if (layer->upsampled >= 0) {
      const fused_plan *half = &workspace->plans[layer->upsampled];
      workspace->network->kernels->add_upsampled(
          row, half->map + (size_t)(y / 2) * half->row_stride, layer->in_channels, plan->width, stage->sum);
      row = stage->sum;
    }
    take_row(stream, index, y, row);
  }
}

void fused_run_root(fused_workspace *workspace, fused_lane *lane, int lane_index, int root) {
  stream stream = {workspace, lane};
  set_ranges(&stream, lane_index, root);
  if (workspace->network->layers[root].kind == FUSED_STEP_STEM) run_stem(&stream, root);
  else run_unit(&stream, root);
}
