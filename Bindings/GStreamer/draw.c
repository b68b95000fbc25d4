#include "draw.h"

#include <string.h>

#include "debug.h"
#include "frames.h"

/* A part of a frame that marks reach; even on all sides. */
typedef struct {
  gint left, top, right, bottom;
} Area;

/* What is drawn on a frame. */
typedef struct {
  gint width, height;
  const GstFaceList *list; /* NULL: no marks */
  GArray *covered;         /* of face_info */
  const GstFaceCheckMark *check;
  face_draw_style style, cover;
  gfloat text_size; /* of the check's tip, in pixels */
  face_point text_place;
} Marks;

/* Marks are as large as in a picture whose long side is 1000 pixels, whatever part of it they are drawn on. */
static gfloat scale_of(const GstVideoFrame *frame)
{
  return (gfloat)MAX(GST_VIDEO_FRAME_WIDTH(frame), GST_VIDEO_FRAME_HEIGHT(frame)) / 1000;
}

static void init_style(face_draw_style *style, gfloat scale, const GstFaceList *list)
{
  face_draw_style_init(style);
  style->scale = scale;
  style->marks = FACE_DRAW_BOXES | FACE_DRAW_POINTS | FACE_DRAW_IDS | FACE_DRAW_ANGLES;
  for (guint index = 0; list != NULL && index < list->count; index++)
    if (list->faces[index].landmarks != NULL) style->marks |= FACE_DRAW_LANDMARK_LINES;
}

/* The tip stands at the bottom of the frame, in a line of at most 0.9 of its width: a letter is about 0.6 of its
 * height wide. */
static void place_tip(Marks *marks)
{
  if (marks->check == NULL) return;
  gsize letters = MAX(strlen(marks->check->text), 1);
  marks->text_size = MIN((gfloat)marks->height / 16, 1.5f * (gfloat)marks->width / (gfloat)letters);
  marks->text_place = (face_point){(gfloat)marks->width / 2, (gfloat)marks->height - marks->text_size};
}

/* A box and what is beside it, above it and below it. */
static gboolean area_around(const face_box *box, gfloat across, gfloat along, const Marks *marks, Area *area)
{
  gint width = marks->width, height = marks->height;
  area->left = (gint)CLAMP(box->x - across, 0, (gfloat)width) & ~1;
  area->top = (gint)CLAMP(box->y - along, 0, (gfloat)height) & ~1;
  area->right = ((gint)CLAMP(box->x + box->width + across, 0, (gfloat)width) + 1) & ~1;
  area->bottom = ((gint)CLAMP(box->y + box->height + along, 0, (gfloat)height) + 1) & ~1;
  area->right = MIN(area->right, width);
  area->bottom = MIN(area->bottom, height);
  /* The library takes no smaller picture. */
  if (area->right - area->left < 16) area->left = MAX(0, (area->right - 16) & ~1), area->right = area->left + 16;
  if (area->bottom - area->top < 16) area->top = MAX(0, (area->bottom - 16) & ~1), area->bottom = area->top + 16;
  return area->right <= width && area->bottom <= height;
}

/* Lines of text above and below a face's box, and what a landmark lies outside of it. */
static gboolean area_of_face(const face_box *box, const Marks *marks, Area *area)
{
  gfloat scale = marks->style.scale;
  gfloat side = MAX(box->width, box->height) / 8 + 12 * scale;
  gfloat text_width = MAX(0, 200 * scale - box->width / 2);
  return area_around(box, MAX(side, text_width), MAX(side, 40 * scale), marks, area);
}

/* A cover with its margin and its rim. */
static gboolean area_of_cover(const face_box *box, const Marks *marks, Area *area)
{
  gfloat margin = marks->cover.cover_margin;
  return area_around(box, margin * box->width + 4, margin * box->height + 4, marks, area);
}

/* The circle of a check, and the line of its tip. */
static void add_check_areas(GArray *areas, const Marks *marks)
{
  if (marks->check == NULL) return;
  const face_circle *circle = &marks->check->circle;
  face_box boxes[] = {{circle->x - circle->radius, circle->y - circle->radius, 2 * circle->radius, 2 * circle->radius},
                      {0, marks->text_place.y, (gfloat)marks->width, 0}};
  gfloat margins[] = {12 * marks->style.scale, 1.5f * marks->text_size};
  for (guint index = 0; index < G_N_ELEMENTS(boxes); index++) {
    Area area;
    if (area_around(&boxes[index], margins[index], margins[index], marks, &area)) g_array_append_val(areas, area);
  }
}

static gboolean overlap(const Area *one, const Area *other)
{
  return one->left < other->right && other->left < one->right && one->top < other->bottom && other->top < one->bottom;
}

