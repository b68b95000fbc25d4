#define _GNU_SOURCE  // pthread_setname_np
#include "team.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/// Looks before a member that waits for the others goes to sleep: some fifty microseconds, longer than most waits.
enum { PATIENCE = 4000 };

typedef struct {
  fused_team *team;
  int index;
  pthread_t thread;
} member;

struct fused_team {
  int count;
  member *members;
  int started;
  // Whose threads they are: a child of a fork has none of them.
  pid_t process;
  // For those who sleep.
  pthread_mutex_t mutex;
  pthread_cond_t woken;
  unsigned job_number;
  bool ends;
  fused_job job;
  void *context;
  // For those who meet, and those who sleep until they do.
  pthread_cond_t met;
  atomic_int arrived;
  atomic_uint meeting;
};

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void fused_team_meet(fused_team *team) {
  const unsigned meeting = atomic_load(&team->meeting);
  if (atomic_fetch_add(&team->arrived, 1) == team->count - 1) {
    atomic_store(&team->arrived, 0);
    // Under the mutex, so that nobody falls asleep between looking and waiting.
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->meeting, meeting + 1);
    pthread_cond_broadcast(&team->met);
    pthread_mutex_unlock(&team->mutex);
    return;
  }
  for (int i = 0; i < PATIENCE; i++) {
    if (atomic_load(&team->meeting) != meeting) return;
    pause_briefly();
  }
  pthread_mutex_lock(&team->mutex);
  while (atomic_load(&team->meeting) == meeting) pthread_cond_wait(&team->met, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static void *live(void *argument) {
  const member *self = argument;
  fused_team *team = self->team;
  unsigned done = 0;
  pthread_mutex_lock(&team->mutex);
  while (true) {
    while (team->job_number == done && !team->ends) pthread_cond_wait(&team->woken, &team->mutex);
    if (team->ends) break;
    done = team->job_number;
    const fused_job job = team->job;
    void *const context = team->context;
    pthread_mutex_unlock(&team->mutex);
    job(context, self->index);
    fused_team_meet(team);
    pthread_mutex_lock(&team->mutex);
  }
  pthread_mutex_unlock(&team->mutex);
  return NULL;
}

/// Makes what they wait with, and starts all but the first.
static int start(fused_team *team) {
  team->process = getpid();
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->woken, NULL);
  pthread_cond_init(&team->met, NULL);
  team->started = 0;
  team->job_number = 0;
  atomic_store(&team->arrived, 0);
  // Signals are the host's: new threads begin with none allowed.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool failed = false;
  for (int i = 1; i < team->count; i++) {
    team->members[i] = (member){.team = team, .index = i};
    failed = pthread_create(&team->members[i].thread, NULL, live, &team->members[i]) != 0;
    if (failed) break;
    pthread_setname_np(team->members[i].thread, "face-rows");
    team->started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed ? EAGAIN : 0;
}

/// Ends what `start` began.
static void stop(fused_team *team) {
  pthread_mutex_lock(&team->mutex);
  team->ends = true;
  pthread_cond_broadcast(&team->woken);
  pthread_mutex_unlock(&team->mutex);
  for (int i = 1; i <= team->started; i++) pthread_join(team->members[i].thread, NULL);
  team->ends = false;
  team->process = 0;
  pthread_cond_destroy(&team->woken);
  pthread_cond_destroy(&team->met);
  pthread_mutex_destroy(&team->mutex);
}

int fused_team_create(int members, fused_team **created) {
  fused_team *team = calloc(1, sizeof *team);
  if (!team) return ENOMEM;
  team->count = members;
  team->members = calloc((size_t)members, sizeof *team->members);
  const int result = team->members ? start(team) : ENOMEM;
  if (result != 0) {
    fused_team_destroy(team);
    return result;
  }
  *created = team;
  return 0;
}

int fused_team_revive(fused_team *team) {
  if (team->process == getpid()) return 0;
  const int result = start(team);
  if (result != 0) stop(team);
  return result;
}

void fused_team_destroy(fused_team *team) {
  if (!team) return;
  if (team->process == getpid()) stop(team);
  free(team->members);
  free(team);
}

void fused_team_run(fused_team *team, fused_job job, void *context) {
  pthread_mutex_lock(&team->mutex);
  team->job = job;
  team->context = context;
  team->job_number++;
  pthread_cond_broadcast(&team->woken);
  pthread_mutex_unlock(&team->mutex);
  job(context, 0);
  fused_team_meet(team);
}
