/* Marks on frames, by libfaceengine-draw, in place. */
#pragma once

#include <face_engine_draw.h>
#include <gst/video/video.h>

#include "check.h"
#include "faces.h"

/* Draws boxes, five points, ids, and landmarks and angles where they are known, and the circle and the tip of a check.
 * Either may be NULL. `frame` is mapped for reading and writing. */
void gst_face_draw(GstVideoFrame *frame, const GstFaceList *list, const GstFaceCheckMark *mark);

/* Writes those pixels of a drawn picture that differ from what it was before to a frame of luma and chroma, at (x, y),
 * which are even. Both pictures are BGRA of this size, with the same stride. */
void gst_face_patch(GstVideoFrame *frame, gint x, gint y, gint width, gint height, const guint8 *before,
                    const guint8 *after, gsize stride);
