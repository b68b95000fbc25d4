/* The time of face_detect on a 1080p NV12 frame and, by differences, of its parts, in milliseconds: medians.
 *
 *   overhead MODEL_DIR
 *
 * The network sees 1024 × 576 of the frame (accuracy balanced); the same picture is given as RGB of that size too, so that
 * what is left between the two is the conversion of the large one. bare_network's time for that size is the network's. */
#define _POSIX_C_SOURCE 200809L
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(face_engine *engine, const face_image *image)
{
  static double times[101];
  for (int i = 0; i < 101; i++) {
    const double begin = now();
    if (face_detect(engine, image, NULL, NULL) != FACE_OK) {
      fprintf(stderr, "%s\n", face_last_error());
      exit(1);
    }
    times[i] = now() - begin;
  }
  qsort(times, 101, sizeof times[0], compare);
  return times[50];
}

static face_image made(face_format format, uint32_t width, uint32_t height)
{
  face_image image;
  face_image_init(&image);
  image.format = format;
  image.width = width;
  image.height = height;
  image.plane_sizes[0] = (size_t)width * height * (format == FACE_FORMAT_BGR ? 3 : 1);
  image.plane_sizes[1] = format == FACE_FORMAT_NV12 ? (size_t)width * height / 2 : 0;
  for (int plane = 0; plane < 2; plane++) {
    unsigned char *pixels = calloc(image.plane_sizes[plane] + 1, 1);
    if (pixels == NULL) exit(1);
    for (size_t i = 0; i < image.plane_sizes[plane]; i++) pixels[i] = (unsigned char)(96 + i / width % 64);
    if (image.plane_sizes[plane] > 0) image.planes[plane] = pixels;
  }
  return image;
}

int main(int argc, char **argv)
{
  face_engine *engine = NULL;
  if (argc != 2 || face_load_model(argv[1], &engine) != FACE_OK) return 2;
  const face_image nv12 = made(FACE_FORMAT_NV12, 1920, 1080), small = made(FACE_FORMAT_BGR, 1024, 576);
  median(engine, &nv12);
  const double large = median(engine, &nv12), as_seen = median(engine, &small);
  printf("%.2f NV12 1920 x 1080, %.2f BGR 1024 x 576: %.2f for conversion and scaling\n", large, as_seen, large - as_seen);
  return face_release(engine) != FACE_OK;
}
