/* A host without memory for anything large: each call that needs it is refused, and works once there is some again.
 *     no_memory MODEL_DIR PHOTO.jpg FOLDER */
#define _GNU_SOURCE
#include <errno.h>
#include <face_engine_draw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../host.h"

/* From this size on the header promises a refusal. */
enum { LARGE = 64 << 10 };

static volatile int is_scarce;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int fails(size_t size)
{
  if (!is_scarce || size < LARGE) return 0;
  errno = ENOMEM;
  return 1;
}

/* These stand before the C library's own, for the libraries, too. */
void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails(size) ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size)
{
  if (fails(size)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}

/* Expects that a call is refused while memory is scarce, and succeeds afterwards. */
#define REFUSED(call)                           \
  do {                                          \
    is_scarce = 1;                              \
    const face_status refused = (call);         \
    is_scarce = 0;                              \
    EXPECT(refused == FACE_RESOURCE_EXHAUSTED); \
    EXPECT((call) == FACE_OK);                  \
  } while (0)

static const char *folder, *model, *photo;
static face_engine *engine;
static unsigned char pixels[720 * 1280 * 3];

static face_image raw(void)
{
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = 1280;
  image.height = 720;
  image.planes[0] = pixels;
  image.plane_sizes[0] = sizeof pixels;
  return image;
}

static face_status load(void)
{
  face_release(engine);
  engine = NULL;
  return face_load_model(model, &engine);
}

static face_status read_file(face_image *image)
{
  face_image_release(image);
  face_image_init(image);
  return face_image_from_file(photo, image);
}

static face_status detect(const face_image *image, face_outputs outputs)
{
  face_options options;
  face_options_init(&options);
  options.outputs = outputs;
  return face_detect(engine, image, &options, NULL);
}

static face_status detect_batch(const face_image *image)
{
  face_result *result = NULL;
  const face_status status = face_detect_batch(engine, &image, 1, NULL, &result);
  const face_status own = status == FACE_OK ? face_result_status(result, NULL) : status;
  face_result_destroy(result);
  return own;
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)frame, (void)message;
  *(face_status *)user_data = status;
}

/* The status of the submission or, if that succeeds, of its frame. */
static face_status submit(face_session *session, const face_image *image)
{
  face_status failed = FACE_OK;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_failed = on_failed;
  listener.user_data = &failed;
  EXPECT(face_session_bind_listener(session, &listener) == FACE_OK);
  const face_status status = face_session_submit(session, image, NULL);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_unbind_listener(session) == FACE_OK);
  return status == FACE_OK ? failed : status;
}

static void engines(face_image *file)
{
  const face_image frame = raw();
  REFUSED(load());
  REFUSED(read_file(file));
  REFUSED(detect(file, 0));
  REFUSED(detect(&frame, 0));
  REFUSED(detect(file, FACE_OUTPUT_ALL)); /* loads the models for it */
  REFUSED(detect(file, FACE_OUTPUT_ALL));
  REFUSED(detect_batch(file));
  REFUSED(face_check_image(engine, file, NULL, NULL, NULL, NULL));
  face_session *session = NULL;
  EXPECT(face_session_open(engine, NULL, &session) == FACE_OK);
  REFUSED(submit(session, &frame)); /* copied */
  REFUSED(submit(session, file));   /* decoded later */
  EXPECT(face_session_close(session) == FACE_OK);
  /* Shared memory is no allocation. */
  struct rlimit all, little;
  face_memory *memory = NULL;
  EXPECT(getrlimit(RLIMIT_AS, &all) == 0);
  little = all;
  little.rlim_cur = 1 << 30;
  EXPECT(setrlimit(RLIMIT_AS, &little) == 0);
  EXPECT(face_memory_create(1 << 30, &memory) == FACE_RESOURCE_EXHAUSTED);
  EXPECT(setrlimit(RLIMIT_AS, &all) == 0);
  EXPECT(face_memory_create(1 << 30, &memory) == FACE_OK);
  face_memory_destroy(memory);
}

static face_status destroyed(face_status status, face_picture **picture)
{
  face_picture_destroy(*picture);
  *picture = NULL;
  return status;
}

static void pictures(const face_image *file)
{
  face_picture *picture = NULL, *made = NULL;
  face_info face;
  face_info_init(&face);
  face.valid = FACE_VALID_POINTS;
  face.box = (face_box){150, 100, 200, 260};
  face.left_eye = (face_point){300, 200};
  face.right_eye = (face_point){220, 200};
  face.nose_tip = (face_point){260, 240};
  face.mouth_left = (face_point){290, 290};
  face.mouth_right = (face_point){230, 290};
  char path[4096];
  snprintf(path, sizeof path, "%s/saved.png", folder);
  REFUSED(destroyed(face_picture_create(file, &made), &made));
  REFUSED(destroyed(face_picture_attach(FACE_FORMAT_RGB, 1280, 720, 0, pixels, sizeof pixels, &made), &made));
  REFUSED(destroyed(face_crop_portrait(file, &face, 1, NULL, &made), &made));
  REFUSED(destroyed(face_crop_aligned(file, &face, 512, &made), &made));
  EXPECT(face_picture_create(file, &picture) == FACE_OK);
  REFUSED(face_draw_image(picture, file, &face.box));
  REFUSED(face_draw_overlay(picture, file, &face, NULL));
  REFUSED(face_picture_save(picture, path));
  /* What Cairo could not draw is not lost silently; it then draws no more on the picture. */
  face_draw_style style;
  face_draw_style_init(&style);
  style.text_size = 400;
  const face_point place = {50, 400};
  is_scarce = 1;
  const face_status status = face_draw_text(picture, "W", place, FACE_DRAW_ANCHOR_LEFT, &style);
  is_scarce = 0;
  EXPECT(status == FACE_RESOURCE_EXHAUSTED);
  EXPECT(face_draw_text(picture, "W", place, FACE_DRAW_ANCHOR_LEFT, &style) == FACE_RESOURCE_EXHAUSTED);
  face_picture_destroy(picture);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  model = argv[1];
  photo = argv[2];
  folder = argv[3];
  face_image file;
  face_image_init(&file);
  EXPECT(load() == FACE_OK);
  engines(&file);
  pictures(&file);
  face_image_release(&file);
  EXPECT(face_release(engine) == FACE_OK);
  return failures == 0 ? 0 : 1;
}
