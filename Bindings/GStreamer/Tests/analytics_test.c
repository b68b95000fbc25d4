/* GstAnalyticsRelationMeta, read by GStreamer's own functions where it has them. */
#include "support.h"

#ifdef WITH_ANALYTICS
#include <gst/analytics/analytics.h>

GST_START_TEST(test_relation_meta)
{
  g_autoptr(Rig) h = harness("mode=every min-confidence=0.5", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
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
}
GST_END_TEST

/* The expressions are classes of the detection, with the confidences of the region's parameter. */
GST_START_TEST(test_expressions)
{
  g_autoptr(Rig) h = harness("mode=every tracking=false expressions=true", GST_VIDEO_FORMAT_NV12);
  g_autoptr(GstBuffer) out = pass(h, photo(GST_VIDEO_FORMAT_NV12), 0);
  GstStructure *expressions = gst_video_region_of_interest_meta_get_param(face_of(out), "expressions");
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(out);
  gpointer state = NULL;
  GstAnalyticsMtd detection;
  GstAnalyticsClsMtd classes;
  gdouble expected = -1;
  fail_unless(meta != NULL && gst_analytics_relation_get_length(meta) == 2);
  fail_unless(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &detection));
  state = NULL;
  fail_unless(gst_analytics_relation_meta_get_direct_related(meta, detection.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
                                                             gst_analytics_cls_mtd_get_mtd_type(), &state, &classes));
  fail_unless_equals_int(gst_analytics_cls_mtd_get_length(&classes), 52);
  gint index = gst_analytics_cls_mtd_get_index_by_quark(&classes, g_quark_from_string("mouthSmileLeft"));
  fail_unless(index > 0 && gst_structure_get_double(expressions, "mouthSmileLeft", &expected));
  fail_unless(gst_analytics_cls_mtd_get_level(&classes, (gsize)index) == (gfloat)expected);
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
  tcase_add_test(tests, test_expressions);
#endif
  return suite;
}
