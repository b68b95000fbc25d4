/* Streams: the two modes, caps that change, the end, flushes, latency, quality of service, several elements. */
#include "support.h"

/* In mode newest the first frame has no result yet; a later one has. */
GST_START_TEST(test_newest_goes_on)
{
  GstHarness *h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  GstBuffer *out = pass(h, gst_buffer_copy(frame), number++);
  fail_unless_equals_int(count_faces(out), 0);
  gst_buffer_unref(out);
  out = pass_until_face(h, frame, &number);
  expect_photo_face(out);
  gst_buffer_unref(out);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(test_every_searches_each_frame)
{
  GstHarness *h = harness("mode=every", GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  GstStructure *stats = NULL;
  guint64 passed = 0, searched = 0, replaced = 1;
  for (guint number = 0; number < 6; number++) {
    GstBuffer *out = pass(h, gst_buffer_copy(frame), number);
    expect_photo_face(out);
    gst_buffer_unref(out);
  }
  g_object_get(h->element, "stats", &stats, NULL);
  gst_structure_get(stats, "passed", G_TYPE_UINT64, &passed, "searched", G_TYPE_UINT64, &searched, "replaced",
                    G_TYPE_UINT64, &replaced, NULL);
  fail_unless(passed == 6 && searched == 6 && replaced == 0);
  gst_structure_free(stats);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
}
GST_END_TEST

/* Of 30 frames a second, five are searched; in mode every those between have predicted faces. */
GST_START_TEST(test_analysis_rate)
{
  const gchar *modes[] = {"mode=newest analysis-rate=5", "mode=every analysis-rate=5"};
  GstHarness *h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  GstStructure *stats = NULL;
  guint predicted = 0;
  guint64 searched = 0, replaced = 0;
  for (guint number = 0; number < 30; number++) {
    GstBuffer *out = pass(h, gst_buffer_copy(frame), number);
    gboolean is_predicted = FALSE;
    if (count_faces(out) > 0)
      gst_structure_get_boolean(gst_video_region_of_interest_meta_get_param(face_of(out), "detection"), "predicted",
                                &is_predicted);
    if (is_predicted) predicted++;
    gst_buffer_unref(out);
  }
  gst_harness_push_event(h, gst_event_new_eos());
  g_object_get(h->element, "stats", &stats, NULL);
  gst_structure_get(stats, "searched", G_TYPE_UINT64, &searched, "replaced", G_TYPE_UINT64, &replaced, NULL);
  if (__i__ == 0) {
    fail_unless(searched + replaced == 5 && predicted == 0, "%d, %d", (gint)searched, (gint)replaced);
  } else {
    fail_unless(predicted >= 20 && predicted <= 26, "%u are predicted", predicted);
  }
  gst_structure_free(stats);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
}
GST_END_TEST

/* Another size and format in the middle: boxes are those of the new frames. */
GST_START_TEST(test_caps_change)
{
  GstHarness *h = harness("mode=every draw=true", GST_VIDEO_FORMAT_NV12);
  GstBuffer *out = pass(h, photo(GST_VIDEO_FORMAT_NV12), 0);
  expect_photo_face(out);
  gst_buffer_unref(out);
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_GRAY8, 64, 48));
  out = pass(h, gst_buffer_new_allocate(NULL, 64 * 48, NULL), 1);
  gst_buffer_unref(out);
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_BGRA, SIDE, SIDE));
  out = pass(h, photo(GST_VIDEO_FORMAT_BGRA), 2);
  expect_photo_face(out);
  gst_buffer_unref(out);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(test_caps_change_in_newest)
{
  GstHarness *h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  gst_buffer_unref(frame);
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_GRAY8, 32, 32));
  /* The old boxes are not put on the new frames. */
  GstBuffer *out = pass(h, gst_buffer_new_allocate(NULL, 32 * 32, NULL), number++);
  fail_unless_equals_int(count_faces(out), 0);
  gst_buffer_unref(out);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(test_sizes_at_the_edge)
{
  const gint sizes[][2] = {{16, 16}, {17, 33}, {16, 2000}};
  GstHarness *h = harness("mode=every draw=true", GST_VIDEO_FORMAT_I420);
  GstVideoInfo info;
  gint width = sizes[__i__][0], height = sizes[__i__][1];
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_I420, width, height));
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, (guint)width, (guint)height);
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
  gst_buffer_memset(buffer, 0, 90, info.size);
  gst_buffer_unref(pass(h, buffer, 0));
  gst_harness_teardown(h);
}
GST_END_TEST

