/* Invalid images, and every way to pass valid ones. */
#define _POSIX_C_SOURCE 200809L
#include "abi.h"
#include <math.h>
#include <unistd.h>

static unsigned char pixels[64 * 64 * 4];

static face_image raw(face_format format)
{
  face_image image;
  face_image_init(&image);
  image.format = format;
  image.width = image.height = 32;
  image.planes[0] = pixels;
  image.plane_sizes[0] = 32 * 32;
  return image;
}

static void wrong_images(void)
{
  face_image good = raw(FACE_FORMAT_RGB), image;
  good.plane_sizes[0] = 32 * 32 * 3;
  EXPECT(detect_with(good) == FACE_OK);

#define REFUSED(change) REFUSED_AS(FACE_INVALID_ARGUMENT, (image = good, change), detect_with(image), (void)0)
#define OUT_OF_RANGE(change) REFUSED_AS(FACE_OUT_OF_RANGE, (image = good, change), detect_with(image), (void)0)
  REFUSED(image.plane_sizes[0] -= 1);
  REFUSED(image.strides[0] = 95);
  REFUSED(image.strides[0] = 131073);
  REFUSED(image.strides[0] = SIZE_MAX);
  REFUSED(image.strides[0] = SIZE_MAX / 31);
  REFUSED(image.plane_sizes[0] = SIZE_MAX);
  REFUSED((image.plane_sizes[0] = SIZE_MAX / 2, image.planes[0] = (void *)(SIZE_MAX - 8)));
  REFUSED((image = photo(), image.plane_sizes[0] = SIZE_MAX / 2));
  REFUSED((image = photo(), image.plane_sizes[0] = SIZE_MAX));
  REFUSED(image.planes[0] = NULL);
  OUT_OF_RANGE(image.width = 15);
  OUT_OF_RANGE((image.width = UINT32_MAX, image.height = UINT32_MAX));
  REFUSED(image.format = 99);
  REFUSED(image.colour = 4);
  REFUSED(image.orientation = 9);
  REFUSED(image.mirrored = 2);
  REFUSED(image.reserved_2 = 1);
  const float aspects[] = {-1, 0.05f, 11, NAN};
  for (int wrong = 0; wrong < 4; wrong++) {
    REFUSED(image.pixel_aspect = aspects[wrong]);
    EXPECT(strstr(face_last_error(), "pixel_aspect"));
  }
  REFUSED(image.reserved = 1);
  REFUSED(image.format = FACE_FORMAT_ENCODED);
  REFUSED((image = photo(), image.plane_sizes[0] /= 2));
  REFUSED(image.memory = (const face_memory *)&failures);
#undef REFUSED
#undef OUT_OF_RANGE
}

static void wrong_regions(void)
{
  const float bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    face_image image = photo();
    image.region = (face_box){bad[i], 0, 10, 10};
    EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
    image.region = (face_box){0, 0, 10, bad[i]};
    EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  }
  face_image image = photo();
  image.region = (face_box){0, 0, -10, 10};
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image.region = (face_box){5, 5, 0, 0};
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
}

/* Every format with its planes; one byte less in any of them is refused. */
static void planes(void)
{
  struct {
    face_format format;
    int count;
    size_t sizes[3]; /* of 32 × 32 */
  } all[] = {
      {FACE_FORMAT_RGBA, 1, {4096, 0, 0}},    {FACE_FORMAT_BGRA, 1, {4096, 0, 0}},
      {FACE_FORMAT_RGB, 1, {3072, 0, 0}},     {FACE_FORMAT_BGR, 1, {3072, 0, 0}},
      {FACE_FORMAT_GRAY, 1, {1024, 0, 0}},    {FACE_FORMAT_NV12, 2, {1024, 512, 0}},
      {FACE_FORMAT_NV21, 2, {1024, 512, 0}},  {FACE_FORMAT_I420, 3, {1024, 256, 256}},
      {FACE_FORMAT_YUYV, 1, {2048, 0, 0}},    {FACE_FORMAT_UYVY, 1, {2048, 0, 0}},
      {FACE_FORMAT_NV16, 2, {1024, 1024, 0}},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    face_image image = raw(all[i].format);
    for (int plane = 0; plane < all[i].count; plane++) {
      image.planes[plane] = pixels;
      image.plane_sizes[plane] = all[i].sizes[plane];
    }
    EXPECT(detect_with(image) == FACE_OK);
    for (int plane = 0; plane < all[i].count; plane++) {
      face_image less = image;
      less.plane_sizes[plane] -= 1;
      EXPECT(detect_with(less) == FACE_INVALID_ARGUMENT);
      less = image;
      less.planes[plane] = NULL;
      EXPECT(detect_with(less) == FACE_INVALID_ARGUMENT);
      less = image;
      less.strides[plane] = SIZE_MAX;
      EXPECT(detect_with(less) == FACE_INVALID_ARGUMENT);
    }
  }
}

