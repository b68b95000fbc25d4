#include "analysis_private.h"

#include "debug.h"
#include "engines.h"
#include "messages.h"

/* A frame that waits for longer has the engine process asked whether it answers at all. */
#define ASK_AFTER (500 * G_TIME_SPAN_MILLISECOND)

/* The pause between two attempts to reach an engine process that does not answer. */
#define PAUSE (2 * G_TIME_SPAN_SECOND)

GstFaceAnalysis *gst_face_analysis_open(GstElement *element, const GstFaceSettings *settings)
{
  gchar *sentence = NULL;
  face_status status = FACE_OK;
  if (settings->socket != NULL && settings->model != NULL) {
    GST_ELEMENT_ERROR(element, RESOURCE, SETTINGS, ("Both socket and model are set; set one of them."), (NULL));
    return NULL;
  }
  GstFaceAnalysis *analysis = g_new0(GstFaceAnalysis, 1);
  analysis->element = element;
  analysis->socket = g_strdup(settings->socket);
  analysis->model = g_strdup(settings->model);
  analysis->is_connected = settings->socket != NULL;
  analysis->present = g_array_new(FALSE, FALSE, sizeof(GstFacePresence));
  g_mutex_init(&analysis->lock);
  g_cond_init(&analysis->changed);
  gst_face_settings_copy(&analysis->settings, settings);
  status = gst_face_analysis_open_session(analysis, &sentence);
  if (analysis->is_connected && status == FACE_DEADLINE_EXCEEDED) {
    /* The thread that changes the state waits no longer; the first frame does. */
    GST_INFO_OBJECT(element, "the engine at %s does not answer yet", analysis->socket);
  } else if (status != FACE_OK) {
    gst_face_post_error(element, status, sentence);
    g_clear_pointer(&analysis, gst_face_analysis_close);
  }
  g_free(sentence);
  return analysis;
}

void gst_face_analysis_close(GstFaceAnalysis *analysis)
{
  if (analysis == NULL) return;
  gst_face_analysis_close_session(analysis);
  gst_face_engines_release(analysis->engine);
  gst_face_settings_clear(&analysis->settings);
  g_free(analysis->socket);
  g_free(analysis->model);
  g_array_unref(analysis->present);
  g_mutex_clear(&analysis->lock);
  g_cond_clear(&analysis->changed);
  g_free(analysis);
}

/* ---- Frames */

/* Tells what a failure means: the engine is away, which is said once, or it can never work. */
static GstFaceOutcome fail(GstFaceAnalysis *analysis, face_status status, const gchar *sentence)
{
  switch (status) {
  case FACE_CANCELLED: return GST_FACE_INTERRUPTED;
  case FACE_DEADLINE_EXCEEDED: sentence = "The engine does not answer; check that it is not stopped or stuck."; break;
  case FACE_INVALID_ARGUMENT:
  case FACE_NOT_FOUND:
  case FACE_PERMISSION_DENIED:
  case FACE_FAILED_PRECONDITION:
  case FACE_OUT_OF_RANGE:
  case FACE_UNIMPLEMENTED:
  case FACE_UNAUTHENTICATED: gst_face_post_error(analysis->element, status, sentence); return GST_FACE_FAILED;
  default: break;
  }
  if (!analysis->is_away) gst_face_post_warning(analysis->element, status, sentence);
  analysis->is_away = TRUE;
  /* The tip of a check is as old as the boxes, which go, too. */
  g_mutex_lock(&analysis->lock);
  analysis->check.is_marked = FALSE;
  g_mutex_unlock(&analysis->lock);
  GST_LOG_OBJECT(analysis->element, "not searched: %s: %s", face_status_name(status), sentence);
  return GST_FACE_AWAY;
}

static gboolean is_answered(const GstFaceAnalysis *analysis) { return analysis->is_answered && analysis->is_released; }

/* Waits until the frame is answered, waiting is ended, or an engine process hangs. Under the lock. */
static void wait_for_engine(GstFaceAnalysis *analysis)
{
  gint64 now = g_get_monotonic_time(), end = now + GST_FACE_PATIENCE, next = now + ASK_AFTER;
  while (!is_answered(analysis) && !analysis->is_unblocked) {
    if (!analysis->is_connected) {
      g_cond_wait(&analysis->changed, &analysis->lock);
      continue;
    }
    if (g_cond_wait_until(&analysis->changed, &analysis->lock, next)) continue;
    g_mutex_unlock(&analysis->lock);
    gboolean hangs = gst_face_engines_ask(analysis->socket, analysis->canceller) != FACE_OK;
    g_mutex_lock(&analysis->lock);
    now = g_get_monotonic_time();
    next = now + ASK_AFTER;
    if (hangs || now >= end) return;
  }
}

static GstFaceOutcome wait_for_answer(GstFaceAnalysis *analysis, GstFaceList **out_list)
{
  gchar *sentence = NULL;
  GstFaceOutcome outcome = GST_FACE_SEARCHED;
  g_mutex_lock(&analysis->lock);
  wait_for_engine(analysis);
  gboolean is_done = is_answered(analysis);
  gboolean is_unblocked = analysis->is_unblocked;
  face_status status = is_done ? analysis->status : FACE_DEADLINE_EXCEEDED;
  if (is_done) {
    *out_list = g_steal_pointer(&analysis->list);
    sentence = g_steal_pointer(&analysis->sentence);
  }
  g_mutex_unlock(&analysis->lock);
  if (is_done) gst_face_analysis_drop_answer(analysis);
  if (!is_done && is_unblocked) {
    outcome = GST_FACE_INTERRUPTED;
  } else if (status != FACE_OK) {
    outcome = fail(analysis, status, sentence);
  } else if (analysis->is_away) {
    GST_INFO_OBJECT(analysis->element, "the engine is back");
    analysis->is_away = FALSE;
  }
  g_free(sentence);
  return outcome;
}

