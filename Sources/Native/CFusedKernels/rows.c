/// Computes rows of floats and of 16-bit integers.
#include "stream.h"

/// Columns of a depthwise convolution that are computed directly after those of the 1×1 convolution they
/// read, while both are in the first-level cache: a small gain at the usual sizes, 4% at 3840×2176. A
/// multiple of the usual blocks of `gemm`.
enum { COLUMN_BLOCK = 36 };
/// Columns that the 1×1 convolution is ahead; at least the one that the last depthwise column needs.
enum { COLUMN_LEAD = 12 };

/// Bytes of an element of the kernels: a float or a pair of 16-bit integers.
enum { ELEMENT = 4 };

/// Returns the bytes of a pixel of a layer's rows.
static int pixel_size(const fused_node *node) { return node->out_channels * fused_value_size(node->layer.format); }

/// Returns a row's elements for as many values of a layer's source, which need whole ones.
static int elements(const fused_node *node, int values)
{
  return (values * fused_value_size(node->source_format) + ELEMENT - 1) / ELEMENT;
}

/// Returns the matrix product that computes the row `y` of a convolution.
static fused_gemm convolution(const fused_stream *stream, int index, int y)
{
  const fused_node *node = node_of(stream, index);
  const int channels = node->in_channels;
  fused_gemm gemm = {
      .k_runs = node->layer.kernel,
      .k_run_length =
          elements(node, fused_reads_exactly(node) ? node->layer.in_channels : node->layer.kernel * channels),
      .pixel_stride = elements(node, node->layer.stride * channels),
      .width = schedule_of(stream, index)->width,
      .out_channels = node->out_channels,
      .weights = node->weights,
      .bias = node->bias,
      .factors = node->multipliers,
      .activation = node->layer.activation,
      .slopes = node->slopes,
      .gives_floats = node->layer.format == FUSED_FORMAT_F32,
      .out = output_row(stream, index, y) + pixel_size(node),
  };
  for (int i = 0; i < node->layer.kernel; i++) {
    const int row = y * node->layer.stride - node->layer.padding + i;
    if (node->layer.source_pooled)
      gemm.in[i] = input_pooled(stream, index, node->layer.source, row);
    else
      gemm.in[i] = (node->layer.source < 0 ? fused_input_image_row(stream, row)
                                           : input_row(stream, index, node->layer.source, row)) +
                   (1 - node->layer.padding) * channels * fused_value_size(node->source_format);
  }
  return gemm;
}

/// Returns the matrix product that computes the row `y` of a transposed convolution of floats: from pixels to
/// pairs of pixels.
static fused_gemm transposed(const fused_stream *stream, int index, int y)
{
  const fused_node *node = node_of(stream, index);
  return (fused_gemm){
      .in = {input_row(stream, index, node->layer.source, y / 2) + pixel_size(node_of(stream, node->layer.source))},
      .k_runs = 1,
      .k_run_length = node->in_channels,
      .pixel_stride = node->in_channels,
      .width = schedule_of(stream, node->layer.source)->width,
      .out_channels = 2 * node->out_channels,
      .weights = (const float *)node->weights + (y % 2) * (ptrdiff_t)node->in_channels * 2 * node->out_channels,
      .bias = node->bias,
      .activation = node->layer.activation,
      .slopes = node->slopes,
      .out = output_row(stream, index, y) + pixel_size(node),
  };
}

static void add_to(const fused_stream *stream, fused_gemm *gemm, int index, int y)
{
  const fused_node *node = node_of(stream, index);
  if (node->layer.added < 0) return;
  const fused_node *added = node_of(stream, node->layer.added);
  gemm->added = node->layer.added_pooled ? input_pooled(stream, index, node->layer.added, y)
                                         : input_row(stream, index, node->layer.added, y) + pixel_size(added);
  gemm->added_channels = node->layer.kind == FUSED_LAYER_TRANSPOSED ? 2 * added->out_channels : added->out_channels;
  gemm->added_last = node->layer.added_last;
}

/// Computes the columns from `begin` to before `end`.
static void gemm_columns(const fused_stream *stream, int index, const fused_gemm *whole, int begin, int end)
{
  const fused_node *node = node_of(stream, index);
  fused_gemm part = *whole;
  for (int i = 0; i < part.k_runs; i++)
    part.in[i] = (const char *)part.in[i] + (ptrdiff_t)begin * part.pixel_stride * ELEMENT;
  part.out = (char *)part.out + (ptrdiff_t)begin * pixel_size(node);
  if (part.added)
    part.added =
        (const char *)part.added + (ptrdiff_t)begin * part.added_channels * fused_value_size(node->layer.format);
  part.width = end - begin;
  node->kernels->gemm(&part);
}

/// A depthwise layer's next one or two rows.
typedef struct {
  const unsigned char *in[4];
  unsigned char *out[2];
  unsigned char *pooled;
} row_pair;

