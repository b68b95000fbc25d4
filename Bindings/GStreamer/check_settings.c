#include "check_settings.h"

static const GEnumValue fits[] = {{FACE_FIT_CONTAIN, "The whole frame is visible, with bars at two sides", "contain"},
                                  {FACE_FIT_COVER, "The frame fills the view and is cut off at two sides", "cover"},
                                  {FACE_FIT_STRETCH, "Each axis is scaled independently", "stretch"},
                                  {0, NULL, NULL}};

static const GEnumValue presets[] = {{FACE_CHECK_PRESET_STANDARD, "For most uses", "standard"},
                                     {FACE_CHECK_PRESET_ISO, "A picture as for a passport", "iso"},
                                     {0, NULL, NULL}};

/* The name of an action as properties are written, with hyphens; NULL for an unknown number. The caller frees it. */
static gchar *action_name(face_action action)
{
  const char *name = face_action_name(action);
  return name != NULL ? g_strdelimit(g_strdup(name), "_", '-') : NULL;
}

/* The number of an action; 0 for a name that is not known. */
static face_action action_named(const gchar *name)
{
  gchar *wanted = g_strdelimit(g_strdup(name), "-", '_');
  const char *known;
  face_action action = 1;
  while ((known = face_action_name(action)) != NULL && !g_str_equal(known, wanted)) action++;
  g_free(wanted);
  return known != NULL ? action : 0;
}

static gchar *known_actions(void)
{
  GString *names = g_string_new(NULL);
  gchar *name;
  for (face_action action = 1; (name = action_name(action)) != NULL; action++) {
    g_string_append_printf(names, "%s%s", action > 1 ? ", " : "", name);
    g_free(name);
  }
  return g_string_free(names, FALSE);
}

static gchar *refuse_action(const gchar *name)
{
  gchar *known = known_actions();
  gchar *refusal = g_strdup_printf("There is no action \"%s\"; actions are %s.", name, known);
  g_free(known);
  return refusal;
}

gchar *gst_face_check_set_actions(face_check_options *options, const gchar *text)
{
  gchar **names = g_strsplit(text != NULL ? text : "", ",", -1), *refusal = NULL;
  face_check_options wanted = *options;
  wanted.action_count = 0;
  for (gchar **name = names; *name != NULL && refusal == NULL; name++) {
    g_strstrip(*name);
    if (**name == '\0') continue;
    face_action action = action_named(*name);
    if (action == 0) {
      refusal = refuse_action(*name);
    } else if (wanted.action_count == FACE_CHECK_MAX_ACTIONS) {
      refusal = g_strdup_printf("There are more than %d actions; set fewer.", FACE_CHECK_MAX_ACTIONS);
    } else {
      wanted.actions[wanted.action_count++] = action;
    }
  }
  if (refusal == NULL) *options = wanted;
  g_strfreev(names);
  return refusal;
}

gchar *gst_face_check_get_actions(const face_check_options *options)
{
  GString *text = g_string_new(NULL);
  for (guint index = 0; index < options->action_count; index++) {
    gchar *name = action_name(options->actions[index]);
    g_string_append_printf(text, "%s%s", index > 0 ? "," : "", name);
    g_free(name);
  }
  return g_string_free(text, FALSE);
}

/* Sets the limit of a text NAME=NUMBER, with spaces around its parts; FALSE for one that cannot be read. */
static gboolean set_limit(gfloat *limits, const gchar *text)
{
  gchar **parts = g_strsplit(text, "=", 2), *end = NULL;
  const char *known = NULL;
  face_iso_measure measure = 0;
  gdouble least = parts[0] != NULL && parts[1] != NULL ? g_ascii_strtod(g_strstrip(parts[1]), &end) : -1;
  gboolean is_number = end != NULL && end != parts[1] && *end == '\0' && least >= 0 && least <= 100;
  if (is_number) g_strstrip(parts[0]);
  while (is_number && (known = face_iso_measure_name(measure)) != NULL && !g_str_equal(known, parts[0])) measure++;
  if (known != NULL) limits[measure] = (gfloat)least;
  g_strfreev(parts);
  return known != NULL;
}

gchar *gst_face_check_set_min_iso(face_check_options *options, const gchar *text)
{
  gchar **limits = g_strsplit(text != NULL ? text : "", ",", -1), *refusal = NULL;
  gfloat wanted[FACE_CHECK_MAX_ISO] = {0};
  for (gchar **limit = limits; *limit != NULL && refusal == NULL; limit++) {
    if (*g_strstrip(*limit) != '\0' && !set_limit(wanted, *limit))
      refusal = g_strdup_printf(
          "min-iso cannot have \"%s\"; give measures of docs/iso-quality.md with numbers from 0 to 100, "
          "as in eyesOpen=50,luminanceMean=40.",
          *limit);
  }
  if (refusal == NULL) memcpy(options->min_iso, wanted, sizeof wanted);
  g_strfreev(limits);
  return refusal;
}