static int released;

static void count_release(void *data)
{
  (void)data;
  released++;
}

/* A file of any size, without a buffer of the caller. */
static void files(void)
{
  face_image image;
  face_image_init(&image);
  image.orientation = FACE_ORIENTATION_UP;
  EXPECT(face_image_from_file(photo_path, &image) == FACE_OK);
  const face_image expected = photo();
  EXPECT(image.format == FACE_FORMAT_ENCODED && image.plane_sizes[0] == expected.plane_sizes[0]);
  EXPECT(memcmp(image.planes[0], expected.planes[0], image.plane_sizes[0]) == 0);
  EXPECT(image.orientation == FACE_ORIENTATION_UP && image.release != NULL);
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK && face_result_count(result) == 1);
  face_result_destroy(result);

  face_image_release(&image);
  EXPECT(image.release == NULL && image.planes[0] == NULL);
  face_image_release(&image);
  face_image_release(NULL);
  image.release = count_release;
  face_image_release(&image);
  face_image_release(&image);
  EXPECT(released == 1);

  face_image_init(&image);
  EXPECT(face_image_from_file("/no/such/photo.jpg", &image) == FACE_NOT_FOUND);
  EXPECT(strstr(face_last_error(), "/no/such/photo.jpg") != NULL);
  EXPECT(face_image_from_file("/tmp", &image) == FACE_INVALID_ARGUMENT);
  EXPECT(face_image_from_file("", &image) == FACE_INVALID_ARGUMENT);
  /* A path need not be UTF-8. */
  char folder[] = "/tmp/face-abi-XXXXXX", path[64];
  EXPECT(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/No\xebl.jpg", folder);
  EXPECT(symlink(photo_path, path) == 0);
  EXPECT(face_image_from_file(path, &image) == FACE_OK);
  face_image_release(&image);
  EXPECT(unlink(path) == 0 && rmdir(folder) == 0);
  EXPECT(face_image_from_file(NULL, &image) == FACE_INVALID_ARGUMENT);
  EXPECT(face_image_from_file(photo_path, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(image.planes[0] == NULL && image.release == NULL);
  image.struct_size = 0;
  EXPECT(face_image_from_file(photo_path, &image) == FACE_INVALID_ARGUMENT);
}

static const char *failing(uint32_t width)
{
  face_image image = raw(FACE_FORMAT_GRAY);
  image.width = width;
  EXPECT(detect_with(image) == FACE_OUT_OF_RANGE);
  return face_last_error();
}

/* Several failures in one expression keep their error texts. */
static void error_texts_are_kept(void)
{
  const char *said[8];
  for (uint32_t i = 0; i < 8; i++) said[i] = failing(i + 1);
  for (uint32_t i = 0; i < 8; i++) {
    char part[32];
    snprintf(part, sizeof part, "is %u×32 pixels", i + 1);
    EXPECT(strstr(said[i], part) != NULL);
  }
  EXPECT(detect_with(photo()) == FACE_OK && face_last_error() == said[7]);
}

void images(void)
{
  wrong_images();
  files();
  error_texts_are_kept();
  wrong_regions();
  planes();
}
