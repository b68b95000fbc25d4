/* The element by itself: properties, formats, what a frame carries, messages, errors. */
#include "support.h"

GST_START_TEST(test_properties)
{
  GstElement *element = gst_element_factory_make("faceengine", NULL);
  gfloat confidence;
  guint interval;
  gboolean tracks, draws;
  gint mode, accuracy;
  gchar *socket;
  fail_unless(element != NULL);
  g_object_get(element, "min-confidence", &confidence, "detection-interval", &interval, "tracking", &tracks, "draw",
               &draws, "mode", &mode, "accuracy", &accuracy, "socket", &socket, NULL);
  fail_unless(confidence > 0.599f && confidence < 0.601f && interval == 10 && tracks && !draws && mode == 0 &&
              accuracy == 2);
  fail_unless(socket == NULL);
  /* Each property has a description, and returns the value that was set. */
  guint count = 0;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  guint own = 0;
  for (guint index = 0; index < count; index++) {
    if (specs[index]->owner_type != G_OBJECT_TYPE(element)) continue;
    own++;
    fail_unless(g_param_spec_get_blurb(specs[index]) != NULL && strlen(g_param_spec_get_nick(specs[index])) > 0);
    if ((specs[index]->flags & G_PARAM_WRITABLE) == 0) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[index]->value_type);
    g_param_value_set_default(specs[index], &value);
    if (G_VALUE_HOLDS_BOOLEAN(&value)) g_value_set_boolean(&value, !g_value_get_boolean(&value));
    if (G_VALUE_HOLDS_UINT(&value)) g_value_set_uint(&value, MIN(77, G_PARAM_SPEC_UINT(specs[index])->maximum));
    if (G_VALUE_HOLDS_FLOAT(&value)) g_value_set_float(&value, 0.25f);
    if (G_VALUE_HOLDS_STRING(&value)) g_value_set_string(&value, "/nowhere");
    GValue read = G_VALUE_INIT;
    g_value_init(&read, specs[index]->value_type);
    g_object_set_property(G_OBJECT(element), specs[index]->name, &value);
    g_object_get_property(G_OBJECT(element), specs[index]->name, &read);
    fail_unless_equals_int(gst_value_compare(&value, &read), GST_VALUE_EQUAL);
    g_value_unset(&value);
    g_value_unset(&read);
  }
  fail_unless(own > 17);
  g_free(specs);
  gst_object_unref(element);
}
GST_END_TEST

GST_START_TEST(test_each_format)
{
  GstVideoFormat format = formats[__i__];
  g_autoptr(Rig) h = harness("mode=every", format);
  pass_photo_face(h, photo(format), 0);
}
GST_END_TEST

/* The same memory comes out that went in. */
GST_START_TEST(test_nothing_is_copied)
{
  g_autoptr(Rig) h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  GstBuffer *in = photo(GST_VIDEO_FORMAT_NV12);
  GstMemory *memory = gst_buffer_get_memory(in, 0);
  g_autoptr(GstBuffer) out = pass(h, in, 0);
  fail_unless(gst_buffer_peek_memory(out, 0) == memory);
  gst_memory_unref(memory);
}
GST_END_TEST

/* Rows with padding, and chroma before luma in memory. */
GST_START_TEST(test_strides_of_the_meta)
{
  g_autoptr(GstBuffer) packed = photo(GST_VIDEO_FORMAT_NV12);
  GstVideoInfo info;
  GstVideoFrame from, to;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_NV12, SIDE, SIDE);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {640 * SIDE / 2 + 100, 100};
  gint strides[GST_VIDEO_MAX_PLANES] = {736, 640};
  GstBuffer *padded = gst_buffer_new_allocate(NULL, offsets[0] + 736 * SIDE, NULL);
  gst_buffer_add_video_meta_full(padded, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, SIDE, SIDE, 2, offsets,
                                 strides);
  fail_unless(gst_video_frame_map(&from, &info, packed, GST_MAP_READ) &&
              gst_video_frame_map(&to, &info, padded, GST_MAP_WRITE));
  gst_video_frame_copy(&to, &from);
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  g_autoptr(Rig) h = harness("mode=every draw=true", GST_VIDEO_FORMAT_NV12);
  pass_photo_face(h, padded, 0);
}
GST_END_TEST

static gdouble number(const GstStructure *structure, const gchar *name)
{
  gdouble value = -1000;
  fail_unless(gst_structure_get_double(structure, name, &value), "there is no %s", name);
  return value;
}