gchar *gst_face_check_get_min_iso(const face_check_options *options)
{
  GString *text = g_string_new(NULL);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];
  for (face_iso_measure measure = 0; measure < FACE_ISO_MEASURE_COUNT; measure++) {
    if (options->min_iso[measure] == 0) continue;
    g_ascii_formatd(number, sizeof number, "%g", options->min_iso[measure]);
    g_string_append_printf(text, "%s%s=%s", text->len > 0 ? "," : "", face_iso_measure_name(measure), number);
  }
  return g_string_free(text, FALSE);
}

static void add_actions(GObjectClass *klass)
{
  gchar *known = known_actions();
  gchar *blurb = g_strdup_printf("Actions that the person must do, in this order, separated by commas, at most %d: "
                                 "%s",
                                 FACE_CHECK_MAX_ACTIONS, known);
  g_object_class_install_property(klass, GST_FACE_PROP_ACTIONS,
                                  g_param_spec_string("actions", NULL, blurb, NULL, GST_FACE_ANY_TIME));
  g_free(blurb);
  g_free(known);
}

static void add_length(GObjectClass *klass, gsize offset, const gchar *name, const gchar *blurb)
{
  gst_face_properties_add(klass, offset, g_param_spec_float(name, NULL, blurb, 0, 65536, 0, GST_FACE_ANY_TIME));
}

#define MEMBER(name) (offset + G_STRUCT_OFFSET(GstFaceCheckSettings, name))

static void add_view(GObjectClass *klass, gsize offset)
{
  add_length(klass, MEMBER(options.mask.x), "circle-x",
             "x of the centre of the circle that the face should fill, in the view");
  add_length(klass, MEMBER(options.mask.y), "circle-y", "y of the centre of the circle, in the view");
  add_length(klass, MEMBER(options.mask.radius), "circle-radius",
             "Radius of the circle, in the view; all three 0: centred, 0.4 of the view's shorter side");
  add_length(klass, MEMBER(view.view_width), "view-width",
             "Width of the view that shows the frames to the person; 0: the frame's own");
  add_length(klass, MEMBER(view.view_height), "view-height", "Height of the view; 0: the frame's own");
  gst_face_properties_add_enum(klass, MEMBER(view.fit), "view-fit", "How the view shows a frame of another shape",
                               GST_FACE_ANY_TIME, "GstFaceEngineFit", fits, FACE_FIT_CONTAIN);
  gst_face_properties_add_switch(
      klass, MEMBER(view.mirrored), "mirrored",
      "The view shows the frames like a mirror; circle-x and tips to move left or right refer to what the person sees",
      FALSE);
}

void gst_face_check_settings_install(GObjectClass *klass, gsize offset)
{
  add_actions(klass);
  g_object_class_install_property(
      klass, GST_FACE_PROP_MIN_ISO,
      g_param_spec_string("min-iso", NULL,
                          "Lowest accepted quality components, 0 to 100, of measures of ISO/IEC 29794-5, separated by "
                          "commas, as in eyesOpen=50,luminanceMean=40",
                          NULL, GST_FACE_ANY_TIME));
  add_view(klass, offset);
  gst_face_properties_add(
      klass, MEMBER(restart_delay),
      g_param_spec_uint64("restart-delay", NULL,
                          "Nanoseconds from the end of an attempt until the next one starts by itself; the largest "
                          "number: never. The signal restart starts one at once",
                          0, G_MAXUINT64, GST_CLOCK_TIME_NONE, GST_FACE_ANY_TIME));
  gst_face_properties_add_enum(klass, MEMBER(preset), "preset",
                               "Sets limits that belong together; properties that are set after it win",
                               GST_FACE_ANY_TIME, "GstFaceEnginePreset", presets, FACE_CHECK_PRESET_STANDARD);
  gst_face_properties_add_options(klass, MEMBER(options), sizeof(face_check_options), FACE_OPTION_GROUP_CHECK);
}

void gst_face_check_settings_init(GstFaceCheckSettings *settings)
{
  *settings = (GstFaceCheckSettings){.preset = FACE_CHECK_PRESET_STANDARD, .restart_delay = GST_CLOCK_TIME_NONE};
  face_check_options_init(&settings->options);
  /* The clock of the pipeline, also where a file is read faster than it was recorded. */
  settings->options.use_timestamps = 1;
  face_space_init(&settings->view);
  settings->view.kind = FACE_SPACE_VIEW;
}
