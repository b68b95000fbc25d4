/* From dlopen to the first faces of a 640 × 480 frame, in milliseconds of the processor, one run a process.
 * first_faces libfaceengine.so.1 MODEL_DIR FRAME.rgb */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <face_engine.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

#define FIND(name) __typeof__(&name) name##_ = (__typeof__(&name))(size_t)dlsym(library, #name)

int main(int argc, char **argv)
{
  static unsigned char pixels[640 * 480 * 3];
  FILE *file = argc == 4 ? fopen(argv[3], "rb") : NULL;
  if (file == NULL || fread(pixels, 1, sizeof pixels, file) != sizeof pixels) return 2;
  const double begin = now();
  void *library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) return 2;
  FIND(face_image_init_sized);
  FIND(face_load_model);
  FIND(face_detect);
  FIND(face_result_count);
  const double opened = now();
  face_engine *engine = NULL;
  if (face_load_model_(argv[2], &engine) != FACE_OK) return 1;
  const double loaded = now();
  face_image image;
  face_image_init_sized_(&image, sizeof image);
  image.format = FACE_FORMAT_RGB;
  image.width = 640;
  image.height = 480;
  image.planes[0] = pixels;
  image.plane_sizes[0] = sizeof pixels;
  face_result *result = NULL;
  if (face_detect_(engine, &image, NULL, &result) != FACE_OK) return 1;
  const double end = now();
  printf("%.2f total = %.2f open + %.2f load + %.2f detect, %u faces\n", end - begin, opened - begin, loaded - opened,
         end - loaded, face_result_count_(result));
  return 0;
}
