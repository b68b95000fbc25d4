#define _GNU_SOURCE
#include "children.h"

#include "descriptors.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

pid_t face_posix_fork(void) { return fork(); }

int face_posix_belong_to_parent(void)
{
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -1;
}

int face_posix_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void face_posix_close_from(int first) { close_range((unsigned)first, ~0U, 0); }

int face_posix_limit(unsigned seconds, size_t memory, unsigned descriptors)
{
  const struct {
    int resource;
    rlim_t value;
  } limits[] = {{RLIMIT_CPU, seconds}, {RLIMIT_AS, memory}, {RLIMIT_NOFILE, descriptors}, {RLIMIT_CORE, 0}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i].resource, &limit) != 0) return -1;
    /* A limit that is lower stays. */
    /* A second more of processor time: at the same limit the kernel kills as it does when memory is out. */
    const rlim_t most = limits[i].value + (limits[i].resource == RLIMIT_CPU);
    if (most < limit.rlim_max) limit.rlim_max = most;
    if (limits[i].value < limit.rlim_cur) limit.rlim_cur = limits[i].value;
    if (setrlimit(limits[i].resource, &limit) != 0) return -1;
  }
  return 0;
}

void face_posix_be_first_to_go(void)
{
  int descriptor = face_posix_open("/proc/self/oom_score_adj", O_WRONLY, 0);
  if (descriptor < 0) return;
  (void)!write(descriptor, "1000", 4);
  close(descriptor);
}

int64_t face_posix_processor_time(pid_t process)
{
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
