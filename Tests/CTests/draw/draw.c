/* Tests the promises of libfaceengine-draw's header: a status for every misuse, outputs untouched on failure, pixels
 * changed where marks are and nowhere else.
 *
 *     draw load MODEL_DIR PHOTO.jpg
 *     draw connect SOCKET PHOTO.jpg
 */
#include <face_engine_draw.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../host.h"

enum { WIDTH = 96, HEIGHT = 64 };

static face_picture *const none = (face_picture *)&failures;

static face_image rgb_image(const void *pixels, size_t size)
{
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = WIDTH;
  image.height = HEIGHT;
  image.planes[0] = pixels;
  image.plane_sizes[0] = size;
  return image;
}

static face_info one_face(void)
{
  face_info face;
  face_info_init(&face);
  face.box = (face_box){20, 10, 40, 44};
  face.valid = FACE_VALID_POINTS | FACE_VALID_ID | FACE_VALID_POSE;
  face.left_eye = (face_point){50, 26};
  face.right_eye = (face_point){32, 26};
  face.nose_tip = (face_point){41, 36};
  face.mouth_left = (face_point){48, 45};
  face.mouth_right = (face_point){34, 45};
  face.id = 3;
  return face;
}

static face_picture *gray_picture(void)
{
  static unsigned char pixels[HEIGHT * WIDTH * 3];
  memset(pixels, 100, sizeof pixels);
  face_image image = rgb_image(pixels, sizeof pixels);
  face_picture *picture = NULL;
  EXPECT(face_picture_create(&image, &picture) == FACE_OK);
  return picture;
}

