/* What travels with a frame: GstVideoRegionOfInterestMeta and, where GStreamer has it, GstAnalyticsRelationMeta. */
#pragma once

#include "faces.h"

/* Adds the faces to a writable buffer of a frame of this size. */
void gst_face_add_metas(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);

/* Where the face is in whole pixels of a frame of this size; FALSE if nothing of it is inside. */
gboolean gst_face_pixels(const GstFace *face, gint width, gint height, gint *x, gint *y, gint *box_width,
                         gint *box_height);

/* Adds a detection and, where they are known, a tracking with the id and a classification with the expressions to the
 * buffer's relation meta. In 1.24 there is no metadata for the other outputs. Does nothing before that. */
void gst_face_add_analytics(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);
