/* Marks on frames: in each format, where they belong and nowhere else, and never on a frame that is searched. */
#include "support.h"

/* The red, green and blue of a pixel, by the components of its format (BT.601, video range). */
static void colour_at(GstVideoFrame *frame, gint x, gint y, gint *rgb)
{
  gint value[3];
  guint count = MIN(3, GST_VIDEO_FRAME_N_COMPONENTS(frame));
  for (guint part = 0; part < count; part++) {
    gint across = GST_VIDEO_SUB_SCALE(frame->info.finfo->w_sub[part], x + 1) - 1;
    gint along = GST_VIDEO_SUB_SCALE(frame->info.finfo->h_sub[part], y + 1) - 1;
    value[part] = ((const guint8 *)GST_VIDEO_FRAME_COMP_DATA(
        frame,
        part))[along * GST_VIDEO_FRAME_COMP_STRIDE(frame, part) + across * GST_VIDEO_FRAME_COMP_PSTRIDE(frame, part)];
  }
  if (count == 1) value[1] = value[2] = value[0];
  if (!GST_VIDEO_INFO_IS_YUV(&frame->info)) {
    for (guint part = 0; part < 3; part++) rgb[part] = value[part];
    return;
  }
  gdouble luma = 1.164 * (value[0] - 16), blue = value[1] - 128, red = value[2] - 128;
  rgb[0] = (gint)CLAMP(luma + 1.596 * red, 0, 255);
  rgb[1] = (gint)CLAMP(luma - 0.392 * blue - 0.813 * red, 0, 255);
  rgb[2] = (gint)CLAMP(luma + 2.017 * blue, 0, 255);
}

static gboolean is_equal(const gint *one, const gint *other)
{
  return one[0] == other[0] && one[1] == other[1] && one[2] == other[2];
}

GST_START_TEST(test_marks_are_in_their_place)
{
  GstVideoFormat format = formats[__i__];
  g_autoptr(Rig) h = harness("mode=every draw=true", format);
  g_autoptr(GstBuffer) before = photo(format);
  g_autoptr(GstBuffer) after = pass(h, gst_buffer_copy_deep(before), 0);
  expect_photo_face(after);
  GstVideoRegionOfInterestMeta *face = face_of(after);
  GstVideoInfo info;
  GstVideoFrame from, to;
  gst_video_info_set_format(&info, format, SIDE, SIDE);
  fail_unless(gst_video_frame_map(&from, &info, before, GST_MAP_READ) &&
              gst_video_frame_map(&to, &info, after, GST_MAP_READ));
  guint far_away = 0, changed = 0;
  for (gint y = 0; y < SIDE; y++) {
    for (gint x = 0; x < SIDE; x++) {
      gint old[3], new[3];
      colour_at(&from, x, y, old);
      colour_at(&to, x, y, new);
      if (is_equal(old, new)) continue;
      changed++;
      if (x < (gint)face->x - 60 || x > (gint)(face->x + face->w) + 60 || y < (gint)face->y - 40 ||
          y > (gint)(face->y + face->h) + 40)
        far_away++;
    }
  }
  fail_unless_equals_int(far_away, 0);
  fail_unless(changed > 600 && changed < 12000, "%u pixels are changed", changed);
  /* The left edge of the box, in its middle; which of two neighbours shares its chroma is a matter of rounding. */
  gint green[3];
  gboolean is_green = format == GST_VIDEO_FORMAT_GRAY8;
  for (gint x = ((gint)face->x & ~1) - 2; x <= ((gint)face->x & ~1); x += 2) {
    colour_at(&to, x, (gint)(face->y + face->h / 2) & ~1, green);
    is_green |= green[1] > green[0] + 30 && green[1] > green[2] + 30;
  }
  fail_unless(is_green, "the left edge of the box is not green");
  gst_video_frame_unmap(&from);
  gst_video_frame_unmap(&to);
}
GST_END_TEST

