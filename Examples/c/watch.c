/* Follows the faces of a raw video from a pipe: reads frames of RGB pixels from standard input and prints a line for
 * each event.
 *
 *     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | watch load MODEL_DIR 1280 720
 *     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | watch connect SOCKET 1280 720
 *
 * It uses mode EVERY, so that every frame of a file is searched; use mode NEWEST for a camera. A running engine may be
 * restarted meanwhile.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <face_engine.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The callbacks run on the session's thread, one after the other. */
static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  uint64_t *faces = user_data;
  for (uint32_t i = 0; i < face_result_count(result); i++) {
    face_info face;
    face_info_init(&face);
    if (face_result_get(result, i, &face) != FACE_OK) continue;
    ++*faces;
    printf("%" PRIu64 ": %.0f %.0f, %.0f x %.0f", frame->number, face.box.x, face.box.y, face.box.width,
           face.box.height);
    if (face.valid & FACE_VALID_ID) printf(", face %" PRIu64, face.id);
    printf("\n");
  }
}

static void on_left(const face_frame *frame, uint64_t face_id, void *user_data)
{
  (void)user_data;
  printf("%" PRIu64 ": face %" PRIu64 " left\n", frame->number, face_id);
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)user_data;
  fprintf(stderr, "%" PRIu64 ": %s: %s\n", frame->number, face_status_name(status), message);
}

static int fail(const char *what, face_status status)
{
  fprintf(stderr, "%s: %s: %s\n", what, face_status_name(status), face_last_error());
  return 1;
}

/* Submits a frame; while a running engine is away, waits until it is back. */
static face_status submit(face_session *session, const face_image *image)
{
  const struct timespec pause = {0, 20000000};
  face_status status;
  while ((status = face_session_submit(session, image, NULL)) == FACE_UNAVAILABLE) nanosleep(&pause, NULL);
  return status;
}

/* Reads frames to the end. */
static face_status watch(face_session *session, uint32_t width, uint32_t height)
{
  const size_t size = (size_t)width * height * 3;
  unsigned char *pixels = malloc(size);
  face_status status = pixels == NULL ? FACE_RESOURCE_EXHAUSTED : FACE_OK;
  while (status == FACE_OK && fread(pixels, 1, size, stdin) == size) {
    face_image image;
    face_image_init(&image);
    image.format = FACE_FORMAT_RGB;
    image.width = width;
    image.height = height;
    image.planes[0] = pixels;
    image.plane_sizes[0] = size;
    status = submit(session, &image); /* copies the pixels; waits while four frames are unanswered */
  }
  free(pixels);
  return status == FACE_OK ? face_session_flush(session, 0) : status;
}

int main(int argc, char **argv)
{
  const int width = argc == 5 ? atoi(argv[3]) : 0, height = argc == 5 ? atoi(argv[4]) : 0;
  if (width < 16 || width > 8192 || height < 16 || height > 8192) {
    fprintf(stderr, "usage: watch load MODEL_DIR WIDTH HEIGHT\n       watch connect SOCKET WIDTH HEIGHT\n");
    return 2;
  }
  face_engine *engine = NULL;
  face_status status =
      strcmp(argv[1], "load") == 0 ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine);
  if (status != FACE_OK) return fail(argv[2], status);

  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;
  face_session *session = NULL;
  status = face_session_open(engine, &options, &session);
  uint64_t faces = 0;
  if (status == FACE_OK) {
    face_listener listener;
    face_listener_init(&listener);
    listener.user_data = &faces;
    listener.on_faces = on_faces;
    listener.on_left = on_left;
    listener.on_failed = on_failed;
    status = face_session_bind_listener(session, &listener);
    if (status == FACE_OK) status = watch(session, (uint32_t)width, (uint32_t)height);
  }
  const int result = status == FACE_OK ? 0 : fail("watch", status); /* before a call that ends well */
  face_session_close(session);
  face_release(engine);
  if (result == 0) printf("%" PRIu64 " faces\n", faces);
  return result;
}
