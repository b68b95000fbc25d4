#include "engines.h"

typedef struct {
  gchar *key;
  face_engine *engine;
  guint users;
} SharedEngine;

static GMutex lock; /* guards `engines` */
static GList *engines;

static gchar *key_of(const gchar *socket, const gchar *model)
{
  return socket != NULL ? g_strconcat("socket:", socket, NULL)
                        : g_strconcat("model:", model != NULL ? model : "", NULL);
}

/* Counts another user of an engine that is there; NULL if it is not. Under the lock. */
static face_engine *use(const gchar *key)
{
  for (GList *item = engines; item != NULL; item = item->next) {
    SharedEngine *shared = item->data;
    if (!g_str_equal(shared->key, key)) continue;
    shared->users++;
    return shared->engine;
  }
  return NULL;
}

/* Shares an engine, whose first user is the caller. Under the lock. */
static void share(const gchar *key, face_engine *engine)
{
  SharedEngine *shared = g_new0(SharedEngine, 1);
  shared->key = g_strdup(key);
  shared->engine = engine;
  shared->users = 1;
  engines = g_list_prepend(engines, shared);
}

static face_status connect_to(const gchar *socket, gint64 timeout, face_canceller *canceller, face_engine **out_engine)
{
  face_connect_options options;
  face_connect_options_init(&options);
  options.timeout_ns = (guint64)timeout * 1000;
  options.canceller = canceller;
  return face_connect_with(*socket != '\0' ? socket : NULL, &options, out_engine);
}

/* Not under the lock: while this element waits for an engine, others must be able to release theirs. */
static face_engine *connect_shared(const gchar *key, const gchar *socket, face_canceller *canceller,
                                   face_status *out_status)
{
  face_engine *made = NULL;
  *out_status = connect_to(socket, GST_FACE_PATIENCE, canceller, &made);
  if (*out_status != FACE_OK) return NULL;
  g_mutex_lock(&lock);
  /* Another element may have connected meanwhile. */
  face_engine *engine = use(key);
  if (engine == NULL) {
    share(key, made);
    engine = g_steal_pointer(&made);
  }
  g_mutex_unlock(&lock);
  face_release(made);
  return engine;
}

face_engine *gst_face_engines_acquire(const gchar *socket, const gchar *model, face_canceller *canceller,
                                      face_status *out_status, gchar **out_sentence)
{
  gchar *key = key_of(socket, model);
  *out_status = FACE_OK;
  g_mutex_lock(&lock);
  face_engine *engine = use(key);
  /* Under the lock while it loads, so that of elements that start together one loads and the others wait for it. */
  if (engine == NULL && socket == NULL) {
    *out_status = face_load_model(model, &engine);
    if (*out_status == FACE_OK) share(key, engine);
  }
  g_mutex_unlock(&lock);
  if (engine == NULL && socket != NULL) engine = connect_shared(key, socket, canceller, out_status);
  if (*out_status != FACE_OK) *out_sentence = g_strdup(face_last_error());
  g_free(key);
  return engine;
}

void gst_face_engines_release(face_engine *engine)
{
  if (engine == NULL) return;
  g_mutex_lock(&lock);
  for (GList *item = engines; item != NULL; item = item->next) {
    SharedEngine *shared = item->data;
    if (shared->engine != engine) continue;
    if (--shared->users == 0) {
      engines = g_list_delete_link(engines, item);
      face_release(shared->engine);
      g_free(shared->key);
      g_free(shared);
    }
    break;
  }
  g_mutex_unlock(&lock);
}

/* The time in which an engine process that works answers a new connection. */
#define ANSWER_TIME (700 * G_TIME_SPAN_MILLISECOND)

face_status gst_face_engines_ask(const gchar *socket, face_canceller *canceller)
{
  face_engine *engine = NULL;
  face_status status = connect_to(socket, ANSWER_TIME, canceller, &engine);
  face_release(engine);
  return status == FACE_DEADLINE_EXCEEDED || status == FACE_CANCELLED ? status : FACE_OK;
}
