/* Source of the numbers: linux/landlock.h of 6.15, ABI 7. Debian 12's own header ends at ABI 2. */
#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  REMOVE_DIR = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_DIR = 1 << 7,
  MAKE_REG = 1 << 8,
  ABI_1 = (1 << 13) - 1, /* every right of the first version */
  REFER = 1 << 13,       /* ABI 2 */
  TRUNCATE = 1 << 14,    /* ABI 3 */
  IOCTL_DEV = 1 << 15,   /* ABI 5 */
  OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
  BIND_TCP = 1 << 0, /* ABI 4 */
  CONNECT_TCP = 1 << 1,
  SCOPE_ABSTRACT_SOCKET = 1 << 0, /* ABI 6 */
  SCOPE_SIGNAL = 1 << 1,
  CREATE_RULESET_VERSION = 1 << 0,
  RULE_PATH_BENEATH = 1
};

struct ruleset {
  uint64_t files, network, scopes;
};

struct path_rule {
  uint64_t rights;
  int32_t folder;
} __attribute__((packed));

int face_sandbox_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/* Returns the version of the kernel's interface; 0 if it has none, or a container forbids it. */
static long version(void)
{
  long found = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  return found < 0 ? 0 : found;
}

static uint64_t handled_rights(long abi)
{
  return ABI_1 | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) | (abi >= 5 ? IOCTL_DEV : 0);
}

static uint64_t rights(unsigned uses)
{
  uint64_t rights = 0;
  if (uses & FACE_PATH_READ) rights |= READ_FILE | READ_DIR;
  if (uses & FACE_PATH_RUN) rights |= EXECUTE;
  if (uses & FACE_PATH_WRITE) rights |= WRITE_FILE | TRUNCATE;
  if (uses & FACE_PATH_CREATE) rights |= WRITE_FILE | TRUNCATE | MAKE_REG | MAKE_DIR | REMOVE_FILE;
  if (uses & FACE_PATH_REMOVE) rights |= REMOVE_FILE;
  if (uses & FACE_PATH_CONTROL) rights |= IOCTL_DEV;
  return rights;
}

/* Returns 0, also for a path that is missing or may not be opened: it stays denied. */
static int allow(int ruleset, const struct face_sandbox_path *path, uint64_t handled)
{
  int descriptor = open(path->path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return 0;
  struct stat information;
  struct path_rule rule = {rights(path->uses) & handled, descriptor};
  int failed = fstat(descriptor, &information);
  if (!failed && !S_ISDIR(information.st_mode)) rule.rights &= OF_FILES;
  if (!failed && rule.rights != 0) failed = syscall(__NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0;
  /* A pipe or a socket is on no file system, so nothing about it is denied. */
  if (failed && errno == EBADFD) failed = 0;
  close(descriptor);
  return failed ? -1 : 0;
}

unsigned face_sandbox_restrict(const struct face_sandbox_path *paths, size_t count, unsigned wanted)
{
  const long abi = version();
  if (abi < 4) wanted &= ~(unsigned)(FACE_RESTRICTS_TCP | FACE_RESTRICTS_TCP_CONNECT);
  if (abi < 6) wanted &= ~(unsigned)(FACE_RESTRICTS_ABSTRACT_SOCKETS | FACE_RESTRICTS_SIGNALS);
  if (abi < 1 || wanted == 0) return 0;
  const uint64_t handled = wanted & FACE_RESTRICTS_FILES ? handled_rights(abi) : 0;
  const struct ruleset rules = {.files = handled,
                                .network = wanted & FACE_RESTRICTS_TCP           ? BIND_TCP | CONNECT_TCP
                                           : wanted & FACE_RESTRICTS_TCP_CONNECT ? CONNECT_TCP
                                                                                 : 0,
                                .scopes = (wanted & FACE_RESTRICTS_ABSTRACT_SOCKETS ? SCOPE_ABSTRACT_SOCKET : 0) |
                                          (wanted & FACE_RESTRICTS_SIGNALS ? SCOPE_SIGNAL : 0)};
  const int ruleset = (int)syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (ruleset < 0) return 0;
  int failed = 0;
  for (size_t i = 0; handled && !failed && i < count; i++) failed = allow(ruleset, &paths[i], handled);
  if (!failed) failed = syscall(__NR_landlock_restrict_self, ruleset, 0) != 0;
  close(ruleset);
  return failed ? 0 : wanted;
}
