/* Marks on frames, by libfaceengine-draw, in place. */
#pragma once

#include <face_engine_draw.h>
#include <gst/video/video.h>

#include "check.h"
#include "covers.h"
#include "faces.h"

/* Draws the covers of `covers`, with `is_marked` boxes, five points, ids, and landmarks and angles where they are known
 * over them, and the circle and the tip of a check. List and check may be NULL. `frame` is mapped for reading and
 * writing. */
void gst_face_draw(GstVideoFrame *frame, const GstFaceList *list, const GstFaceCovers *covers, gboolean is_marked,
                   const GstFaceCheckMark *mark);

/* Writes those pixels of a drawn picture that differ from what it was before to a frame of luma and chroma, at (x, y),
 * which are even. Both pictures are BGRA of this size, with the same stride. */
void gst_face_patch(GstVideoFrame *frame, gint x, gint y, gint width, gint height, const guint8 *before,
                    const guint8 *after, gsize stride);