static void null_arguments(void)
{
  face_picture *picture = gray_picture(), *out = none;
  face_image image;
  face_image_init(&image);
  face_info face = one_face();
  face_circle circle = {48, 32, 20};
  face_box box = {0, 0, 10, 10};
  unsigned char pixels[16 * 16 * 4] = {0};
  EXPECT(face_picture_create(NULL, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_create(&image, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_create(&image, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGB, 16, 16, 0, NULL, 768, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGB, 16, 16, 0, pixels, 768, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_image(NULL, &image) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_image(picture, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_copy(NULL, FACE_FORMAT_RGB, 0, pixels, sizeof pixels) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_copy(picture, FACE_FORMAT_RGB, 0, NULL, 0) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_save(NULL, "/tmp/x.png") == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_save(picture, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_save(picture, "") == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_save(picture, "/no such folder/x.png") != FACE_OK);
  EXPECT(strlen(face_draw_last_error()) > 0);
  EXPECT(face_picture_save(picture, "/tmp/x.gif") == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_draw_last_error(), "PNG, JPEG or WebP") != NULL);
  EXPECT(face_picture_save(picture, "/tmp/x") == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_faces(NULL, &face, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_faces(picture, NULL, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_faces(picture, NULL, 0, NULL) == FACE_OK);
  const char *const label = "x";
  EXPECT(face_draw_labelled_faces(NULL, &face, &label, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_labelled_faces(picture, NULL, &label, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_labelled_faces(picture, &face, NULL, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_covers(NULL, NULL, &face, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_covers(picture, &image, &face, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_covers(picture, NULL, NULL, 1, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_covers(picture, NULL, NULL, 0, NULL) == FACE_OK);
  EXPECT(face_draw_landmarks(NULL, NULL, 478, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_landmarks(picture, NULL, 478, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_mask(NULL, &circle, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_mask(picture, NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_text(NULL, "x", (face_point){1, 1}, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_text(picture, NULL, (face_point){1, 1}, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_text(picture, "", (face_point){1, 1}, 0, NULL) == FACE_OK);
  EXPECT(face_draw_text(picture, "\xff\xfe", (face_point){1, 1}, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_text(picture, "x", (face_point){1, 1}, 9, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_image(NULL, &image, &box) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_image(picture, NULL, &box) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_image(picture, &image, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_overlay(NULL, &image, &face, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_overlay(picture, NULL, &face, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_overlay(picture, &image, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_portrait(NULL, &face, 1, NULL, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_portrait(&image, NULL, 1, NULL, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_portrait(&image, &face, 1, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_aligned(NULL, &face, 0, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_aligned(&image, NULL, 0, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_crop_aligned(&image, &face, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(out == none);
  face_draw_style_init(NULL);
  face_draw_overlay_options_init(NULL);
  face_crop_options_init(NULL);
  face_picture_destroy(NULL);
  face_picture_destroy(picture);
  EXPECT(face_draw_faces(picture, &face, 1, NULL) == FACE_INVALID_ARGUMENT); /* a stale handle is refused */
  face_picture_destroy(picture);
}

/* An uninitialised struct, one of a newer header, and non-finite numbers. */
static void wrong_structs(void)
{
  face_picture *picture = gray_picture();
  face_info face = one_face();
  face_draw_style style;
  memset(&style, 0, sizeof style);
  EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
  face_draw_style_init(&style);
  EXPECT(style.box_width == 4 && style.point_size == 8 && style.circle_width == 4 && style.scale == 1);
  struct {
    face_draw_style style;
    uint64_t newer;
  } longer;
  face_draw_style_init_sized(&longer.style, sizeof longer);
  EXPECT(longer.newer == 0 && face_draw_faces(picture, &face, 1, &longer.style) == FACE_OK);
  longer.newer = 1;
  EXPECT(face_draw_faces(picture, &face, 1, &longer.style) == FACE_UNIMPLEMENTED);
  style.marks = 0x80000000;
  EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_UNIMPLEMENTED);
  face_draw_style_init(&style);
  const float bad[] = {NAN, INFINITY, -1, 5000};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    face_draw_style_init(&style);
    style.box_width = bad[i];
    EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
    face_draw_style_init(&style);
    style.scale = bad[i];
    EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
    face_crop_options crop;
    face_crop_options_init(&crop);
    crop.headroom = bad[i] == -1 ? 50 : bad[i];
    unsigned char pixels[HEIGHT * WIDTH * 3] = {0};
    face_image image = rgb_image(pixels, sizeof pixels);
    face_picture *out = none;
    EXPECT(face_crop_portrait(&image, &face, 1, &crop, &out) == FACE_INVALID_ARGUMENT && out == none);
    face_crop_options_init(&crop);
    crop.overflow = 3;
    EXPECT(face_crop_portrait(&image, &face, 1, &crop, &out) == FACE_INVALID_ARGUMENT && out == none);
    face_info odd = one_face();
    odd.box.x = odd.box.width = odd.left_eye.x = odd.yaw = bad[i];
    EXPECT(face_draw_faces(picture, &odd, 1, NULL) == FACE_OK); /* left out or clipped */
    face_circle circle = {bad[i], 3, bad[i]};
    EXPECT(face_draw_mask(picture, &circle, 1, NULL) == FACE_OK);
    EXPECT(face_draw_text(picture, "x", (face_point){bad[i], 0}, 0, NULL) == FACE_OK);
  }
  face_draw_style_init(&style);
  style.antialias = 2;
  EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
  face_draw_style_init(&style);
  style.reserved = 1;
  EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
  face_info two[2] = {one_face(), one_face()};
  two[0].struct_size += 1; /* a size that no array of them can have */
  EXPECT(face_draw_faces(picture, two, 2, NULL) != FACE_OK);
  two[0] = one_face();
  two[1].struct_size = 0;
  EXPECT(face_draw_faces(picture, two, 2, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_faces(picture, two, UINT32_MAX, NULL) == FACE_INVALID_ARGUMENT);
  face_landmark points[477] = {{0, 0, 0}};
  EXPECT(face_draw_landmarks(picture, points, 477, NULL) == FACE_INVALID_ARGUMENT);
  face_circle circle = {10, 10, 5};
  EXPECT(face_draw_mask(picture, &circle, 2, NULL) == FACE_INVALID_ARGUMENT);
  face_picture_destroy(picture);
}

static void wrong_pixels(void)
{
  static unsigned char pixels[32 * 32 * 4];
  face_picture *out = none;
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, 32, 33, 0, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, 32, 32, 127, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, 32, 32, SIZE_MAX, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, 32, 32, 0, pixels, SIZE_MAX, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, UINT32_MAX, UINT32_MAX, 0, pixels, sizeof pixels, &out) ==
         FACE_OUT_OF_RANGE);
  EXPECT(face_picture_attach(FACE_FORMAT_RGBA, 8, 8, 0, pixels, sizeof pixels, &out) == FACE_OUT_OF_RANGE);
  EXPECT(face_picture_attach(FACE_FORMAT_NV12, 32, 32, 0, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(FACE_FORMAT_ENCODED, 32, 32, 0, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_attach(777, 32, 32, 0, pixels, sizeof pixels, &out) == FACE_INVALID_ARGUMENT);
  face_image image = rgb_image(pixels, 5);
  EXPECT(face_picture_create(&image, &out) == FACE_INVALID_ARGUMENT);
  image.memory = (const face_memory *)pixels;
  EXPECT(face_picture_create(&image, &out) == FACE_INVALID_ARGUMENT);
  EXPECT(out == none);
}

/* Every format in place: marks are drawn, and all else is unchanged, also alpha and the gaps between rows. */
static void in_place(void)
{
  const struct {
    face_format format;
    int bytes, red, blue;
  } formats[] = {{FACE_FORMAT_RGBA, 4, 0, 2},
                 {FACE_FORMAT_BGRA, 4, 2, 0},
                 {FACE_FORMAT_RGB, 3, 0, 2},
                 {FACE_FORMAT_BGR, 3, 2, 0},
                 {FACE_FORMAT_GRAY, 1, 0, 0}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    static unsigned char pixels[HEIGHT][WIDTH * 4 + 12];
    int bytes = formats[i].bytes;
    memset(pixels, 100, sizeof pixels);
    face_picture *picture = NULL;
    EXPECT(face_picture_attach(formats[i].format, WIDTH, HEIGHT, sizeof *pixels, pixels, sizeof pixels, &picture) ==
           FACE_OK);
    face_info face = one_face();
    face_draw_style style;
    face_draw_style_init(&style);
    style.marks = FACE_DRAW_BOXES;
    style.box_colour = 0xff0000ff;
    style.antialias = 0;
    EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_OK);
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        const unsigned char *pixel = &pixels[y][x * bytes];
        int inside = x >= 22 && x < 58 && y >= 12 && y < 52, outside = x < 18 || x >= 62 || y < 8 || y >= 56;
        if (inside || outside) {
          for (int b = 0; b < bytes; b++) EXPECT(pixel[b] == 100);
        }
        if (bytes == 4) EXPECT(pixel[3] == 100);
      }
      for (size_t gap = (size_t)WIDTH * bytes; gap < sizeof *pixels; gap++) EXPECT(pixels[y][gap] == 100);
    }
    const unsigned char *edge = &pixels[30][20 * bytes];
    if (bytes == 1)
      EXPECT(abs(edge[0] - 76) <= 2); /* red's luma */
    else
      EXPECT(edge[formats[i].red] == 255 && edge[1] == 0 && edge[formats[i].blue] == 0);
    face_picture_destroy(picture);
    EXPECT(bytes == 1 || pixels[30][20 * bytes + formats[i].red] == 255);
  }
}

static void copies(void)
{
  face_picture *picture = gray_picture();
  face_circle circle = {48, 32, 10};
  EXPECT(face_draw_mask(picture, &circle, 1, NULL) == FACE_OK);
  static unsigned char rgba[HEIGHT * WIDTH * 4];
  EXPECT(face_picture_copy(picture, FACE_FORMAT_RGBA, 0, rgba, sizeof rgba - 1) == FACE_INVALID_ARGUMENT);
  EXPECT(rgba[0] == 0 && rgba[3] == 0);
  EXPECT(face_picture_copy(picture, FACE_FORMAT_NV21, 0, rgba, sizeof rgba) == FACE_INVALID_ARGUMENT);
  EXPECT(face_picture_copy(picture, FACE_FORMAT_RGBA, 0, rgba, sizeof rgba) == FACE_OK);
  EXPECT(rgba[0] == 40 && rgba[3] == 255);
  EXPECT(rgba[(32 * WIDTH + 48) * 4] == 100);
  face_image image;
  face_image_init(&image);
  EXPECT(face_picture_image(picture, &image) == FACE_OK);
  EXPECT(image.format == FACE_FORMAT_BGRA && image.width == WIDTH && image.height == HEIGHT);
  EXPECT(((const unsigned char *)image.planes[0])[32 * image.strides[0] + 48 * 4] == 100);
  face_picture *again = NULL; /* a call accepts another call's output */
  EXPECT(face_picture_create(&image, &again) == FACE_OK);
  face_box corner = {0, 0, 20, 20};
  EXPECT(face_draw_image(again, &image, &corner) == FACE_OK);
  face_picture_destroy(again);
  face_picture_destroy(picture);
}

static void crops(void)
{
  static unsigned char pixels[HEIGHT * WIDTH * 3];
  face_image image = rgb_image(pixels, sizeof pixels);
  face_info faces[2] = {one_face(), one_face()};
  faces[1].box.width = 20;
  face_picture *crop = none;
  EXPECT(face_crop_portrait(&image, faces, 0, NULL, &crop) == FACE_NOT_FOUND);
  EXPECT(face_crop_portrait(&image, faces, 2, NULL, &crop) == FACE_FAILED_PRECONDITION);
  face_crop_options options;
  face_crop_options_init(&options);
  options.margin = 2;
  EXPECT(face_crop_portrait(&image, faces, 1, &options, &crop) == FACE_OUT_OF_RANGE);
  options.margin = FACE_CROP_FILL;
  options.width = 9000;
  EXPECT(face_crop_portrait(&image, faces, 1, &options, &crop) == FACE_OUT_OF_RANGE);
  options.width = 30;
  options.height = 20;
  options.choice = 7;
  EXPECT(face_crop_portrait(&image, faces, 2, &options, &crop) == FACE_INVALID_ARGUMENT);
  EXPECT(crop == none);
  options.choice = FACE_CROP_LARGEST_FACE;
  EXPECT(face_crop_portrait(&image, faces, 2, &options, &crop) == FACE_OK);
  face_image cut;
  face_image_init(&cut);
  EXPECT(face_picture_image(crop, &cut) == FACE_OK && cut.width == 30 && cut.height == 20);
  face_picture_destroy(crop);
  EXPECT(face_crop_aligned(&image, faces, 0, &crop) == FACE_OK);
  EXPECT(face_picture_image(crop, &cut) == FACE_OK && cut.width == 112 && cut.height == 112);
  face_picture_destroy(crop);
  crop = none;
  EXPECT(face_crop_aligned(&image, faces, 3, &crop) == FACE_OUT_OF_RANGE);
  EXPECT(face_crop_aligned(&image, faces, UINT32_MAX, &crop) == FACE_OUT_OF_RANGE);
  faces[0].valid = 0;
  EXPECT(face_crop_aligned(&image, faces, 0, &crop) == FACE_FAILED_PRECONDITION);
  face_picture *picture = gray_picture();
  EXPECT(face_draw_overlay(picture, &image, faces, NULL) == FACE_FAILED_PRECONDITION);
  face_picture_destroy(picture);
  EXPECT(crop == none);
}

/* The bytes of a picture after a face was drawn with a style. */
static void drawn(unsigned char *pixels, const face_info *face, const char *label, const face_draw_style *style)
{
  face_picture *picture = gray_picture();
  EXPECT(face_draw_labelled_faces(picture, face, &label, 1, style) == FACE_OK);
  EXPECT(face_picture_copy(picture, FACE_FORMAT_RGB, 0, pixels, HEIGHT * WIDTH * 3) == FACE_OK);
  face_picture_destroy(picture);
}

/* The effects of the style's switches. */
static void switches(void)
{
  static unsigned char before[HEIGHT * WIDTH * 3], after[HEIGHT * WIDTH * 3];
  face_info face = one_face();
  face_draw_style style;
  face_draw_style_init(&style);
  EXPECT(style.scale_to_faces == 0 && style.colours_by_id == 0 && style.plates == 0 && style.axis_width == 3);
  style.marks = FACE_DRAW_FILLED | FACE_DRAW_AXES | FACE_DRAW_MESH;
  uint32_t *const members[] = {&style.scale_to_faces, &style.colours_by_id, &style.plates};
  style.marks |= FACE_DRAW_BOXES | FACE_DRAW_IDS;
  drawn(before, &face, "x", &style);
  for (size_t i = 0; i < 3; i++) {
    *members[i] = 1;
    drawn(after, &face, "x", &style);
    EXPECT(memcmp(before, after, sizeof before) != 0);
    *members[i] = 2;
    face_picture *picture = gray_picture();
    EXPECT(face_draw_faces(picture, &face, 1, &style) == FACE_INVALID_ARGUMENT);
    face_picture_destroy(picture);
    *members[i] = 0;
  }
  drawn(before, &face, "x", &style);
  drawn(after, &face, "y", &style);
  EXPECT(memcmp(before, after, sizeof before) != 0);
  EXPECT(face_draw_colour_of_id(1) == face_draw_colour_of_id(1) &&
         face_draw_colour_of_id(1) != face_draw_colour_of_id(2));
  EXPECT((face_draw_colour_of_id(UINT64_MAX) & 0xff) == 0xff);
  face_draw_colour colour = 0;
  EXPECT(face_draw_colour_from_text("Orange", &colour) == FACE_OK && colour == 0xffa500ff);
  EXPECT(face_draw_colour_from_text("#12ab34", &colour) == FACE_OK && colour == 0x12ab34ff);
  EXPECT(face_draw_colour_from_text("12AB3480", &colour) == FACE_OK && colour == 0x12ab3480);
  const char *wrong[] = {"", "#", "oran", "#12345", "+12345", "12ab34800", "١٢٣٤٥٦"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    EXPECT(face_draw_colour_from_text(wrong[i], &colour) == FACE_INVALID_ARGUMENT && colour == 0x12ab3480);
    EXPECT(strstr(face_draw_last_error(), "orange") != NULL);
  }
  EXPECT(face_draw_colour_from_text(NULL, &colour) == FACE_INVALID_ARGUMENT);
  EXPECT(face_draw_colour_from_text("red", NULL) == FACE_INVALID_ARGUMENT);
  const char *const broken = "\xff";
  face_picture *picture = gray_picture();
  EXPECT(face_draw_labelled_faces(picture, &face, &broken, 1, NULL) == FACE_INVALID_ARGUMENT);
  face_picture_destroy(picture);
}

/* A row of pixels, mirrored inside each cell of 8 pixels from x on: the means of the cells stay. */
static void mirror_cells(unsigned char *row, int bytes, int x, int end)
{
  for (; x < end; x += 8) {
    for (int at = 0; at < 4; at++) {
      for (int b = 0; b < bytes; b++) {
        unsigned char *left = &row[(x + at) * bytes + b], *right = &row[(x + 7 - at) * bytes + b];
        unsigned char kept = *left;
        *left = *right;
        *right = kept;
      }
    }
  }
}

/* In every format, only the means of cells remain, and alpha stays. */
static void covers(void)
{
  const face_format formats[] = {FACE_FORMAT_RGBA, FACE_FORMAT_BGRA, FACE_FORMAT_RGB, FACE_FORMAT_BGR,
                                 FACE_FORMAT_GRAY};
  const int sizes[] = {4, 4, 3, 3, 1};
  face_info face = one_face();
  face.box = (face_box){24, 8, 48, 48};
  face_draw_style style;
  for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
    static unsigned char one[HEIGHT][WIDTH * 4], other[HEIGHT][WIDTH * 4], before[HEIGHT][WIDTH * 4];
    const int bytes = sizes[i / 2];
    unsigned noise = 1;
    for (size_t at = 0; at < sizeof one; at++) one[0][at] = (unsigned char)((noise = noise * 1103515245 + 12345) >> 16);
    for (int y = 0; bytes == 4 && y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) one[y][4 * x + 3] = 100;
    }
    memcpy(before, one, sizeof one);
    memcpy(other, one, sizeof one);
    for (int y = 8; y < 56; y++) mirror_cells(other[y], bytes, 24, 72);
    EXPECT(memcmp(one, other, sizeof one) != 0);
    face_draw_style_init(&style);
    EXPECT(style.cover_cells == 6 && style.cover_margin == 0.3f && style.cover_colour == 0 && style.cover_shape == 0);
    style.marks = i % 2 ? FACE_DRAW_BLUR : FACE_DRAW_PIXELATE;
    style.cover_shape = FACE_DRAW_COVER_BOX;
    style.cover_margin = 0;
    for (int which = 0; which < 2; which++) {
      face_picture *picture = NULL;
      EXPECT(face_picture_attach(formats[i / 2], WIDTH, HEIGHT, sizeof *one, which ? other : one, sizeof one,
                                 &picture) == FACE_OK);
      EXPECT((which ? face_draw_covers(picture, NULL, &face, 1, &style) : face_draw_faces(picture, &face, 1, &style)) ==
             FACE_OK);
      face_picture_destroy(picture);
    }
    EXPECT(memcmp(one, other, sizeof one) == 0 && memcmp(one, before, sizeof one) != 0);
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH * bytes; x++) {
        if (y < 8 || y >= 56 || x / bytes < 24 || x / bytes >= 72 || (bytes == 4 && x % 4 == 3))
          EXPECT(one[y][x] == before[y][x]);
      }
    }
  }
  face_picture *picture = gray_picture();
  const float bad[] = {NAN, INFINITY, -1, 3};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    face_draw_style_init(&style);
    style.cover_margin = bad[i];
    EXPECT(face_draw_covers(picture, NULL, &face, 1, &style) == FACE_INVALID_ARGUMENT);
    face_info odd = face;
    odd.box.x = odd.box.width = bad[i] == 3 ? 0 : bad[i];
    EXPECT(face_draw_covers(picture, NULL, &odd, 1, NULL) == FACE_OK);
  }
  face_draw_style_init(&style);
  style.cover_cells = 17;
  EXPECT(face_draw_covers(picture, NULL, &face, 1, &style) == FACE_INVALID_ARGUMENT);
  face_draw_style_init(&style);
  style.cover_shape = 2;
  EXPECT(face_draw_covers(picture, NULL, &face, 1, &style) == FACE_INVALID_ARGUMENT);
  /* An image over the cover fills the box with its margin, undistorted. */
  static unsigned char white[HEIGHT * WIDTH * 3], copy[HEIGHT * WIDTH * 3];
  memset(white, 255, sizeof white);
  face_image image = rgb_image(white, sizeof white);
  EXPECT(face_draw_covers(picture, &image, &face, 1, NULL) == FACE_OK);
  EXPECT(face_picture_copy(picture, FACE_FORMAT_RGB, 0, copy, sizeof copy) == FACE_OK);
  EXPECT(copy[(32 * WIDTH + 11) * 3] == 255 && copy[(32 * WIDTH + 84) * 3] == 255);
  face_picture_destroy(picture);
}

/* A transform moves an overlay; an invalid one is treated as none. */
static void overlays(void)
{
  static unsigned char pixels[HEIGHT * WIDTH * 3], flat[sizeof pixels], turned[sizeof pixels], other[sizeof pixels];
  face_image overlay = rgb_image(pixels, sizeof pixels);
  face_info face = one_face();
  face.valid = FACE_VALID_POINTS;
  float transform[16] = {0.8f, 0, 0.6f, 0, 0, 1, 0, 0, -0.6f, 0, 0.8f, -20, 0, 0, 0, 1};
  const float bad[] = {NAN, INFINITY, 0, -1e30f, 1e30f};
  face_draw_overlay_options options;
  for (size_t i = 0; i < 3 + sizeof bad / sizeof *bad; i++) {
    face_picture *picture = gray_picture();
    face_draw_overlay_options_init(&options);
    EXPECT(options.left_eye.x == 0.75f);
    if (i > 0) options.transform = transform;
    if (i == 2) options.arms = 0.2f;
    if (i > 2) {
      for (int at = 0; at < 12; at++) transform[at] = bad[i - 3];
    }
    EXPECT(face_draw_overlay(picture, &overlay, &face, &options) == FACE_OK);
    EXPECT(face_picture_copy(picture, FACE_FORMAT_RGB, 0,
                             i == 0   ? flat
                             : i == 1 ? turned
                                      : other,
                             sizeof flat) == FACE_OK);
    if (i == 1) EXPECT(memcmp(flat, turned, sizeof flat) != 0);
    if (i == 2) EXPECT(memcmp(other, turned, sizeof flat) != 0);
    if (i > 2) EXPECT(memcmp(other, flat, sizeof flat) == 0);
    face_draw_overlay_options_init(&options);
    options.arms = bad[i % 2];
    EXPECT(face_draw_overlay(picture, &overlay, &face, &options) == FACE_INVALID_ARGUMENT);
    face_draw_overlay_options_init(&options);
    options.reserved = 1;
    EXPECT(face_draw_overlay(picture, &overlay, &face, &options) == FACE_INVALID_ARGUMENT);
    face_picture_destroy(picture);
  }
}

/* The result for the photo: its face drawn with its landmarks, and cropped. */
static void results(int loaded, const char *where, const char *path)
{
  face_engine *engine = NULL;
  if ((loaded ? face_load_model(where, &engine) : face_connect(where, &engine)) != FACE_OK) {
    fprintf(stderr, "%s\n", face_last_error());
    failures++;
    return;
  }
  const face_image image = read_photo(path);
  face_options options;
  face_options_init(&options);
  options.outputs = FACE_OUTPUT_LANDMARKS | FACE_OUTPUT_TRANSFORM;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 1);
  face_picture *picture = NULL, *crop = NULL;
  EXPECT(face_picture_create(&image, &picture) == FACE_OK);
  face_draw_style style;
  face_draw_style_init(&style);
  style.marks |= FACE_DRAW_LANDMARK_LINES;
  style.scale = 0;
  EXPECT(face_draw_result(picture, result, &style) == FACE_OK);
  style.marks = FACE_DRAW_ALL_LANDMARKS;
  EXPECT(face_draw_result(picture, result, &style) == FACE_OK);
  style.marks |= FACE_DRAW_BLUR; /* under the landmarks */
  EXPECT(face_draw_result(picture, result, &style) == FACE_OK);
  face_info marked;
  face_info_init(&marked);
  EXPECT(face_result_get(result, 0, &marked) == FACE_OK);
  face_image drawn_on;
  face_image_init(&drawn_on);
  EXPECT(face_picture_image(picture, &drawn_on) == FACE_OK);
  size_t coloured = 0; /* the face is grey */
  for (int y = (int)marked.box.y; y < (int)(marked.box.y + marked.box.height); y++) {
    for (int x = (int)marked.box.x; x < (int)(marked.box.x + marked.box.width); x++) {
      const unsigned char *pixel = (const unsigned char *)drawn_on.planes[0] + (size_t)y * drawn_on.strides[0] + 4 * x;
      coloured += pixel[0] > pixel[2] + 100;
    }
  }
  EXPECT(coloured > 100);
  EXPECT(face_draw_overlay_result(picture, &image, result, 0, NULL) == FACE_OK);
  EXPECT(face_draw_overlay_result(picture, &image, result, 1, NULL) != FACE_OK);
  EXPECT(face_crop_result(&image, result, NULL, &crop) == FACE_OK);
  face_image cut, whole;
  face_image_init(&cut);
  face_image_init(&whole);
  EXPECT(face_picture_image(picture, &whole) == FACE_OK && whole.width == 512 && whole.height == 600);
  EXPECT(face_picture_image(crop, &cut) == FACE_OK && cut.width == 300 && cut.height == 300);
  face_result *again = NULL; /* the avatar shows the same face in its middle */
  EXPECT(face_detect(engine, &cut, NULL, &again) == FACE_OK && face_result_count(again) == 1);
  face_info face;
  face_info_init(&face);
  EXPECT(face_result_get(again, 0, &face) == FACE_OK);
  EXPECT(fabsf(face.box.x + face.box.width / 2 - 150) < 15);
  face_result_destroy(again);
  face_result_destroy(result);
  face_picture_destroy(crop);
  face_picture_destroy(picture);
  face_release(engine);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  /* Each library has its own last error. */
  EXPECT(face_load_model(NULL, NULL) == FACE_INVALID_ARGUMENT && strlen(face_last_error()) > 0);
  EXPECT(strcmp(face_draw_last_error(), "") == 0);
  null_arguments();
  wrong_structs();
  wrong_pixels();
  in_place();
  copies();
  crops();
  switches();
  covers();
  overlays();
  results(argv[1][0] == 'l', argv[2], argv[3]);
  if (failures > 0) fprintf(stderr, "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
