#define _GNU_SOURCE
#include "descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns the same file under a number above the standard descriptors, or -1 with errno; then it is closed. */
static int moved(int descriptor)
{
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int code = errno;
  close(descriptor);
  errno = code;
  return above;
}

/* Moves each of `count` descriptors; if one cannot be moved, closes all and returns -1 with errno. */
static int moved_all(int *descriptors, int count)
{
  int code = 0;
  for (int i = 0; i < count; i++)
    if ((descriptors[i] = moved(descriptors[i])) < 0) code = errno;
  for (int i = 0; code != 0 && i < count; i++)
    if (descriptors[i] >= 0) close(descriptors[i]);
  errno = code;
  return code == 0 ? 0 : -1;
}

int face_posix_open(const char *path, int flags, unsigned mode) { return moved(open(path, flags | O_CLOEXEC, mode)); }

int face_posix_open_folder(const char *path) { return face_posix_open(path, O_PATH | O_DIRECTORY, 0); }

DIR *face_posix_list_folder(const char *path)
{
  const int descriptor = face_posix_open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
  DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
  if (descriptor >= 0 && folder == NULL) {
    const int code = errno;
    close(descriptor);
    errno = code;
  }
  return folder;
}

int face_posix_can_open(void)
{
  const int descriptor = open("/", O_PATH | O_CLOEXEC);
  if (descriptor < 0) return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
  close(descriptor);
  return 1;
}

int face_posix_occupy_standard(void)
{
  for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    /* The lowest free number, which is the one wanted. */
    if (open("/dev/null", O_RDONLY) < 0 && open("/", O_PATH) < 0) return -1;
  }
  return 0;
}

int face_posix_socket(int type) { return moved(socket(AF_UNIX, type | SOCK_CLOEXEC, 0)); }

int face_posix_socket_pair(int type, int ends[2])
{
  const int made = socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
  return made != 0 ? made : moved_all(ends, 2);
}

int face_posix_accept(int socket) { return moved(accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)); }

ssize_t face_posix_receive(int socket, void *buffer, size_t size, int descriptors[2], int *count, int *lost)
{
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  *count = 0;
  *lost = 0;
  ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  *lost = (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    int here = (int)((item->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(item), (size_t)here * sizeof(int));
    *count = here;
  }
  if (moved_all(descriptors, *count) != 0) {
    *count = 0;
    *lost = 1;
  }
  return received;
}

int face_posix_memory_file(const char *name) { return moved(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

int face_posix_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

int face_posix_pipe(int ends[2])
{
  const int made = pipe2(ends, O_CLOEXEC);
  return made != 0 ? made : moved_all(ends, 2);
}

int face_posix_epoll(void) { return moved(epoll_create1(EPOLL_CLOEXEC)); }

int face_posix_event(void) { return moved(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int face_posix_signals(const sigset_t *set) { return moved(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK)); }
