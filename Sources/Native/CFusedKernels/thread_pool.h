/// Threads that run one job together, again and again, and sleep in between.
#pragma once

typedef struct fused_thread_pool fused_thread_pool;

/// The function that each worker runs; `worker` 0 is the caller of `fused_thread_pool_run`.
typedef void (*fused_job)(void *context, int worker);

/// Starts `workers` - 1 threads. - Returns: 0, ENOMEM or EAGAIN.
int fused_thread_pool_create(int workers, fused_thread_pool **pool);
/// Starts the threads again in the child of a fork, which does not have them. - Returns: 0 or EAGAIN.
int fused_thread_pool_restart_after_fork(fused_thread_pool *pool);
void fused_thread_pool_destroy(fused_thread_pool *pool);
/// Runs `job` on every worker, and returns when all have finished.
void fused_thread_pool_run(fused_thread_pool *pool, fused_job job, void *context);
/// Waits until all workers have arrived. Called inside a job.
void fused_thread_pool_barrier(fused_thread_pool *pool);