/* Areas that overlap become one: nothing is drawn twice. */
static void merge(GArray *areas)
{
  for (guint one = 0; one < areas->len; one++) {
    for (guint other = one + 1; other < areas->len; other++) {
      Area *kept = &g_array_index(areas, Area, one);
      const Area *merged = &g_array_index(areas, Area, other);
      if (!overlap(kept, merged)) continue;
      *kept = (Area){MIN(kept->left, merged->left), MIN(kept->top, merged->top), MAX(kept->right, merged->right),
                     MAX(kept->bottom, merged->bottom)};
      g_array_remove_index_fast(areas, other);
      /* The larger one may overlap those that were looked at already. */
      one = G_MAXUINT;
      break;
    }
  }
}

static void shift(face_point *point, const Area *area)
{
  point->x -= (gfloat)area->left;
  point->y -= (gfloat)area->top;
}

/* The faces whose marks this area was made for: of others the library would move the texts into it. */
static void draw_faces(face_picture *picture, const Marks *marks, const Area *area)
{
  const GstFaceList *list = marks->list;
  if (list == NULL || list->count == 0) return;
  face_info *infos = g_new(face_info, list->count);
  guint count = 0;
  for (guint index = 0; index < list->count; index++) {
    const GstFace *face = &list->faces[index];
    Area own;
    if (!area_of_face(&face->info.box, marks, &own) || !overlap(&own, area)) continue;
    face_info *info = &infos[count++];
    *info = face->info;
    info->box.x -= (gfloat)area->left;
    info->box.y -= (gfloat)area->top;
    face_point *points[] = {&info->left_eye, &info->right_eye, &info->nose_tip, &info->mouth_left, &info->mouth_right};
    for (guint point = 0; point < G_N_ELEMENTS(points); point++) shift(points[point], area);
    if (face->landmarks == NULL) continue;
    face_landmark landmarks[GST_FACE_LANDMARKS];
    for (guint point = 0; point < GST_FACE_LANDMARKS; point++) {
      landmarks[point] = face->landmarks[point];
      landmarks[point].x -= (gfloat)area->left;
      landmarks[point].y -= (gfloat)area->top;
    }
    face_draw_landmarks(picture, landmarks, GST_FACE_LANDMARKS, &marks->style);
  }
  if (count > 0 && face_draw_faces(picture, infos, count, &marks->style) != FACE_OK)
    GST_WARNING("%s", face_draw_last_error());
  g_free(infos);
}

/* Circle and tip of a check. */
static void draw_check(face_picture *picture, const Marks *marks, const Area *area)
{
  if (marks->check == NULL) return;
  face_draw_style style = marks->style;
  face_circle circle = marks->check->circle;
  face_point place = marks->text_place;
  circle.x -= (gfloat)area->left;
  circle.y -= (gfloat)area->top;
  shift(&place, area);
  style.text_size = marks->text_size / style.scale;
  if (face_draw_mask(picture, &circle, 0, &style) != FACE_OK ||
      face_draw_text(picture, marks->check->text, place, FACE_DRAW_ANCHOR_MIDDLE, &style) != FACE_OK)
    GST_WARNING("%s", face_draw_last_error());
}

/* Under all marks. Those that reach into this area lie in it. */
static void draw_covers(face_picture *picture, const Marks *marks, const Area *area)
{
  GArray *here = g_array_new(FALSE, FALSE, sizeof(face_info));
  for (guint index = 0; index < marks->covered->len; index++) {
    face_info info = g_array_index(marks->covered, face_info, index);
    Area own;
    if (!area_of_cover(&info.box, marks, &own) || !overlap(&own, area)) continue;
    info.box.x -= (gfloat)area->left;
    info.box.y -= (gfloat)area->top;
    g_array_append_val(here, info);
  }
  if (here->len > 0 && face_draw_covers(picture, NULL, (const face_info *)(gconstpointer)here->data, here->len,
                                        &marks->cover) != FACE_OK)
    GST_WARNING("%s", face_draw_last_error());
  g_array_unref(here);
}

static void draw_marks(face_picture *picture, const Marks *marks, const Area *area)
{
  draw_covers(picture, marks, area);
  draw_faces(picture, marks, area);
  draw_check(picture, marks, area);
}

/* On the frame's own pixels. */
static void draw_attached(GstVideoFrame *frame, const Marks *marks, const Area *area)
{
  gsize stride = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0), step = (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE(frame, 0);
  guint width = (guint)(area->right - area->left), height = (guint)(area->bottom - area->top);
  guint8 *pixels =
      (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, 0) + (gsize)area->top * stride + (gsize)area->left * step;
  face_picture *picture = NULL;
  if (face_picture_attach(gst_face_format_of(&frame->info), width, height, stride, pixels,
                          stride * (height - 1) + width * step, &picture) != FACE_OK) {
    GST_WARNING("%s", face_draw_last_error());
    return;
  }
  draw_marks(picture, marks, area);
  face_picture_destroy(picture);
}

