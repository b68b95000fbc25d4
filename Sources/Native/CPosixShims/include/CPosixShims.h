/* Functions of Linux that Swift cannot call: headers outside its Glibc module, and C macros. */
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

#include "children.h"
#include "descriptors.h"
#include "file_limit.h"
#include "video.h"

/* Returns whether the process can make the keys of threads that GLib makes, which ends the process otherwise.
   pthread_key_create(3) */
int face_posix_has_keys(void);

/* Returns the file from which this code was loaded: a program's or a library's, as the loader was given it;
   NULL if unknown. dladdr(3) */
const char *face_posix_own_file(void);

/* Returns the arguments of the program, NULL behind the last one. Needs no /proc. */
char **face_posix_arguments(void);

/* Returns the path by which the program was started; NULL if unknown. Needs no /proc. getauxval(3), AT_EXECFN */
const char *face_posix_program(void);

/* Returns the system's text for an errno value; static, never NULL. strerrordesc_np(3) */
const char *face_posix_describe(int code);

/* Gets the process that connected at the other end of a Unix socket. Returns 0, or -1 with errno.
   getsockopt(2), SO_PEERCRED */
int face_posix_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group);

/* Stores at most `room` of the supplementary groups that the peer had at its connect. Returns their number,
   or -1 with errno. getsockopt(2), SO_PEERGROUPS */
int face_posix_peer_groups(int socket, uint32_t *groups, int room);

/* Stores the path of a listening Unix stream socket in `path`, with room for face_posix_longest_path() + 1
   bytes. Returns 0, or -1 when `socket` is something else. getsockopt(2), getsockname(2) */
int face_posix_listening_path(int socket, char *path);

/* Sends one datagram to a Unix socket; `address` is a path, or begins with @ for an abstract name. Returns 0,
   or -1 with errno. sendto(2) */
int face_posix_send_datagram(const char *address, const char *text);

/* Fills `address` for `path` of `length` bytes without a NUL. Returns -1 when it is longer than sun_path. */
int face_posix_address(struct sockaddr_un *address, const char *path, size_t length);

size_t face_posix_longest_path(void);

/* fcntl(2) is variadic, which Swift does not call. */
int face_posix_set_nonblocking(int descriptor);
int face_posix_set_close_on_exec(int descriptor);

/* Sends bytes and, unless they are -1, descriptors in SCM_RIGHTS, without waiting and without SIGPIPE.
   sendmsg(2) */
ssize_t face_posix_send(int socket, const void *buffer, size_t size, int first, int second);

/* Makes the size final: F_ADD_SEALS with F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. fcntl(2) */
int face_posix_seal_size(int descriptor);

/* Returns 1 when `descriptor` is memory whose size no process can change and which never runs out of pages: a
   memfd with the three seals, not of huge pages. 0 when it is anything else. fcntl(2), fstatfs(2) */
int face_posix_is_sealed_memory(int descriptor);

/* Sets the last text of the calling thread, which is copied. It lives until the thread has set seven others, or ends.
   Needs no pthread key, since the host may have used all of them. */
void face_posix_set_text(const char *text);

/* Returns the last text of the calling thread; NULL before the first one. */
const char *face_posix_text(void);

/* Names the calling thread in debuggers and in /proc. pthread_setname_np(3) */
void face_posix_name_thread(const char *name);

/* Returns freed memory to the system, and the pages of code and constants, which are read from their files
   again when they are needed. malloc_trim(3), dl_iterate_phdr(3), madvise(2) */
void face_posix_release_memory(void);

/* Returns freed memory to the system. malloc_trim(3) */
void face_posix_trim(void);

/* Makes all threads allocate from one arena, because malloc_trim does not release free memory at the ends of
   others. Call before other threads are started. mallopt(3), M_ARENA_MAX */
void face_posix_use_one_arena(void);

/* Returns the number of processors that the process may run on, or -1. sched_getaffinity(2) */
int face_posix_processor_count(void);

/* Writes the numbers of those processors to `list`, which has room for so many, and returns how many they are, or
   -1. */
int face_posix_processors(int *list, int room);

#endif
