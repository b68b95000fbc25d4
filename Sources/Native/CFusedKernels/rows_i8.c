/// Computes rows of bytes.
#include <string.h>

#include "stream.h"

enum {
  /// The work over which the prefetching of rows is spread, in 16 multiply-adds for each pixel of the first
  /// layer: about YuNet's.
  WORK_PER_PIXEL = 112,
};

static const fused_i8_kernels *kernels_of(const fused_stream *stream) { return stream->workspace->network->i8_kernels; }

/// Whole vectors are written, which may overwrite the column of padding after the last pixel.
static void restore_padding(const fused_node *node, int width, uint8_t *row)
{
  if (width % 4 == 0) return;
  for (int c = 0; c < node->out_channels; c += FUSED_I8_BLOCK, row += fused_plane_stride(width))
    memcpy(row + FUSED_I8_MARGIN + width * FUSED_I8_BLOCK, node->zero_points + c, FUSED_I8_BLOCK);
}

/// Returns the next bytes to prefetch, up to `end` and `most`, for a kernel with so many pixels.
static fused_fetch take_fetch(fused_worker *worker, const uint8_t *end, size_t most, size_t pixels)
{
  if (worker->fetch_next >= end) return (fused_fetch){0};
  const size_t left = (size_t)(end - worker->fetch_next);
  const fused_fetch fetch = {worker->fetch_next, (left < most ? left : most) / pixels};
  worker->fetch_next += fetch.step * pixels;
  return fetch;
}

/// Prefetches the memory for the image's rows `y` and `y` + 1, which the next row needs, as far as later
/// layers have not, and lets those prefetch ahead of that.
static void fetch_next_rows(const fused_stream *stream, int y, fused_i8_conv *conv)
{
  const fused_image *image = stream->workspace->image;
  fused_worker *worker = stream->worker;
  if (!image->read_row || !image->pixels || y + 2 > image->height) return;
  const uint8_t *const next = image->pixels + (size_t)y * image->stride;
  const int last = y + 2 + PREFETCHED_ROWS;
  if (worker->fetch_next < next) worker->fetch_next = next;
  worker->fetch_end = image->pixels + (size_t)(last < image->height ? last : image->height) * image->stride;
  const size_t pixels = (size_t)conv->width * (size_t)(conv->out_channels / FUSED_I8_BLOCK);
  conv->fetch = take_fetch(worker, next + 2 * image->stride, SIZE_MAX, pixels);
}

/// Prefetches memory for later rows of the image, in proportion to the layer's share of the network's work.
static void fetch_later_rows(const fused_stream *stream, fused_i8_gemm *gemm)
{
  const size_t pixels = (size_t)gemm->width * (size_t)(gemm->out_channels / FUSED_I8_BLOCK);
  const size_t work = pixels * (size_t)(gemm->in_channels * gemm->kernel * gemm->kernel);
  const size_t all = (size_t)(schedule_of(stream, 0)->width * WORK_PER_PIXEL);
  gemm->fetch =
      take_fetch(stream->worker, stream->worker->fetch_end, work * 2 * stream->workspace->image->stride / all, pixels);
}

static void convolve_image(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  fused_i8_conv conv = {
      .out_channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .together = node->together,
      .bias = node->bias,
      .multipliers = node->multipliers,
      .out = output_row(stream, index, y),
      .out_plane = fused_plane_stride(width),
  };
  for (int i = 0; i < 3; i++) conv.in[i] = fused_input_image_row(stream, 2 * y - 1 + i);
  fetch_next_rows(stream, 2 * y + 2, &conv);
  kernels_of(stream)->conv3x3s2(&conv);
  restore_padding(node, width, conv.out);
}

static void convolve(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  const int source = node->layer.source, added = node->layer.added;
  fused_i8_gemm gemm = {
      // Pooled rows are as wide as this one.
      .in_plane = fused_plane_stride(width),
      .kernel = node->layer.kernel,
      .in_channels = node->in_channels,
      .out_channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .together = node->together,
      .bias = node->bias,
      .shift = node->layer.shift,
      .multipliers = node->multipliers,
      .added_last = node->layer.added_last,
      .out = output_row(stream, index, y),
      .out_plane = fused_plane_stride(width),
  };
  if (node->layer.source_pooled)
    gemm.in[0] = input_pooled(stream, index, source, y);
  else
    for (int i = 0; i < node->layer.kernel; i++)
      gemm.in[i] = input_row(stream, index, source, y - node->layer.padding + i);
  fetch_later_rows(stream, &gemm);
  if (added >= 0) {
    gemm.added = input_row(stream, index, added, y);
    gemm.added_plane = fused_plane_stride(width);
    gemm.added_channels = node_of(stream, added)->out_channels;
  }
  kernels_of(stream)->gemm(&gemm);
  restore_padding(node, width, gemm.out);
}

static void convolve_to_floats(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  const int source = node->layer.source;
  const fused_i8_gemm_to_floats gemm = {
      .in = node->layer.source_pooled ? input_pooled(stream, index, source, y) : input_row(stream, index, source, y),
      .in_plane = fused_plane_stride(width),
      .in_channels = node->in_channels,
      .out_channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .bias = node->bias,
      .scales = node->multipliers,
      // After the column of zeros.
      .out = (float *)(void *)output_row(stream, index, y) + node->out_channels,
  };
  kernels_of(stream)->gemm_to_floats(&gemm);
}