/* The part of a frame of luma and chroma, as an image. */
static void describe(const GstVideoFrame *frame, const Area *area, face_image *image)
{
  face_image_init(image);
  image->format = gst_face_format_of(&frame->info);
  image->colour = gst_face_colour_of(&frame->info);
  image->width = (guint)(area->right - area->left);
  image->height = (guint)(area->bottom - area->top);
  gboolean is_packed = GST_VIDEO_FRAME_N_PLANES(frame) == 1;
  gint chroma_down = image->format == FACE_FORMAT_NV16 ? 0 : 1;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(frame); plane++) {
    gsize stride = (gsize)GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
    gsize step = is_packed ? 2 : (gsize)GST_VIDEO_FRAME_COMP_PSTRIDE(frame, plane);
    gint across = plane == 0 ? 0 : 1, down = plane == 0 ? 0 : chroma_down;
    gsize rows = (image->height + (guint)down) >> down, columns = (image->width + (guint)across) >> across;
    if (is_packed) columns = (columns + 1) & ~(gsize)1;
    image->planes[plane] = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, plane) +
                           (gsize)(area->top >> down) * stride + (gsize)(area->left >> across) * step;
    image->strides[plane] = stride;
    image->plane_sizes[plane] = stride * (rows - 1) + columns * step;
  }
}

/* Makes the pixels under covers other ones in `before`, so that all of them are written back: one whose colour a cover
 * did not change would keep its own luma. Both pictures have this stride. */
static void mark_covered(const Marks *marks, const Area *area, guint8 *before, const guint8 *after, gsize stride)
{
  if (marks->covered->len == 0) return;
  guint width = (guint)(area->right - area->left), height = (guint)(area->bottom - area->top);
  gsize size = (gsize)width * height * 4;
  guint8 *mask = g_malloc0(size);
  face_picture *picture = NULL;
  Marks white = *marks;
  white.cover.cover_colour = 0xffffffff;
  if (face_picture_attach(FACE_FORMAT_BGRA, width, height, 0, mask, size, &picture) == FACE_OK) {
    draw_covers(picture, &white, area);
    face_picture_destroy(picture);
  }
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++) {
      gsize place = y * stride + (gsize)x * 4;
      if (mask[((gsize)y * width + x) * 4] != 0) before[place] = (guint8)~after[place];
    }
  }
  g_free(mask);
}

/* On a copy, whose changed pixels are written back. */
static void draw_patched(GstVideoFrame *frame, const Marks *marks, const Area *area)
{
  face_image image;
  face_picture *picture = NULL;
  describe(frame, area, &image);
  if (face_picture_create(&image, &picture) != FACE_OK) {
    GST_WARNING("%s", face_draw_last_error());
    return;
  }
  face_image_init(&image);
  if (face_picture_image(picture, &image) == FACE_OK) {
    gsize stride = image.strides[0] != 0 ? image.strides[0] : image.width * (gsize)4;
    guint8 *before = g_memdup2(image.planes[0], stride * (image.height - 1) + image.width * (gsize)4);
    draw_marks(picture, marks, area);
    if (face_picture_image(picture, &image) == FACE_OK) {
      mark_covered(marks, area, before, image.planes[0], stride);
      gst_face_patch(frame, area->left, area->top, (gint)image.width, (gint)image.height, before, image.planes[0],
                     stride);
    }
    g_free(before);
  }
  face_picture_destroy(picture);
}

static void init_cover(face_draw_style *style, const GstFaceCoverSettings *settings)
{
  face_draw_style_init(style);
  style->marks = settings->kind == GST_FACE_COVER_PIXELATE ? FACE_DRAW_PIXELATE : FACE_DRAW_BLUR;
  style->cover_cells = settings->cells;
  style->cover_margin = settings->margin;
}

void gst_face_draw(GstVideoFrame *frame, const GstFaceList *list, const GstFaceCovers *covers, gboolean is_marked,
                   const GstFaceCheckMark *check)
{
  Marks marks = {.width = GST_VIDEO_FRAME_WIDTH(frame),
                 .height = GST_VIDEO_FRAME_HEIGHT(frame),
                 .list = is_marked ? list : NULL,
                 .covered = gst_face_covers_boxes(covers, list),
                 .check = check};
  init_style(&marks.style, scale_of(frame), marks.list);
  init_cover(&marks.cover, &covers->settings);
  place_tip(&marks);
  GArray *areas = g_array_new(FALSE, FALSE, sizeof(Area));
  for (guint index = 0; marks.list != NULL && index < list->count; index++) {
    Area area;
    if (area_of_face(&list->faces[index].info.box, &marks, &area)) g_array_append_val(areas, area);
  }
  for (guint index = 0; index < marks.covered->len; index++) {
    Area area;
    if (area_of_cover(&g_array_index(marks.covered, face_info, index).box, &marks, &area))
      g_array_append_val(areas, area);
  }
  add_check_areas(areas, &marks);
  merge(areas);
  gboolean is_yuv = GST_VIDEO_INFO_IS_YUV(&frame->info);
  for (guint index = 0; index < areas->len; index++)
    (is_yuv ? draw_patched : draw_attached)(frame, &marks, &g_array_index(areas, Area, index));
  g_array_unref(areas);
  g_array_unref(marks.covered);
}