static row_pair next_pair(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next;
  row_pair pair = {0};
  // For a single row, neither the second output nor the last input row is used.
  for (int i = 0; i < 4; i++)
    pair.in[i] = i < 2 + count ? input_row(stream, index, node->layer.source, y - 1 + i) : stream->workspace->zeros;
  if (node->rows_used) {
    pair.out[0] = output_row(stream, index, y) + pixel_size(node);
    pair.out[1] = count == 2 ? output_row(stream, index, y + 1) + pixel_size(node) : stream->worker->spare;
  }
  if (node->pooled_used) pair.pooled = output_pooled(stream, index, y / 2);
  return pair;
}

/// Computes the columns from `begin` to before `end`, `begin` even.
static void convolve_depthwise(const fused_stream *stream, int index, const row_pair *pair, int begin, int end)
{
  const fused_node *node = node_of(stream, index);
  const size_t at = (size_t)begin * (size_t)pixel_size(node);
  const void *const in[4] = {pair->in[0] + at, pair->in[1] + at, pair->in[2] + at, pair->in[3] + at};
  void *const out[2] = {pair->out[0] ? pair->out[0] + at : NULL, pair->out[1] ? pair->out[1] + at : NULL};
  node->kernels->dwconv3x3(in, node->out_channels, end - begin, node->weights, node->layer.activation, out,
                           pair->pooled ? pair->pooled + at / 2 : NULL);
}

static void run_depthwise(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  const fused_schedule *schedule = schedule_of(stream, index);
  if (node->layer.stride == 1) {
    const row_pair pair = next_pair(stream, index, count);
    convolve_depthwise(stream, index, &pair, 0, schedule->width);
    return;
  }
  const int y = stage_of(stream, index)->next;
  const void *in[3];
  for (int i = 0; i < 3; i++) in[i] = input_row(stream, index, node->layer.source, 2 * y - 1 + i);
  node->kernels->dwconv3x3s2(in, node->out_channels, schedule->width, node->weights, node->layer.activation,
                             output_row(stream, index, y) + pixel_size(node));
}

static void run_sum(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, pixel = pixel_size(node);
  node->kernels->add_upsampled(input_row(stream, index, node->layer.source, y) + pixel,
                               input_row(stream, index, node->layer.added, y / 2) + pixel, node->out_channels,
                               schedule_of(stream, index)->width, output_row(stream, index, y) + pixel);
}

/// Returns the only consumer of this stage if both are computed together, block of columns by block of
/// columns; else -1.
static int partner_of(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const fused_schedule *schedule = schedule_of(stream, index);
  const int next = schedule->first_consumer;
  if (node->layer.kind != FUSED_LAYER_CONVOLUTION || node->layer.kernel != 1 || next < 0 || node->pooled_used ||
      schedule_of(stream, next)->next_consumer >= 0 || fused_rows_at_once(node_of(stream, next)) != 2)
    return -1;
  return next;
}

/// Returns whether the row `y` is the last of those from which a depthwise stage's next two are computed.
static bool completes_pair(const fused_stream *stream, int depthwise, int y)
{
  const fused_stage *stage = stage_of(stream, depthwise);
  return y == stage->next + 2 && stage->end - stage->next >= 2;
}

static void run_with_partner(const fused_stream *stream, int index, const fused_gemm *gemm, int depthwise)
{
  const row_pair pair = next_pair(stream, depthwise, 2);
  const int width = schedule_of(stream, index)->width;
  int multiplied = 0;
  for (int x = 0; x < width; x += COLUMN_BLOCK) {
    int end = x + COLUMN_BLOCK + COLUMN_LEAD;
    if (end + COLUMN_LEAD > width) end = width;
    if (multiplied < end) gemm_columns(stream, index, gemm, multiplied, end);
    multiplied = end;
    convolve_depthwise(stream, depthwise, &pair, x, x + COLUMN_BLOCK < width ? x + COLUMN_BLOCK : width);
  }
}

static void pool_rows(const fused_stream *stream, int index, int y)
{
  const fused_node *node = node_of(stream, index);
  // Layers that compute two rows together also compute their maxima.
  if (!node->pooled_used || y % 2 == 0 || fused_rows_at_once(node) == 2) return;
  const int pixel = pixel_size(node);
  const void *const rows[2] = {output_row(stream, index, y - 1) + pixel, output_row(stream, index, y) + pixel};
  node->kernels->maxpool2x2(rows, node->out_channels, schedule_of(stream, index)->width / 2,
                            output_pooled(stream, index, y / 2));
}

int fused_compute_rows(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next;
  int partner = -1;
  switch (node->layer.kind) {
  case FUSED_LAYER_DEPTHWISE: run_depthwise(stream, index, count); break;
  case FUSED_LAYER_SUM: run_sum(stream, index); break;
  case FUSED_LAYER_CONVOLUTION:
  case FUSED_LAYER_TRANSPOSED: {
    fused_gemm gemm =
        node->layer.kind == FUSED_LAYER_CONVOLUTION ? convolution(stream, index, y) : transposed(stream, index, y);
    add_to(stream, &gemm, index, y);
    partner = partner_of(stream, index);
    if (partner >= 0 && completes_pair(stream, partner, y)) {
      run_with_partner(stream, index, &gemm, partner);
    } else {
      partner = -1;
      node->kernels->gemm(&gemm);
    }
    break;
  }
  }
  pool_rows(stream, index, y);
  return partner;
}
