/* Tests that the library leaves alone signals, their handlers and the standard streams. SIGPIPE is not ignored and not
 * raised. quiet SOCKET PHOTO.jpg; kills the engine, whose process id it reads from standard input. */
#define _POSIX_C_SOURCE 200809L
#include <face_engine.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include "../host.h"

static volatile sig_atomic_t pipes;

static void count(int number)
{
  (void)number;
  pipes++;
}

int main(int argc, char **argv)
{
  int process = 0;
  struct sigaction action, after;
  action.sa_handler = count;
  action.sa_flags = 0;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
  face_engine *engine = NULL;
  if (argc != 3 || scanf("%d", &process) != 1 || face_connect(argv[1], &engine) != FACE_OK) return 2;
  const face_image image = read_photo(argv[2]);

  int failed = face_detect(engine, &image, NULL, NULL) != FACE_OK;
  kill((pid_t)process, SIGKILL);
  face_status status = FACE_OK;
  for (int i = 0; i < 1000 && status == FACE_OK; i++) status = face_detect(engine, &image, NULL, NULL);
  failed += status != FACE_UNAVAILABLE;
  for (int i = 0; i < 3; i++) failed += face_detect(engine, &image, NULL, NULL) != FACE_UNAVAILABLE;
  failed += pipes != 0;
  for (int number = 1; number < 32; number++) {
    if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &after) != 0) continue;
    failed += after.sa_handler != (number == SIGPIPE ? count : SIG_DFL);
  }
  return failed + (face_release(engine) != FACE_OK);
}
