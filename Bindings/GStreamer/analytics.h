/* GstAnalyticsRelationMeta. */
#pragma once

#include "faces.h"

/* Adds a detection and, where they are known, a tracking with the id and a classification with the expressions to the
 * buffer's relation meta. In 1.24 there is no metadata for the other outputs. Does nothing before that. */
void gst_face_add_analytics(GstBuffer *buffer, const GstFaceList *list, gint width, gint height);
