/// Threads that run one job together, again and again, and sleep in between.
#pragma once

typedef struct fused_team fused_team;

/// What each member runs; `member` 0 is the caller of `fused_team_run`.
typedef void (*fused_job)(void *context, int member);

/// Starts `members` - 1 threads. - Returns: 0, ENOMEM or EAGAIN.
int fused_team_create(int members, fused_team **team);
/// Starts the threads again where they are not: in the child of a fork. - Returns: 0 or EAGAIN.
int fused_team_revive(fused_team *team);
void fused_team_destroy(fused_team *team);
/// Returns when every member has run `job`.
void fused_team_run(fused_team *team, fused_job job, void *context);
/// Inside a job: waits for all the others to come here, too.
void fused_team_meet(fused_team *team);
