/* Streams: the two modes, caps that change, the end, flushes, latency, quality of service, several elements. */
#include "support.h"

/* In mode newest the first frame has no result yet; a later one has. */
GST_START_TEST(test_newest_goes_on)
{
  g_autoptr(Rig) h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  fail_unless_equals_int(pass_and_count(h, gst_buffer_copy(frame), number++), 0);
  pass_until_photo_face(h, frame, &number);
}
GST_END_TEST

GST_START_TEST(test_every_searches_each_frame)
{
  g_autoptr(Rig) h = harness("mode=every", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  for (guint number = 0; number < 6; number++) pass_photo_face(h, gst_buffer_copy(frame), number);
  fail_unless(counted(h, "passed") == 6 && counted(h, "searched") == 6 && counted(h, "replaced") == 0);
}
GST_END_TEST

/* Of 30 frames a second, five are searched; in mode every those between have predicted faces. */
GST_START_TEST(test_analysis_rate)
{
  const gchar *settings[] = {"mode=newest analysis-rate=5", "mode=every analysis-rate=5"};
  g_autoptr(Rig) h = harness(settings[__i__], GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint predicted = 0;
  for (guint number = 0; number < 30; number++) {
    g_autoptr(GstBuffer) out = pass(h, gst_buffer_copy(frame), number);
    gboolean is_predicted = FALSE;
    if (count_faces(out) > 0)
      gst_structure_get_boolean(gst_video_region_of_interest_meta_get_param(face_of(out), "detection"), "predicted",
                                &is_predicted);
    if (is_predicted) predicted++;
  }
  gst_harness_push_event(h, gst_event_new_eos());
  if (__i__ == 0) {
    fail_unless(counted(h, "searched") + counted(h, "replaced") == 5 && predicted == 0);
  } else {
    fail_unless(predicted >= 20 && predicted <= 26, "%u are predicted", predicted);
  }
}
GST_END_TEST

/* Another size and format in the middle: boxes are those of the new frames. */
GST_START_TEST(test_caps_change)
{
  g_autoptr(Rig) h = harness("mode=every draw=true", GST_VIDEO_FORMAT_NV12);
  pass_photo_face(h, photo(GST_VIDEO_FORMAT_NV12), 0);
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_GRAY8, 64, 48));
  gst_buffer_unref(pass(h, gst_buffer_new_allocate(NULL, 64 * 48, NULL), 1));
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_BGRA, SIDE, SIDE));
  pass_photo_face(h, photo(GST_VIDEO_FORMAT_BGRA), 2);
}
GST_END_TEST

GST_START_TEST(test_caps_change_in_newest)
{
  g_autoptr(Rig) h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_GRAY8, 32, 32));
  /* The old boxes are not put on the new frames. */
  fail_unless_equals_int(pass_and_count(h, gst_buffer_new_allocate(NULL, 32 * 32, NULL), number++), 0);
}
GST_END_TEST

GST_START_TEST(test_sizes_at_the_edge)
{
  const gint sizes[][2] = {{16, 16}, {17, 33}, {16, 2000}};
  g_autoptr(Rig) h = harness("mode=every draw=true", GST_VIDEO_FORMAT_I420);
  GstVideoInfo info;
  gint width = sizes[__i__][0], height = sizes[__i__][1];
  gst_harness_set_sink_caps(h, gst_caps_new_any());
  gst_harness_set_src_caps(h, caps_of(GST_VIDEO_FORMAT_I420, width, height));
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, (guint)width, (guint)height);
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
  gst_buffer_memset(buffer, 0, 90, info.size);
  gst_buffer_unref(pass(h, buffer, 0));
}
GST_END_TEST

