/* What programs that use the libraries share as tests. Include it after the libraries' headers. */
#ifndef FACE_ENGINE_TESTS_HOST_H
#define FACE_ENGINE_TESTS_HOST_H

#include <stdio.h>

__attribute__((unused)) static int failures;

#ifndef REPORT /* where expectations that do not come true are reported */
#define REPORT stderr
#endif
#ifdef FACE_ENGINE_DRAW_H
#define LAST_DRAW_ERROR face_draw_last_error()
#else
#define LAST_DRAW_ERROR ""
#endif

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      __sync_fetch_and_add(&failures, 1);                                                                              \
      fprintf(REPORT, "%s:%d: expected %s; last errors: %s / %s\n", __FILE__, __LINE__, #condition, face_last_error(), \
              LAST_DRAW_ERROR);                                                                                        \
    }                                                                                                                  \
  } while (0)

/* Reads a photo's file, of up to a megabyte, once. Its size is 0 if it cannot be read. */
static inline face_image read_photo(const char *path)
{
  static unsigned char bytes[1 << 20];
  face_image image;
  face_image_init(&image);
  image.planes[0] = bytes;
  FILE *file = fopen(path, "rb");
  if (file != NULL) {
    image.plane_sizes[0] = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
  }
  return image;
}

#endif
