/* The child of a fork detects from several threads at once with the engine that its parent loaded or connected, while
 * the parent does the same. Forked in the middle of searches, it is refused by a loaded engine and served by a
 * connected one. forked load MODEL_DIR PHOTO.jpg, or forked connect SOCKET PHOTO.jpg */
#define _DEFAULT_SOURCE
#include <face_engine.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host.h"

static face_engine *engine;
static face_image image;

static void *detect_often(void *failed)
{
  for (int i = 0; i < 20; i++) {
    face_result *result = NULL;
    if (face_detect(engine, &image, NULL, &result) != FACE_OK || face_result_count(result) != 1) {
      __sync_fetch_and_add((int *)failed, 1);
      fprintf(stderr, "%s\n", face_last_error());
    }
    face_result_destroy(result);
  }
  return NULL;
}

static int detect_in_threads(void)
{
  int failed = 0;
  pthread_t all[4];
  for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, detect_often, &failed);
  detect_often(&failed);
  for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
  return failed;
}

static void *detect_until(void *stopped)
{
  int failed = 0;
  while (!__atomic_load_n((int *)stopped, __ATOMIC_RELAXED)) detect_often(&failed);
  return (void *)(size_t)failed;
}

/* Counts the errors in children that are forked while two threads search. */
static int fork_while_searching(int is_loaded)
{
  int stopped = 0, failed = 0, refused = 0;
  pthread_t all[2];
  for (int i = 0; i < 2; i++) pthread_create(&all[i], NULL, detect_until, &stopped);
  for (int i = 0; i < 20; i++) {
    usleep(2000 + 700 * (unsigned)i);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      face_result *result = NULL;
      const face_status status = face_detect(engine, &image, NULL, &result);
      _exit(status == FACE_OK && face_result_count(result) == 1 ? 0 : status == FACE_FAILED_PRECONDITION ? 1 : 2);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > is_loaded) {
      fprintf(stderr, "a child forked in the middle of searches ended with %x\n", status);
      failed++;
    } else {
      refused += WEXITSTATUS(status);
    }
  }
  __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) {
    void *ended;
    pthread_join(all[i], &ended);
    failed += (int)(size_t)ended;
  }
  if (is_loaded && refused == 0) {
    fprintf(stderr, "no child was forked in the middle of a search\n");
    failed++;
  }
  return failed;
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  image = read_photo(argv[3]);
  if ((argv[1][0] == 'l' ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine)) != FACE_OK) return 2;
  int failed = 0;
  detect_often(&failed);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(failed + detect_in_threads());
  }
  failed += detect_in_threads();
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "the child ended with %x\n", status);
    failed++;
  }
  failed += fork_while_searching(argv[1][0] == 'l');
  return failed + (face_release(engine) != FACE_OK);
}