/* The last frame's message is there when the end comes, also in mode newest. */
GST_START_TEST(test_end_waits_for_the_last_frame)
{
  GstHarness *h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  gst_buffer_unref(pass(h, photo(GST_VIDEO_FORMAT_NV12), 0));
  fail_unless(gst_harness_push_event(h, gst_event_new_eos()));
  GstMessage *message = pop_message(bus, "faces");
  fail_unless(message != NULL);
  gst_message_unref(message);
  gst_element_set_bus(h->element, NULL);
  gst_object_unref(bus);
  gst_harness_teardown(h);
}
GST_END_TEST

/* After a flush, such as that of a seek, the face is a new one, and the old one has left. */
GST_START_TEST(test_flush)
{
  const gchar *modes[] = {"mode=every", "mode=newest"};
  GstHarness *h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  GstSegment segment;
  guint number = 0;
  GstBuffer *out = pass_until_face(h, frame, &number);
  while (face_of(out)->id == 0) {
    gst_buffer_unref(out);
    out = pass_until_face(h, frame, &number);
  }
  fail_unless_equals_int(face_of(out)->id, 1);
  gst_buffer_unref(out);
  fail_unless(gst_harness_push_event(h, gst_event_new_flush_start()));
  fail_unless(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
  gst_segment_init(&segment, GST_FORMAT_TIME);
  fail_unless(gst_harness_push_event(h, gst_event_new_segment(&segment)));
  number = 0;
  if (__i__ == 1) {
    out = pass(h, gst_buffer_copy(frame), number++);
    fail_unless_equals_int(count_faces(out), 0);
    gst_buffer_unref(out);
  }
  out = pass_until_face(h, frame, &number);
  while (face_of(out)->id == 0) {
    gst_buffer_unref(out);
    out = pass_until_face(h, frame, &number);
  }
  fail_unless_equals_int(face_of(out)->id, 2);
  gst_buffer_unref(out);
  GstMessage *message = pop_message(bus, "face-left");
  fail_unless(message != NULL);
  gst_message_unref(message);
  gst_buffer_unref(frame);
  gst_element_set_bus(h->element, NULL);
  gst_object_unref(bus);
  gst_harness_teardown(h);
}
GST_END_TEST

GST_START_TEST(test_latency)
{
  const gchar *modes[] = {"mode=newest", "mode=every"};
  GstHarness *h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  gst_harness_set_upstream_latency(h, 10 * GST_MSECOND);
  gst_buffer_unref(pass(h, blank(GST_VIDEO_FORMAT_NV12), 0));
  GstClockTime expected = 10 * GST_MSECOND + (__i__ == 1 ? FRAME_TIME : 0);
  fail_unless_equals_uint64(gst_harness_query_latency(h), expected);
  gst_harness_teardown(h);
}
GST_END_TEST

/* A sink's reports of lateness pass on to the source; with qos=true late frames are dropped. */
GST_START_TEST(test_quality_of_service)
{
  GstHarness *h = harness("mode=every qos=true", GST_VIDEO_FORMAT_NV12);
  gst_buffer_unref(pass(h, blank(GST_VIDEO_FORMAT_NV12), 0));
  fail_unless(gst_harness_push_upstream_event(h, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, 0)));
  GstEvent *event;
  gboolean was_seen = FALSE;
  while ((event = gst_harness_try_pull_upstream_event(h)) != NULL) {
    was_seen |= GST_EVENT_TYPE(event) == GST_EVENT_QOS;
    gst_event_unref(event);
  }
  fail_unless(was_seen);
  GstBuffer *late = blank(GST_VIDEO_FORMAT_NV12);
  GST_BUFFER_PTS(late) = FRAME_TIME;
  fail_unless_equals_int(gst_harness_push(h, late), GST_FLOW_OK);
  fail_unless(gst_harness_try_pull(h) == NULL);
  gst_harness_teardown(h);
}
GST_END_TEST

