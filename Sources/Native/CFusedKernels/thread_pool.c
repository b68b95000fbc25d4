#define _GNU_SOURCE // pthread_setname_np
#include "thread_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/// Polls of a barrier before a worker goes to sleep: some fifty microseconds, longer than most waits.
enum { SPIN_LIMIT = 4000 };

typedef struct {
  fused_thread_pool *pool;
  int index;
  pthread_t thread;
} worker;

struct fused_thread_pool {
  int count;
  worker *workers;
  int started;
  // The process that the threads belong to: a child of a fork does not have them.
  pid_t process;
  // For sleeping workers.
  pthread_mutex_t mutex;
  pthread_cond_t job_posted;
  unsigned job_number;
  bool is_stopping;
  fused_job job;
  void *context;
  // The barrier: its generation counts how often all workers have passed it.
  pthread_cond_t barrier_passed;
  atomic_int arrived;
  atomic_uint generation;
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void fused_thread_pool_barrier(fused_thread_pool *pool)
{
  const unsigned generation = atomic_load(&pool->generation);
  if (atomic_fetch_add(&pool->arrived, 1) == pool->count - 1) {
    atomic_store(&pool->arrived, 0);
    // Under the mutex, so that no worker falls asleep between its last poll and its wait.
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->generation, generation + 1);
    pthread_cond_broadcast(&pool->barrier_passed);
    pthread_mutex_unlock(&pool->mutex);
    return;
  }
  for (int i = 0; i < SPIN_LIMIT; i++) {
    if (atomic_load(&pool->generation) != generation) return;
    pause_briefly();
  }
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load(&pool->generation) == generation) pthread_cond_wait(&pool->barrier_passed, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static void *worker_main(void *argument)
{
  /* Called by the thread itself, because naming another thread writes a file, which a sandbox may forbid. */
  pthread_setname_np(pthread_self(), "face-rows");
  const worker *self = argument;
  fused_thread_pool *pool = self->pool;
  unsigned done = 0;
  pthread_mutex_lock(&pool->mutex);
  while (true) {
    while (pool->job_number == done && !pool->is_stopping) pthread_cond_wait(&pool->job_posted, &pool->mutex);
    if (pool->is_stopping) break;
    done = pool->job_number;
    const fused_job job = pool->job;
    void *const context = pool->context;
    pthread_mutex_unlock(&pool->mutex);
    job(context, self->index);
    fused_thread_pool_barrier(pool);
    pthread_mutex_lock(&pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/// Initialises the mutex and conditions, and starts all workers but the first.
static int start(fused_thread_pool *pool)
{
  pool->process = getpid();
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->job_posted, NULL);
  pthread_cond_init(&pool->barrier_passed, NULL);
  pool->started = 0;
  pool->job_number = 0;
  atomic_store(&pool->arrived, 0);
  // The host handles signals: the threads start with all of them blocked.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool failed = false;
  for (int i = 1; i < pool->count; i++) {
    pool->workers[i] = (worker){.pool = pool, .index = i};
    failed = pthread_create(&pool->workers[i].thread, NULL, worker_main, &pool->workers[i]) != 0;
    if (failed) break;
    pool->started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed ? EAGAIN : 0;
}

/// Ends the threads that `start` began.
static void stop(fused_thread_pool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  pool->is_stopping = true;
  pthread_cond_broadcast(&pool->job_posted);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 1; i <= pool->started; i++) pthread_join(pool->workers[i].thread, NULL);
  pool->is_stopping = false;
  pool->process = 0;
  pthread_cond_destroy(&pool->job_posted);
  pthread_cond_destroy(&pool->barrier_passed);
  pthread_mutex_destroy(&pool->mutex);
}

int fused_thread_pool_create(int workers, fused_thread_pool **created)
{
  fused_thread_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return ENOMEM;
  pool->count = workers;
  pool->workers = calloc((size_t)workers, sizeof *pool->workers);
  const int result = pool->workers ? start(pool) : ENOMEM;
  if (result != 0) {
    fused_thread_pool_destroy(pool);
    return result;
  }
  *created = pool;
  return 0;
}

int fused_thread_pool_restart_after_fork(fused_thread_pool *pool)
{
  if (pool->process == getpid()) return 0;
  const int result = start(pool);
  if (result != 0) stop(pool);
  return result;
}

void fused_thread_pool_destroy(fused_thread_pool *pool)
{
  if (!pool) return;
  if (pool->process == getpid()) stop(pool);
  free(pool->workers);
  free(pool);
}

void fused_thread_pool_run(fused_thread_pool *pool, fused_job job, void *context)
{
  pthread_mutex_lock(&pool->mutex);
  pool->job = job;
  pool->context = context;
  pool->job_number++;
  pthread_cond_broadcast(&pool->job_posted);
  pthread_mutex_unlock(&pool->mutex);
  job(context, 0);
  fused_thread_pool_barrier(pool);
}
