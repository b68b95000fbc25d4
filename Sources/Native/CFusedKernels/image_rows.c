/// Reads rows of the image as the first layer needs them.
#include <string.h>

#include "stream.h"

static void read_planes(const fused_image *image, int y, float *restrict row)
{
  const size_t at = (size_t)y * image->plane_stride;
  const float *const first = image->planes[0] + at, *const second = image->planes[1] + at,
                     *const third = image->planes[2] + at;
  for (int x = 0; x < image->width; x++) {
    row[x * IMAGE_CHANNELS] = first[x];
    row[x * IMAGE_CHANNELS + 1] = second[x];
    row[x * IMAGE_CHANNELS + 2] = third[x];
  }
}

/// Reads the image's row `y` into `row`, which begins with a pixel of zeros.
static void load_row(const fused_stream *stream, int y, unsigned char *row)
{
  const fused_workspace *workspace = stream->workspace;
  const fused_image *image = workspace->image;
  const fused_node *node = node_of(stream, 0);
  const size_t pixel = (size_t)(IMAGE_CHANNELS * fused_value_size(node->source_format));
  row += pixel;
  const int filled = y < image->height ? image->width : 0;
  float *const values = (float *)(void *)(fused_is_i16(node) ? stream->worker->spare : row);
  if (filled > 0 && image->pixels)
    workspace->network->kernels->read_pixels(image, image->pixels + (size_t)y * image->stride, filled, values);
  else if (filled > 0)
    read_planes(image, y, values);
  if (fused_is_i16(node))
    node->kernels->round_values(values, filled * IMAGE_CHANNELS, (float)(1 << node->layer.shift),
                                (int16_t *)(void *)row);
  // Also the pixel after the last.
  memset(row + (size_t)filled * pixel, 0, (size_t)(workspace->width + 1 - filled) * pixel);
}

static void load_planes_i8(const fused_image *image, int y, uint8_t *row)
{
  for (int c = 0; c < IMAGE_CHANNELS; c++) {
    const float *plane = image->planes[c] + (size_t)y * image->plane_stride;
    for (int x = 0; x < image->width; x++) row[x * 4 + c] = fused_nearest_byte(plane[x]);
  }
}

/// Lets the caller write the row in place. If it cannot, the run ends.
static void read_row_i8(const fused_stream *stream, int y, uint8_t *row)
{
  fused_workspace *workspace = stream->workspace;
  const fused_image *image = workspace->image;
  if (fused_is_over(workspace) || !image->read_row(image->rows, y, row))
    atomic_store_explicit(&workspace->is_over, true, memory_order_relaxed);
  else if (image->reversed)
    workspace->network->i8_kernels->load_pixels(row, image->width, 4, true, row);
}

static void copy_row_i8(const fused_stream *stream, int y, uint8_t *row)
{
  const fused_image *image = stream->workspace->image;
  const uint8_t *pixels = image->pixels + (size_t)y * image->stride;
  if (y + PREFETCHED_ROWS < image->height) {
    const uint8_t *ahead = pixels + PREFETCHED_ROWS * image->stride;
    for (int at = 0; at < image->width * image->bytes_per_pixel; at += CACHE_LINE) __builtin_prefetch(ahead + at);
  }
  stream->workspace->network->i8_kernels->load_pixels(pixels, image->width, image->bytes_per_pixel, image->reversed,
                                                      row);
}

static void load_bytes(const fused_stream *stream, int y, uint8_t *row)
{
  const fused_workspace *workspace = stream->workspace;
  const fused_image *image = workspace->image;
  if (image->read_row)
    read_row_i8(stream, y, row);
  else
    copy_row_i8(stream, y, row);
  for (int x = 0; x < image->width && workspace->uses_pixel_table; x++)
    for (int c = 0; c < IMAGE_CHANNELS; c++) row[x * 4 + c] = workspace->pixel_table[c][row[x * 4 + c]];
}

/// The same in bytes.
static void load_row_i8(const fused_stream *stream, int y, uint8_t *row)
{
  const fused_image *image = stream->workspace->image;
  row += 4;
  const int filled = y < image->height ? image->width : 0;
  if (filled > 0 && (image->pixels || image->read_row))
    load_bytes(stream, y, row);
  else if (filled > 0)
    load_planes_i8(image, y, row);
  memset(row + (size_t)filled * 4, 0, (size_t)(stream->workspace->width + 1 - filled) * 4);
  stream->workspace->network->i8_kernels->fill_spare_bytes(row - 4, stream->workspace->width / 2);
}

const unsigned char *fused_input_image_row(const fused_stream *stream, int y)
{
  if (y < 0 || y >= stream->workspace->height) return stream->workspace->zeros;
  fused_worker *worker = stream->worker;
  for (; worker->image_next <= y; worker->image_next++) {
    unsigned char *row = image_row(stream, worker->image_next);
    if (fused_is_i8(node_of(stream, 0)))
      load_row_i8(stream, worker->image_next, row);
    else
      load_row(stream, worker->image_next, row);
  }
  return image_row(stream, y);
}
