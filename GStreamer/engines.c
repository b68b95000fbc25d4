#include "engines.h"

typedef struct {
  gchar *key;
  face_engine *engine;
  guint users;
} SharedEngine;

static GMutex lock;
static GList *engines;

static gchar *key_of(const gchar *socket, const gchar *model)
{
  return socket != NULL ? g_strconcat("socket:", socket, NULL)
                        : g_strconcat("model:", model != NULL ? model : "", NULL);
}

/* Under the lock also while it loads, so that of elements that start together one loads and the others wait for it. */
face_engine *gst_face_engines_acquire(const gchar *socket, const gchar *model, face_status *out_status,
                                      gchar **out_sentence)
{
  gchar *key = key_of(socket, model);
  face_engine *engine = NULL;
  g_mutex_lock(&lock);
  for (GList *item = engines; engine == NULL && item != NULL; item = item->next) {
    SharedEngine *shared = item->data;
    if (!g_str_equal(shared->key, key)) continue;
    shared->users++;
    engine = shared->engine;
  }
  if (engine == NULL) {
    *out_status =
        socket != NULL ? face_connect(*socket != '\0' ? socket : NULL, &engine) : face_load_model(model, &engine);
    if (*out_status != FACE_OK) {
      engine = NULL;
      *out_sentence = g_strdup(face_last_error());
    } else {
      SharedEngine *shared = g_new0(SharedEngine, 1);
      shared->key = g_strdup(key);
      shared->engine = engine;
      shared->users = 1;
      engines = g_list_prepend(engines, shared);
    }
  }
  g_mutex_unlock(&lock);
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
