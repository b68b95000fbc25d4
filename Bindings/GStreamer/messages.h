/* The messages of an element on the bus: faces, a face that left, and failures in the library's own sentences. */
#pragma once

#include "faces.h"

/* A structure with the times of a frame; gst_face_post posts it as an element message. */
GstStructure *gst_face_stamped(const gchar *name, const GstFaceStamp *stamp);
void gst_face_post(GstElement *element, GstStructure *structure);

/* Element message "faces": timestamps of the frame, its size, and an array of structures "face". */
void gst_face_post_faces(GstElement *element, const GstFaceList *list);

/* Element message "face-left". */
void gst_face_post_left(GstElement *element, guint64 id, const GstFaceStamp *stamp);

/* Sets a field to a sample with a copy of a picture of the library, which is overwritten when it is freed. */
void gst_face_take_sample(GstStructure *structure, const gchar *name, const face_image *image);

/* Element message "face-best": the best picture of a face, whose frame had the running time. `screen` and `id_offset`
 * are those of gst_face_list_new. */
void gst_face_post_best(GstElement *element, const face_best *best, GstClockTime running_time,
                        const GstFaceScreen *screen, guint64 id_offset);

void gst_face_post_error(GstElement *element, face_status status, const gchar *sentence);
void gst_face_post_warning(GstElement *element, face_status status, const gchar *sentence);

/* Warns that a property keeps its value; on standard error while the element has no bus. Not under the element's
   lock. */
void gst_face_refuse(GstElement *element, const gchar *sentence);
