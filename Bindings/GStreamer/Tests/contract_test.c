/* What the library describes: each of its options is a property, and each of its outputs is measured. */
#include <face_engine.h>
#include <math.h>
#include <string.h>

#include "support.h"

/* ---- Options */

static const struct {
  face_option_group group;
  gsize size;
  const gchar *element;
} groups[] = {{FACE_OPTION_GROUP_DETECTION, sizeof(face_options), "faceengine"},
              {FACE_OPTION_GROUP_TRACKING, sizeof(face_session_options), "faceengine"},
              {FACE_OPTION_GROUP_CHECK, sizeof(face_check_options), "faceenginecheck"}};

static gdouble as_double(const GValue *value)
{
  GValue number = G_VALUE_INIT;
  if (G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value);
  g_value_init(&number, G_TYPE_DOUBLE);
  fail_unless(g_value_transform(value, &number));
  return g_value_get_double(&number);
}

static void expect_float(const GParamSpecFloat *spec, const face_option *option)
{
  fail_unless(spec->minimum == (gfloat)option->least && spec->default_value == (gfloat)option->standard);
  fail_unless(spec->maximum == (isinf(option->most) ? G_MAXFLOAT : (gfloat)option->most));
}

static void expect_count(const GParamSpecUInt *spec, const face_option *option)
{
  fail_unless(spec->minimum == option->least && spec->default_value == option->standard);
  fail_unless(spec->maximum == (isinf(option->most) ? G_MAXUINT : option->most));
}

static void expect_time(const GParamSpecUInt64 *spec, const face_option *option)
{
  fail_unless(spec->minimum == option->least && spec->default_value == option->standard);
  fail_unless(isinf(option->most) ? spec->maximum == G_MAXUINT64 : spec->maximum == option->most);
}

/* The same type, range, default and sentence. */
static void expect_description(GParamSpec *spec, const face_option *option)
{
  switch (option->kind) {
  case FACE_OPTION_KIND_FLOAT: expect_float(G_PARAM_SPEC_FLOAT(spec), option); break;
  case FACE_OPTION_KIND_COUNT: expect_count(G_PARAM_SPEC_UINT(spec), option); break;
  case FACE_OPTION_KIND_NANOSECONDS:
    expect_time(G_PARAM_SPEC_UINT64(spec), option);
    fail_unless(g_str_has_suffix(g_param_spec_get_blurb(spec), "In nanoseconds."));
    break;
  case FACE_OPTION_KIND_SWITCH: fail_unless(!G_PARAM_SPEC_BOOLEAN(spec)->default_value); break;
  default: fail("%s is of an unknown kind", option->flag);
  }
  fail_unless(g_str_has_prefix(g_param_spec_get_blurb(spec), option->meaning), "%s: %s", option->flag,
              g_param_spec_get_blurb(spec));
}

/* The default at first, then another value. */
static void expect_to_keep(GObject *element, GParamSpec *spec, const face_option *option)
{
  GValue value = G_VALUE_INIT, read = G_VALUE_INIT;
  gdouble other = option->least != option->standard ? option->least : MIN(option->most, 7);
  gchar *text = g_strdup_printf("%.17g", other);
  g_value_init(&value, spec->value_type);
  g_value_init(&read, spec->value_type);
  g_object_get_property(element, spec->name, &read);
  fail_unless(as_double(&read) == option->standard, "%s is %f at first", spec->name, as_double(&read));
  fail_unless(gst_value_deserialize(&value, G_VALUE_HOLDS_BOOLEAN(&value) ? "true" : text));
  g_object_set_property(element, spec->name, &value);
  g_object_get_property(element, spec->name, &read);
  fail_unless(g_param_values_cmp(spec, &value, &read) == 0, "%s is %f after %s", spec->name, as_double(&read), text);
  g_value_unset(&value);
  g_value_unset(&read);
  g_free(text);
}

GST_START_TEST(test_each_option_is_a_property)
{
  GstElement *element = gst_element_factory_make(groups[__i__].element, NULL);
  GHashTable *places = g_hash_table_new(NULL, NULL);
  const face_option *option;
  guint index = 0;
  for (; (option = face_option_at(groups[__i__].group, index, groups[__i__].size)) != NULL; index++) {
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), option->flag);
    if (g_str_equal(option->name, "followed_only")) {
      fail_unless(spec == NULL); /* a pipeline cannot say which faces those are */
      continue;
    }
    fail_unless(spec != NULL, "%s has no property %s", groups[__i__].element, option->flag);
    fail_unless(g_hash_table_add(places, spec));
    expect_description(spec, option);
    expect_to_keep(G_OBJECT(element), spec, option);
  }
  fail_unless(index > 3);
  g_hash_table_unref(places);
  gst_object_unref(element);
}
GST_END_TEST