/* The last frame's message is there when the end comes, also in mode newest. */
GST_START_TEST(test_end_waits_for_the_last_frame)
{
  g_autoptr(Rig) h = harness("mode=newest", GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  gst_buffer_unref(pass(h, photo(GST_VIDEO_FORMAT_NV12), 0));
  fail_unless(gst_harness_push_event(h, gst_event_new_eos()));
  g_autoptr(GstMessage) message = pop_message(bus, "faces");
  fail_unless(message != NULL);
}
GST_END_TEST

/* Passes copies of a frame until a face has an id, and returns it. */
static gint pass_until_id(GstHarness *h, GstBuffer *frame, guint *number)
{
  gint id = 0;
  while (id == 0) {
    g_autoptr(GstBuffer) out = pass_until_face(h, frame, number);
    id = face_of(out)->id;
  }
  return id;
}

/* After a flush, such as that of a seek, the face is a new one, and the old one has left. */
GST_START_TEST(test_flush)
{
  g_autoptr(Rig) h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  fail_unless_equals_int(pass_until_id(h, frame, &number), 1);
  fail_unless(gst_harness_push_event(h, gst_event_new_flush_start()));
  flush_end(h);
  number = 0;
  if (__i__ == 1) fail_unless_equals_int(pass_and_count(h, gst_buffer_copy(frame), number++), 0);
  fail_unless_equals_int(pass_until_id(h, frame, &number), 2);
  g_autoptr(GstMessage) message = pop_message(bus, "face-left");
  fail_unless(message != NULL);
}
GST_END_TEST

/* The best picture of a face that left comes with its message; those of faces in view come before the end, once. */
GST_START_TEST(test_best_pictures)
{
  const gchar *settings[] = {"mode=newest best-size=64 best-margin=0.2", "mode=every best-size=64 best-margin=0.2"};
  g_autoptr(Rig) h = harness(settings[__i__], GST_VIDEO_FORMAT_NV12);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  fail_unless_equals_int(pass_until_id(h, frame, &number), 1);
  fail_unless(gst_harness_push_event(h, gst_event_new_eos()));
  g_autoptr(GstMessage) message = pop_message(bus, "face-best");
  fail_unless(message != NULL);
  const GstStructure *fields = gst_message_get_structure(message);
  guint64 id = 0, time = GST_CLOCK_TIME_NONE;
  gboolean left = TRUE;
  gfloat score = 0;
  GstSample *crop = NULL;
  GstStructure *face = NULL;
  fail_unless(gst_structure_get(fields, "id", G_TYPE_UINT64, &id, "running-time", G_TYPE_UINT64, &time, "left",
                                G_TYPE_BOOLEAN, &left, "score", G_TYPE_FLOAT, &score, "crop", GST_TYPE_SAMPLE, &crop,
                                "face", GST_TYPE_STRUCTURE, &face, NULL));
  fail_unless(id == 1 && !left && score > 0 && score <= 1 && time < number * FRAME_TIME);
  fail_unless(gst_structure_has_field(face, "quality"));
  gint width = 0;
  gst_structure_get_int(gst_caps_get_structure(gst_sample_get_caps(crop), 0), "width", &width);
  fail_unless(width == 64 && gst_buffer_get_size(gst_sample_get_buffer(crop)) == 64 * 64 * 4);
  gst_sample_unref(crop);
  gst_structure_free(face);
  fail_unless(pop_message(bus, "face-best") == NULL);
}
GST_END_TEST

GST_START_TEST(test_latency)
{
  g_autoptr(Rig) h = harness(modes[__i__], GST_VIDEO_FORMAT_NV12);
  gst_harness_set_upstream_latency(h, 10 * GST_MSECOND);
  gst_buffer_unref(pass(h, blank(GST_VIDEO_FORMAT_NV12), 0));
  GstClockTime expected = 10 * GST_MSECOND + (__i__ == 0 ? FRAME_TIME : 0);
  fail_unless_equals_uint64(gst_harness_query_latency(h), expected);
}
GST_END_TEST

/* A sink's reports of lateness pass on to the source; with qos=true late frames are dropped. */
GST_START_TEST(test_quality_of_service)
{
  g_autoptr(Rig) h = harness("mode=every qos=true", GST_VIDEO_FORMAT_NV12);
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
}
GST_END_TEST

/* A property that changes in the middle takes effect with the next frame. */
GST_START_TEST(test_properties_change_in_the_middle)
{
  g_autoptr(Rig) h = harness("mode=every", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  for (guint number = 0; number < 2; number++) {
    g_autoptr(GstBuffer) out = pass(h, gst_buffer_copy(frame), number);
    const GstStructure *face = gst_video_region_of_interest_meta_get_param(face_of(out), "detection");
    fail_unless(gst_structure_has_field(face, "yaw") == (number == 1));
    g_object_set(h->element, "pose", TRUE, NULL);
  }
  g_object_set(h->element, "min-confidence", 0.9999f, "pose", FALSE, NULL);
  fail_unless_equals_int(pass_and_count(h, gst_buffer_copy(frame), 2), 0);
}
GST_END_TEST

/* Stopped while frames are with the worker, again and again. */
GST_START_TEST(test_stops_at_any_time)
{
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  for (guint round = 0; round < 10; round++) {
    g_autoptr(Rig) h = harness("mode=newest landmarks=true draw=true", GST_VIDEO_FORMAT_NV12);
    for (guint number = 0; number < round; number++) {
      g_autoptr(GstBuffer) out = pass(h, gst_buffer_copy(frame), number);
      fail_unless_equals_int(gst_buffer_get_size(out), gst_buffer_get_size(frame));
      g_usleep(round * 500);
    }
  }
}
GST_END_TEST

/* As gst-launch runs it: cameras beside each other. One of them ends. */
GST_START_TEST(test_several_elements)
{
  g_autofree gchar *camera = g_strdup_printf(
      "videotestsrc num-buffers=20 ! video/x-raw,format=NV12,width=320,height=240 ! faceengine model=%s ! fakesink "
      "videotestsrc num-buffers=30 ! video/x-raw,format=BGRx,width=320,height=240 ! faceengine mode=every model=%s ! "
      "fakesink",
      g_getenv("FACE_TEST_MODEL"), g_getenv("FACE_TEST_MODEL"));
  GstElement *pipeline = gst_parse_launch(camera, NULL);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
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
  tcase_add_loop_test(tests, test_best_pictures, 0, 2);
  tcase_add_loop_test(tests, test_latency, 0, 2);
  tcase_add_test(tests, test_quality_of_service);
  tcase_add_test(tests, test_properties_change_in_the_middle);
  tcase_add_test(tests, test_stops_at_any_time);
  tcase_add_test(tests, test_several_elements);
  return suite;
}
