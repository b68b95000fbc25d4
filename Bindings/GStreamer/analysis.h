/* The session that searches the frames of one element: opens it, gives it a frame and waits for the answer, and reports
 * on the bus. One thread submits: the worker in mode newest, else the streaming thread. */
#pragma once

#include <gst/video/video.h>

#include "check.h"

typedef struct GstFaceAnalysis GstFaceAnalysis;

typedef enum {
  GST_FACE_SEARCHED,    /* there is a result */
  GST_FACE_AWAY,        /* the engine is away for now; a warning was posted when that began */
  GST_FACE_INTERRUPTED, /* by gst_face_analysis_unblock */
  GST_FACE_FAILED       /* for good; an error was posted */
} GstFaceOutcome;

/* Loads or connects, and opens the session. Posts an error and returns NULL if that fails. An engine that does not
 * answer is left to the first frame. */
GstFaceAnalysis *gst_face_analysis_open(GstElement *element, const GstFaceSettings *settings);

/* Closes the session, without waiting for its engine. No thread may submit any more. NULL does nothing. */
void gst_face_analysis_close(GstFaceAnalysis *analysis);

/* Searches a frame and waits for its result, which the caller unrefs. */
GstFaceOutcome gst_face_analysis_submit(GstFaceAnalysis *analysis, GstBuffer *buffer, const GstVideoInfo *info,
                                        const GstFaceStamp *stamp, GstFaceList **out_list);

/* Ends waiting and the session, now and until it is called with FALSE; then the session has to restart. */
void gst_face_analysis_unblock(GstFaceAnalysis *analysis, gboolean is_unblocked);

/* Changes the settings, unless they are NULL, and with `restarts` begins a new session with the next frame. */
void gst_face_analysis_configure(GstFaceAnalysis *analysis, const GstFaceSettings *settings, gboolean restarts);

/* Posts the best pictures of the faces in view, at the end of the stream, unless no frame came since the last time. */
void gst_face_analysis_post_best(GstFaceAnalysis *analysis);

/* Of a guided check: releases its picture. A new attempt begins with the next frame. */
void gst_face_analysis_restart_check(GstFaceAnalysis *analysis);

/* The marks of a guided check to draw; FALSE if there are none. */
gboolean gst_face_analysis_mark(GstFaceAnalysis *analysis, GstFaceCheckMark *out_mark);

/* How many frames were searched, and how many of them by their descriptor. */
void gst_face_analysis_count(GstFaceAnalysis *analysis, guint64 *out_searched, guint64 *out_imported);
