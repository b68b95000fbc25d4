/* Preloaded: notes in the file that FACE_SEARCH_TIME names how many nanoseconds the last face_detect took. */
#include <face_engine.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static int64_t *last;

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

__attribute__((constructor)) static void map_file(void)
{
  const char *path = getenv("FACE_SEARCH_TIME");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) last = mapped;
}

face_status face_detect(face_engine *engine, const face_image *image, const face_options *options, face_result **result)
{
  static face_status (*real)(face_engine *, const face_image *, const face_options *, face_result **);
  /* Java has opened it for itself, where RTLD_NEXT does not look. */
  if (real == NULL) *(void **)&real = dlsym(dlopen("libfaceengine.so.1", RTLD_NOW | RTLD_NOLOAD), "face_detect");
  int64_t begin = now();
  face_status status = real(engine, image, options, result);
  if (last != NULL) *last = now() - begin;
  return status;
}
