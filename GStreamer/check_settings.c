#include "check_settings.h"

GST_DEBUG_CATEGORY_EXTERN(gst_face_debug);
#define GST_CAT_DEFAULT gst_face_debug

enum {
  PROP_0,
  PROP_ACTIONS,
  PROP_SHUFFLE_ACTIONS,
  PROP_START_OVER,
  PROP_CIRCLE_X,
  PROP_CIRCLE_Y,
  PROP_CIRCLE_RADIUS,
  PROP_VIEW_WIDTH,
  PROP_VIEW_HEIGHT,
  PROP_VIEW_FIT,
  PROP_MIRRORED,
  PROP_START_DELAY,
  PROP_HOLD,
  PROP_TIMEOUT,
  PROP_WAIT_TIMEOUT,
  PROP_RESTART_DELAY,
  PROP_CROP_SIZE,
  PROP_LIMITS
};

static const GEnumValue fits[] = {
    {FACE_FIT_CONTAIN, "The whole frame is visible, with bars at two sides", "contain"},
    {FACE_FIT_COVER, "The frame fills the view and is cut off at two sides", "cover"},
    {FACE_FIT_STRETCH, "Each axis is scaled by itself", "stretch"},
    {0, NULL, NULL}};

static const gchar *const actions[] = {[FACE_ACTION_BLINK] = "blink",
                                       [FACE_ACTION_TURN_LEFT] = "turn-left",
                                       [FACE_ACTION_TURN_RIGHT] = "turn-right",
                                       [FACE_ACTION_SMILE] = "smile",
                                       [FACE_ACTION_OPEN_MOUTH] = "open-mouth"};

/* The fields of `limits`, which the library checks. */
#define LIMIT(name, member) {name, G_STRUCT_OFFSET(face_check_options, member)}
static const struct {
  const gchar *name;
  glong offset;
} limits[] = {LIMIT("hysteresis", hysteresis),
              LIMIT("min-face", min_face),
              LIMIT("max-face", max_face),
              LIMIT("max-offset", max_offset),
              LIMIT("max-other-face", max_other_face),
              LIMIT("max-yaw", max_yaw),
              LIMIT("max-pitch", max_pitch),
              LIMIT("max-roll", max_roll),
              LIMIT("min-eyes-open", min_eyes_open),
              LIMIT("min-brightness", min_brightness),
              LIMIT("max-brightness", max_brightness),
              LIMIT("min-sharpness", min_sharpness),
              LIMIT("max-motion", max_motion),
              LIMIT("turn-angle", turn_angle),
              LIMIT("crop-margin", crop_margin),
              LIMIT("max-blink-open", max_blink_open),
              LIMIT("min-smile", min_smile)};

static GType fit_type(void)
{
  static gsize type = 0;
  if (g_once_init_enter(&type)) {
    GType made = g_enum_register_static("GstFaceEngineFit", fits);
    gst_type_mark_as_plugin_api(made, 0);
    g_once_init_leave(&type, made);
  }
  return type;
}

static const GParamFlags any_time = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

static void install_switch(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb)
{
  g_object_class_install_property(klass, id, g_param_spec_boolean(name, nick, blurb, FALSE, any_time));
}

static void install_length(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb)
{
  g_object_class_install_property(klass, id, g_param_spec_float(name, nick, blurb, 0, 65536, 0, any_time));
}

static void install_time(GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb,
                         guint64 initially)
{
  g_object_class_install_property(klass, id,
                                  g_param_spec_uint64(name, nick, blurb, 0, G_MAXUINT64, initially, any_time));
}

