/* What the files of GstFaceAnalysis share. */
#pragma once

#include "analysis.h"
#include "frames.h"

typedef struct {
  guint64 id;
  GstClockTime first_seen;
} GstFacePresence;

struct GstFaceAnalysis {
  GstElement *element;   /* not owned: the element closes this before it ends */
  gchar *socket, *model; /* as they were at the start; either may be NULL */
  gboolean is_connected;
  face_engine *engine; /* NULL until it answers */
  gint64 next_attempt; /* the monotonic time before which an engine that did not answer is left alone */
  gboolean is_away;    /* a warning was posted, and no frame was searched since */

  /* Of the session's callbacks, which run one after the other. */
  guint64 id_offset, last_id;
  GArray *present; /* GstFacePresence: faces that were reported with an id and have not left */
  gboolean had_faces;

  GMutex lock;           /* guards what follows */
  face_session *session; /* NULL until it could be opened; only the thread that submits sets it */
  GCond changed;
  GstFaceSettings settings;
  gboolean restarts, is_unblocked;
  face_canceller *canceller; /* ends the opening of the session, and all that the session does */
  gboolean is_busy;          /* the session has a frame */
  gboolean is_answered;      /* and has answered it */
  GstFaceFrame *frame;       /* whose pixels it reads, until `is_released` */
  gboolean is_released;
  GstFaceStamp stamp;
  GstFaceCheckState check; /* where the settings say that it is one */
  GstFaceList *list;       /* the answer: a list, or a status with a sentence */
  face_status status;
  gchar *sentence;
  guint64 searched, imported;
  guint64 best_posted; /* `searched` when the best pictures of the faces in view were posted last */
};

/* Gets the engine, which has to answer in time, and opens the session. */
face_status gst_face_analysis_open_session(GstFaceAnalysis *analysis, gchar **out_sentence);

/* Closes the session without waiting for its engine. Faces in view leave, and later ids are others. */
void gst_face_analysis_close_session(GstFaceAnalysis *analysis);

/* Forgets the frame of the session and its answer. The session must not have it any more. */
void gst_face_analysis_drop_answer(GstFaceAnalysis *analysis);

/* The session's callbacks. */
void gst_face_analysis_listen(GstFaceAnalysis *analysis, face_listener *listener);

/* The `release` of an image; its argument is the analysis. */
void gst_face_analysis_released(void *data);

/* Tells that the faces in view have left, since the session ends. */
void gst_face_analysis_forget(GstFaceAnalysis *analysis);