/// Computes a row from two rows of half the width, those of the left and of the right pixels.
static void convolve_transposed(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  const size_t half_plane = fused_plane_stride(width / 2);
  uint8_t *out = output_row(stream, index, y);
  for (int right = 0; right < 2; right++) {
    const fused_i8_gemm gemm = {
        .in = {input_row(stream, index, node->layer.source, y / 2)},
        .in_plane = half_plane,
        .kernel = 1,
        .in_channels = node->in_channels,
        .out_channels = node->out_channels,
        .width = width / 2,
        .weights = (const int8_t *)node->weights +
                   (size_t)(y % 2 * 2 + right) * (size_t)(node->in_channels * node->out_channels),
        .together = node->together,
        .bias = node->bias,
        .shift = node->layer.shift,
        .multipliers = node->multipliers,
        .out = stream->worker->spare,
        .out_plane = half_plane,
    };
    kernels_of(stream)->gemm(&gemm);
    for (int c = 0; c < node->out_channels / FUSED_I8_BLOCK; c++)
      for (int x = 0; x < width / 2; x++)
        memcpy(out + (size_t)c * fused_plane_stride(width) + FUSED_I8_MARGIN + FUSED_I8_BLOCK * (2 * x + right),
               gemm.out + (size_t)c * half_plane + FUSED_I8_MARGIN + FUSED_I8_BLOCK * x, FUSED_I8_BLOCK);
  }
}

/// Sets the four rows from which the next one or two are computed. For a single row, the last is not used.
static void set_input_rows(const fused_stream *stream, int index, int count, const uint8_t *in[4])
{
  const int y = stage_of(stream, index)->next, source = node_of(stream, index)->layer.source;
  for (int i = 0; i < 4; i++)
    in[i] = i < 2 + count ? input_row(stream, index, source, y - 1 + i) : schedule_of(stream, source)->padding_row;
}

static void convolve_depthwise(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  fused_i8_dwconv conv = {
      .plane = fused_plane_stride(width),
      .channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .bias = node->bias,
      .multipliers = node->multipliers,
  };
  set_input_rows(stream, index, count, conv.in);
  if (node->rows_used) {
    conv.out[0] = output_row(stream, index, y);
    conv.out[1] = count == 2 ? output_row(stream, index, y + 1) : stream->worker->spare;
  }
  if (node->pooled_used) {
    conv.pooled = output_pooled(stream, index, y / 2);
    conv.pooled_plane = fused_plane_stride(width / 2);
  }
  kernels_of(stream)->dwconv3x3(&conv);
  for (int i = 0; i < count && conv.out[0]; i++) restore_padding(node, width, conv.out[i]);
}

static void convolve_depthwise_s2(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  fused_i8_dwconv_s2 conv = {
      .in_plane = fused_plane_stride(schedule_of(stream, node->layer.source)->width),
      .channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .bias = node->bias,
      .multipliers = node->multipliers,
      .out = output_row(stream, index, y),
      .out_plane = fused_plane_stride(width),
  };
  for (int i = 0; i < 3; i++) conv.in[i] = input_row(stream, index, node->layer.source, 2 * y - 1 + i);
  kernels_of(stream)->dwconv3x3s2(&conv);
  restore_padding(node, width, conv.out);
}

static void convolve_depthwise_to_floats(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  fused_i8_dwconv_to_floats conv = {
      .plane = fused_plane_stride(width),
      .channels = node->out_channels,
      .width = width,
      .weights = node->weights,
      .bias = node->bias,
      .scales = node->multipliers,
  };
  set_input_rows(stream, index, count, conv.in);
  for (int i = 0; i < 2; i++)
    // After the column of zeros.
    conv.out[i] =
        (float *)(void *)(i < count ? output_row(stream, index, y + i) : stream->worker->spare) + node->out_channels;
  kernels_of(stream)->dwconv3x3_to_floats(&conv);
}

static void add(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const int y = stage_of(stream, index)->next, width = schedule_of(stream, index)->width;
  uint8_t *out = output_row(stream, index, y);
  kernels_of(stream)->add_upsampled(input_row(stream, index, node->layer.source, y), fused_plane_stride(width),
                                    input_row(stream, index, node->layer.added, y / 2), fused_plane_stride(width / 2),
                                    node->out_channels, width, out);
  restore_padding(node, width, out);
}

void fused_compute_rows_i8(const fused_stream *stream, int index, int count)
{
  const fused_node *node = node_of(stream, index);
  switch (node->layer.kind) {
  case FUSED_LAYER_CONVOLUTION:
    if (node->layer.source < 0)
      convolve_image(stream, index);
    else if (node->layer.format == FUSED_FORMAT_F32)
      convolve_to_floats(stream, index);
    else
      convolve(stream, index);
    break;
  case FUSED_LAYER_DEPTHWISE:
    if (node->layer.format == FUSED_FORMAT_F32)
      convolve_depthwise_to_floats(stream, index, count);
    else if (node->layer.stride == 2)
      convolve_depthwise_s2(stream, index);
    else
      convolve_depthwise(stream, index, count);
    break;
  case FUSED_LAYER_TRANSPOSED: convolve_transposed(stream, index); break;
  case FUSED_LAYER_SUM: add(stream, index); break;
  }
}
