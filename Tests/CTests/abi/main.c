/* Tests the promises of the C ABI beside finding faces: a status for every misuse, outputs untouched on failure, the
 * contracts of listeners and sessions. The same for a loaded and for a connected engine.
 *
 *     abi load MODEL_DIR PHOTO.jpg [PART...]
 *     abi connect SOCKET PHOTO.jpg [PART...]
 *
 * All parts unless some are named, as in "sessions"; stale_handles is always the last one. */
#define _POSIX_C_SOURCE 200809L
#include "abi.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

int failures;
face_engine *engine;
const char *photo_path;
static void *file_bytes;
static size_t file_size;

face_image photo(void)
{
  face_image image;
  face_image_init(&image);
  image.planes[0] = file_bytes;
  image.plane_sizes[0] = file_size;
  return image;
}

face_image empty_picture(void)
{
  static unsigned char gray[64 * 64];
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_GRAY;
  image.width = image.height = 64;
  image.planes[0] = gray;
  image.plane_sizes[0] = sizeof gray;
  return image;
}

face_status detect_with(face_image image)
{
  face_result *result = NULL;
  face_status status = face_detect(engine, &image, NULL, &result);
  EXPECT((status == FACE_OK) == (result != NULL));
  face_result_destroy(result);
  return status;
}

face_session_options options_of(face_session_mode mode)
{
  face_session_options options;
  face_session_options_init(&options);
  options.mode = mode;
  return options;
}

face_listener listener_of(void *user_data)
{
  face_listener listener;
  face_listener_init(&listener);
  listener.user_data = user_data;
  return listener;
}

face_session *open_with(const face_session_options *options, face_listener listener)
{
  face_session *session = NULL;
  EXPECT(face_session_open(engine, options, &session) == FACE_OK);
  EXPECT(face_session_bind_listener(session, &listener) == FACE_OK);
  return session;
}

void flush_and_close(face_session *session)
{
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_close(session) == FACE_OK);
}

void submit_often(face_session *session, face_image image, int count)
{
  for (int i = 0; i < count; i++) EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
}

struct task {
  pthread_t thread;
  void (*body)(void *);
  void *argument;
};

static void *run(void *argument)
{
  task *task = argument;
  task->body(task->argument);
  return NULL;
}

task *start(void (*body)(void *), void *argument)
{
  task *made = malloc(sizeof *made);
  if (made == NULL) abort();
  made->body = body;
  made->argument = argument;
  if (pthread_create(&made->thread, NULL, run, made) != 0) abort();
  return made;
}

void join(task *task)
{
  pthread_join(task->thread, NULL);
  free(task);
}

void rest(int milliseconds)
{
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

/* The library installs no signal handlers. */
static void no_handlers(void)
{
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action) != 0) continue;
    EXPECT(action.sa_handler == SIG_DFL);
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} parts[] = {
    {"calls", calls},
    {"images", images},
    {"results", results},
    {"batches", batches},
    {"coordinates", coordinates},
    {"listeners", listeners},
    {"logs", logs},
    {"memories", memories},
    {"cancellers", cancellers},
    {"silent_engines", silent_engines},
    {"sessions", sessions},
    {"ownership", ownership},
    {"sessions_after_fork", sessions_after_fork},
    {"features", features},
    {"no_handlers", no_handlers},
    {"stale_handles", stale_handles}, /* releases the engine */
};

static int is_named(const char *part, char **names)
{
  if (*names == NULL || strcmp(part, "stale_handles") == 0) return 1;
  for (; *names != NULL; names++) {
    if (strcmp(part, *names) == 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  if (argc < 4) return 2;
  photo_path = argv[3];
  FILE *file = fopen(photo_path, "rb");
  if (file == NULL) return 2;
  file_bytes = malloc(1 << 20);
  file_size = file_bytes == NULL ? 0 : fread(file_bytes, 1, 1 << 20, file);
  fclose(file);

  EXPECT(strcmp(face_last_error(), "") == 0);
  if ((argv[1][0] == 'l' ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine)) != FACE_OK) {
    fprintf(stderr, "%s\n", face_last_error());
    return 2;
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (is_named(parts[i].name, argv + 4)) parts[i].run();
  }
  free(file_bytes);
  if (failures > 0) fprintf(stderr, "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