/* The largest step from a pixel to the next in the middle of the photo's face, by the first component. */
static gint step_in_face(GstBuffer *buffer, GstVideoFormat format, const GstVideoRegionOfInterestMeta *face)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  gint step = 0;
  gst_video_info_set_format(&info, format, SIDE, SIDE);
  fail_unless(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  for (guint y = face->y + face->h / 4; y < face->y + face->h * 3 / 4; y++) {
    const guint8 *row =
        (const guint8 *)GST_VIDEO_FRAME_COMP_DATA(&frame, 0) + y * (guint)GST_VIDEO_FRAME_COMP_STRIDE(&frame, 0);
    for (guint x = face->x + face->w / 4; x < face->x + face->w * 3 / 4; x++) {
      const guint8 *pixel = row + x * (guint)GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
      step = MAX(step, ABS(pixel[GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0)] - pixel[0]));
    }
  }
  gst_video_frame_unmap(&frame);
  return step;
}

/* A blurred face has no steps, in any format; boxes are drawn if asked for alone. */
GST_START_TEST(test_faces_are_covered)
{
  GstVideoFormat format = formats[__i__];
  g_autoptr(Rig) h = harness("mode=every cover=blur", format);
  g_autoptr(GstBuffer) before = photo(format);
  g_autoptr(GstBuffer) after = pass(h, gst_buffer_copy_deep(before), 0);
  expect_photo_face(after);
  GstVideoRegionOfInterestMeta *face = face_of(after);
  gint sharp = step_in_face(before, format, face), blurred = step_in_face(after, format, face);
  fail_unless(sharp > 40 && blurred < 12, "a step of %d became %d", sharp, blurred);
}
GST_END_TEST

/* Where a followed face was last, it stays covered for as long as cover-hold says. */
GST_START_TEST(test_lost_faces_stay_covered)
{
  g_autoptr(Rig) h = harness("mode=every cover=pixelate cover-hold=100000000 min-hits=1", GST_VIDEO_FORMAT_GRAY8);
  g_autoptr(GstBuffer) face = photo(GST_VIDEO_FORMAT_GRAY8);
  g_autoptr(GstBuffer) nobody = blank(GST_VIDEO_FORMAT_GRAY8);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, face, &number));
  gst_buffer_memset(nobody, SIDE * (SIDE / 2) + SIDE / 2, 255, 1);
  guint covered = 0, count = 10;
  for (guint frame = 0; frame < count; frame++) {
    g_autoptr(GstBuffer) out = pass(h, gst_buffer_copy_deep(nobody), number++);
    fail_unless_equals_int(count_faces(out), 0);
    guint8 pixel;
    gst_buffer_extract(out, SIDE * (SIDE / 2) + SIDE / 2, &pixel, 1);
    covered += pixel != 255;
  }
  fail_unless_equals_int(covered, 3); /* of a thirtieth of a second each */
}
GST_END_TEST

/* What was sent in is not drawn on where others have it, too. */
GST_START_TEST(test_shared_frames_stay_as_they_are)
{
  g_autoptr(Rig) h = harness(modes[__i__], GST_VIDEO_FORMAT_I420);
  g_object_set(h->element, "draw", TRUE, NULL);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_I420);
  g_autoptr(GstBuffer) kept = gst_buffer_copy_deep(frame);
  GstMapInfo one, other;
  guint number = 0;
  for (guint round = 0; round < 5; round++) gst_buffer_unref(pass_until_face(h, frame, &number));
  g_autoptr(GstBuffer) drawn = pass_until_face(h, frame, &number);
  fail_unless(gst_buffer_map(frame, &one, GST_MAP_READ) && gst_buffer_map(kept, &other, GST_MAP_READ));
  fail_unless(memcmp(one.data, other.data, one.size) == 0, "the frame that was sent in is drawn on");
  fail_unless(gst_buffer_memcmp(drawn, 0, one.data, one.size) != 0, "nothing is drawn");
  gst_buffer_unmap(frame, &one);
  gst_buffer_unmap(kept, &other);
}
GST_END_TEST

