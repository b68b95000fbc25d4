#define _GNU_SOURCE /* pthread_setname_np */
#include "CPictureDecoders.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { NANOSECONDS_BETWEEN_QUESTIONS = 5000000 };

struct job {
  struct picture_work work;
  bool is_done, is_abandoned;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t changed;
/* Threads whose callers have gone. Counted per process: a child of a fork does not have its parent's
 * threads. */
static int abandoned;

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void in_parent(void) { pthread_mutex_unlock(&mutex); }

static void set_condition(void)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static void in_child(void)
{
  set_condition();
  abandoned = 0;
  pthread_mutex_unlock(&mutex);
}

static void prepare(void)
{
  set_condition();
  pthread_atfork(before_fork, in_parent, in_child);
}

static void *run(void *job_pointer)
{
  struct job *job = job_pointer;
  job->work.run(job->work.context);
  pthread_mutex_lock(&mutex);
  job->is_done = true;
  const bool is_abandoned = job->is_abandoned;
  if (is_abandoned) abandoned--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  if (is_abandoned) {
    job->work.release(job->work.context);
    free(job);
  }
  return NULL;
}

/* Called with the mutex held, which is released while it waits and asks. */
static bool wait_and_ask(struct picture_caller caller)
{
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += NANOSECONDS_BETWEEN_QUESTIONS;
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    end.tv_sec++;
  }
  pthread_cond_timedwait(&changed, &mutex, &end);
  pthread_mutex_unlock(&mutex);
  const bool goes_on = caller.keep_going == NULL || caller.keep_going(caller.context);
  pthread_mutex_lock(&mutex);
  return goes_on;
}

static bool start(struct job *job)
{
  /* The host handles signals. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_t thread;
  bool is_started = pthread_attr_init(&attributes) == 0;
  if (is_started) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    is_started = pthread_create(&thread, &attributes, run, job) == 0;
    if (is_started) pthread_setname_np(thread, "face-decode");
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_started;
}

enum picture_status picture_run_detached(struct picture_caller caller, struct picture_work work, int most_abandoned)
{
  pthread_once(&once, prepare);
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return PICTURE_NO_MEMORY;
  job->work = work;
  pthread_mutex_lock(&mutex);
  bool goes_on = true;
  while (goes_on && abandoned >= most_abandoned) goes_on = wait_and_ask(caller);
  if (!goes_on || !start(job)) {
    pthread_mutex_unlock(&mutex);
    free(job);
    if (!goes_on) work.release(work.context);
    return goes_on ? PICTURE_NO_MEMORY : PICTURE_STOPPED;
  }
  while (goes_on && !job->is_done) goes_on = wait_and_ask(caller);
  const bool is_done = job->is_done;
  if (!is_done) {
    job->is_abandoned = true;
    abandoned++;
  }
  pthread_mutex_unlock(&mutex);
  if (!is_done) return PICTURE_STOPPED;
  free(job);
  if (goes_on) return PICTURE_DONE;
  work.release(work.context);
  return PICTURE_STOPPED;
}

int picture_abandoned_count(void)
{
  pthread_mutex_lock(&mutex);
  const int count = abandoned;
  pthread_mutex_unlock(&mutex);
  return count;
}
