/* The guided check: what it says on the bus, its picture, its circle, and how another attempt begins. */
#include <string.h>

#include "../../../Tests/CTests/hosts/scan.h"
#include "support.h"

/* Passes frames of the photo until a message of this name comes, which the caller unrefs. */
static GstMessage *pass_until(GstHarness *h, GstBus *bus, const gchar *name, GstBuffer *frame, guint *number)
{
  for (guint tries = 0; tries < 300; tries++) {
    gst_buffer_unref(pass(h, gst_buffer_copy(frame), (*number)++));
    GstMessage *message = pop_message(bus, name);
    if (message != NULL) return message;
  }
  fail("no message %s in 10 seconds of frames", name);
  return NULL;
}

static void expect_sample(const GstStructure *result, const gchar *name, gint side)
{
  GstSample *sample = NULL;
  GstVideoInfo info;
  fail_unless(gst_structure_get(result, name, GST_TYPE_SAMPLE, &sample, NULL), "there is no %s", name);
  fail_unless(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
  fail_unless_equals_int(GST_VIDEO_INFO_FORMAT(&info), GST_VIDEO_FORMAT_BGRA);
  fail_unless_equals_int(GST_VIDEO_INFO_WIDTH(&info), side);
  fail_unless_equals_int(GST_VIDEO_INFO_HEIGHT(&info), side);
  fail_unless_equals_int(gst_buffer_get_size(gst_sample_get_buffer(sample)), side * side * 4);
  gst_sample_unref(sample);
}

GST_START_TEST(test_states)
{
  g_autoptr(Rig) h = check_harness("");
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  GString *states = g_string_new(NULL);
  guint number = 0;
  while (number < 300 && strstr(states->str, "finish") == NULL) {
    g_autoptr(GstMessage) message = pass_until(h, bus, "check-status", frame, &number);
    g_string_append_printf(states, "%s ", gst_structure_get_string(gst_message_get_structure(message), "state"));
  }
  fail_unless_equals_string(states->str, "waiting start checking finish ");
  g_string_free(states, TRUE);
}
GST_END_TEST

GST_START_TEST(test_result)
{
  g_autoptr(Rig) h = check_harness("crop-size=128");
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  g_autoptr(GstMessage) message = pass_until(h, bus, "check-result", frame, &number);
  const GstStructure *result = gst_message_get_structure(message);
  GstStructure *face = NULL;
  gdouble x = 0, y = 0;
  /* Half a second, then a second, of 30 frames each. */
  fail_unless(number >= 45 && number <= 50, "it took %u frames", number);
  expect_sample(result, "picture", SIDE);
  expect_sample(result, "crop", 128);
  fail_unless(gst_structure_get(result, "face", GST_TYPE_STRUCTURE, &face, NULL));
  gst_structure_get_double(face, "x", &x);
  gst_structure_get_double(face, "y", &y);
  fail_unless(x > 150 && x < 190 && y > 80 && y < 115, "the face is at %f, %f", x, y);
  gst_structure_free(face);
}
GST_END_TEST

/* An action that a photo cannot do: the time-out, and another attempt by the signal, or by itself. */
GST_START_TEST(test_attempts)
{
  const gchar *settings[] = {"actions=blink timeout=500000000",
                             "actions=blink timeout=500000000 restart-delay=200000000"};
  g_autoptr(Rig) h = check_harness(settings[__i__]);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  for (guint expected = 1; expected <= 3; expected++) {
    guint attempt = 0;
    g_autoptr(GstMessage) message = pass_until(h, bus, "check-failed", frame, &number);
    const GstStructure *failed = gst_message_get_structure(message);
    fail_unless_equals_string(gst_structure_get_string(failed, "code"), "time_out");
    fail_unless_equals_string(gst_structure_get_string(failed, "tip"), "blink");
    fail_unless(strlen(gst_structure_get_string(failed, "message")) > 10);
    gst_structure_get_uint(failed, "attempt", &attempt);
    fail_unless_equals_int(attempt, expected);
    if (__i__ == 0) g_signal_emit_by_name(h->element, "restart");
  }
}
GST_END_TEST

/* Passes frames of the photo until the check keeps a picture. */
static void pass_until_kept(GstHarness *h, GstBus *bus, GstBuffer *frame, guint *number)
{
  const gchar *state = "";
  while (strcmp(state, "checking") != 0) {
    GstMessage *message = pass_until(h, bus, "check-status", frame, number);
    state = g_intern_string(gst_structure_get_string(gst_message_get_structure(message), "state"));
    gst_message_unref(message);
  }
  for (guint more = 0; more < 5; more++) gst_buffer_unref(pass(h, gst_buffer_copy(frame), (*number)++));
}

/* After the signal restart, nothing of the picture is in this process's memory, though no other frame comes. */
GST_START_TEST(test_restart_forgets)
{
  g_autoptr(Rig) h = check_harness("");
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  GstSample *sample = NULL;
  GstMapInfo map;
  guint number = 0;
  GstMessage *message = pass_until(h, bus, "check-result", frame, &number);
  gst_structure_get(gst_message_get_structure(message), "picture", GST_TYPE_SAMPLE, &sample, NULL);
  fail_unless(gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ));
  scan_marker picture = scan_mark(map.data + map.size / 2 + SIDE);
  fail_unless(scan(&picture) > 0);
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  gst_sample_unref(sample);
  gst_message_unref(message);
  g_signal_emit_by_name(h->element, "restart");
  fail_unless(scan_vanishes(&picture));
  pass_until_kept(h, bus, frame, &number);
  fail_unless(scan(&picture) > 0);
  g_signal_emit_by_name(h->element, "restart");
  fail_unless(scan_vanishes(&picture));
}
GST_END_TEST

