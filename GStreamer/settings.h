/* The properties of the elements: what an element is asked to do. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

#include "check_settings.h"

G_BEGIN_DECLS

typedef enum {
  GST_FACE_MODE_NEWEST = 0, /* frames go on at once, with the last result */
  GST_FACE_MODE_EVERY = 1   /* each frame waits for its own */
} GstFaceMode;

typedef struct {
  gchar *socket;
  gchar *model;
  face_accuracy accuracy;
  gfloat min_confidence;
  guint max_side;
  guint detection_interval;
  gfloat analysis_rate;
  face_rotations rotations;
  gboolean landmarks, pose, expressions, quality, tracking;
  GstFaceMode mode;
  gboolean draw, post_messages;
  gboolean is_check; /* then `check` says of what kind, and faces are always tracked */
  GstFaceCheckSettings check;
} GstFaceSettings;

/* Installs the properties, with ids from 1. */
void gst_face_settings_install(GObjectClass *klass);

void gst_face_settings_init(GstFaceSettings *settings);
void gst_face_settings_clear(GstFaceSettings *settings);
void gst_face_settings_copy(GstFaceSettings *to, const GstFaceSettings *from);

/* Why a value is refused, while the element runs or always: a sentence, which the caller frees; NULL if it can be set. */
gchar *gst_face_settings_refusal(const GstFaceSettings *settings, guint id, const GValue *value, gboolean is_running);

/* Both return whether there is such a property. A running session has to be opened anew if `out_reopens` says so. */
gboolean gst_face_settings_set(GstFaceSettings *settings, guint id, const GValue *value, gboolean *out_reopens);
gboolean gst_face_settings_get(const GstFaceSettings *settings, guint id, GValue *value);

/* The outputs that the properties ask for, as FACE_OUTPUT_ bits. */
face_outputs gst_face_settings_outputs(const GstFaceSettings *settings);

G_END_DECLS