/* Whether the frame that the session has had for too long is answered at last. */
static gboolean is_free(GstFaceAnalysis *analysis)
{
  g_mutex_lock(&analysis->lock);
  gboolean is_done = is_answered(analysis);
  g_mutex_unlock(&analysis->lock);
  if (analysis->is_busy && is_done) gst_face_analysis_drop_answer(analysis);
  return !analysis->is_busy;
}

/* An engine that does not answer is left alone for a while, so that the stream continues. */
static face_status open_again(GstFaceAnalysis *analysis, gchar **out_sentence)
{
  if (g_get_monotonic_time() < analysis->next_attempt) return FACE_DEADLINE_EXCEEDED;
  face_status status = gst_face_analysis_open_session(analysis, out_sentence);
  if (status == FACE_DEADLINE_EXCEEDED) analysis->next_attempt = g_get_monotonic_time() + PAUSE;
  return status;
}

static face_status ensure_session(GstFaceAnalysis *analysis, const GstVideoInfo *info, const GstFaceStamp *stamp,
                                  gchar **out_sentence)
{
  g_mutex_lock(&analysis->lock);
  const GstFaceSettings *settings = &analysis->settings;
  gboolean is_resized = settings->is_check && gst_face_check_resize(&analysis->check, &settings->check, info);
  gboolean restarts = analysis->restarts || is_resized;
  gboolean is_next =
      settings->is_check && gst_face_check_take_restart(&analysis->check, &settings->check, stamp->running_time);
  g_mutex_unlock(&analysis->lock);
  if (restarts) gst_face_analysis_close_session(analysis);
  if (analysis->session == NULL) return open_again(analysis, out_sentence);
  if (is_next) face_check_restart(analysis->session);
  return FACE_OK;
}

GstFaceOutcome gst_face_analysis_submit(GstFaceAnalysis *analysis, GstBuffer *buffer, const GstVideoInfo *info,
                                        const GstFaceStamp *stamp, GstFaceList **out_list)
{
  gchar *sentence = NULL;
  face_status status = ensure_session(analysis, info, stamp, &sentence);
  if (status != FACE_OK) {
    GstFaceOutcome outcome = fail(analysis, status, sentence);
    g_free(sentence);
    return outcome;
  }
  if (!is_free(analysis)) return GST_FACE_AWAY;

  face_image image;
  face_image_init(&image);
  GstFaceFrame *frame = gst_face_frame_new(buffer, info, analysis->is_connected, &image);
  if (frame == NULL) return fail(analysis, FACE_INTERNAL, "The frame cannot be read.");
  /* A second is added since 0 is no time to the library. */
  if (GST_CLOCK_TIME_IS_VALID(stamp->running_time)) image.timestamp_ns = stamp->running_time + GST_SECOND;
  image.release = gst_face_analysis_released;
  image.release_data = analysis;
  g_mutex_lock(&analysis->lock);
  analysis->frame = frame;
  analysis->stamp = *stamp;
  analysis->is_busy = TRUE;
  analysis->is_answered = FALSE;
  analysis->is_released = FALSE;
  g_mutex_unlock(&analysis->lock);
  status = face_session_submit(analysis->session, &image, NULL);
  if (status != FACE_OK) {
    gst_face_analysis_drop_answer(analysis);
    return fail(analysis, status, face_last_error());
  }
  g_mutex_lock(&analysis->lock);
  analysis->searched++;
  if (frame->is_imported) analysis->imported++;
  g_mutex_unlock(&analysis->lock);
  return wait_for_answer(analysis, out_list);
}

void gst_face_analysis_unblock(GstFaceAnalysis *analysis, gboolean is_unblocked)
{
  g_mutex_lock(&analysis->lock);
  analysis->is_unblocked = is_unblocked;
  if (is_unblocked && analysis->canceller != NULL) face_canceller_cancel(analysis->canceller);
  g_cond_broadcast(&analysis->changed);
  g_mutex_unlock(&analysis->lock);
}

void gst_face_analysis_configure(GstFaceAnalysis *analysis, const GstFaceSettings *settings, gboolean restarts)
{
  g_mutex_lock(&analysis->lock);
  if (settings != NULL) gst_face_settings_copy(&analysis->settings, settings);
  analysis->restarts |= restarts;
  g_mutex_unlock(&analysis->lock);
}

void gst_face_analysis_restart_check(GstFaceAnalysis *analysis)
{
  g_mutex_lock(&analysis->lock);
  gst_face_check_forget(&analysis->check);
  face_session *session = analysis->session;
  g_mutex_unlock(&analysis->lock);
  /* At once, since it releases the picture that the library keeps, and no other frame may come. Not under the lock,
   * which the library takes when it releases a frame. A session that was closed meanwhile is refused: handles are never
   * used twice. */
  if (session != NULL) face_check_restart(session);
}

gboolean gst_face_analysis_mark(GstFaceAnalysis *analysis, GstFaceCheckMark *out_mark)
{
  g_mutex_lock(&analysis->lock);
  gboolean is_marked = analysis->check.is_marked;
  *out_mark = analysis->check.mark;
  g_mutex_unlock(&analysis->lock);
  return is_marked;
}

void gst_face_analysis_count(GstFaceAnalysis *analysis, guint64 *out_searched, guint64 *out_imported)
{
  g_mutex_lock(&analysis->lock);
  *out_searched = analysis->searched;
  *out_imported = analysis->imported;
  g_mutex_unlock(&analysis->lock);
}