/* The circle is to the right of the face: that is where the face has to go, and to the left in a mirror. */
GST_START_TEST(test_mirror)
{
  const gchar *settings[] = {"circle-x=380", "mirrored=true circle-x=100",
                             "mirrored=true view-width=240 view-height=240 circle-x=50 circle-y=91 circle-radius=70"};
  const gchar *tips[] = {"move_right", "move_left", "move_left"};
  g_autoptr(Rig) h = check_harness(settings[__i__]);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  g_autoptr(GstMessage) message = pass_until(h, bus, "check-tip", frame, &number);
  const GstStructure *tip = gst_message_get_structure(message);
  gfloat x = 0;
  fail_unless_equals_string(gst_structure_get_string(tip, "tip"), tips[__i__]);
  gst_structure_get(tip, "circle-x", G_TYPE_FLOAT, &x, NULL);
  fail_unless(x > 378 && x < 382, "the circle is at %f", x);
}
GST_END_TEST

/* The library's names of actions have underscores, those of properties hyphens. */
GST_START_TEST(test_settings)
{
  g_autoptr(Rig) h = check_harness("actions=\" turn-left , open_mouth\"");
  gchar *actions = NULL, *limits = NULL;
  gfloat yaw = 0, pitch = 0;
  guint missed = 0;
  g_object_get(h->element, "actions", &actions, "max-yaw", &yaw, "max-pitch", &pitch, "max-missed-frames", &missed,
               NULL);
  fail_unless_equals_string(actions, "turn-left,open-mouth");
  fail_unless(yaw == 20 && pitch == 15 && missed == 45);
  g_free(actions);
  g_object_set(h->element, "min-iso", " eyesOpen = 50.5, headPoseYaw=100,", NULL);
  g_object_get(h->element, "min-iso", &limits, NULL);
  fail_unless_equals_string(limits, "headPoseYaw=100,eyesOpen=50.5");
  g_free(limits);
}
GST_END_TEST

/* A warning says what there is, and the old value stays. */
GST_START_TEST(test_refused_settings)
{
  const gchar *refused[][3] = {{"actions", "smile,wave", "turn-left"},
                               {"actions", "Blink", "open-mouth"},
                               {"actions", "blink,blink,blink,blink,blink,blink,blink,blink,blink", "8 actions"},
                               {"min-iso", "eyesOpen=101", "0 to 100"},
                               {"min-iso", "eyesOpen=nan", "0 to 100"},
                               {"min-iso", "eyesOpen", "0 to 100"},
                               {"min-iso", "eyesOpen=50,eyes=1", "\"eyes=1\""},
                               {"tracking", "false", "tracking"},
                               {"analysis-rate", "5", "mode newest"}};
  g_autoptr(Rig) h = check_harness("actions=smile min-iso=eyesOpen=7");
  GstBus *bus = give_bus(h);
  for (guint index = 0; index < G_N_ELEMENTS(refused); index++) {
    gchar *actions = NULL, *limits = NULL;
    gboolean tracks = FALSE;
    gfloat rate = 1;
    gst_util_set_object_arg(G_OBJECT(h->element), refused[index][0], refused[index][1]);
    expect_refusal(bus, refused[index][2]);
    g_object_get(h->element, "actions", &actions, "min-iso", &limits, "tracking", &tracks, "analysis-rate", &rate,
                 NULL);
    fail_unless_equals_string(actions, "smile");
    fail_unless_equals_string(limits, "eyesOpen=7");
    g_free(limits);
    fail_unless(tracks && rate == 0);
    g_free(actions);
  }
}
GST_END_TEST

/* The circle and the tip are drawn before there is a face, and nothing in the middle. */
GST_START_TEST(test_circle_is_drawn)
{
  g_autoptr(Rig) h = check_harness("draw=true post-messages=false");
  g_autoptr(GstBuffer) frame = blank(GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) drawn = NULL;
  for (guint number = 0; number < 3; number++) {
    gst_clear_buffer(&drawn);
    drawn = pass(h, gst_buffer_copy_deep(frame), number);
  }
  GstMapInfo map;
  fail_unless(gst_buffer_map(drawn, &map, GST_MAP_READ));
  fail_unless(map.data[182 * SIDE + 251 + 140] > 180, "the circle is not drawn");
  fail_unless_equals_int(map.data[182 * SIDE + 251], 128);
  guint changed = 0;
  for (guint at = 440 * SIDE; at < 456 * SIDE; at++) changed += map.data[at] != 128;
  fail_unless(changed > 50, "the tip is not drawn");
  gst_buffer_unmap(drawn, &map);
}
GST_END_TEST

Suite *check_suite(void)
{
  Suite *suite = suite_create("check");
  TCase *tests = tcase_create("check");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, test_states);
  tcase_add_test(tests, test_result);
  tcase_add_loop_test(tests, test_attempts, 0, 2);
  tcase_add_test(tests, test_restart_forgets);
  tcase_add_loop_test(tests, test_mirror, 0, 3);
  tcase_add_test(tests, test_settings);
  tcase_add_test(tests, test_refused_settings);
  tcase_add_test(tests, test_circle_is_drawn);
  return suite;
}
