#include "settings.h"

enum {
  PROP_0,
  PROP_SOCKET,
  PROP_MODEL,
  PROP_ACCURACY,
  PROP_MIN_CONFIDENCE,
  PROP_MAX_SIDE,
  PROP_DETECTION_INTERVAL,
  PROP_ANALYSIS_RATE,
  PROP_ROTATIONS,
  PROP_LANDMARKS,
  PROP_POSE,
  PROP_EXPRESSIONS,
  PROP_QUALITY,
  PROP_TRACKING,
  PROP_MODE,
  PROP_DRAW,
  PROP_POST_MESSAGES
};

/* Pixels of max-side, unless it is 0. */
#define LEAST_SIDE 16
#define MOST_SIDE 8192

static const GEnumValue accuracies[] = {
    {FACE_ACCURACY_LOW, "At least three times as fast as balanced, misses small faces", "low"},
    {FACE_ACCURACY_BALANCED, "For most uses", "balanced"},
    {FACE_ACCURACY_HIGH, "Several networks and scales together", "high"},
    {0, NULL, NULL}};

static const GEnumValue rotations[] = {{FACE_ROTATIONS_UPRIGHT, "Heads tilted by up to some 45 degrees", "upright"},
                                       {FACE_ROTATIONS_ANY, "Heads at any angle, also upside down", "any"},
                                       {0, NULL, NULL}};

static const GEnumValue modes[] = {
    {GST_FACE_MODE_NEWEST, "Frames go on at once with the last result; the newest frame is searched next", "newest"},
    {GST_FACE_MODE_EVERY, "Each frame is searched and waits for its own result", "every"},
    {0, NULL, NULL}};

static GType enum_type(const gchar *name, const GEnumValue *values)
{
  GType type = g_type_from_name(name);
  if (type == 0) type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, 0);
  return type;
}

static const GParamFlags at_rest = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
static const GParamFlags any_time = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

static void install_switch(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                           gboolean initially)
{
  g_object_class_install_property(klass, id, g_param_spec_boolean(name, nick, blurb, initially, any_time));
}

void gst_face_settings_install(GObjectClass *klass)
{
  g_object_class_install_property(
      klass, PROP_SOCKET,
      g_param_spec_string("socket", "Socket",
                          "Path of the Unix socket of a running engine, which then does the work; empty: the default "
                          "socket. Not together with model",
                          NULL, at_rest));
  g_object_class_install_property(
      klass, PROP_MODEL,
      g_param_spec_string("model", "Model",
                          "Folder, .onnx file or name, as in centerface, of the model that is loaded into this process, "
                          "unless a socket is given. Elements with the same model share it. Unset: the model that was "
                          "installed with the library",
                          NULL, at_rest));
  g_object_class_install_property(
      klass, PROP_ACCURACY,
      g_param_spec_enum("accuracy", "Accuracy", "How time is weighed against faces found",
                        enum_type("GstFaceEngineAccuracy", accuracies), FACE_ACCURACY_BALANCED, any_time));
  g_object_class_install_property(klass, PROP_MIN_CONFIDENCE,
                                  g_param_spec_float("min-confidence", "Minimum confidence",
                                                     "Less confident faces are left out", 0, 1, 0.6f, any_time));
  g_object_class_install_property(
      klass, PROP_MAX_SIDE,
      g_param_spec_uint(
          "max-side", "Maximum side",
          "Long side in pixels to which larger frames are scaled down before the search, 16 or more; 0: as "
          "the accuracy says",
          0, MOST_SIDE, 0, any_time));
  g_object_class_install_property(
      klass, PROP_DETECTION_INTERVAL,
      g_param_spec_uint("detection-interval", "Detection interval",
                        "The whole picture is searched at least every this many frames; in between, known faces are "
                        "followed. 1: in every frame",
                        1, 100000, 10, any_time));
  g_object_class_install_property(
      klass, PROP_ANALYSIS_RATE,
      g_param_spec_float("analysis-rate", "Analysis rate",
                         "Most frames a second that are searched; 0: no limit. In mode every, the frames between have "
                         "predicted positions",
                         0, 1000, 0, any_time));
  g_object_class_install_property(
      klass, PROP_ROTATIONS,
      g_param_spec_enum("rotations", "Rotations", "How heads may be tilted to be found",
                        enum_type("GstFaceEngineRotations", rotations), FACE_ROTATIONS_UPRIGHT, any_time));
  install_switch(klass, PROP_LANDMARKS, "landmarks", "Landmarks", "Find 478 points of each face", FALSE);
  install_switch(klass, PROP_POSE, "pose", "Pose", "Measure yaw, pitch and roll of each head", FALSE);
  install_switch(klass, PROP_EXPRESSIONS, "expressions", "Expressions",
                 "Measure how far eyes and mouth are open, the smile, and 52 coefficients of expression", FALSE);
  install_switch(klass, PROP_QUALITY, "quality", "Quality", "Measure how good a picture of each face this is", FALSE);
  install_switch(klass, PROP_TRACKING, "tracking", "Tracking",
                 "Follow faces from frame to frame and give each an id; otherwise each frame is searched by itself",
                 TRUE);
  g_object_class_install_property(
      klass, PROP_MODE,
      g_param_spec_enum("mode", "Mode", "Whether frames wait for their own result",
                        enum_type("GstFaceEngineMode", modes), GST_FACE_MODE_NEWEST, at_rest));
  install_switch(klass, PROP_DRAW, "draw", "Draw", "Draw boxes, points, ids and what else was measured on the frames",
                 FALSE);
  install_switch(klass, PROP_POST_MESSAGES, "post-messages", "Post messages",
                 "Post element messages 'faces' and 'face-left' on the bus", TRUE);
}

