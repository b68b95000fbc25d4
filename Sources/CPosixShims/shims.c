#define _GNU_SOURCE
#include "CPosixShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

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

int face_posix_peer_groups(int socket, uint32_t *groups, int room) {
  socklen_t size = (socklen_t)room * sizeof *groups;
  /* ERANGE tells in `size` how much there is. */
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) return -1;
  return (int)(size / sizeof *groups);
}

int face_posix_listening_path(int socket, char *path) {
  int domain = 0, type = 0, listens = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) return -1;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return -1;
  if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) return -1;
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  size = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return -1;
  memcpy(path, address.sun_path, sizeof address.sun_path - 1);
  path[sizeof address.sun_path - 1] = 0;
  return 0;
}

int face_posix_send_datagram(const char *address, const char *text) {
  struct sockaddr_un target;
  size_t length = strlen(address);
  if (face_posix_address(&target, address, length) != 0) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (target.sun_path[0] == '@') target.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&target, size);
  int code = errno;
  close(descriptor);
  errno = code;
  return sent < 0 ? -1 : 0;
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

int face_posix_set_close_on_exec(int descriptor) { return fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

int face_posix_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

void face_posix_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int face_posix_processor_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}
