/* GstAnalyticsRelationMeta, read by GStreamer's own functions where it has them. */
#include "support.h"

#ifdef WITH_ANALYTICS
#include <gst/analytics/analytics.h>

GST_START_TEST(test_relation_meta)
{
  GstHarness *h = harness("mode=every min-confidence=0.5", GST_VIDEO_FORMAT_NV12);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  GstBuffer *out = NULL;
  for (guint number = 1; number < 5; number++) {
    gst_clear_buffer(&out);
    out = pass(h, gst_buffer_copy(frame), number);
  }
  expect_photo_face(out);
  GstVideoRegionOfInterestMeta *region = face_of(out);
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(out);
  fail_unless(meta != NULL);
  fail_unless_equals_int(gst_analytics_relation_get_length(meta), 2);
  gpointer state = NULL;
  GstAnalyticsMtd found;
  fail_unless(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &found));
  GstAnalyticsODMtd detection = found;
  gint x, y, width, height;
  gfloat confidence;
  fail_unless(gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &confidence));
  fail_unless(x == (gint)region->x && y == (gint)region->y && width == (gint)region->w && height == (gint)region->h);
  fail_unless(confidence > 0.5f && confidence <= 1);
  fail_unless(gst_analytics_od_mtd_get_obj_type(&detection) == g_quark_from_string("face"));
  state = NULL;
  GstAnalyticsTrackingMtd tracking;
  guint64 id;
  GstClockTime first, last;
  gboolean is_lost;
  fail_unless(gst_analytics_relation_meta_get_direct_related(meta, detection.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
                                                             gst_analytics_tracking_mtd_get_mtd_type(), &state,
                                                             &tracking));
  fail_unless(gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &is_lost));
  fail_unless(id == 1 && first >= FRAME_TIME && first < last && last == 4 * FRAME_TIME && !is_lost);
  gst_buffer_unref(out);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
}
GST_END_TEST
#endif

Suite *analytics_suite(void)
{
  Suite *suite = suite_create("analytics");
  TCase *tests = tcase_create("analytics");
  suite_add_tcase(suite, tests);
#ifdef WITH_ANALYTICS
  tcase_add_test(tests, test_relation_meta);
#endif
  return suite;
}
