// The C side of python_overhead.py: what a C program does for one RGB frame, and when a search begins and ends.
#include <face_engine.h>
#include <time.h>

long long search_began, search_ended;

static long long now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// face_detect, which notes its times.
face_status timed_detect(face_engine *engine, const face_image *image, const face_options *options, face_result **result)
{
  search_began = now();
  const face_status status = face_detect(engine, image, options, result);
  search_ended = now();
  return status;
}

// Nanoseconds of all that is not the search: filling the structs, reading and destroying the result; -1 if it failed.
long long time_around_search(face_engine *engine, const unsigned char *pixels, uint32_t width, uint32_t height, uint32_t max_side)
{
  const long long start = now();
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = width;
  image.height = height;
  image.planes[0] = pixels;
  image.plane_sizes[0] = (size_t)width * height * 3;
  face_options options;
  face_options_init(&options);
  options.max_side = max_side;
  face_result *result = NULL;
  if (timed_detect(engine, &image, &options, &result) != FACE_OK) return -1;
  for (uint32_t i = 0; i < face_result_count(result); i++) {
    face_info face;
    face_info_init(&face);
    face_result_get(result, i, &face);
  }
  face_result_destroy(result);
  return now() - start - (search_ended - search_began);
}