void gst_face_settings_init(GstFaceSettings *settings)
{
  *settings = (GstFaceSettings){.accuracy = FACE_ACCURACY_BALANCED,
                                .min_confidence = 0.6f,
                                .detection_interval = 10,
                                .tracking = TRUE,
                                .post_messages = TRUE};
}

void gst_face_settings_clear(GstFaceSettings *settings)
{
  g_clear_pointer(&settings->socket, g_free);
  g_clear_pointer(&settings->model, g_free);
}

void gst_face_settings_copy(GstFaceSettings *to, const GstFaceSettings *from)
{
  gst_face_settings_clear(to);
  *to = *from;
  to->socket = g_strdup(from->socket);
  to->model = g_strdup(from->model);
}

/* What a running element keeps as it is. */
static gboolean is_changed(const GstFaceSettings *settings, guint id, const GValue *value)
{
  switch (id) {
    case PROP_SOCKET: return g_strcmp0(settings->socket, g_value_get_string(value)) != 0;
    case PROP_MODEL: return g_strcmp0(settings->model, g_value_get_string(value)) != 0;
    case PROP_MODE: return settings->mode != (GstFaceMode)g_value_get_enum(value);
    default: return FALSE;
  }
}

gchar *gst_face_settings_refusal(const GstFaceSettings *settings, guint id, const GValue *value, gboolean is_running)
{
  const gchar *names[] = {[PROP_SOCKET] = "socket", [PROP_MODEL] = "model", [PROP_MODE] = "mode"};
  if (is_running && is_changed(settings, id, value))
    return g_strdup_printf("%s cannot change while the element runs; set its state to READY first.", names[id]);
  if (id == PROP_MAX_SIDE && g_value_get_uint(value) > 0 && g_value_get_uint(value) < LEAST_SIDE)
    return g_strdup_printf("max-side cannot be %u; set %d to %d, or 0 for what the accuracy says.",
                           g_value_get_uint(value), LEAST_SIDE, MOST_SIDE);
  if (id == PROP_TRACKING && settings->is_check && !g_value_get_boolean(value))
    return g_strdup("tracking cannot be turned off: a guided check follows faces.");
  if (id == PROP_ANALYSIS_RATE && is_running && settings->is_check && settings->mode == GST_FACE_MODE_EVERY &&
      g_value_get_float(value) > 0)
    return g_strdup("analysis-rate cannot be set: a guided check in mode every searches each frame; use mode newest.");
  return NULL;
}

