/* The thread of mode newest: searches the newest frame that it was given, and keeps the last result. */
#pragma once

#include "analysis.h"

typedef struct GstFaceWorker GstFaceWorker;

GstFaceWorker *gst_face_worker_start(GstFaceAnalysis *analysis);

/* Ends the thread, whose submission must have been unblocked. NULL does nothing. */
void gst_face_worker_stop(GstFaceWorker *worker);

/* Takes over a buffer. Returns whether it takes the place of another one that was never searched. */
gboolean gst_face_worker_push(GstFaceWorker *worker, GstBuffer *buffer, const GstVideoInfo *info,
                              const GstFaceStamp *stamp);

/* How many frames came too fast for the engine: they were replaced before another frame that was then searched. */
guint64 gst_face_worker_outpaced(GstFaceWorker *worker);

/* The last result for a frame, which the caller unrefs; NULL if there is none, the engine is away, or the next search
 * is not done a second of the stream later. */
GstFaceList *gst_face_worker_latest(GstFaceWorker *worker, const GstFaceStamp *stamp);

/* Whether a submission failed for good. */
gboolean gst_face_worker_has_failed(GstFaceWorker *worker);

/* Forgets the frame that waits and the result, also that of the frame that is searched. */
void gst_face_worker_clear(GstFaceWorker *worker);

/* Waits until the last frame was searched, gst_face_worker_clear was called, or the engine is away. */
void gst_face_worker_drain(GstFaceWorker *worker);
