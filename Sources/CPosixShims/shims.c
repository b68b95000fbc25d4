#define _GNU_SOURCE
#include "CPosixShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

const char *face_posix_describe(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "unknown error";
}

int face_posix_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}

int face_posix_address(struct sockaddr_un *address, const char *path, size_t length) {
  if (length > face_posix_longest_path()) return -1;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

size_t face_posix_longest_path(void) {
  struct sockaddr_un address;
  return sizeof address.sun_path - 1;
}

int face_posix_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }

int face_posix_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int face_posix_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

void face_posix_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int face_posix_processor_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}
