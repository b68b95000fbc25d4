#include "analysis_private.h"

#include "engines.h"
#include "messages.h"

GST_DEBUG_CATEGORY_EXTERN(gst_face_debug);
#define GST_CAT_DEFAULT gst_face_debug

/* An engine that does not answer for this long counts as away. */
#define PATIENCE (5 * G_TIME_SPAN_SECOND)

static face_status open_session(GstFaceAnalysis *analysis, gchar **out_sentence)
{
  g_mutex_lock(&analysis->lock);
  const GstFaceSettings *settings = &analysis->settings;
  face_options search;
  face_options_init(&search);
  search.accuracy = settings->accuracy;
  search.min_confidence = settings->min_confidence;
  search.max_side = settings->max_side;
  search.rotations = settings->rotations;
  search.outputs = gst_face_settings_outputs(settings);
  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;
  options.options = &search;
  options.track = settings->tracking ? 1 : 0;
  options.detection_interval = settings->detection_interval;
  /* In mode newest the element itself lets so few frames pass: those between would be predicted for nobody. */
  options.analysis_rate = settings->mode == GST_FACE_MODE_EVERY ? settings->analysis_rate : 0;
  analysis->restarts = FALSE;
  gboolean is_check = settings->is_check;
  GstFaceCheckSettings check = settings->check;
  gint width = analysis->check.width, height = analysis->check.height;
  gst_face_check_forget(&analysis->check);
  g_mutex_unlock(&analysis->lock);

  face_status status =
      is_check ? gst_face_check_open(analysis->engine, &options, &check, width, height, &analysis->session)
               : face_session_open(analysis->engine, &options, &analysis->session);
  if (status == FACE_OK) {
    face_listener listener;
    gst_face_analysis_listen(analysis, &listener);
    status = face_session_bind_listener(analysis->session, &listener);
  }
  if (status != FACE_OK) *out_sentence = g_strdup(face_last_error());
  GST_INFO_OBJECT(analysis->element, "a session opens: %s", face_status_name(status));
  return status;
}

static void drop_answer(GstFaceAnalysis *analysis)
{
  g_clear_pointer(&analysis->list, gst_face_list_unref);
  g_clear_pointer(&analysis->sentence, g_free);
  g_clear_pointer(&analysis->frame, gst_face_frame_free);
  analysis->is_busy = FALSE;
}

/* Faces in view leave, and later ids are others. */
static void close_session(GstFaceAnalysis *analysis)
{
  face_session_close(analysis->session);
  analysis->session = NULL;
  drop_answer(analysis);
  gst_face_analysis_forget(analysis);
  analysis->id_offset = analysis->last_id;
}

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
  analysis->is_connected = settings->socket != NULL;
  analysis->present = g_array_new(FALSE, FALSE, sizeof(GstFacePresence));
  g_mutex_init(&analysis->lock);
  g_cond_init(&analysis->changed);
  gst_face_settings_copy(&analysis->settings, settings);
  analysis->engine = gst_face_engines_acquire(settings->socket, settings->model, &status, &sentence);
  if (analysis->engine != NULL) status = open_session(analysis, &sentence);
  if (status != FACE_OK) {
    gst_face_post_error(element, status, sentence);
    g_clear_pointer(&analysis, gst_face_analysis_close);
  }
  g_free(sentence);
  return analysis;
}

void gst_face_analysis_close(GstFaceAnalysis *analysis)
{
  if (analysis == NULL) return;
  close_session(analysis);
  gst_face_engines_release(analysis->engine);
  gst_face_settings_clear(&analysis->settings);
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
  GST_LOG_OBJECT(analysis->element, "not searched: %s: %s", face_status_name(status), sentence);
  return GST_FACE_AWAY;
}

static GstFaceOutcome fail_with_last_error(GstFaceAnalysis *analysis, face_status status)
{
  return fail(analysis, status, face_last_error());
}

/* Waits for the answer and the pixels. */
static GstFaceOutcome wait_for_answer(GstFaceAnalysis *analysis, GstFaceList **out_list)
{
  gint64 end = g_get_monotonic_time() + PATIENCE;
  gchar *sentence = NULL;
  GstFaceOutcome outcome = GST_FACE_SEARCHED;
  g_mutex_lock(&analysis->lock);
  while (!(analysis->is_answered && analysis->is_released) && !analysis->is_unblocked) {
    if (!analysis->is_connected) {
      g_cond_wait(&analysis->changed, &analysis->lock);
    } else if (!g_cond_wait_until(&analysis->changed, &analysis->lock, end)) {
      break;
    }
  }
  gboolean is_done = analysis->is_answered && analysis->is_released;
  gboolean is_unblocked = analysis->is_unblocked;
  face_status status = is_done ? analysis->status : FACE_DEADLINE_EXCEEDED;
  if (is_done) {
    *out_list = g_steal_pointer(&analysis->list);
    sentence = g_steal_pointer(&analysis->sentence);
  }
  g_mutex_unlock(&analysis->lock);
  if (is_done) drop_answer(analysis);
  if (!is_done && is_unblocked) {
    outcome = GST_FACE_INTERRUPTED;
  } else if (status != FACE_OK) {
    outcome =
        fail(analysis, status, sentence != NULL ? sentence : "The engine does not answer; see that it is not stuck.");
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
  gboolean is_done = analysis->is_answered && analysis->is_released;
  g_mutex_unlock(&analysis->lock);
  if (analysis->is_busy && is_done) drop_answer(analysis);
  return !analysis->is_busy;
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
  if (restarts) close_session(analysis);
  if (analysis->session == NULL) return open_session(analysis, out_sentence);
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
    drop_answer(analysis);
    return fail_with_last_error(analysis, status);
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
  analysis->check.restarts = TRUE;
  g_mutex_unlock(&analysis->lock);
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