/* A box of the last frame is not searched as a part of this one: with marks the face is found where it was. */
GST_START_TEST(test_marks_are_not_searched)
{
  const gchar *draws[] = {"mode=newest detection-interval=1 tracking=false draw=false",
                          "mode=newest detection-interval=1 tracking=false draw=true"};
  gdouble confidences[2];
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_BGRx);
  for (guint index = 0; index < 2; index++) {
    g_autoptr(Rig) h = harness(draws[index], GST_VIDEO_FORMAT_BGRx);
    guint number = 0;
    /* Of three frames more that are searched, the second has marks for sure, and its result is there. */
    gst_buffer_unref(pass_until_face(h, frame, &number));
    guint64 enough = counted(h, "searched") + 3;
    while (counted(h, "searched") < enough) gst_buffer_unref(pass_until_face(h, frame, &number));
    g_autoptr(GstBuffer) out = pass_until_face(h, frame, &number);
    gst_structure_get_double(gst_video_region_of_interest_meta_get_param(face_of(out), "detection"), "confidence",
                             &confidences[index]);
  }
  fail_unless(confidences[0] == confidences[1], "%f without marks, %f with", confidences[0], confidences[1]);
}
GST_END_TEST

/* How many pixels are drawn on a frame of two pictures, one below the other and further to the right. */
static guint count_drawn(GstBuffer *upper, GstBuffer *lower, guint expected_faces)
{
  g_autoptr(Rig) h = harness("mode=every draw=true", GST_VIDEO_FORMAT_BGRx);
  GstCaps *caps = caps_of(GST_VIDEO_FORMAT_BGRx, SIDE, 2 * SIDE);
  gst_harness_set_caps(h, gst_caps_ref(caps), caps);
  const gsize size = SIDE * SIDE * 4, shift = 80 * 4;
  g_autoptr(GstBuffer) before = gst_buffer_new_allocate(NULL, 2 * size, NULL);
  GstMapInfo from, to;
  gst_buffer_memset(before, 0, 128, 2 * size);
  fail_unless(gst_buffer_map(upper, &from, GST_MAP_READ) && gst_buffer_map(lower, &to, GST_MAP_READ));
  gst_buffer_fill(before, 0, from.data, size);
  gst_buffer_fill(before, size + shift, to.data, size - shift);
  gst_buffer_unmap(upper, &from);
  gst_buffer_unmap(lower, &to);
  GstBuffer *after = NULL;
  /* Until faces have ids, which are drawn, too. */
  for (guint number = 0; number < 8; number++) {
    gst_clear_buffer(&after);
    after = pass(h, gst_buffer_copy_deep(before), number);
  }
  fail_unless_equals_int(count_faces(after), expected_faces);
  fail_unless(gst_buffer_map(before, &from, GST_MAP_READ) && gst_buffer_map(after, &to, GST_MAP_READ));
  guint drawn = 0;
  for (gsize at = 0; at < from.size; at += 4) drawn += memcmp(from.data + at, to.data + at, 3) != 0;
  gst_buffer_unmap(before, &from);
  gst_buffer_unmap(after, &to);
  gst_buffer_unref(after);
  return drawn;
}

/* Marks of one face are not drawn at the other one, too. */
GST_START_TEST(test_faces_far_apart)
{
  g_autoptr(GstBuffer) face = photo(GST_VIDEO_FORMAT_BGRx);
  g_autoptr(GstBuffer) nobody = blank(GST_VIDEO_FORMAT_BGRx);
  guint one = count_drawn(face, nobody, 1), two = count_drawn(face, face, 2);
  fail_unless(one > 600 && two > 2 * one - one / 8 && two < 2 * one + one / 8,
              "%u pixels are drawn for one face, %u for two", one, two);
}
GST_END_TEST

Suite *draw_suite(void)
{
  Suite *suite = suite_create("draw");
  TCase *tests = tcase_create("draw");
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, test_marks_are_in_their_place, 0, FORMATS);
  tcase_add_loop_test(tests, test_faces_are_covered, 0, FORMATS);
  tcase_add_test(tests, test_lost_faces_stay_covered);
  tcase_add_loop_test(tests, test_shared_frames_stay_as_they_are, 0, 2);
  tcase_add_test(tests, test_marks_are_not_searched);
  tcase_add_test(tests, test_faces_far_apart);
  return suite;
}
