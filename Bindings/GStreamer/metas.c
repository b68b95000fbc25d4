#include "metas.h"

#include <gst/video/gstvideometa.h>

#include "analytics.h"

static void add_region(GstBuffer *buffer, const GstFace *face, gint width, gint height)
{
  gint x, y, box_width, box_height;
  if (!gst_face_pixels(face, width, height, &x, &y, &box_width, &box_height)) return;
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta(buffer, "face", (guint)x, (guint)y, (guint)box_width,
                                                   (guint)box_height);
  /* 0, which is no face's, where there is no id; after two thousand million faces only the structure has it. */
  if ((face->info.valid & FACE_VALID_ID) != 0 && face->info.id <= G_MAXINT) meta->id = (gint)face->info.id;
  gst_video_region_of_interest_meta_add_param(meta, gst_face_to_structure(face, "detection"));
  GstStructure *landmarks = gst_face_landmarks_to_structure(face);
  if (landmarks != NULL) gst_video_region_of_interest_meta_add_param(meta, landmarks);
  if (face->expressions == NULL) return;
  GstStructure *expressions = gst_structure_new_empty("expressions");
  gst_face_add_expressions(face, expressions);
  gst_video_region_of_interest_meta_add_param(meta, expressions);
}

void gst_face_add_metas(GstBuffer *buffer, const GstFaceList *list, gint width, gint height)
{
  if (list == NULL || list->count == 0) return;
  for (guint index = 0; index < list->count; index++) add_region(buffer, &list->faces[index], width, height);
  gst_face_add_analytics(buffer, list, width, height);
}