GST_START_TEST(test_all_that_a_face_has)
{
  g_autoptr(Rig) h =
      harness("mode=every landmarks=true pose=true expressions=true quality=true", GST_VIDEO_FORMAT_BGRx);
  g_autoptr(GstBuffer) out = pass(h, photo(GST_VIDEO_FORMAT_BGRx), 0);
  expect_photo_face(out);
  GstVideoRegionOfInterestMeta *meta = face_of(out);
  GstStructure *face = gst_video_region_of_interest_meta_get_param(meta, "detection");
  guint64 id;
  fail_unless(face != NULL && number(face, "confidence") > 0.8 && number(face, "quality") > 0.2);
  fail_unless(ABS(number(face, "yaw")) < 20 && ABS(number(face, "roll")) < 20 && ABS(number(face, "pitch")) < 20);
  fail_unless(number(face, "smile") >= 0 && number(face, "left-eye-open") > 0.3);
  /* Left is the subject's: at the picture's right. */
  fail_unless(number(face, "left-eye-x") > number(face, "right-eye-x") + 30);
  fail_unless(number(face, "mouth-left-y") > number(face, "nose-tip-y"));
  fail_unless(gst_structure_get_uint64(face, "id", &id) && id == 1 && meta->id == 1);
  GstStructure *landmarks = gst_video_region_of_interest_meta_get_param(meta, "landmarks");
  GBytes *points = NULL;
  fail_unless(landmarks != NULL && gst_structure_get(landmarks, "points", G_TYPE_BYTES, &points, NULL));
  fail_unless_equals_int(g_bytes_get_size(points), 478 * 3 * 4);
  const gfloat *numbers = g_bytes_get_data(points, NULL);
  fail_unless(numbers[0] > meta->x && numbers[0] < meta->x + meta->w && numbers[1] > meta->y &&
              numbers[1] < meta->y + meta->h);
  g_bytes_unref(points);
  GstStructure *expressions = gst_video_region_of_interest_meta_get_param(meta, "expressions");
  fail_unless(expressions != NULL && gst_structure_n_fields(expressions) >= 51);
  fail_unless(number(expressions, "jawOpen") < 0.5);
}
GST_END_TEST

GST_START_TEST(test_only_what_was_asked_for)
{
  g_autoptr(Rig) h = harness("mode=every tracking=false", GST_VIDEO_FORMAT_RGB);
  g_autoptr(GstBuffer) out = pass(h, photo(GST_VIDEO_FORMAT_RGB), 0);
  GstVideoRegionOfInterestMeta *meta = face_of(out);
  GstStructure *face = gst_video_region_of_interest_meta_get_param(meta, "detection");
  fail_unless(!gst_structure_has_field(face, "yaw") && !gst_structure_has_field(face, "id") && meta->id == 0);
  fail_unless(gst_video_region_of_interest_meta_get_param(meta, "landmarks") == NULL);
}
GST_END_TEST

GST_START_TEST(test_messages)
{
  g_autoptr(Rig) h = harness("mode=every pose=true", GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  gst_buffer_unref(pass(h, photo(GST_VIDEO_FORMAT_NV12), 5));
  GstMessage *message = pop_message(bus, "faces");
  fail_unless(message != NULL);
  const GstStructure *structure = gst_message_get_structure(message);
  guint64 time, duration;
  guint width;
  fail_unless(gst_structure_get_uint64(structure, "timestamp", &time) && time == 5 * FRAME_TIME);
  fail_unless(gst_structure_get_uint64(structure, "stream-time", &time) && time == 5 * FRAME_TIME);
  fail_unless(gst_structure_get_uint64(structure, "running-time", &time) && time == 5 * FRAME_TIME);
  fail_unless(gst_structure_get_uint64(structure, "duration", &duration) && duration == FRAME_TIME);
  fail_unless(gst_structure_get_uint(structure, "width", &width) && width == SIDE);
  const GValue *faces = gst_structure_get_value(structure, "faces");
  fail_unless_equals_int(gst_value_array_get_size(faces), 1);
  fail_unless(ABS(number(gst_value_get_structure(gst_value_array_get_value(faces, 0)), "yaw")) < 20);
  gst_message_unref(message);
  /* That there is none is said once; later, that the face has left. */
  guint empty = 0, left = 0;
  for (guint index = 6; index < 40; index++) gst_buffer_unref(pass(h, blank(GST_VIDEO_FORMAT_NV12), index));
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT)) != NULL) {
    structure = gst_message_get_structure(message);
    if (gst_message_has_name(message, "faces") &&
        gst_value_array_get_size(gst_structure_get_value(structure, "faces")) == 0)
      empty++;
    if (gst_message_has_name(message, "face-left") && gst_structure_get_uint64(structure, "id", &time) && time == 1)
      left++;
    gst_message_unref(message);
  }
  fail_unless_equals_int(empty, 1);
  fail_unless_equals_int(left, 1);
}
GST_END_TEST

GST_START_TEST(test_messages_can_be_turned_off)
{
  g_autoptr(Rig) h = harness("mode=every post-messages=false", GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  pass_photo_face(h, photo(GST_VIDEO_FORMAT_NV12), 0);
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_ELEMENT), 0);
}
GST_END_TEST

