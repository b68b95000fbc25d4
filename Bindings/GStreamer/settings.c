#include "settings.h"

/* Pixels of max-side, unless it is 0. */
#define LEAST_SIDE 16
#define MOST_SIDE 8192

#define BEST_MARGIN 0.4f
#define COVER_CELLS 6
#define COVER_MARGIN 0.3f
#define COVER_HOLD (GST_SECOND / 2)

static const GEnumValue accuracies[] = {{FACE_ACCURACY_LOW,
                                         "At least three times as fast as balanced, misses small faces", "low"},
                                        {FACE_ACCURACY_BALANCED, "For most uses", "balanced"},
                                        {FACE_ACCURACY_HIGH, "Several networks and scales together", "high"},
                                        {0, NULL, NULL}};

static const GEnumValue rotations[] = {{FACE_ROTATIONS_UPRIGHT, "Heads tilted by up to about 45 degrees", "upright"},
                                       {FACE_ROTATIONS_ANY, "Heads at any angle, even upside down", "any"},
                                       {0, NULL, NULL}};

static const GEnumValue modes[] = {
    {GST_FACE_MODE_NEWEST, "Frames pass at once, with the last result; the newest frame is searched next", "newest"},
    {GST_FACE_MODE_EVERY, "Each frame is searched and waits for its own result", "every"},
    {0, NULL, NULL}};

static const GEnumValue covers[] = {{GST_FACE_COVER_NONE, "Faces stay as they are", "none"},
                                    {GST_FACE_COVER_BLUR, "Faces are blurred, with hair and ears", "blur"},
                                    {GST_FACE_COVER_PIXELATE, "Faces become a few even cells", "pixelate"},
                                    {0, NULL, NULL}};

#define MEMBER(name) G_STRUCT_OFFSET(GstFaceSettings, name)

static void add_search(GObjectClass *klass)
{
  gst_face_properties_add_enum(klass, MEMBER(detection.accuracy), "accuracy", "Trade-off between speed and faces found",
                               GST_FACE_ANY_TIME, "GstFaceEngineAccuracy", accuracies, FACE_ACCURACY_BALANCED);
  gst_face_properties_add_enum(klass, MEMBER(detection.rotations), "rotations", "How far a head may be tilted",
                               GST_FACE_ANY_TIME, "GstFaceEngineRotations", rotations, FACE_ROTATIONS_UPRIGHT);
  gst_face_properties_add(
      klass, MEMBER(detection.max_side),
      g_param_spec_uint("max-side", NULL,
                        "Long side in pixels to which larger frames are scaled down before the search, 16 or more; 0: "
                        "chosen by accuracy",
                        0, MOST_SIDE, 0, GST_FACE_ANY_TIME));
  gst_face_properties_add_switch(
      klass, MEMBER(session.track), "tracking",
      "Follow faces from frame to frame and give each an id; otherwise each frame is searched by itself", TRUE);
  gst_face_properties_add_options(klass, MEMBER(detection), sizeof(face_options), FACE_OPTION_GROUP_DETECTION);
  gst_face_properties_add_options(klass, MEMBER(session), sizeof(face_session_options), FACE_OPTION_GROUP_TRACKING);
  gst_face_properties_add_outputs(klass, MEMBER(detection.outputs));
}

static void add_best(GObjectClass *klass)
{
  gst_face_properties_add(
      klass, MEMBER(session.best_size),
      g_param_spec_uint("best-size", NULL,
                        "Width and height in pixels of the best picture of each face, 16 to 1024, which the element "
                        "message 'face-best' has when the face leaves or the stream ends; 0: none",
                        0, 1024, 0, GST_FACE_ANY_TIME));
  gst_face_properties_add(
      klass, MEMBER(session.best_margin),
      g_param_spec_float("best-margin", NULL,
                         "Space around the face's box in the best picture on each side, in long sides of the box", 0, 4,
                         BEST_MARGIN, GST_FACE_ANY_TIME));
}

