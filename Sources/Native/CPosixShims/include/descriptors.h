/* The only functions that make descriptors. The numbers are 3 or higher also where 0, 1 or 2 is closed: those are
   the host's, which prints to them. All close on exec. Tools/check_descriptors.sh finds calls of others. */
#ifndef FACE_ENGINE_CPOSIX_DESCRIPTORS_H
#define FACE_ENGINE_CPOSIX_DESCRIPTORS_H

#include <dirent.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* Without other words, a function returns a descriptor, or -1 with errno. */

/* open(2) */
int face_posix_open(const char *path, int flags, unsigned mode);

/* Opens a folder for use with paths relative to it, not to list it. open(2), O_PATH */
int face_posix_open_folder(const char *path);

/* Opens a folder to list it; NULL with errno. fdopendir(3) */
DIR *face_posix_list_folder(const char *path);

/* Returns 0 if the process or the machine has no descriptor left, else 1. */
int face_posix_can_open(void);

/* Opens each standard descriptor that is closed so that reading finds the end and writing fails. The exception from the
   rule, for programs, whose standard descriptors are their own. Returns 0, or -1 with errno. */
int face_posix_occupy_standard(void);

/* A Unix socket. socket(2) */
int face_posix_socket(int type);

/* Two connected Unix sockets, non-blocking. Returns 0, or -1 with errno. socketpair(2) */
int face_posix_socket_pair(int type, int ends[2]);

/* Accepts a connection, non-blocking and close-on-exec from the first moment. accept4(2) */
int face_posix_accept(int socket);

/* Receives without waiting. Descriptors that come with the bytes in SCM_RIGHTS go to `descriptors`, which has
   room for two, and their number to `count`. `lost` is not 0 when some of them could not be received. Returns the
   bytes received, 0 at the end of the stream, or -1 with errno. recvmsg(2) */
ssize_t face_posix_receive(int socket, void *buffer, size_t size, int descriptors[2], int *count, int *lost);

/* memfd_create(2) */
int face_posix_memory_file(const char *name);

/* A copy of `descriptor`. fcntl(2), F_DUPFD_CLOEXEC */
int face_posix_duplicate(int descriptor);

/* Returns 0, or -1 with errno. pipe2(2) */
int face_posix_pipe(int ends[2]);

/* epoll_create1(2) */
int face_posix_epoll(void);

/* Non-blocking. eventfd(2) */
int face_posix_event(void);

/* Reads the signals of `set`; non-blocking. signalfd(2) */
int face_posix_signals(const sigset_t *set);

#endif
