/* What travels with a frame: GstVideoRegionOfInterestMeta and, where GStreamer has it, GstAnalyticsRelationMeta. */
#pragma once

#include "faces.h"

G_BEGIN_DECLS

/* Adds the faces to a writable buffer of a frame of this size. */
void gst_face_add_metas(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);

/* Where the face is in whole pixels of a frame of this size; FALSE if nothing of it is inside. */
gboolean gst_face_pixels(const GstFace *face, gint width, gint height, gint *x, gint *y, gint *box_width,
                         gint *box_height);

/* Adds a detection and, for a face with an id, a tracking to the buffer's relation meta. Does nothing before
 * GStreamer 1.24. */
void gst_face_add_analytics(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);

G_END_DECLS
