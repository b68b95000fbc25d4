#define _GNU_SOURCE
#include "file_limit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int64_t face_posix_file_limit(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur > INT64_MAX ? -1 : (int64_t)limit.rlim_cur;
}

/* Has SIGXFSZ, which would end the process, wait. Returns whether it must be taken. */
static int hold(sigset_t *before)
{
  struct sigaction action;
  sigset_t set;
  if (face_posix_file_limit() < 0 || (sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_IGN)) return 0;
  /* One that waits already is the host's. */
  if (sigpending(&set) == 0 && sigismember(&set, SIGXFSZ)) return 0;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return pthread_sigmask(SIG_BLOCK, &set, before) == 0;
}

/* Takes the signal that a failed call has raised. The kernel sends it to the calling thread. */
static void take(const sigset_t *before, int has_failed)
{
  const int code = errno;
  const struct timespec now = {0, 0};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  if (has_failed && code == EFBIG)
    while (sigtimedwait(&set, NULL, &now) == -1 && errno == EINTR) {}
  pthread_sigmask(SIG_SETMASK, before, NULL);
  errno = code;
}

int face_posix_resize(int descriptor, int64_t size)
{
  sigset_t before;
  const int is_held = hold(&before);
  const int result = ftruncate(descriptor, size);
  if (is_held) take(&before, result != 0);
  return result;
}

ssize_t face_posix_write(int descriptor, const void *bytes, size_t count)
{
  sigset_t before;
  const int is_held = hold(&before);
  const ssize_t result = write(descriptor, bytes, count);
  if (is_held) take(&before, result < 0);
  return result;
}