gboolean gst_face_settings_set(GstFaceSettings *settings, guint id, const GValue *value, gboolean *out_reopens)
{
  *out_reopens = id != PROP_DRAW && id != PROP_POST_MESSAGES;
  switch (id) {
    case PROP_SOCKET:
      g_free(settings->socket);
      settings->socket = g_value_dup_string(value);
      return TRUE;
    case PROP_MODEL:
      g_free(settings->model);
      settings->model = g_value_dup_string(value);
      return TRUE;
    case PROP_ACCURACY: settings->accuracy = (face_accuracy)g_value_get_enum(value); return TRUE;
    case PROP_MIN_CONFIDENCE: settings->min_confidence = g_value_get_float(value); return TRUE;
    case PROP_MAX_SIDE: settings->max_side = g_value_get_uint(value); return TRUE;
    case PROP_DETECTION_INTERVAL: settings->detection_interval = g_value_get_uint(value); return TRUE;
    case PROP_ANALYSIS_RATE: settings->analysis_rate = g_value_get_float(value); return TRUE;
    case PROP_ROTATIONS: settings->rotations = (face_rotations)g_value_get_enum(value); return TRUE;
    case PROP_LANDMARKS: settings->landmarks = g_value_get_boolean(value); return TRUE;
    case PROP_POSE: settings->pose = g_value_get_boolean(value); return TRUE;
    case PROP_EXPRESSIONS: settings->expressions = g_value_get_boolean(value); return TRUE;
    case PROP_QUALITY: settings->quality = g_value_get_boolean(value); return TRUE;
    case PROP_TRACKING: settings->tracking = g_value_get_boolean(value); return TRUE;
    case PROP_MODE: settings->mode = (GstFaceMode)g_value_get_enum(value); return TRUE;
    case PROP_DRAW: settings->draw = g_value_get_boolean(value); return TRUE;
    case PROP_POST_MESSAGES: settings->post_messages = g_value_get_boolean(value); return TRUE;
    default: return FALSE;
  }
}

gboolean gst_face_settings_get(const GstFaceSettings *settings, guint id, GValue *value)
{
  switch (id) {
    case PROP_SOCKET: g_value_set_string(value, settings->socket); return TRUE;
    case PROP_MODEL: g_value_set_string(value, settings->model); return TRUE;
    case PROP_ACCURACY: g_value_set_enum(value, (gint)settings->accuracy); return TRUE;
    case PROP_MIN_CONFIDENCE: g_value_set_float(value, settings->min_confidence); return TRUE;
    case PROP_MAX_SIDE: g_value_set_uint(value, settings->max_side); return TRUE;
    case PROP_DETECTION_INTERVAL: g_value_set_uint(value, settings->detection_interval); return TRUE;
    case PROP_ANALYSIS_RATE: g_value_set_float(value, settings->analysis_rate); return TRUE;
    case PROP_ROTATIONS: g_value_set_enum(value, (gint)settings->rotations); return TRUE;
    case PROP_LANDMARKS: g_value_set_boolean(value, settings->landmarks); return TRUE;
    case PROP_POSE: g_value_set_boolean(value, settings->pose); return TRUE;
    case PROP_EXPRESSIONS: g_value_set_boolean(value, settings->expressions); return TRUE;
    case PROP_QUALITY: g_value_set_boolean(value, settings->quality); return TRUE;
    case PROP_TRACKING: g_value_set_boolean(value, settings->tracking); return TRUE;
    case PROP_MODE: g_value_set_enum(value, (gint)settings->mode); return TRUE;
    case PROP_DRAW: g_value_set_boolean(value, settings->draw); return TRUE;
    case PROP_POST_MESSAGES: g_value_set_boolean(value, settings->post_messages); return TRUE;
    default: return FALSE;
  }
}

face_outputs gst_face_settings_outputs(const GstFaceSettings *settings)
{
  face_outputs outputs = 0;
  if (settings->landmarks) outputs |= FACE_OUTPUT_LANDMARKS;
  if (settings->pose) outputs |= FACE_OUTPUT_POSE;
  if (settings->expressions) outputs |= FACE_OUTPUT_EYES | FACE_OUTPUT_MOUTH | FACE_OUTPUT_EXPRESSIONS;
  if (settings->quality) outputs |= FACE_OUTPUT_QUALITY;
  return outputs;
}
