/* The guided check of an element that has one: its session, what it says on the bus, and what is drawn of it. */
#pragma once

#include <gst/video/video.h>

#include "faces.h"
#include "settings.h"

/* What is drawn of a check. */
typedef struct {
  face_circle circle; /* in pixels of the frame */
  const gchar *text;  /* of the tip; static */
} GstFaceCheckMark;

/* What an analysis keeps of its check; guarded by its lock. */
typedef struct {
  gint width, height; /* of the frames, for a view that has no size of its own */
  GstClockTime ended; /* the running time of the frame that ended the attempt */
  gboolean is_marked; /* there is a mark */
  GstFaceCheckMark mark;
  gfloat progress; /* as it was said last, like what follows */
  guint actions_done;
} GstFaceCheckState;

face_status gst_face_check_open(face_engine *engine, const face_session_options *session,
                                const GstFaceCheckSettings *settings, gint width, gint height,
                                face_session **out_session);

/* Forgets an attempt that is over, or ends with its session. */
void gst_face_check_forget(GstFaceCheckState *state);

/* Before a frame is submitted: whether a session with the frame's size as its view has to be opened. */
gboolean gst_face_check_resize(GstFaceCheckState *state, const GstFaceCheckSettings *settings,
                               const GstVideoInfo *info);

/* Whether another attempt is due, since restart-delay has passed. */
gboolean gst_face_check_take_restart(GstFaceCheckState *state, const GstFaceCheckSettings *settings,
                                     GstClockTime running_time);

/* Notes an event; whether it says anything that was not said before. */
gboolean gst_face_check_note(GstFaceCheckState *state, const face_check *check, GstClockTime running_time);

/* Posts an event: the element message check-status, check-tip, check-progress, check-result or check-failed.
 * `id_offset` as in gst_face_list_new. */
void gst_face_check_post(GstElement *element, const face_check *check, const GstFaceStamp *stamp,
                         const GstFaceScreen *screen, guint64 id_offset);
