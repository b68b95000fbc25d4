/* Child processes without another program, and limits of a process. */
#ifndef FACE_ENGINE_CPOSIX_CHILDREN_H
#define FACE_ENGINE_CPOSIX_CHILDREN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Swift does not offer fork(2). */
pid_t face_posix_fork(void);

/* Makes this process end when the thread that made it ends, and keeps its memory from debuggers and core
   dumps. Returns 0, or -1 with errno. prctl(2), PR_SET_PDEATHSIG, PR_SET_DUMPABLE */
int face_posix_belong_to_parent(void);

/* Makes this process the parent of descendants whose own parents have ended. Returns 0, or -1 with errno.
   prctl(2), PR_SET_CHILD_SUBREAPER */
int face_posix_adopt_orphans(void);

/* Closes all descriptors from `first` on. close_range(2) */
void face_posix_close_from(int first);

/* Limits the processor time of this process, after which SIGXCPU ends it, its memory, and the number of its
   descriptors. Returns 0, or -1 with errno. setrlimit(2) */
int face_posix_limit(unsigned seconds, size_t memory, unsigned descriptors);

/* Has the kernel, when memory is out, end this process before any other. proc(5), oom_score_adj */
void face_posix_be_first_to_go(void);

/* Returns nanoseconds of processor time that a process has used, or -1 if there is no such process.
   clock_getcpuclockid(3) */
int64_t face_posix_processor_time(pid_t process);

#endif
