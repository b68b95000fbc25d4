/* How the session of an analysis opens and closes. */
#include "analysis_private.h"
#include "debug.h"
#include "engines.h"

static face_status open_session(GstFaceAnalysis *analysis, gchar **out_sentence)
{
  g_mutex_lock(&analysis->lock);
  /* For the time of this call; its strings are not read. */
  GstFaceSettings settings = analysis->settings;
  settings.detection.canceller = analysis->canceller;
  settings.session.options = &settings.detection;
  /* In mode newest the element itself lets so few frames pass: those between would be predicted for nobody. */
  if (settings.mode == GST_FACE_MODE_NEWEST) settings.session.analysis_rate = 0;
  analysis->restarts = FALSE;
  gint width = analysis->check.width, height = analysis->check.height;
  gst_face_check_forget(&analysis->check);
  g_mutex_unlock(&analysis->lock);

  face_session *session = NULL;
  face_status status = settings.is_check ? gst_face_check_open(analysis->engine, &settings.session, &settings.check,
                                                               width, height, &session)
                                         : face_session_open(analysis->engine, &settings.session, &session);
  g_mutex_lock(&analysis->lock);
  analysis->session = session;
  g_mutex_unlock(&analysis->lock);
  if (status == FACE_OK) {
    face_listener listener;
    gst_face_analysis_listen(analysis, &listener);
    status = face_session_bind_listener(analysis->session, &listener);
  }
  if (status != FACE_OK) *out_sentence = g_strdup(face_last_error());
  GST_INFO_OBJECT(analysis->element, "a session opens: %s", face_status_name(status));
  return status;
}

/* What a session and its opening are ended with, from any thread. */
static face_status make_canceller(GstFaceAnalysis *analysis)
{
  g_mutex_lock(&analysis->lock);
  face_status status = face_canceller_create(&analysis->canceller);
  if (status == FACE_OK && analysis->is_unblocked) face_canceller_cancel(analysis->canceller);
  g_mutex_unlock(&analysis->lock);
  return status;
}

static void drop_canceller(GstFaceAnalysis *analysis)
{
  g_mutex_lock(&analysis->lock);
  face_canceller *canceller = g_steal_pointer(&analysis->canceller);
  g_mutex_unlock(&analysis->lock);
  face_canceller_destroy(canceller);
}

face_status gst_face_analysis_open_session(GstFaceAnalysis *analysis, gchar **out_sentence)
{
  face_status status = make_canceller(analysis);
  if (status == FACE_OK && analysis->is_connected) status = gst_face_engines_ask(analysis->socket, analysis->canceller);
  if (status == FACE_OK && analysis->engine == NULL)
    analysis->engine =
        gst_face_engines_acquire(analysis->socket, analysis->model, analysis->canceller, &status, out_sentence);
  if (status == FACE_OK) status = open_session(analysis, out_sentence);
  if (status != FACE_OK) drop_canceller(analysis);
  return status;
}

void gst_face_analysis_drop_answer(GstFaceAnalysis *analysis)
{
  g_clear_pointer(&analysis->list, gst_face_list_unref);
  g_clear_pointer(&analysis->sentence, g_free);
  g_clear_pointer(&analysis->frame, gst_face_frame_free);
  analysis->is_busy = FALSE;
}

void gst_face_analysis_close_session(GstFaceAnalysis *analysis)
{
  gst_face_analysis_post_best(analysis);
  g_mutex_lock(&analysis->lock);
  /* Nobody wants the frame that may be searched. */
  if (analysis->canceller != NULL) face_canceller_cancel(analysis->canceller);
  face_session *session = g_steal_pointer(&analysis->session);
  g_mutex_unlock(&analysis->lock);
  face_session_close(session);
  drop_canceller(analysis);
  gst_face_analysis_drop_answer(analysis);
  gst_face_analysis_forget(analysis);
  analysis->id_offset = analysis->last_id;
}
