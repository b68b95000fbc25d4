/* A decoder that was taken over: in place of libwebp's first function, by LD_PRELOAD, it tries what an attacker would,
   writes the errno of each attempt to standard error (0: it was let), and then does what libwebp does. With
   PLANTED_SIZE in the environment it says instead that the picture is as many pixels wide as the number in which
   attempt n that was let sets bit n, and the one above the last is set, and a pixel high. PLANTED_PORT is a port of
   this machine at which a test listens, PLANTED_FILE a file that does not exist, PLANTED_OTHER one that does. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int outcome(int result) { return result < 0 ? errno : 0; }

static int try_to_read(void)
{
  int file = open("/etc/passwd", O_RDONLY);
  int code = outcome(file);
  if (file >= 0) close(file);
  return code;
}

static int try_to_write(void)
{
  const char *path = getenv("PLANTED_FILE");
  int file = open(path ? path : "/tmp/planted", O_WRONLY | O_CREAT | O_EXCL, 0600);
  int code = outcome(file);
  if (file >= 0) close(file);
  return code;
}

static int try_to_connect(void)
{
  const char *port = getenv("PLANTED_PORT");
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port ? port : "9"))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  int code = outcome(peer);
  if (peer < 0) return code;
  code = outcome(connect(peer, (struct sockaddr *)&address, sizeof address));
  close(peer);
  return code;
}

/* Tries the call itself with a missing program: an existing one would replace this process. */
static int try_to_execute(void)
{
  char *const arguments[] = {"none", NULL};
  execve("/dev/null/none", arguments, arguments + 1);
  return errno == ENOTDIR ? 0 : errno;
}

static int try_to_fork(void)
{
  pid_t child = fork();
  if (child == 0) _exit(0);
  int code = outcome(child);
  if (child > 0) waitpid(child, NULL, 0);
  return code;
}

static int try_to_signal(void) { return outcome(kill(getppid(), 0)); }

static int try_to_run_memory(void)
{
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? errno : munmap(memory, 4096);
}

static int try_to_remove(void)
{
  const char *path = getenv("PLANTED_OTHER");
  return outcome(unlink(path ? path : "/tmp/planted_other"));
}

/* Would have the kernel send signals to the owner. */
static int try_to_set_an_owner(void) { return outcome(fcntl(STDERR_FILENO, F_SETOWN, getppid())); }

static int try_to_read_limits(void)
{
  struct rlimit limits;
  return outcome(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limits));
}

static int try_to_list(void)
{
  int folder = open("/usr/local", O_RDONLY | O_DIRECTORY);
  int code = outcome(folder);
  if (folder >= 0) close(folder);
  return code;
}

int WebPGetFeaturesInternal(const uint8_t *data, size_t size, void *features, int version)
{
  const int codes[] = {try_to_read(),         try_to_write(),       try_to_connect(),    try_to_execute(),
                       try_to_fork(),         try_to_signal(),      try_to_run_memory(), try_to_remove(),
                       try_to_set_an_owner(), try_to_read_limits(), try_to_list()};
  if (getenv("PLANTED_SIZE")) {
    int *picture = features;
    picture[0] = 1 << sizeof codes / sizeof *codes;
    picture[1] = 1;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) picture[0] |= (codes[i] == 0) << i;
    return 0;
  }
  char line[256];
  int length = snprintf(line, sizeof line,
                        "planted: read=%d write=%d connect=%d execute=%d fork=%d signal=%d memory=%d remove=%d "
                        "owner=%d limits=%d list=%d\n",
                        codes[0], codes[1], codes[2], codes[3], codes[4], codes[5], codes[6], codes[7], codes[8],
                        codes[9], codes[10]);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) abort();
  int (*next)(const uint8_t *, size_t, void *, int);
  *(void **)&next = dlsym(RTLD_NEXT, "WebPGetFeaturesInternal");
  return next(data, size, features, version);
}