void gst_face_check_settings_install(GObjectClass *klass)
{
  GstFaceCheckSettings initial;
  gst_face_check_settings_init(&initial);
  const face_check_options *options = &initial.options;
  g_object_class_install_property(
      klass, PROP_ACTIONS,
      g_param_spec_string("actions", "Actions",
                          "What the person has to do, one after the other, at most 8: of blink, turn-left, turn-right, "
                          "smile and open-mouth, with commas between them",
                          NULL, any_time));
  install_switch(klass, PROP_SHUFFLE_ACTIONS, "shuffle-actions", "Shuffle actions",
                 "Ask for the actions in a random order, another one with each attempt");
  install_switch(klass, PROP_START_OVER, "start-over", "Start over",
                 "Wait for the next face where a face that is lost or replaced would let the check fail");
  install_length(klass, PROP_CIRCLE_X, "circle-x", "Circle x",
                 "Centre, from the left of the view, of the circle into which the face is held");
  install_length(klass, PROP_CIRCLE_Y, "circle-y", "Circle y", "Centre, from the top of the view");
  install_length(klass, PROP_CIRCLE_RADIUS, "circle-radius", "Circle radius",
                 "Radius in the view; 0, with circle-x and circle-y: centred, 0.4 of the view's shorter side");
  install_length(klass, PROP_VIEW_WIDTH, "view-width", "View width",
                 "Width of the view in which the person sees the frames; 0: the frame's own");
  install_length(klass, PROP_VIEW_HEIGHT, "view-height", "View height", "Height of the view; 0: the frame's own");
  g_object_class_install_property(klass, PROP_VIEW_FIT,
                                  g_param_spec_enum("view-fit", "View fit",
                                                    "How the view shows a frame of another shape", fit_type(),
                                                    FACE_FIT_CONTAIN, any_time));
  install_switch(klass, PROP_MIRRORED, "mirrored", "Mirrored",
                 "The view shows the frames as a mirror does: tips to move left or right, and circle-x, are of what is seen");
  install_time(klass, PROP_START_DELAY, "start-delay", "Start delay",
               "Nanoseconds for which a face has to be in the circle before the check begins", options->start_delay_ns);
  install_time(klass, PROP_HOLD, "hold", "Hold", "Nanoseconds for which the face has to be right at the end",
               options->hold_ns);
  install_time(klass, PROP_TIMEOUT, "timeout", "Time-out", "Nanoseconds that a check may take; 0: no limit",
               options->timeout_ns);
  install_time(klass, PROP_WAIT_TIMEOUT, "wait-timeout", "Waiting time-out",
               "Nanoseconds after which a check that has not begun fails; 0: no limit", options->wait_timeout_ns);
  install_time(klass, PROP_RESTART_DELAY, "restart-delay", "Restart delay",
               "Nanoseconds from the end of an attempt until the next one begins by itself; the largest number: never. The "
               "signal restart begins one at once",
               initial.restart_delay);
  g_object_class_install_property(klass, PROP_CROP_SIZE,
                                  g_param_spec_uint("crop-size", "Crop size",
                                                    "Pixels of each side of the picture that shows the face alone", 16,
                                                    4096, options->crop_size, any_time));
  g_object_class_install_property(
      klass, PROP_LIMITS,
      g_param_spec_boxed("limits", "Limits",
                         "Limits other than the defaults, as floats of a structure: \"limits, max-yaw=8.0, "
                         "min-sharpness=0.4\", by the names of face_check_options",
                         GST_TYPE_STRUCTURE, any_time));
}

void gst_face_check_settings_init(GstFaceCheckSettings *settings)
{
  *settings = (GstFaceCheckSettings){.restart_delay = GST_CLOCK_TIME_NONE};
  face_check_options_init(&settings->options);
  /* The clock of the pipeline, also where a file is read faster than it was recorded. */
  settings->options.use_timestamps = 1;
  face_space_init(&settings->view);
  settings->view.kind = FACE_SPACE_VIEW;
}

/* The number of an action; 0 for a name that is not known. */
static face_action action_named(const gchar *name)
{
  for (face_action action = 1; action < G_N_ELEMENTS(actions); action++)
    if (g_str_equal(actions[action], name)) return action;
  return 0;
}

