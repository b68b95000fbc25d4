/* What travels with a frame: GstVideoRegionOfInterestMeta and, where GStreamer has it, GstAnalyticsRelationMeta. */
#pragma once

#include "faces.h"

/* Adds the faces to a writable buffer of a frame of this size. */
void gst_face_add_metas(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);
