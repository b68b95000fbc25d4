/* From the colours of a drawn picture to luma and chroma, for the pixels that were drawn alone: what is not marked
 * stays as it is to the last bit. */
#include <string.h>

#include "draw.h"

/* Weights of 16 bits after the point, for B, G, R. */
typedef struct {
  gint y[3], u[3], v[3];
  gint y_offset, y_max, y_min, c_min, c_max;
} Matrix;

static Matrix matrix_of(const GstVideoInfo *info)
{
  gboolean is_709 = info->colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709;
  gboolean is_full = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  gdouble red = is_709 ? 0.2126 : 0.299, blue = is_709 ? 0.0722 : 0.114, green = 1 - red - blue;
  gdouble luma = is_full ? 65536 : 65536 * 219 / 255.0, chroma = is_full ? 65536 : 65536 * 224 / 255.0;
  gdouble u = chroma / 2 / (1 - blue), v = chroma / 2 / (1 - red);
  return (Matrix){.y = {(gint)(blue * luma), (gint)(green * luma), (gint)(red * luma)},
                  .u = {(gint)((1 - blue) * u), (gint)(-green * u), (gint)(-red * u)},
                  .v = {(gint)(-blue * v), (gint)(-green * v), (gint)((1 - red) * v)},
                  .y_offset = is_full ? 0 : 16,
                  .y_min = is_full ? 0 : 16,
                  .y_max = is_full ? 255 : 235,
                  .c_min = is_full ? 0 : 16,
                  .c_max = is_full ? 255 : 240};
}

static gint weigh(const gint *weights, const gint *colour)
{
  return (weights[0] * colour[0] + weights[1] * colour[1] + weights[2] * colour[2] + 32768) >> 16;
}

/* A sample of a component at a position of that component. */
static guint8 *sample(GstVideoFrame *frame, guint component, gint x, gint y)
{
  return (guint8 *)GST_VIDEO_FRAME_COMP_DATA(frame, component) +
         (gsize)y * (gsize)GST_VIDEO_FRAME_COMP_STRIDE(frame, component) +
         (gsize)x * (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE(frame, component);
}

/* A part of both pictures: the pixels that share a sample of chroma. */
typedef struct {
  gint left, top, right, bottom;
} Block;

static gboolean is_changed(const Block *block, const guint8 *before, const guint8 *after, gsize stride)
{
  for (gint row = block->top; row < block->bottom; row++) {
    gsize place = (gsize)row * stride + (gsize)block->left * 4;
    /* Nearly all are whole and unchanged, and compared by one instruction. */
    if (block->right - block->left == 2 ? memcmp(before + place, after + place, 8) != 0
                                        : memcmp(before + place, after + place, 4) != 0)
      return TRUE;
  }
  return FALSE;
}

static void patch(GstVideoFrame *frame, const Matrix *matrix, gint x, gint y, gint down, const Block *block,
                  const guint8 *before, const guint8 *after, gsize stride)
{
  gint sum[3] = {0, 0, 0}, count = 0;
  gboolean is_marked = FALSE;
  for (gint row = block->top; row < block->bottom; row++) {
    for (gint column = block->left; column < block->right; column++) {
      gsize place = (gsize)row * stride + (gsize)column * 4;
      gint colour[3] = {after[place], after[place + 1], after[place + 2]};
      for (gint part = 0; part < 3; part++) sum[part] += colour[part];
      count++;
      if (memcmp(before + place, after + place, 3) == 0) continue;
      is_marked = TRUE;
      *sample(frame, 0, x + column, y + row) =
          (guint8)CLAMP(weigh(matrix->y, colour) + matrix->y_offset, matrix->y_min, matrix->y_max);
    }
  }
  if (!is_marked) return;
  gint mean[3] = {sum[0] / count, sum[1] / count, sum[2] / count};
  gint chroma_x = (x + block->left) / 2, chroma_y = (y + block->top) / down;
  *sample(frame, 1, chroma_x, chroma_y) = (guint8)CLAMP(weigh(matrix->u, mean) + 128, matrix->c_min, matrix->c_max);
  *sample(frame, 2, chroma_x, chroma_y) = (guint8)CLAMP(weigh(matrix->v, mean) + 128, matrix->c_min, matrix->c_max);
}

void gst_face_patch(GstVideoFrame *frame, gint x, gint y, gint width, gint height, const guint8 *before,
                    const guint8 *after, gsize stride)
{
  Matrix matrix = matrix_of(&frame->info);
  gint down =
      GST_VIDEO_FRAME_COMP_HEIGHT(frame, 1) < GST_VIDEO_FRAME_HEIGHT(frame) ? 2 : 1; /* rows that share chroma */
  for (gint top = 0; top < height; top += down) {
    for (gint left = 0; left < width; left += 2) {
      Block block = {left, top, MIN(left + 2, width), MIN(top + down, height)};
      if (is_changed(&block, before, after, stride)) patch(frame, &matrix, x, y, down, &block, before, after, stride);
    }
  }
}
