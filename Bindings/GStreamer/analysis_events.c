/* What the session says, on its own thread and one after the other. */
#include "analysis_private.h"
#include "debug.h"
#include "messages.h"

static GstFacePresence *find_presence(GstFaceAnalysis *analysis, guint64 id)
{
  for (guint index = 0; index < analysis->present->len; index++) {
    GstFacePresence *presence = &g_array_index(analysis->present, GstFacePresence, index);
    if (presence->id == id) return presence;
  }
  return NULL;
}

static void note_ids(GstFaceAnalysis *analysis, GstFaceList *list)
{
  for (guint index = 0; index < list->count; index++) {
    GstFace *face = &list->faces[index];
    if ((face->info.valid & FACE_VALID_ID) == 0) continue;
    GstFacePresence *presence = find_presence(analysis, face->info.id);
    if (presence == NULL) {
      GstFacePresence added = {face->info.id, list->stamp.pts};
      g_array_append_val(analysis->present, added);
      presence = find_presence(analysis, face->info.id);
    }
    face->first_seen = presence->first_seen;
    analysis->last_id = MAX(analysis->last_id, face->info.id);
  }
}

static void answer(GstFaceAnalysis *analysis, GstFaceList *list, face_status status, const char *sentence)
{
  g_mutex_lock(&analysis->lock);
  analysis->list = list;
  analysis->status = status;
  analysis->sentence = g_strdup(sentence);
  analysis->is_answered = TRUE;
  g_cond_broadcast(&analysis->changed);
  g_mutex_unlock(&analysis->lock);
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  GstFaceAnalysis *analysis = user_data;
  (void)frame;
  g_mutex_lock(&analysis->lock);
  GstFaceStamp stamp = analysis->stamp;
  gboolean posts = analysis->settings.post_messages;
  GstFaceScreen screen = analysis->settings.screen;
  g_mutex_unlock(&analysis->lock);
  GstFaceList *list = gst_face_list_new(result, &stamp, &screen, analysis->id_offset);
  note_ids(analysis, list);
  GST_LOG_OBJECT(analysis->element, "%" GST_TIME_FORMAT ": %u faces%s", GST_TIME_ARGS(stamp.pts), list->count,
                 list->is_predicted ? ", predicted" : "");
  /* That there is no face is said once. */
  if (posts && !list->is_predicted && (list->count > 0 || analysis->had_faces))
    gst_face_post_faces(analysis->element, list);
  analysis->had_faces = list->count > 0;
  answer(analysis, list, FACE_OK, NULL);
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)frame;
  answer(user_data, NULL, status, message);
}

static void leave(GstFaceAnalysis *analysis, guint64 id)
{
  g_mutex_lock(&analysis->lock);
  GstFaceStamp stamp = analysis->stamp;
  gboolean posts = analysis->settings.post_messages;
  g_mutex_unlock(&analysis->lock);
  GST_DEBUG_OBJECT(analysis->element, "face %" G_GUINT64_FORMAT " left", id);
  if (posts) gst_face_post_left(analysis->element, id, &stamp);
}

static void on_left(const face_frame *frame, uint64_t face_id, void *user_data)
{
  GstFaceAnalysis *analysis = user_data;
  (void)frame;
  guint64 id = face_id + analysis->id_offset;
  GstFacePresence *presence = find_presence(analysis, id);
  if (presence == NULL) return;
  g_array_remove_index_fast(analysis->present, (guint)(presence - (GstFacePresence *)(void *)analysis->present->data));
  leave(analysis, id);
}

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  GstFaceAnalysis *analysis = user_data;
  (void)frame;
  g_mutex_lock(&analysis->lock);
  GstFaceStamp stamp = analysis->stamp;
  gboolean is_new = gst_face_check_note(&analysis->check, check, stamp.running_time);
  gboolean posts = analysis->settings.post_messages;
  GstFaceScreen screen = analysis->settings.screen;
  g_mutex_unlock(&analysis->lock);
  if (is_new) GST_DEBUG_OBJECT(analysis->element, "check: %s, %s", face_check_state_name(check->state), check->text);
  if (is_new && posts) gst_face_check_post(analysis->element, check, &stamp, &screen, analysis->id_offset);
}

static void on_best(const face_frame *frame, const face_best *best, void *user_data)
{
  GstFaceAnalysis *analysis = user_data;
  g_mutex_lock(&analysis->lock);
  gboolean posts = analysis->settings.post_messages;
  GstFaceScreen screen = analysis->settings.screen;
  g_mutex_unlock(&analysis->lock);
  GST_DEBUG_OBJECT(analysis->element, "face %" G_GUINT64_FORMAT " has its best picture, score %f",
                   best->face_id + analysis->id_offset, best->score);
  /* Without the second that the submission adds. */
  GstClockTime time = frame->timestamp_ns >= GST_SECOND ? frame->timestamp_ns - GST_SECOND : GST_CLOCK_TIME_NONE;
  if (posts) gst_face_post_best(analysis->element, best, time, &screen, analysis->id_offset);
}

/* The library no longer reads the pixels; it must not be called from here, as unmapping might. */
void gst_face_analysis_released(void *data)
{
  GstFaceAnalysis *analysis = data;
  g_mutex_lock(&analysis->lock);
  analysis->is_released = TRUE;
  g_cond_broadcast(&analysis->changed);
  g_mutex_unlock(&analysis->lock);
}

void gst_face_analysis_listen(GstFaceAnalysis *analysis, face_listener *listener)
{
  face_listener_init(listener);
  listener->user_data = analysis;
  listener->on_faces = on_faces;
  listener->on_failed = on_failed;
  listener->on_left = on_left;
  listener->on_check = on_check;
  listener->on_best = on_best;
}

void gst_face_analysis_post_best(GstFaceAnalysis *analysis)
{
  g_mutex_lock(&analysis->lock);
  face_session *session = analysis->settings.session.best_size > 0 ? analysis->session : NULL;
  gboolean is_new = analysis->searched > analysis->best_posted;
  analysis->best_posted = analysis->searched;
  g_mutex_unlock(&analysis->lock);
  if (session != NULL && is_new) face_session_best(session, 0);
}

void gst_face_analysis_forget(GstFaceAnalysis *analysis)
{
  for (guint index = 0; index < analysis->present->len; index++)
    leave(analysis, g_array_index(analysis->present, GstFacePresence, index).id);
  g_array_set_size(analysis->present, 0);
  analysis->had_faces = FALSE;
}