/* A property that changes in the middle takes effect with the next frame. */
GST_START_TEST(test_properties_change_in_the_middle)
{
  GstHarness *h = harness("mode=every", GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  GstBuffer *out = pass(h, gst_buffer_copy(frame), 0);
  fail_unless(!gst_structure_has_field(gst_video_region_of_interest_meta_get_param(face_of(out), "detection"), "yaw"));
  gst_buffer_unref(out);
  g_object_set(h->element, "pose", TRUE, NULL);
  out = pass(h, gst_buffer_copy(frame), 1);
  fail_unless(gst_structure_has_field(gst_video_region_of_interest_meta_get_param(face_of(out), "detection"), "yaw"));
  gst_buffer_unref(out);
  g_object_set(h->element, "min-confidence", 0.9999f, "pose", FALSE, NULL);
  out = pass(h, gst_buffer_copy(frame), 2);
  fail_unless_equals_int(count_faces(out), 0);
  gst_buffer_unref(out);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
}
GST_END_TEST

/* Stopped while frames are with the worker, again and again. */
GST_START_TEST(test_stops_at_any_time)
{
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  for (guint round = 0; round < 10; round++) {
    GstHarness *h = harness("mode=newest landmarks=true draw=true", GST_VIDEO_FORMAT_NV12);
    for (guint number = 0; number < round; number++) {
      GstBuffer *out = pass(h, gst_buffer_copy(frame), number);
      fail_unless_equals_int(gst_buffer_get_size(out), gst_buffer_get_size(frame));
      gst_buffer_unref(out);
      g_usleep(round * 500);
    }
    gst_harness_teardown(h);
  }
  gst_buffer_unref(frame);
}
GST_END_TEST

/* As gst-launch runs it: cameras beside each other. One of them ends. */
GST_START_TEST(test_several_elements)
{
  gchar *camera = g_strdup_printf(
      "videotestsrc num-buffers=20 ! video/x-raw,format=NV12,width=320,height=240 ! faceengine model=%s ! fakesink "
      "videotestsrc num-buffers=30 ! video/x-raw,format=BGRx,width=320,height=240 ! faceengine mode=every model=%s ! "
      "fakesink",
      g_getenv("FACE_TEST_MODEL"), g_getenv("FACE_TEST_MODEL"));
  GstElement *pipeline = gst_parse_launch(camera, NULL);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  g_free(camera);
}
GST_END_TEST

Suite *stream_suite(void)
{
  Suite *suite = suite_create("stream");
  TCase *tests = tcase_create("stream");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, test_newest_goes_on);
  tcase_add_test(tests, test_every_searches_each_frame);
  tcase_add_loop_test(tests, test_analysis_rate, 0, 2);
  tcase_add_test(tests, test_caps_change);
  tcase_add_test(tests, test_caps_change_in_newest);
  tcase_add_loop_test(tests, test_sizes_at_the_edge, 0, 3);
  tcase_add_test(tests, test_end_waits_for_the_last_frame);
  tcase_add_loop_test(tests, test_flush, 0, 2);
  tcase_add_loop_test(tests, test_latency, 0, 2);
  tcase_add_test(tests, test_quality_of_service);
  tcase_add_test(tests, test_properties_change_in_the_middle);
  tcase_add_test(tests, test_stops_at_any_time);
  tcase_add_test(tests, test_several_elements);
  return suite;
}
