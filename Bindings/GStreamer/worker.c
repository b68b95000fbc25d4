#include "worker.h"

/* The pause before the next frame while the engine is away. */
#define PAUSE (5 * G_TIME_SPAN_MILLISECOND)

/* A frame that comes this much later than the one that is still searched has no faces: the last result is older than
   both. */
#define LIFETIME GST_SECOND

typedef struct {
  GstBuffer *buffer;
  GstVideoInfo info;
  GstFaceStamp stamp;
} Job;

struct GstFaceWorker {
  GstFaceAnalysis *analysis;
  GThread *thread;
  GMutex lock; /* guards what follows */
  GCond changed;
  Job waiting; /* without a buffer where no frame waits */
  gboolean is_busy, is_stopping, has_failed, is_away;
  GstClockTime searched; /* the time of the frame that is searched */
  guint generation;      /* a result of an earlier one is not kept */
  guint64 replaced;      /* the frames since that one */
  guint64 outpaced;
  GstFaceList *latest;
};

static void set_latest(GstFaceWorker *worker, GstFaceList *list)
{
  gst_face_list_unref(worker->latest);
  worker->latest = list;
}

/* Waits for a frame; FALSE when the worker ends. Under the lock, like all below. */
static gboolean take_job(GstFaceWorker *worker, Job *job)
{
  while (worker->waiting.buffer == NULL && !worker->is_stopping) g_cond_wait(&worker->changed, &worker->lock);
  if (worker->is_stopping) return FALSE;
  *job = worker->waiting;
  worker->waiting.buffer = NULL;
  worker->is_busy = TRUE;
  worker->searched = gst_face_stamp_time(&job->stamp);
  return TRUE;
}

static void pause_for_engine(GstFaceWorker *worker)
{
  gint64 end = g_get_monotonic_time() + PAUSE;
  while (!worker->is_stopping && g_cond_wait_until(&worker->changed, &worker->lock, end)) {}
}

static void finish(GstFaceWorker *worker, GstFaceOutcome outcome, GstFaceList *list, guint generation)
{
  worker->is_busy = FALSE;
  worker->is_away = outcome == GST_FACE_AWAY;
  worker->has_failed |= outcome == GST_FACE_FAILED;
  if (outcome == GST_FACE_SEARCHED) worker->outpaced += worker->replaced;
  worker->replaced = 0;
  if (generation == worker->generation && outcome != GST_FACE_INTERRUPTED) {
    set_latest(worker, list);
  } else {
    gst_face_list_unref(list);
  }
  g_cond_broadcast(&worker->changed);
  if (outcome == GST_FACE_AWAY) pause_for_engine(worker);
}

static gpointer run(gpointer data)
{
  GstFaceWorker *worker = data;
  Job job;
  g_mutex_lock(&worker->lock);
  while (!worker->has_failed && take_job(worker, &job)) {
    guint generation = worker->generation;
    GstFaceList *list = NULL;
    g_mutex_unlock(&worker->lock);
    GstFaceOutcome outcome = gst_face_analysis_submit(worker->analysis, job.buffer, &job.info, &job.stamp, &list);
    gst_buffer_unref(job.buffer);
    g_mutex_lock(&worker->lock);
    finish(worker, outcome, list, generation);
  }
  g_mutex_unlock(&worker->lock);
  return NULL;
}

GstFaceWorker *gst_face_worker_start(GstFaceAnalysis *analysis)
{
  GstFaceWorker *worker = g_new0(GstFaceWorker, 1);
  worker->analysis = analysis;
  g_mutex_init(&worker->lock);
  g_cond_init(&worker->changed);
  worker->thread = g_thread_new("faceengine", run, worker);
  return worker;
}

void gst_face_worker_stop(GstFaceWorker *worker)
{
  if (worker == NULL) return;
  g_mutex_lock(&worker->lock);
  worker->is_stopping = TRUE;
  g_cond_broadcast(&worker->changed);
  g_mutex_unlock(&worker->lock);
  g_thread_join(worker->thread);
  gst_clear_buffer(&worker->waiting.buffer);
  set_latest(worker, NULL);
  g_mutex_clear(&worker->lock);
  g_cond_clear(&worker->changed);
  g_free(worker);
}

gboolean gst_face_worker_push(GstFaceWorker *worker, GstBuffer *buffer, const GstVideoInfo *info,
                              const GstFaceStamp *stamp)
{
  g_mutex_lock(&worker->lock);
  GstBuffer *replaced = worker->waiting.buffer;
  if (replaced != NULL) worker->replaced++;
  worker->waiting = (Job){buffer, *info, *stamp};
  g_cond_broadcast(&worker->changed);
  g_mutex_unlock(&worker->lock);
  /* Not under the lock: it may go back to its pool. */
  if (replaced != NULL) gst_buffer_unref(replaced);
  return replaced != NULL;
}

guint64 gst_face_worker_outpaced(GstFaceWorker *worker)
{
  g_mutex_lock(&worker->lock);
  guint64 outpaced = worker->outpaced;
  g_mutex_unlock(&worker->lock);
  return outpaced;
}

GstFaceList *gst_face_worker_latest(GstFaceWorker *worker, const GstFaceStamp *stamp)
{
  GstClockTime now = gst_face_stamp_time(stamp);
  g_mutex_lock(&worker->lock);
  gboolean is_old = worker->is_busy && now > worker->searched && now - worker->searched > LIFETIME;
  GstFaceList *list = is_old ? NULL : gst_face_list_ref(worker->latest);
  g_mutex_unlock(&worker->lock);
  return list;
}

gboolean gst_face_worker_has_failed(GstFaceWorker *worker)
{
  g_mutex_lock(&worker->lock);
  gboolean has_failed = worker->has_failed;
  g_mutex_unlock(&worker->lock);
  return has_failed;
}

void gst_face_worker_clear(GstFaceWorker *worker)
{
  g_mutex_lock(&worker->lock);
  GstBuffer *waiting = worker->waiting.buffer;
  worker->waiting.buffer = NULL;
  worker->generation++;
  set_latest(worker, NULL);
  g_cond_broadcast(&worker->changed);
  g_mutex_unlock(&worker->lock);
  if (waiting != NULL) gst_buffer_unref(waiting);
}

void gst_face_worker_drain(GstFaceWorker *worker)
{
  g_mutex_lock(&worker->lock);
  guint generation = worker->generation;
  while ((worker->waiting.buffer != NULL || worker->is_busy) && generation == worker->generation && !worker->is_away &&
         !worker->has_failed)
    g_cond_wait(&worker->changed, &worker->lock);
  g_mutex_unlock(&worker->lock);
}