static void add_screen(GObjectClass *klass)
{
  static const struct {
    const gchar *name, *blurb;
    gsize offset;
    gfloat least;
  } lengths[] = {
      {"screen-width", "Width in cm of the screen that people look at, for the field look-at-x; 0: not known",
       MEMBER(screen.width), 0},
      {"screen-height", "Height in cm of the screen that people look at; 0: not known", MEMBER(screen.height), 0},
      {"screen-gap", "Distance in cm from the camera down to the screen's upper edge", MEMBER(screen.gap), -1000}};
  for (guint index = 0; index < G_N_ELEMENTS(lengths); index++)
    gst_face_properties_add(klass, lengths[index].offset,
                            g_param_spec_float(lengths[index].name, NULL, lengths[index].blurb, lengths[index].least,
                                               1000, 0, GST_FACE_ANY_TIME));
}

static void add_covers(GObjectClass *klass)
{
  gst_face_properties_add_enum(
      klass, MEMBER(cover.kind), "cover",
      "Make faces unrecognisable; with mode=every, so that no frame passes before it is searched", GST_FACE_ANY_TIME,
      "GstFaceEngineCover", covers, GST_FACE_COVER_NONE);
  gst_face_properties_add(
      klass, MEMBER(cover.cells),
      g_param_spec_uint("cover-cells", NULL,
                        "Cells of a cover along the longer side of the face's box; only their means "
                        "remain",
                        1, 16, COVER_CELLS, GST_FACE_ANY_TIME));
  gst_face_properties_add(
      klass, MEMBER(cover.margin),
      g_param_spec_float("cover-margin", NULL,
                         "Space on each side of the box that a cover hides too, in units of the box", 0, 2,
                         COVER_MARGIN, GST_FACE_ANY_TIME));
  gst_face_properties_add(klass, MEMBER(cover.hold),
                          g_param_spec_uint64("cover-hold", NULL,
                                              "How long a followed face stays covered after it is lost, in nanoseconds",
                                              0, 60 * GST_SECOND, COVER_HOLD, GST_FACE_ANY_TIME));
}

void gst_face_settings_install(GObjectClass *klass)
{
  gst_face_properties_add(klass, MEMBER(socket),
                          g_param_spec_string("socket", NULL,
                                              "Path of the Unix socket of a running engine to use; empty: the default "
                                              "socket. Excludes model",
                                              NULL, GST_FACE_AT_REST));
  gst_face_properties_add(
      klass, MEMBER(model),
      g_param_spec_string(
          "model", NULL,
          "Model to load into this process: a folder, an .onnx file or a name, as in centerface. Elements "
          "with the same model share it. Excludes socket. Unset: the model "
          "that was installed with the library",
          NULL, GST_FACE_AT_REST));
  gst_face_properties_add_enum(klass, MEMBER(mode), "mode", "Whether frames wait for their own result",
                               GST_FACE_AT_REST, "GstFaceEngineMode", modes, GST_FACE_MODE_NEWEST);
  add_search(klass);
  add_best(klass);
  add_screen(klass);
  gst_face_properties_add_switch(klass, MEMBER(draw), "draw",
                                 "Draw boxes, points, ids and other measurements on the frames", FALSE);
  add_covers(klass);
  gst_face_properties_add_switch(klass, MEMBER(post_messages), "post-messages",
                                 "Post element messages 'faces' and 'face-left' on the bus", TRUE);
}

void gst_face_settings_init(GstFaceSettings *settings)
{
  *settings = (GstFaceSettings){.post_messages = TRUE,
                                .cover = {.cells = COVER_CELLS, .margin = COVER_MARGIN, .hold = COVER_HOLD}};
  face_options_init(&settings->detection);
  settings->detection.accuracy = FACE_ACCURACY_BALANCED;
  face_session_options_init(&settings->session);
  settings->session.mode = FACE_SESSION_EVERY;
}

