/* What Swift cannot see of Linux: headers outside its Glibc module, and calls that C makes through macros. */
#ifndef FACE_ENGINE_CPOSIX_SHIMS_H
#define FACE_ENGINE_CPOSIX_SHIMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "video.h"

/* The file that this code was loaded from: a program's or a library's, as the loader was given it; NULL if unknown. dladdr(3) */
const char *face_posix_own_file(void);

/* A pipe whose ends other programs do not inherit; 0, or -1 with errno. pipe2(2), O_CLOEXEC */
int face_posix_pipe(int ends[2]);

/* The system's text for an errno value; static, never NULL. strerrordesc_np(3) */
const char *face_posix_describe(int code);

/* Who is at the other end of a Unix socket, as of its connect; 0, or -1 with errno. getsockopt(2), SO_PEERCRED */
int face_posix_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);

/* At most `room` of the groups that the peer had besides its first, as of its connect; how many it had, or -1 with
   errno. getsockopt(2), SO_PEERGROUPS */
int face_posix_peer_groups(int socket, uint32_t *groups, int room);

/* The path of a Unix stream socket that listens, into `path` with room for face_posix_longest_path() + 1 bytes; 0, or
   -1 when `socket` is none. getsockopt(2), getsockname(2) */
int face_posix_listening_path(int socket, char *path);

/* Sends one datagram to a Unix socket; `address` is a path, or begins with @ for an abstract name. 0, or -1 with errno.
   sendto(2) */
int face_posix_send_datagram(const char *address, const char *text);

/* `address` filled for `path` of `length` bytes without a NUL; -1 when it is longer than sun_path holds. */
int face_posix_address(struct sockaddr_un *address, const char *path, size_t length);

/* The longest path that face_posix_address takes. */
size_t face_posix_longest_path(void);

/* open(2) and fcntl(2) are variadic, which Swift does not call. */
int face_posix_open(const char *path, int flags, unsigned mode);
/* A folder to name files in, not to list; -1 with errno. open(2), O_PATH */
int face_posix_open_folder(const char *path);
int face_posix_set_nonblocking(int descriptor);
int face_posix_set_close_on_exec(int descriptor);

/* Non-blocking and close-on-exec from the first moment. accept4(2) is GNU's, which Swift does not see. */
int face_posix_accept(int socket);

/* recvmsg(2) without waiting. What comes with the bytes in SCM_RIGHTS goes to `descriptors`, which has room for two, and
   their number to `count`; all close on exec. `lost` is not 0 when the kernel could not hand over all of them. Bytes
   received, 0 at the end of the stream, or -1 with errno. */
ssize_t face_posix_receive(int socket, void *buffer, size_t size, int descriptors[2], int *count, int *lost);

/* sendmsg(2) without waiting and without SIGPIPE: bytes and, where they are not -1, descriptors in SCM_RIGHTS. */
ssize_t face_posix_send(int socket, const void *buffer, size_t size, int first, int second);

/* A new memfd that closes on exec, or -1. memfd_create(2) */
int face_posix_memory_file(const char *name);

/* A copy of `descriptor` that closes on exec, or -1 with errno. fcntl(2), F_DUPFD_CLOEXEC */
int face_posix_duplicate(int descriptor);

/* F_ADD_SEALS with F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL: the size is final. fcntl(2) */
int face_posix_seal_size(int descriptor);

/* 1 when `descriptor` is memory whose size is final for all who have it and which never runs out of pages: a memfd with
   the three seals, not of huge pages. 0 when it is anything else. fcntl(2), fstatfs(2) */
int face_posix_is_sealed_memory(int descriptor);

/* Names the calling thread in debuggers and in /proc. pthread_setname_np(3) */
void face_posix_name_thread(const char *name);

/* Gives back memory that was freed, and the pages of code and constants, which come from their files again when they are
   needed. malloc_trim(3), dl_iterate_phdr(3), madvise(2) */
void face_posix_release_memory(void);

/* Lets all threads have memory from one arena: of others malloc_trim does not give back what is free at their ends. Before there
   are threads. mallopt(3), M_ARENA_MAX */
void face_posix_use_one_arena(void);

/* Processors the process may run on, or -1. sched_getaffinity(2) */
int face_posix_processor_count(void);

#endif
