/* The system calls that the engine and the command need, each with its reason. All others fail. */
#define _GNU_SOURCE
#include "calls.h"

#include "CSandbox.h"

#include <stddef.h>
#include <sys/syscall.h>

#define SERVER FACE_NEEDS_SERVER
#define NOTICES FACE_NEEDS_NOTICES
#define CLIENT FACE_NEEDS_CLIENT
#define OUTPUT FACE_NEEDS_OUTPUT
#define CAMERA FACE_NEEDS_CAMERA
#define PROGRAM FACE_NEEDS_PROGRAM
#define DRAWING FACE_NEEDS_DRAWING
#define NETWORK FACE_NEEDS_NETWORK
#define DECODERS FACE_NEEDS_DECODERS
#define LIBRARIES FACE_NEEDS_LIBRARIES
#define ALWAYS 0

/* The calls of every request and frame come first. */
const struct face_call face_calls[] = {
    {__NR_futex, ALWAYS, ANY, "locks and conditions"},
    {__NR_recvmsg, SERVER | CLIENT | DECODERS, ANY, "frames, with the descriptors that come with them"},
    {__NR_sendmsg, SERVER | CLIENT | DECODERS, ANY, "frames, and memory that is shared with a process"},
    {__NR_epoll_pwait, ALWAYS, ANY, "the event loop"},
    {__NR_epoll_ctl, ALWAYS, ANY, "connections that come and go"},
    {__NR_read, ALWAYS, ANY, "files, standard input, wake-ups, signals"},
    {__NR_write, ALWAYS, ANY, "standard output, the log, wake-ups"},
    {__NR_ppoll, ALWAYS, ANY, "waiting for a peer, a camera or a stream"},
    {__NR_accept4, SERVER | NETWORK, ANY, "new connections"},
    {__NR_getsockopt, SERVER | CLIENT, ANY, "who the peer is"},
    {__NR_setsockopt, SERVER | CLIENT, ANY, "options of connections"},
    {__NR_getsockname, SERVER | CLIENT, ANY, "the path that a service manager listens at"},
    {__NR_getpeername, NETWORK, ANY, "who calls"},
    {__NR_timerfd_create, NETWORK, ANY, "timers of event loops"},
    {__NR_timerfd_settime, NETWORK, ANY, "timers of event loops"},
    {__NR_rt_sigsuspend, NETWORK, ANY, "libdispatch, on the main thread, which has nothing to do"},
    {__NR_shutdown, SERVER | CLIENT | DECODERS, ANY, "ends of connections, and of listening"},
    {__NR_recvfrom, SERVER | CLIENT | DECODERS, ANY, "frames"},
    {__NR_sendto, SERVER | CLIENT | DECODERS, NO_ADDRESS, "frames"},
    {__NR_sendto, NOTICES, ANY, "notices to the service manager"},
    {__NR_socket, NOTICES, UNIX_DATAGRAM, "notices to the service manager"},
    {__NR_socket, CLIENT, UNIX_STREAM, "the engine that a command uses"},
    {__NR_connect, CLIENT, ANY, "the engine that a command uses, again after a restart"},
    {__NR_epoll_create1, ALWAYS, ANY, "the event loop"},
    {__NR_eventfd2, ALWAYS, ANY, "wake-ups between threads"},
    {__NR_signalfd4, ALWAYS, ANY, "signals as events"},
    {__NR_flock, SERVER, ANY, "the lock of the socket's path"},
    {__NR_unlinkat, SERVER | OUTPUT, ANY, "the socket's file at the end; outputs that failed"},

    {__NR_mmap, ALWAYS, DATA_MAPPING, "memory, pixels of clients"},
    {__NR_mmap, LIBRARIES, LIBRARY_MAPPING, "libraries; nothing that is both written and executed"},
    {__NR_mprotect, ALWAYS, PROTECTION, "stacks of threads, tables of libraries; nothing becomes executable"},
    {__NR_munmap, ALWAYS, ANY, "memory"},
    {__NR_mremap, ALWAYS, ANY, "memory that grows"},
    {__NR_madvise, ALWAYS, ANY, "memory that is released"},
    {__NR_brk, ALWAYS, ANY, "memory"},
    {__NR_memfd_create, CLIENT | DECODERS, ANY, "memory that is shared with a process"},
    {__NR_ftruncate, CLIENT | OUTPUT | DECODERS, ANY, "the size of that memory, and of outputs"},

    {__NR_clone, ALWAYS, THREAD, "threads, but no processes"},
    {__NR_set_robust_list, ALWAYS, ANY, "threads"},
    {__NR_rseq, ALWAYS, ANY, "threads"},
    {__NR_prctl, ALWAYS, THREAD_NAME, "names of threads"},
    {__NR_exit, ALWAYS, ANY, "ends of threads"},
    {__NR_exit_group, ALWAYS, ANY, "the end of the process"},
    {__NR_gettid, ALWAYS, ANY, "threads"},
    {__NR_sched_yield, ALWAYS, ANY, "threads that wait a moment"},
    {__NR_sched_getaffinity, ALWAYS, ANY, "the number of processors"},
    {__NR_sched_setaffinity, ALWAYS, ANY, "ncnn's threads, each on its processor"},
    {__NR_getcpu, ALWAYS, ANY, "malloc's arenas"},
    {__NR_membarrier, ALWAYS, ANY, "libraries that are loaded while threads run"},
    {__NR_rt_sigaction, ALWAYS, ANY, "signals"},
    {__NR_rt_sigprocmask, ALWAYS, ANY, "signals, around new threads"},
    {__NR_rt_sigreturn, ALWAYS, ANY, "ends of signal handlers"},
    {__NR_sigaltstack, ALWAYS, ANY, "stacks of signal handlers"},
    {__NR_restart_syscall, ALWAYS, ANY, "waits that a signal interrupted"},
    {__NR_tgkill, ALWAYS, OWN_PROCESS, "abort(3) of this process"},

    {__NR_clock_gettime, ALWAYS, ANY, "time, where the vDSO does not know it"},
    {__NR_clock_getres, ALWAYS, ANY, "time"},
    {__NR_clock_nanosleep, ALWAYS, ANY, "pauses"},
    {__NR_nanosleep, ALWAYS, ANY, "pauses"},
    {__NR_gettimeofday, ALWAYS, ANY, "times in the log, where the vDSO does not know them"},
    {__NR_getrandom, ALWAYS, ANY, "seeds of hash tables"},
    {__NR_getpid, ALWAYS, ANY, "forks, which have another number"},
    {__NR_getuid, ALWAYS, ANY, "the engine's own user, who may administer it"},
    {__NR_geteuid, ALWAYS, ANY, "the engine's own user, who may administer it"},
    {__NR_getgid, ALWAYS, ANY, "libraries that ask whether they run with more rights"},
    {__NR_getegid, ALWAYS, ANY, "libraries that ask whether they run with more rights"},
    {__NR_uname, ALWAYS, ANY, "libraries that ask for the kernel's version"},
    {__NR_sysinfo, ALWAYS, ANY, "how much memory the machine has"},
    {__NR_prlimit64, ALWAYS, OWN_LIMIT, "sizes of stacks; limits are not changed"},
    {__NR_getrusage, ALWAYS, ANY, "processor time"},

    {__NR_openat, ALWAYS, READING, "models, libraries and their data, pictures"},
    {__NR_openat, OUTPUT | CAMERA, ANY, "outputs, and cameras"},
    {__NR_close, ALWAYS, ANY, "files and connections"},
    {__NR_fstat, ALWAYS, ANY, "sizes of files and of offered memory"},
    {__NR_newfstatat, ALWAYS, ANY, "whether there is a file"},
    {__NR_statx, ALWAYS, ANY, "whether there is a file"},
    {__NR_statfs, ALWAYS, ANY, "fontconfig, on its caches"},
    {__NR_fstatfs, ALWAYS, ANY, "whether offered memory is a memfd"},
    {__NR_faccessat, ALWAYS, ANY, "whether a file can be read"},
    {__NR_faccessat2, ALWAYS, ANY, "whether a file can be read"},
    {__NR_lseek, ALWAYS, ANY, "files"},
    {__NR_pread64, ALWAYS, ANY, "headers of libraries"},
    {__NR_readv, ALWAYS, ANY, "files"},
    {__NR_writev, ALWAYS, ANY, "the log"},
    {__NR_getdents64, ALWAYS, ANY, "folders of models and pictures"},
    {__NR_readlinkat, ALWAYS, ANY, "where a link leads"},
    {__NR_getcwd, ALWAYS, ANY, "paths that do not begin at the root"},
    {__NR_fcntl, ALWAYS, DESCRIPTOR_FLAGS, "flags of descriptors, and seals of offered memory"},
    {__NR_ioctl, ALWAYS, TERMINAL_QUESTION, "whether a stream is a terminal"},
    {__NR_ioctl, CAMERA, VIDEO, "cameras"},
    {__NR_dup, OUTPUT | CAMERA | DRAWING, ANY, "libraries that keep a descriptor of their own"},
    {__NR_dup3, OUTPUT | CAMERA | DRAWING, ANY, "libraries that keep a descriptor of their own"},
    {__NR_fadvise64, ALWAYS, ANY, "files that are read from begin to end"},

    {__NR_fsync, OUTPUT, ANY, "outputs"},
    {__NR_renameat, OUTPUT, ANY, "outputs that take their place when they are whole"},
    {__NR_renameat2, OUTPUT, ANY, "outputs that take their place when they are whole"},
    {__NR_mkdirat, OUTPUT, ANY, "folders of outputs"},
    {__NR_wait4, PROGRAM, ANY, "ffmpeg's end"},
    {__NR_kill, PROGRAM, ANY, "ffmpeg, when it is not needed any more"},
    {__NR_pipe2, DRAWING, ANY, "GLib's wake-ups"},

#ifdef __x86_64__
    /* The older calls that aarch64 lacks. */
    {__NR_epoll_wait, ALWAYS, ANY, "the event loop"},
    {__NR_poll, ALWAYS, ANY, "waiting for a peer, a camera or a stream"},
    {__NR_open, ALWAYS, READING_BY_PATH, "models, libraries and their data, pictures"},
    {__NR_open, OUTPUT | CAMERA, ANY, "outputs, and cameras"},
    {__NR_stat, ALWAYS, ANY, "whether there is a file"},
    {__NR_lstat, ALWAYS, ANY, "whether there is a file"},
    {__NR_access, ALWAYS, ANY, "whether a file can be read"},
    {__NR_readlink, ALWAYS, ANY, "where a link leads"},
    {__NR_unlink, SERVER | OUTPUT, ANY, "the socket's file at the end; outputs that failed"},
    {__NR_rename, OUTPUT, ANY, "outputs that take their place when they are whole"},
    {__NR_mkdir, OUTPUT, ANY, "folders of outputs"},
    {__NR_dup2, OUTPUT | CAMERA | DRAWING, ANY, "libraries that keep a descriptor of their own"},
    {__NR_pipe, DRAWING, ANY, "GLib's wake-ups"},
    {__NR_time, ALWAYS, ANY, "times in the log, where the vDSO does not know them"},
    {__NR_getrlimit, ALWAYS, ANY, "sizes of stacks"},
    {__NR_arch_prctl, ALWAYS, ANY, "thread-local memory"},
#endif
};

const size_t face_call_count = sizeof face_calls / sizeof *face_calls;

const char *face_sandbox_call_reason(size_t index, int *number)
{
  if (index >= face_call_count) return NULL;
  *number = face_calls[index].number;
  return face_calls[index].reason;
}
