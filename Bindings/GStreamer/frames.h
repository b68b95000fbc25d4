/* Frames as the library takes them: planes and strides of a buffer, without a copy. */
#pragma once

#include <face_engine.h>
#include <gst/video/video.h>

/* What the pads take. */
#define GST_FACE_FORMATS "{ NV12, NV21, NV16, I420, YUY2, UYVY, BGRx, BGRA, RGBx, RGBA, RGB, BGR, GRAY8 }"
#define GST_FACE_CAPS                                \
  "video/x-raw, format = (string) " GST_FACE_FORMATS \
  ", width = (int) [ 16, 16384 ], height = (int) [ 16, 16384 ], framerate = (fraction) [ 0, max ]"

/* A buffer whose pixels the library reads. It holds a reference. */
typedef struct {
  GstBuffer *buffer;
  GstVideoFrame mapped; /* unless `is_imported` */
  gboolean is_imported; /* its descriptor goes to the engine; nothing is mapped here */
} GstFaceFrame;

/* Describes `buffer` in `image`: by its descriptor if it lies in a sealed memfd and `is_connected`, else mapped.
 * Returns NULL if it cannot be mapped. `image` is valid until gst_face_frame_free. */
GstFaceFrame *gst_face_frame_new(GstBuffer *buffer, const GstVideoInfo *info, gboolean is_connected, face_image *image);

/* May be called from any thread, but not from a callback of the library. */
void gst_face_frame_free(GstFaceFrame *frame);

face_format gst_face_format_of(const GstVideoInfo *info);
face_colour gst_face_colour_of(const GstVideoInfo *info);
