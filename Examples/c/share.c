/* Sends frames to a running engine without copying them: reads them from standard input directly into memory that is
 * shared with the engine.
 *
 *     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | share connect SOCKET 1280 720
 *
 * With `load MODEL_DIR` the same program works without an engine. A running engine may be restarted meanwhile.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 3 }; /* one is filled, one is searched, one waits */

/* A part of the memory that holds one frame. */
struct slot {
  size_t offset;
  volatile int is_free;
};

/* Called from any thread when the library no longer needs the frame. */
static void give_back(void *release_data)
{
  struct slot *slot = release_data;
  __atomic_store_n(&slot->is_free, 1, __ATOMIC_RELEASE);
}

static struct slot *free_slot(struct slot *slots, face_session *session)
{
  for (;;) {
    for (int i = 0; i < SLOTS; i++)
      if (__atomic_load_n(&slots[i].is_free, __ATOMIC_ACQUIRE)) return &slots[i];
    face_session_flush(session, 1000000); /* waits a millisecond at most */
  }
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)user_data;
  printf("%lu: %u\n", (unsigned long)frame->number, face_result_count(result));
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)user_data;
  fprintf(stderr, "%lu: %s: %s\n", (unsigned long)frame->number, face_status_name(status), message);
}

/* Submits a frame; while a running engine is away, waits until it is back. */
static face_status submit(face_session *session, const face_image *image)
{
  const struct timespec pause = {0, 20000000};
  face_status status;
  while ((status = face_session_submit(session, image, NULL)) == FACE_UNAVAILABLE) nanosleep(&pause, NULL);
  return status;
}

static face_status send_frames(face_session *session, face_memory *memory, uint32_t width, uint32_t height)
{
  const size_t size = (size_t)width * height * 3;
  struct slot slots[SLOTS];
  void *data = NULL;
  face_status status = face_memory_map(memory, &data, NULL);
  for (int i = 0; i < SLOTS; i++) slots[i] = (struct slot){(size_t)i * size, 1};
  while (status == FACE_OK) {
    struct slot *slot = free_slot(slots, session);
    if (fread((char *)data + slot->offset, 1, size, stdin) != size) break;
    face_image image;
    face_image_init(&image);
    image.format = FACE_FORMAT_RGB;
    image.width = width;
    image.height = height;
    image.memory = memory;
    image.offsets[0] = slot->offset;
    image.plane_sizes[0] = size;
    image.release = give_back;
    image.release_data = slot;
    slot->is_free = 0;
    status = submit(session, &image);
  }
  return status == FACE_OK ? face_session_flush(session, 0) : status;
}

int main(int argc, char **argv)
{
  const int width = argc == 5 ? atoi(argv[3]) : 0, height = argc == 5 ? atoi(argv[4]) : 0;
  if (width < 16 || width > 8192 || height < 16 || height > 8192) {
    fprintf(stderr, "usage: share connect SOCKET WIDTH HEIGHT\n       share load MODEL_DIR WIDTH HEIGHT\n");
    return 2;
  }
  face_engine *engine = NULL;
  face_session *session = NULL;
  face_memory *memory = NULL;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = on_faces;
  listener.on_failed = on_failed;
  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;

  face_status status =
      strcmp(argv[1], "load") == 0 ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine);
  if (status == FACE_OK) status = face_memory_create((size_t)SLOTS * (size_t)width * (size_t)height * 3, &memory);
  if (status == FACE_OK) status = face_session_open(engine, &options, &session);
  if (status == FACE_OK) status = face_session_bind_listener(session, &listener);
  if (status == FACE_OK) status = send_frames(session, memory, (uint32_t)width, (uint32_t)height);
  if (status != FACE_OK) fprintf(stderr, "%s: %s\n", face_status_name(status), face_last_error());
  face_session_close(session);
  face_memory_destroy(memory);
  face_release(engine);
  return status == FACE_OK ? 0 : 1;
}
