#include "frames.h"

#include <gst/allocators/gstfdmemory.h>

#include "debug.h"

face_format gst_face_format_of(const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_FORMAT(info)) {
  case GST_VIDEO_FORMAT_NV12: return FACE_FORMAT_NV12;
  case GST_VIDEO_FORMAT_NV21: return FACE_FORMAT_NV21;
  case GST_VIDEO_FORMAT_I420: return FACE_FORMAT_I420;
  case GST_VIDEO_FORMAT_NV16: return FACE_FORMAT_NV16;
  case GST_VIDEO_FORMAT_YUY2: return FACE_FORMAT_YUYV;
  case GST_VIDEO_FORMAT_UYVY: return FACE_FORMAT_UYVY;
  case GST_VIDEO_FORMAT_BGRx:
  case GST_VIDEO_FORMAT_BGRA: return FACE_FORMAT_BGRA;
  case GST_VIDEO_FORMAT_RGBx:
  case GST_VIDEO_FORMAT_RGBA: return FACE_FORMAT_RGBA;
  case GST_VIDEO_FORMAT_RGB: return FACE_FORMAT_RGB;
  case GST_VIDEO_FORMAT_BGR: return FACE_FORMAT_BGR;
  default: return FACE_FORMAT_GRAY;
  }
}

face_colour gst_face_colour_of(const GstVideoInfo *info)
{
  gboolean is_full = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  switch (info->colorimetry.matrix) {
  case GST_VIDEO_COLOR_MATRIX_BT709: return is_full ? FACE_COLOUR_BT709_FULL : FACE_COLOUR_BT709_VIDEO;
  default: return is_full ? FACE_COLOUR_BT601_FULL : FACE_COLOUR_BT601_VIDEO;
  }
}

static GQuark import_quark(void) { return g_quark_from_static_string("gst-face-engine-import"); }

static void destroy_import(gpointer data) { face_memory_destroy(data); }

/* The library's view of a descriptor, which is kept with the memory: a pool's buffers come again and again. The memory
 * of a pool may be looked at by two elements at a time. */
static const face_memory *import_memory(GstMemory *memory)
{
  static GMutex lock;
  static gint refused; /* its address marks memory that was refused: a dmabuf, or a memfd without seals */
  g_mutex_lock(&lock);
  gpointer known = gst_mini_object_get_qdata(GST_MINI_OBJECT(memory), import_quark());
  if (known == NULL) {
    face_memory *imported = NULL;
    if (face_memory_import(gst_fd_memory_get_fd(memory), &imported) == FACE_OK) {
      GST_DEBUG("descriptor %d goes to the engine without a copy", gst_fd_memory_get_fd(memory));
      gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), import_quark(), imported, destroy_import);
      known = imported;
    } else {
      GST_DEBUG("descriptor %d is mapped here: %s", gst_fd_memory_get_fd(memory), face_last_error());
      gst_mini_object_set_qdata(GST_MINI_OBJECT(memory), import_quark(), &refused, NULL);
      known = &refused;
    }
  }
  g_mutex_unlock(&lock);
  return known == &refused ? NULL : known;
}

/* Bytes that a plane has at least: its last row need not be padded. */
static gsize least_size(const GstVideoInfo *info, guint plane, gsize stride)
{
  gint component[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info->finfo, plane, component);
  gsize rows = (gsize)GST_VIDEO_INFO_COMP_HEIGHT(info, component[0]);
  gsize width =
      (gsize)GST_VIDEO_INFO_COMP_WIDTH(info, component[0]) * (gsize)GST_VIDEO_INFO_COMP_PSTRIDE(info, component[0]);
  /* Two pixels of YUY2 and UYVY are four bytes together. */
  if (GST_VIDEO_INFO_N_PLANES(info) == 1 && GST_VIDEO_INFO_IS_YUV(info)) width = GST_ROUND_UP_4(width);
  return stride * (rows - 1) + width;
}

static gboolean describe_import(GstBuffer *buffer, const GstVideoInfo *info, face_image *image)
{
  if (gst_buffer_n_memory(buffer) != 1) return FALSE;
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  if (!gst_is_fd_memory(memory)) return FALSE;
  const face_memory *imported = import_memory(memory);
  if (imported == NULL) return FALSE;
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  image->memory = imported;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(info); plane++) {
    gsize offset = meta != NULL ? meta->offset[plane] : GST_VIDEO_INFO_PLANE_OFFSET(info, plane);
    gint stride = meta != NULL ? meta->stride[plane] : GST_VIDEO_INFO_PLANE_STRIDE(info, plane);
    image->offsets[plane] = memory->offset + offset;
    image->strides[plane] = (gsize)stride;
    image->plane_sizes[plane] = least_size(info, plane, (gsize)stride);
  }
  return TRUE;
}

static void describe_mapped(const GstVideoFrame *mapped, face_image *image)
{
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(mapped); plane++) {
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA(mapped, plane);
    /* Without a GstVideoMeta all planes lie in the first mapping. */
    const GstMapInfo *map = mapped->meta != NULL ? &mapped->map[plane] : &mapped->map[0];
    image->planes[plane] = data;
    image->plane_sizes[plane] = (gsize)(map->data + map->size - data);
    image->strides[plane] = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(mapped, plane);
  }
}

GstFaceFrame *gst_face_frame_new(GstBuffer *buffer, const GstVideoInfo *info, gboolean is_connected, face_image *image)
{
  GstFaceFrame *frame = g_new0(GstFaceFrame, 1);
  image->format = gst_face_format_of(info);
  image->colour = gst_face_colour_of(info);
  image->width = (guint32)GST_VIDEO_INFO_WIDTH(info);
  image->height = (guint32)GST_VIDEO_INFO_HEIGHT(info);
  if (GST_VIDEO_INFO_PAR_N(info) != GST_VIDEO_INFO_PAR_D(info))
    image->pixel_aspect = CLAMP((gfloat)GST_VIDEO_INFO_PAR_N(info) / (gfloat)GST_VIDEO_INFO_PAR_D(info), 0.1f, 10.0f);
  if (is_connected && describe_import(buffer, info, image)) {
    frame->is_imported = TRUE;
    frame->buffer = gst_buffer_ref(buffer);
    return frame;
  }
  if (!gst_video_frame_map(&frame->mapped, info, buffer, GST_MAP_READ)) {
    g_free(frame);
    return NULL;
  }
  describe_mapped(&frame->mapped, image);
  return frame;
}

void gst_face_frame_free(GstFaceFrame *frame)
{
  if (frame == NULL) return;
  if (frame->is_imported) {
    gst_buffer_unref(frame->buffer);
  } else {
    gst_video_frame_unmap(&frame->mapped);
  }
  g_free(frame);
}
