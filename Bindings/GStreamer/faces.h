/* The faces of one frame, copied out of a face_result: counted by references, never changed once it is made. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

#define GST_FACE_LANDMARKS 478

/* When a frame is shown. */
typedef struct {
  GstClockTime pts, duration, running_time, stream_time;
} GstFaceStamp;

/* The running time of a frame, or of the clock if the frame has none. */
GstClockTime gst_face_stamp_time(const GstFaceStamp *stamp);

/* A screen below the camera, in centimetres; without a size it is not known. */
typedef struct {
  gfloat width, height, gap;
} GstFaceScreen;

typedef struct {
  face_info info;
  face_point look_at;       /* on the screen, from 0 to 1 */
  gboolean is_looking;      /* whether that is known */
  GstClockTime first_seen;  /* the pts of the frame in which the id was first reported */
  face_landmark *landmarks; /* GST_FACE_LANDMARKS of them, or NULL */
  gfloat *expressions;      /* FACE_EXPRESSION_COUNT of them, or NULL */
  GArray *others;           /* gfloats of the outputs without members of their own, in the library's order */
} GstFace;

typedef struct {
  GstFaceStamp stamp;    /* of the frame that was searched */
  guint width, height;   /* of that frame */
  gboolean is_predicted; /* the frame was not searched */
  guint count;
  GstFace *faces;
} GstFaceList;

/* `id_offset` is added to each id: ids stay unique in an element that opens several sessions. `screen` is what
 * people look at. */
GstFaceList *gst_face_list_new(const face_result *result, const GstFaceStamp *stamp, const GstFaceScreen *screen,
                               guint64 id_offset);

GstFaceList *gst_face_list_ref(GstFaceList *list);
void gst_face_list_unref(GstFaceList *list);

/* Where the face is in whole pixels of a frame of this size; FALSE if nothing of it is inside. */
gboolean gst_face_pixels(const GstFace *face, gint width, gint height, gint *x, gint *y, gint *box_width,
                         gint *box_height);

/* What is known of a face, but for landmarks and expressions, as fields of a structure; the caller frees it. */
GstStructure *gst_face_to_structure(const GstFace *face, const gchar *name);

/* The landmarks as a structure, which the caller frees; NULL if they are not known. */
GstStructure *gst_face_landmarks_to_structure(const GstFace *face);

/* Adds the expressions to a structure, as fields by their names, if they are known. */
void gst_face_add_expressions(const GstFace *face, GstStructure *structure);