void gst_face_settings_init_check(GstFaceSettings *settings)
{
  settings->is_check = TRUE;
  /* As face_check_open has it by default. */
  settings->session.max_missed_frames = 45;
  gst_face_check_settings_init(&settings->check);
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

static gboolean is_changed(const GstFaceSettings *settings, GParamSpec *spec, const GValue *value)
{
  GValue now = G_VALUE_INIT;
  g_value_init(&now, spec->value_type);
  gst_face_properties_get(settings, spec, &now);
  gboolean is_changed = g_param_values_cmp(spec, &now, value) != 0;
  g_value_unset(&now);
  return is_changed;
}

/* Why a member keeps its value: a sentence, which the caller frees; NULL if it can be set. */
static gchar *refusal(const GstFaceSettings *settings, GParamSpec *spec, const GValue *value, gboolean is_running)
{
  const gchar *name = spec->name;
  if (is_running && (spec->flags & GST_PARAM_MUTABLE_READY) != 0 && is_changed(settings, spec, value))
    return g_strdup_printf("%s cannot change while the element runs; set its state to READY first.", name);
  if (g_str_equal(name, "max-side") && g_value_get_uint(value) > 0 && g_value_get_uint(value) < LEAST_SIDE)
    return g_strdup_printf("max-side cannot be %u; set %d to %d, or 0 to let accuracy choose.", g_value_get_uint(value),
                           LEAST_SIDE, MOST_SIDE);
  if (g_str_equal(name, "tracking") && settings->is_check && !g_value_get_boolean(value))
    return g_strdup("tracking cannot be turned off: a guided check follows faces.");
  if (g_str_equal(name, "best-size") && g_value_get_uint(value) > 0) {
    if (settings->is_check) return g_strdup("best-size cannot be set: a guided check has a picture of its own.");
    if (g_value_get_uint(value) < LEAST_SIDE)
      return g_strdup_printf("best-size cannot be %u; set %d to 1024, or 0 for no pictures.", g_value_get_uint(value),
                             LEAST_SIDE);
  }
  if (g_str_equal(name, "analysis-rate") && is_running && settings->is_check && settings->mode == GST_FACE_MODE_EVERY &&
      g_value_get_float(value) > 0)
    return g_strdup("analysis-rate cannot be set: a guided check in mode every searches each frame; use mode newest.");
  return NULL;
}

gchar *gst_face_settings_set(GstFaceSettings *settings, guint id, GParamSpec *spec, const GValue *value,
                             gboolean is_running)
{
  if (id == GST_FACE_PROP_ACTIONS)
    return gst_face_check_set_actions(&settings->check.options, g_value_get_string(value));
  if (id == GST_FACE_PROP_MIN_ISO)
    return gst_face_check_set_min_iso(&settings->check.options, g_value_get_string(value));
  gchar *sentence = refusal(settings, spec, value, is_running);
  if (sentence != NULL) return sentence;
  gst_face_properties_set(settings, spec, value);
  if (g_str_equal(spec->name, "preset")) face_check_options_apply(&settings->check.options, settings->check.preset);
  return NULL;
}

void gst_face_settings_get(const GstFaceSettings *settings, guint id, GParamSpec *spec, GValue *value)
{
  if (id == GST_FACE_PROP_ACTIONS) {
    g_value_take_string(value, gst_face_check_get_actions(&settings->check.options));
  } else if (id == GST_FACE_PROP_MIN_ISO) {
    g_value_take_string(value, gst_face_check_get_min_iso(&settings->check.options));
  } else {
    gst_face_properties_get(settings, spec, value);
  }
}

gboolean gst_face_settings_reopens(const GParamSpec *spec)
{
  return !g_str_equal(spec->name, "draw") && !g_str_equal(spec->name, "post-messages") &&
         !g_str_has_prefix(spec->name, "cover") && !g_str_has_prefix(spec->name, "screen-");
}