/* What a property says reaches the search. */
GST_START_TEST(test_options_are_used)
{
  const gchar *settings[] = {"min-face-size=300", "min-face-share=0.9", "min-confidence=1", "tracking=false"};
  g_autofree gchar *description = g_strdup_printf("mode=every %s", settings[__i__]);
  g_autoptr(Rig) h = harness(description, GST_VIDEO_FORMAT_NV12);
  fail_unless_equals_int(pass_and_count(h, photo(GST_VIDEO_FORMAT_NV12), 0), __i__ == 3 ? 1 : 0);
}
GST_END_TEST

/* ---- Outputs */

/* Fields of the outputs that have names of their own. */
static const gchar *field_of(face_outputs output)
{
  switch (output) {
  case FACE_OUTPUT_POSE: return "yaw";
  case FACE_OUTPUT_EYES: return "left-eye-open";
  case FACE_OUTPUT_MOUTH: return "smile";
  case FACE_OUTPUT_EXPRESSIONS: return "jawOpen";
  case FACE_OUTPUT_QUALITY: return "sharpness";
  default: return NULL;
  }
}

/* The numbers as the library itself measures them; the caller frees them. */
static gfloat *measure(const face_output *output)
{
  GstBuffer *buffer = photo(GST_VIDEO_FORMAT_BGRA);
  GstMapInfo map;
  face_engine *engine = NULL;
  face_options options;
  face_image image;
  face_result *result = NULL;
  gfloat *values = g_new0(gfloat, output->count);
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  face_image_init(&image);
  image.format = FACE_FORMAT_BGRA;
  image.width = image.height = SIDE;
  image.planes[0] = map.data;
  image.plane_sizes[0] = map.size;
  face_options_init(&options);
  options.outputs = output->bit;
  fail_unless(face_load_model(g_getenv("FACE_TEST_MODEL"), &engine) == FACE_OK, "%s", face_last_error());
  fail_unless(face_detect(engine, &image, &options, &result) == FACE_OK, "%s", face_last_error());
  fail_unless(face_result_values(result, 0, output->bit, values, output->count, NULL) == FACE_OK);
  face_result_destroy(result);
  face_release(engine);
  gst_buffer_unmap(buffer, &map);
  gst_buffer_unref(buffer);
  return values;
}

static void expect_array(const GstStructure *face, const face_output *output)
{
  gchar *name = g_strdelimit(g_strdup(output->name), "_", '-');
  const GValue *array = gst_structure_get_value(face, name);
  gfloat *expected = measure(output);
  fail_unless(array != NULL && GST_VALUE_HOLDS_ARRAY(array), "a face has no %s", name);
  fail_unless_equals_int(gst_value_array_get_size(array), output->count);
  for (guint index = 0; index < output->count; index++)
    fail_unless(g_value_get_double(gst_value_array_get_value(array, index)) == expected[index], "%s: number %u", name,
                index);
  g_free(expected);
  g_free(name);
}

/* What the structure of a face has of an output. */
static void expect_values(const GstStructure *face, const face_output *output)
{
  if (field_of(output->bit) != NULL) {
    fail_unless(gst_structure_has_field(face, field_of(output->bit)), "a face has no %s", output->name);
  } else if (output->count > 0) {
    expect_array(face, output);
  }
}

static const GstStructure *first_face(const GstMessage *message)
{
  const GValue *faces = gst_structure_get_value(gst_message_get_structure((GstMessage *)message), "faces");
  return gst_value_get_structure(gst_value_array_get_value(faces, 0));
}

GST_START_TEST(test_each_output_is_measured)
{
  const face_output *output = face_output_at((guint)__i__);
  g_autofree gchar *description = g_strdup_printf("mode=every tracking=false %s=true", output->flag);
  g_autoptr(Rig) h = harness(description, GST_VIDEO_FORMAT_BGRA);
  GstBus *bus = give_bus(h);
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(h->element), output->flag);
  fail_unless(spec != NULL && strstr(g_param_spec_get_blurb(spec), output->meaning) != NULL);
  fail_unless(G_IS_PARAM_SPEC_BOOLEAN(spec) && !G_PARAM_SPEC_BOOLEAN(spec)->default_value);
  g_autoptr(GstBuffer) out = pass(h, photo(GST_VIDEO_FORMAT_BGRA), 0);
  GstVideoRegionOfInterestMeta *meta = face_of(out);
  gboolean is_apart = output->count == 0 || output->bit == FACE_OUTPUT_EXPRESSIONS;
  GstStructure *face = gst_video_region_of_interest_meta_get_param(meta, is_apart ? output->name : "detection");
  fail_unless(face != NULL, "the frame has no %s", output->name);
  expect_values(face, output);
  g_autoptr(GstMessage) message = pop_message(bus, "faces");
  expect_values(first_face(message), output);
}
GST_END_TEST

