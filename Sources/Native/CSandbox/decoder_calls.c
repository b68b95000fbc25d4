/* The system calls of a process that decodes untrusted pictures, each with its reason. All others fail. It
   opens nothing, maps nothing to be executed, and talks through the sockets that it has. */
#define _GNU_SOURCE
#include "calls.h"

#include "CSandbox.h"

#include <stddef.h>
#include <sys/syscall.h>

const struct face_call face_decoder_calls[] = {
    {__NR_futex, 0, ANY, "locks and conditions of libraries' threads"},
    {__NR_recvmsg, 0, ANY, "requests, with the memory that comes with them"},
    {__NR_recvfrom, 0, ANY, "requests"},
    {__NR_sendto, 0, NO_ADDRESS, "responses"},
    {__NR_ppoll, 0, ANY, "waiting for a request"},
    {__NR_close, 0, ANY, "memory that is mapped"},

    {__NR_mmap, 0, PROTECTION, "memory, and that of the engine; nothing becomes executable"},
    {__NR_mprotect, 0, PROTECTION, "stacks of threads; nothing becomes executable"},
    {__NR_munmap, 0, ANY, "memory"},
    {__NR_mremap, 0, ANY, "memory that grows"},
    {__NR_madvise, 0, ANY, "memory that is released"},
    {__NR_brk, 0, ANY, "memory"},

    {__NR_clone, 0, THREAD, "threads of libraries, but no processes"},
    {__NR_set_robust_list, 0, ANY, "threads"},
    {__NR_rseq, 0, ANY, "threads"},
    {__NR_prctl, 0, THREAD_NAME, "names of threads"},
    {__NR_exit, 0, ANY, "ends of threads"},
    {__NR_exit_group, 0, ANY, "the end of the process"},
    {__NR_gettid, 0, ANY, "threads"},
    {__NR_getpid, 0, ANY, "abort(3)"},
    {__NR_sched_yield, 0, ANY, "threads that wait a moment"},
    {__NR_sched_getaffinity, 0, ANY, "the number of processors, for libraries' threads"},
    {__NR_getcpu, 0, ANY, "malloc's arenas"},
    {__NR_prlimit64, 0, OWN_LIMIT, "sizes of stacks"},
    {__NR_sysinfo, 0, ANY, "how much memory the machine has"},
    {__NR_rt_sigprocmask, 0, ANY, "signals, around new threads"},
    {__NR_rt_sigaction, 0, ANY, "abort(3)"},
    {__NR_rt_sigreturn, 0, ANY, "ends of signal handlers"},
    {__NR_restart_syscall, 0, ANY, "waits that a signal interrupted"},
    {__NR_tgkill, 0, OWN_PROCESS, "abort(3) of this process"},

    {__NR_clock_gettime, 0, ANY, "time, where the vDSO does not know it"},
    {__NR_clock_nanosleep, 0, ANY, "pauses of libraries' threads"},
    {__NR_getrandom, 0, ANY, "seeds of hash tables"},
#ifdef __x86_64__
    {__NR_poll, 0, ANY, "waiting for a request"},
#endif
};

const size_t face_decoder_call_count = sizeof face_decoder_calls / sizeof *face_decoder_calls;

const char *face_sandbox_decoder_call_reason(size_t index, int *number)
{
  if (index >= face_decoder_call_count) return NULL;
  *number = face_decoder_calls[index].number;
  return face_decoder_calls[index].reason;
}