static gchar *set_actions(face_check_options *options, const gchar *text)
{
  gchar **names = g_strsplit(text != NULL ? text : "", ",", -1), *refusal = NULL;
  face_action wanted[FACE_CHECK_MAX_ACTIONS];
  guint count = 0;
  for (gchar **name = names; *name != NULL && refusal == NULL; name++) {
    g_strstrip(*name);
    if (**name == '\0') continue;
    face_action action = action_named(*name);
    if (action == 0) {
      refusal = g_strdup_printf(
          "There is no action \"%s\"; actions are blink, turn-left, turn-right, smile and open-mouth.", *name);
    } else if (count == FACE_CHECK_MAX_ACTIONS) {
      refusal = g_strdup_printf("There are more than %d actions; set fewer.", FACE_CHECK_MAX_ACTIONS);
    } else {
      wanted[count++] = action;
    }
  }
  if (refusal == NULL) {
    options->action_count = count;
    for (guint index = 0; index < count; index++) options->actions[index] = wanted[index];
  }
  g_strfreev(names);
  return refusal;
}

static gchar *get_actions(const face_check_options *options)
{
  GString *text = g_string_new(NULL);
  for (guint index = 0; index < options->action_count; index++)
    g_string_append_printf(text, "%s%s", index > 0 ? "," : "", actions[options->actions[index]]);
  return g_string_free(text, FALSE);
}

static gchar *known_limits(void)
{
  GString *names = g_string_new(limits[0].name);
  for (guint index = 1; index < G_N_ELEMENTS(limits); index++) g_string_append_printf(names, ", %s", limits[index].name);
  return g_string_free(names, FALSE);
}

/* Sets one limit. Returns why it is refused; NULL if it is not. */
static gchar *set_limit(face_check_options *options, const gchar *name, const GValue *value)
{
  for (guint index = 0; index < G_N_ELEMENTS(limits); index++) {
    if (!g_str_equal(limits[index].name, name)) continue;
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_FLOAT);
    gboolean is_number = g_value_type_transformable(G_VALUE_TYPE(value), G_TYPE_FLOAT) && g_value_transform(value, &number);
    if (is_number) G_STRUCT_MEMBER(gfloat, options, limits[index].offset) = g_value_get_float(&number);
    g_value_unset(&number);
    return is_number ? NULL : g_strdup_printf("The limit %s is not a number; set one, as in max-yaw=8.0.", name);
  }
  gchar *known = known_limits();
  gchar *refusal = g_strdup_printf("There is no limit \"%s\"; limits are %s.", name, known);
  g_free(known);
  return refusal;
}

static gchar *set_limits(face_check_options *options, const GstStructure *structure)
{
  face_check_options initial, wanted = *options;
  face_check_options_init(&initial);
  gchar *refusal = NULL;
  for (guint index = 0; index < G_N_ELEMENTS(limits); index++)
    G_STRUCT_MEMBER(gfloat, &wanted, limits[index].offset) = G_STRUCT_MEMBER(gfloat, &initial, limits[index].offset);
  for (gint field = 0; structure != NULL && refusal == NULL && field < gst_structure_n_fields(structure); field++) {
    const gchar *name = gst_structure_nth_field_name(structure, (guint)field);
    refusal = set_limit(&wanted, name, gst_structure_get_value(structure, name));
  }
  if (refusal == NULL) *options = wanted;
  return refusal;
}

static GstStructure *get_limits(const face_check_options *options)
{
  GstStructure *structure = gst_structure_new_empty("limits");
  for (guint index = 0; index < G_N_ELEMENTS(limits); index++)
    gst_structure_set(structure, limits[index].name, G_TYPE_FLOAT,
                      G_STRUCT_MEMBER(gfloat, options, limits[index].offset), NULL);
  return structure;
}

