#define _GNU_SOURCE
#include "CPosixShims.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <linux/magic.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *face_posix_own_file(void)
{
  Dl_info found;
  return dladdr((const void *)&face_posix_own_file, &found) != 0 ? found.dli_fname : NULL;
}

static char **arguments;

/* glibc passes the arguments of the program to the constructors of programs and of libraries. */
__attribute__((constructor)) static void remember(int count, char **values)
{
  (void)count;
  arguments = values;
}

char **face_posix_arguments(void) { return arguments; }

const char *face_posix_program(void) { return (const char *)getauxval(AT_EXECFN); }

const char *face_posix_describe(int code)
{
  const char *text = strerrordesc_np(code);
  return text ? text : "unknown error";
}

int face_posix_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group)
{
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}

int face_posix_peer_groups(int socket, uint32_t *groups, int room)
{
  socklen_t size = (socklen_t)room * sizeof *groups;
  /* After ERANGE, `size` is the size needed. */
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) return -1;
  return (int)(size / sizeof *groups);
}

int face_posix_listening_path(int socket, char *path)
{
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

int face_posix_send_datagram(const char *address, const char *text)
{
  struct sockaddr_un target;
  size_t length = strlen(address);
  if (face_posix_address(&target, address, length) != 0) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (target.sun_path[0] == '@') target.sun_path[0] = 0;
  int descriptor = face_posix_socket(SOCK_DGRAM);
  if (descriptor < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&target, size);
  int code = errno;
  close(descriptor);
  errno = code;
  return sent < 0 ? -1 : 0;
}

int face_posix_address(struct sockaddr_un *address, const char *path, size_t length)
{
  if (length > face_posix_longest_path()) return -1;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

size_t face_posix_longest_path(void)
{
  struct sockaddr_un address;
  return sizeof address.sun_path - 1;
}

int face_posix_set_nonblocking(int descriptor)
{
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int face_posix_set_close_on_exec(int descriptor) { return fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

ssize_t face_posix_send(int socket, const void *buffer, size_t size, int first, int second)
{
  const int descriptors[2] = {first, second};
  const size_t count = (first >= 0) + (first >= 0 && second >= 0);
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = (void *)buffer, .iov_len = size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *item = CMSG_FIRSTHDR(&message);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(item), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

#define FACE_SIZE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int face_posix_seal_size(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, FACE_SIZE_SEALS); }

int face_posix_is_sealed_memory(int descriptor)
{
  int seals = fcntl(descriptor, F_GET_SEALS);
  struct statfs filesystem;
  return seals >= 0 && (seals & FACE_SIZE_SEALS) == FACE_SIZE_SEALS && fstatfs(descriptor, &filesystem) == 0 &&
         filesystem.f_type == TMPFS_MAGIC;
}

void face_posix_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int face_posix_processor_count(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

int face_posix_processors(int *list, int room)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  int count = 0;
  for (int i = 0; i < CPU_SETSIZE && count < room; i++)
    if (CPU_ISSET(i, &set)) list[count++] = i;
  return count;
}

/* Code and read-only data are unchanged from their files. */
static int release_segments(struct dl_phdr_info *object, size_t size, void *context)
{
  (void)size;
  (void)context;
  /* The program's name is empty, libraries have paths, the kernel's vDSO has neither. */
  if (object->dlpi_name[0] != 0 && object->dlpi_name[0] != '/') return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    const uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    const uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_filesz;
    madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
  return 0;
}

void face_posix_use_one_arena(void) { mallopt(M_ARENA_MAX, 1); }

void face_posix_trim(void) { malloc_trim(0); }

void face_posix_release_memory(void)
{
  malloc_trim(0);
  dl_iterate_phdr(release_segments, NULL);
}

int face_posix_has_keys(void)
{
  enum { KEYS = 8 };
  pthread_key_t keys[KEYS];
  int count = 0;
  while (count < KEYS && pthread_key_create(&keys[count], NULL) == 0) count++;
  for (int i = 0; i < count; i++) pthread_key_delete(keys[i]);
  return count == KEYS;
}