/* Errors at the start carry the library's sentence. */
static const struct {
  const gchar *line, *word;
  gint code;
} errors[] = {{"faceengine model=/nowhere/at/all", "/nowhere/at/all", GST_RESOURCE_ERROR_NOT_FOUND},
              {"faceengine socket=/nowhere/socket", "/nowhere/socket", GST_RESOURCE_ERROR_OPEN_READ_WRITE},
              {"faceengine model=/somewhere socket=\"\"", "socket", GST_RESOURCE_ERROR_SETTINGS},
              {"faceenginecheck mode=every analysis-rate=5", "analysis_rate", GST_RESOURCE_ERROR_SETTINGS}};

GST_START_TEST(test_errors_at_the_start)
{
  g_autoptr(GstElement) element = gst_parse_launch(errors[__i__].line, NULL);
  g_autoptr(GstBus) bus = gst_bus_new();
  g_autoptr(GError) error = NULL;
  gst_element_set_bus(element, bus);
  if (__i__ == 3) g_object_set(element, "model", g_getenv("FACE_TEST_MODEL"), NULL);
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(message != NULL);
  gst_message_parse_error(message, &error, NULL);
  fail_unless(g_error_matches(error, GST_RESOURCE_ERROR, errors[__i__].code) &&
                  strstr(error->message, errors[__i__].word) != NULL,
              "%d: %s", error->code, error->message);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_element_set_bus(element, NULL);
}
GST_END_TEST

/* Values that a running element does not take: a warning that names the property, and the old value stays. */
GST_START_TEST(test_refused_values)
{
  const gchar *refused[][2] = {{"mode", __i__ == 0 ? "newest" : "every"},
                               {"socket", "/nowhere/socket"},
                               {"model", "/nowhere/at/all"},
                               {"max-side", "1"},
                               {"max-side", "15"}};
  g_autoptr(Rig) h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  for (guint index = 0; index < G_N_ELEMENTS(refused); index++) {
    const gchar *name = refused[index][0];
    GObject *element = G_OBJECT(h->element);
    GValue before = G_VALUE_INIT, after = G_VALUE_INIT;
    g_object_get_property(element, name, &before);
    gst_util_set_object_arg(element, name, refused[index][1]);
    g_object_get_property(element, name, &after);
    expect_refusal(bus, name);
    g_autofree gchar *one = gst_value_serialize(&before), *other = gst_value_serialize(&after);
    fail_unless_equals_string(one, other);
    /* What it has already is no change. */
    g_object_set_property(element, name, &before);
    fail_unless_equals_int(count_messages(bus, GST_MESSAGE_WARNING), 0);
    g_value_unset(&before);
    g_value_unset(&after);
  }
  gst_buffer_unref(pass_until_face(h, frame, &number));
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_ERROR), 0);
}
GST_END_TEST

/* A file's frames come as fast as they are taken; a camera's are meant to be dropped. */
GST_START_TEST(test_dropping_most_of_a_file_is_told_once)
{
  g_autoptr(Rig) h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  gst_harness_set_live(h, __i__ == 1);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  while (counted(h, "passed") < 100 || counted(h, "replaced") <= counted(h, "passed") / 2)
    gst_buffer_unref(pass(h, gst_buffer_copy(frame), number++));
  gst_harness_push_event(h, gst_event_new_eos());
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_WARNING), __i__ == 1 ? 0 : 1);
}
GST_END_TEST

/* In READY the same properties change. */
GST_START_TEST(test_values_at_rest)
{
  g_autoptr(Rig) h = harness("mode=every", GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  gint mode = 1;
  fail_unless_equals_int(gst_element_set_state(h->element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  gst_util_set_object_arg(G_OBJECT(h->element), "mode", "newest");
  g_object_get(h->element, "mode", &mode, NULL);
  fail_unless_equals_int(mode, 0);
  g_object_set(h->element, "max-side", 16, NULL);
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_WARNING), 0);
  g_object_set(h->element, "max-side", 3, NULL);
  expect_refusal(bus, "max-side");
  gst_element_set_bus(h->element, NULL);
  ASSERT_WARNING(g_object_set(h->element, "max-side", 3, NULL)); /* without a bus */
}
GST_END_TEST

Suite *element_suite(void)
{
  Suite *suite = suite_create("element");
  TCase *tests = tcase_create("element");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, test_properties);
  tcase_add_loop_test(tests, test_each_format, 0, FORMATS);
  tcase_add_loop_test(tests, test_nothing_is_copied, 0, 2);
  tcase_add_test(tests, test_strides_of_the_meta);
  tcase_add_test(tests, test_all_that_a_face_has);
  tcase_add_test(tests, test_only_what_was_asked_for);
  tcase_add_test(tests, test_messages);
  tcase_add_test(tests, test_messages_can_be_turned_off);
  tcase_add_loop_test(tests, test_errors_at_the_start, 0, G_N_ELEMENTS(errors));
  tcase_add_loop_test(tests, test_refused_values, 0, 2);
  tcase_add_loop_test(tests, test_dropping_most_of_a_file_is_told_once, 0, 2);
  tcase_add_test(tests, test_values_at_rest);
  return suite;
}
