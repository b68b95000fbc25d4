/* The properties of the elements. */
#pragma once

#include "check_settings.h"
#include "faces.h"

typedef enum {
  GST_FACE_MODE_NEWEST = 0, /* frames go on at once, with the last result */
  GST_FACE_MODE_EVERY = 1   /* each frame waits for its own */
} GstFaceMode;

typedef enum { GST_FACE_COVER_NONE = 0, GST_FACE_COVER_BLUR = 1, GST_FACE_COVER_PIXELATE = 2 } GstFaceCoverKind;

/* How faces are covered. */
typedef struct {
  GstFaceCoverKind kind;
  guint32 cells;
  gfloat margin;
  guint64 hold; /* for how many nanoseconds a lost face stays covered */
} GstFaceCoverSettings;

typedef struct {
  gchar *socket;
  gchar *model;
  face_options detection;
  face_session_options session; /* without `options`, whose pointer would not survive a copy */
  GstFaceMode mode;
  GstFaceScreen screen;
  gboolean draw, post_messages;
  GstFaceCoverSettings cover;
  gboolean is_check; /* then `check` says of what kind, and faces are always tracked */
  GstFaceCheckSettings check;
} GstFaceSettings;

void gst_face_settings_install(GObjectClass *klass);

void gst_face_settings_init(GstFaceSettings *settings);

/* Makes them those of an element that checks. */
void gst_face_settings_init_check(GstFaceSettings *settings);

void gst_face_settings_clear(GstFaceSettings *settings);
void gst_face_settings_copy(GstFaceSettings *to, const GstFaceSettings *from);

/* Sets a property. A value that is not possible, always or while the element runs, changes nothing: then it returns a
 * sentence, which the caller frees; else NULL. */
gchar *gst_face_settings_set(GstFaceSettings *settings, guint id, GParamSpec *spec, const GValue *value,
                             gboolean is_running);
void gst_face_settings_get(const GstFaceSettings *settings, guint id, GParamSpec *spec, GValue *value);

/* Whether a change of a property opens a running session anew. */
gboolean gst_face_settings_reopens(const GParamSpec *spec);