/* A switch turns off what it turned on, and leaves the others. */
GST_START_TEST(test_outputs_are_switched_one_by_one)
{
  g_autoptr(Rig) h = harness("mode=every tracking=false gaze=true transform=true", GST_VIDEO_FORMAT_NV12);
  g_object_set(h->element, "gaze", FALSE, NULL);
  g_autoptr(GstBuffer) out = pass(h, photo(GST_VIDEO_FORMAT_NV12), 0);
  GstStructure *face = gst_video_region_of_interest_meta_get_param(face_of(out), "detection");
  fail_unless(gst_structure_has_field(face, "transform") && !gst_structure_has_field(face, "gaze"));
  fail_unless(!gst_structure_has_field(face, "yaw"));
}
GST_END_TEST

static gboolean where(GstBuffer *buffer, gdouble *x, gdouble *y)
{
  GstStructure *face = gst_video_region_of_interest_meta_get_param(face_of(buffer), "detection");
  return gst_structure_get(face, "look-at-x", G_TYPE_DOUBLE, x, "look-at-y", G_TYPE_DOUBLE, y, NULL);
}

/* The same point on a screen whose upper edge is a height further up is one screen further down. */
GST_START_TEST(test_where_a_face_looks)
{
  g_autoptr(Rig) h =
      harness("mode=every tracking=false gaze=true screen-width=34 screen-height=19", GST_VIDEO_FORMAT_BGRA);
  gdouble x = 0, y = 0, same = 0, lower = 0;
  g_autoptr(GstBuffer) first = pass(h, photo(GST_VIDEO_FORMAT_BGRA), 0);
  fail_unless(where(first, &x, &y));
  g_object_set(h->element, "screen-gap", -19.0, NULL);
  g_autoptr(GstBuffer) second = pass(h, photo(GST_VIDEO_FORMAT_BGRA), 1);
  fail_unless(where(second, &same, &lower));
  fail_unless(ABS(same - x) < 0.001 && ABS(lower - y - 1) < 0.001, "%g %g, then %g %g", x, y, same, lower);
  g_object_set(h->element, "screen-width", 0.0, NULL);
  g_autoptr(GstBuffer) third = pass(h, photo(GST_VIDEO_FORMAT_BGRA), 2);
  fail_unless(!where(third, &x, &y));
}
GST_END_TEST

GST_START_TEST(test_a_preset_sets_limits)
{
  g_autoptr(GstElement) element = gst_object_ref_sink(gst_element_factory_make("faceenginecheck", NULL));
  gfloat before = 0, after = 0, own = 0;
  g_object_get(element, "max-yaw", &before, NULL);
  g_object_set(element, "preset", FACE_CHECK_PRESET_ISO, NULL);
  g_object_get(element, "max-yaw", &after, NULL);
  face_check_options expected;
  face_check_options_init(&expected);
  fail_unless(face_check_options_apply(&expected, FACE_CHECK_PRESET_ISO) == FACE_OK);
  fail_unless(after == expected.max_yaw && after != before, "%g, then %g", before, after);
  g_object_set(element, "max-yaw", 3.0, NULL);
  g_object_get(element, "max-yaw", &own, NULL);
  fail_unless(own == 3);
}
GST_END_TEST

Suite *contract_suite(void)
{
  Suite *suite = suite_create("contract");
  TCase *tests = tcase_create("contract");
  int outputs = 0;
  while (face_output_at((guint)outputs) != NULL) outputs++;
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, test_each_option_is_a_property, 0, G_N_ELEMENTS(groups));
  tcase_add_loop_test(tests, test_options_are_used, 0, 4);
  tcase_add_loop_test(tests, test_each_output_is_measured, 0, outputs);
  tcase_add_test(tests, test_outputs_are_switched_one_by_one);
  tcase_add_test(tests, test_where_a_face_looks);
  tcase_add_test(tests, test_a_preset_sets_limits);
  return suite;
}