gboolean gst_face_check_settings_set(GstFaceCheckSettings *settings, guint id, const GValue *value, gchar **out_refusal)
{
  face_check_options *options = &settings->options;
  switch (id) {
    case PROP_ACTIONS: *out_refusal = set_actions(options, g_value_get_string(value)); return TRUE;
    case PROP_SHUFFLE_ACTIONS: options->shuffle_actions = g_value_get_boolean(value); return TRUE;
    case PROP_START_OVER: options->start_over = g_value_get_boolean(value); return TRUE;
    case PROP_CIRCLE_X: options->mask.x = g_value_get_float(value); return TRUE;
    case PROP_CIRCLE_Y: options->mask.y = g_value_get_float(value); return TRUE;
    case PROP_CIRCLE_RADIUS: options->mask.radius = g_value_get_float(value); return TRUE;
    case PROP_VIEW_WIDTH: settings->view.view_width = g_value_get_float(value); return TRUE;
    case PROP_VIEW_HEIGHT: settings->view.view_height = g_value_get_float(value); return TRUE;
    case PROP_VIEW_FIT: settings->view.fit = (face_fit)g_value_get_enum(value); return TRUE;
    case PROP_MIRRORED: settings->view.mirrored = g_value_get_boolean(value); return TRUE;
    case PROP_START_DELAY: options->start_delay_ns = g_value_get_uint64(value); return TRUE;
    case PROP_HOLD: options->hold_ns = g_value_get_uint64(value); return TRUE;
    case PROP_TIMEOUT: options->timeout_ns = g_value_get_uint64(value); return TRUE;
    case PROP_WAIT_TIMEOUT: options->wait_timeout_ns = g_value_get_uint64(value); return TRUE;
    case PROP_RESTART_DELAY: settings->restart_delay = g_value_get_uint64(value); return TRUE;
    case PROP_CROP_SIZE: options->crop_size = g_value_get_uint(value); return TRUE;
    case PROP_LIMITS: *out_refusal = set_limits(options, g_value_get_boxed(value)); return TRUE;
    default: return FALSE;
  }
}

gboolean gst_face_check_settings_get(const GstFaceCheckSettings *settings, guint id, GValue *value)
{
  const face_check_options *options = &settings->options;
  switch (id) {
    case PROP_ACTIONS: g_value_take_string(value, get_actions(options)); return TRUE;
    case PROP_SHUFFLE_ACTIONS: g_value_set_boolean(value, options->shuffle_actions != 0); return TRUE;
    case PROP_START_OVER: g_value_set_boolean(value, options->start_over != 0); return TRUE;
    case PROP_CIRCLE_X: g_value_set_float(value, options->mask.x); return TRUE;
    case PROP_CIRCLE_Y: g_value_set_float(value, options->mask.y); return TRUE;
    case PROP_CIRCLE_RADIUS: g_value_set_float(value, options->mask.radius); return TRUE;
    case PROP_VIEW_WIDTH: g_value_set_float(value, settings->view.view_width); return TRUE;
    case PROP_VIEW_HEIGHT: g_value_set_float(value, settings->view.view_height); return TRUE;
    case PROP_VIEW_FIT: g_value_set_enum(value, (gint)settings->view.fit); return TRUE;
    case PROP_MIRRORED: g_value_set_boolean(value, settings->view.mirrored != 0); return TRUE;
    case PROP_START_DELAY: g_value_set_uint64(value, options->start_delay_ns); return TRUE;
    case PROP_HOLD: g_value_set_uint64(value, options->hold_ns); return TRUE;
    case PROP_TIMEOUT: g_value_set_uint64(value, options->timeout_ns); return TRUE;
    case PROP_WAIT_TIMEOUT: g_value_set_uint64(value, options->wait_timeout_ns); return TRUE;
    case PROP_RESTART_DELAY: g_value_set_uint64(value, settings->restart_delay); return TRUE;
    case PROP_CROP_SIZE: g_value_set_uint(value, options->crop_size); return TRUE;
    case PROP_LIMITS: g_value_take_boxed(value, get_limits(options)); return TRUE;
    default: return FALSE;
  }
}
