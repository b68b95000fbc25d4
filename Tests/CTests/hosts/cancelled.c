/* A host that cancels threads inside calls: each call ends as if it had not, and only then the thread. The next call on
 * the same handle is answered. The same for a loaded and for a connected engine.
 *     cancelled load MODEL_DIR PHOTO.jpg
 *     cancelled connect SOCKET PHOTO.jpg */
#define _POSIX_C_SOURCE 200809L
#include <face_engine.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "../host.h"

static char **arguments;
static face_engine *engine;
static face_session *session;
static int callbacks;

/* No callback can be cancelled, whatever it calls: the library's call, or its thread, is around it. */
static void expect_disabled(void)
{
  int state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  EXPECT(state == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  __sync_fetch_and_add(&callbacks, 1);
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame, (void)user_data;
  EXPECT(face_result_count(result) <= 1);
  expect_disabled();
}

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  (void)frame, (void)check, (void)user_data;
  expect_disabled();
}

static void on_log(face_log_level level, const char *line, void *user_data)
{
  (void)level, (void)line, (void)user_data;
  expect_disabled();
}

static void on_release(void *data)
{
  (void)data;
  expect_disabled();
}

static face_listener listener(void)
{
  face_listener made;
  face_listener_init(&made);
  made.on_faces = on_faces;
  made.on_check = on_check;
  return made;
}

static face_image photo(void)
{
  face_image image;
  face_image_init(&image);
  EXPECT(face_image_from_file(arguments[3], &image) == FACE_OK);
  return image;
}

static void open_engine(void)
{
  face_set_log_callback(on_log, FACE_LOG_DEBUG, NULL);
  EXPECT((arguments[1][0] == 'l' ? face_load_model(arguments[2], &engine) : face_connect(arguments[2], &engine)) ==
         FACE_OK);
}

static void detect(void)
{
  face_image image = photo();
  const face_image *both[] = {&image, &image};
  face_result *results[2] = {NULL, NULL};
  const face_listener bound = listener();
  EXPECT(face_bind_listener(engine, &bound) == FACE_OK);
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_OK);
  EXPECT(face_detect_batch(engine, both, 2, NULL, results) == FACE_OK);
  face_result_destroy(results[0]);
  face_result_destroy(results[1]);
  EXPECT(face_check_image(engine, &image, NULL, NULL, &bound, NULL) == FACE_OK);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_detect(engine, NULL, NULL, NULL) == FACE_INVALID_ARGUMENT); /* logged */
  face_image_release(&image);
}

static void make_memory(void)
{
  face_memory *memory = NULL;
  EXPECT(face_memory_create(1 << 20, &memory) == FACE_OK);
  face_memory_destroy(memory);
}

static void open_session(void)
{
  const face_listener bound = listener();
  EXPECT(face_session_open(engine, NULL, &session) == FACE_OK);
  EXPECT(face_session_bind_listener(session, &bound) == FACE_OK);
}

static void submit(void)
{
  static unsigned char gray[64 * 64];
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_GRAY;
  image.width = image.height = 64;
  image.planes[0] = gray;
  image.plane_sizes[0] = sizeof gray;
  image.release = on_release;
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
}

static void close_session(void) { EXPECT(face_session_close(session) == FACE_OK); }

static void open_check(void)
{
  const face_listener bound = listener();
  EXPECT(face_check_open(engine, NULL, NULL, &session) == FACE_OK);
  EXPECT(face_session_bind_listener(session, &bound) == FACE_OK);
}

static void close_engine(void)
{
  face_set_log_callback(NULL, 0, NULL);
  EXPECT(face_release(engine) == FACE_OK);
}

struct cancelled {
  void (*calls)(void);
  int returned;
};

static void *run(void *given)
{
  struct cancelled *cancelled = given;
  pthread_cancel(pthread_self()); /* takes effect at the next cancellation point, which these calls are full of */
  cancelled->calls();
  int state = PTHREAD_CANCEL_DISABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  cancelled->returned = state == PTHREAD_CANCEL_ENABLE;
  pthread_testcancel();
  return NULL;
}

/* Runs calls in a thread that was cancelled before. */
static void expect_calls_end(void (*calls)(void))
{
  pthread_t thread;
  void *end = NULL;
  struct cancelled cancelled = {calls, 0};
  EXPECT(pthread_create(&thread, NULL, run, &cancelled) == 0);
  EXPECT(pthread_join(thread, &end) == 0);
  EXPECT(cancelled.returned && end == PTHREAD_CANCELED);
}

static sem_t inside, go_on;

static void on_faces_that_wait(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame, (void)result, (void)user_data;
  sem_post(&inside);
  sem_wait(&go_on);
}

static void *detect_forever(void *image)
{
  for (;;) {
    EXPECT(face_detect(engine, image, NULL, NULL) == FACE_OK);
    pthread_testcancel();
  }
  return NULL;
}

/* Cancelled by another thread, in the middle of a call. */
static void cancel_inside(void)
{
  face_image image = photo();
  face_listener bound;
  face_listener_init(&bound);
  bound.on_faces = on_faces_that_wait;
  EXPECT(sem_init(&inside, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
  EXPECT(face_bind_listener(engine, &bound) == FACE_OK);
  for (int round = 0; round < 5; round++) {
    pthread_t thread;
    void *end = NULL;
    EXPECT(pthread_create(&thread, NULL, detect_forever, &image) == 0);
    sem_wait(&inside);
    pthread_cancel(thread);
    sem_post(&go_on);
    EXPECT(pthread_join(thread, &end) == 0 && end == PTHREAD_CANCELED);
  }
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_OK);
  face_image_release(&image);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  arguments = argv;
  void (*const calls[])(void) = {open_engine, detect,        detect,     make_memory, open_session, submit,
                                 submit,      close_session, open_check, submit,      close_session};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) expect_calls_end(calls[i]);
  detect();
  cancel_inside();
  expect_calls_end(close_engine);
  EXPECT(callbacks > 10);
  return failures == 0 ? 0 : 1;
}
