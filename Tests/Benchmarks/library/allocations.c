/* Allocations a frame in the steady state of a session, beside those of face_detect on the same frame with its result,
 * which are the network's and the result's. allocations MODEL_DIR FRAME.rgb (640 × 480) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>

/* Every way to memory, counted; the library's calls come here since the program's symbols go before the C library's. */
static volatile unsigned long count;
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { __sync_fetch_and_add(&count, 1); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { __sync_fetch_and_add(&count, 1); return __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { __sync_fetch_and_add(&count, 1); return __libc_realloc(old, size); }
void *aligned_alloc(size_t to, size_t size) { __sync_fetch_and_add(&count, 1); return __libc_memalign(to, size); }
int posix_memalign(void **out, size_t to, size_t size)
{
  __sync_fetch_and_add(&count, 1);
  *out = __libc_memalign(to, size);
  return *out == NULL;
}

static void on_faces(const face_frame *frame, const face_result *result, void *faces)
{
  (void)frame;
  *(unsigned *)faces += face_result_count(result);
}

static double session(face_engine *engine, const face_image *image, uint32_t track)
{
  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;
  options.track = track;
  options.detection_interval = 1;
  face_session *session = NULL;
  unsigned faces = 0;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = on_faces;
  listener.user_data = &faces;
  if (face_session_open(engine, &options, &session) != FACE_OK) exit(1);
  if (face_session_bind_listener(session, &listener) != FACE_OK) exit(1);
  for (int i = 0; i < 100; i++) face_session_submit(session, image, NULL);
  face_session_flush(session, 0);
  const unsigned long before = count;
  for (int i = 0; i < 200; i++) face_session_submit(session, image, NULL);
  face_session_flush(session, 0);
  const double each = (double)(count - before) / 200;
  face_session_close(session);
  return each;
}

int main(int argc, char **argv)
{
  static unsigned char pixels[640 * 480 * 3];
  FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
  face_engine *engine = NULL;
  if (file == NULL || fread(pixels, 1, sizeof pixels, file) != sizeof pixels) return 2;
  if (face_load_model(argv[1], &engine) != FACE_OK) return 1;
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = 640;
  image.height = 480;
  image.planes[0] = pixels;
  image.plane_sizes[0] = sizeof pixels;
  for (int i = 0; i < 20; i++) face_detect(engine, &image, NULL, NULL);
  const unsigned long before = count;
  for (int i = 0; i < 200; i++) {
    face_result *result = NULL;
    if (face_detect(engine, &image, NULL, &result) != FACE_OK) return 1;
    face_result_destroy(result);
  }
  const double detect = (double)(count - before) / 200;
  printf("%.2f detect, %.2f session, %.2f session that tracks\n", detect, session(engine, &image, 0),
         session(engine, &image, 1));
  return face_release(engine) != FACE_OK;
}
