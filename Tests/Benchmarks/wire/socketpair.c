/* socketpair COUNT: 64 bytes to another process and back, the least that two processes can do. Nanoseconds, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

int main(int argc, char **argv)
{
  int pair[2];
  char bytes[64] = {0};
  if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 2;
  if (fork() == 0) {
    close(pair[0]);
    while (read(pair[1], bytes, sizeof bytes) == sizeof bytes && write(pair[1], bytes, sizeof bytes) == sizeof bytes) {
    }
    _exit(0);
  }
  close(pair[1]);
  for (long call = -WARM_UP, count = atol(argv[1]); call < count; call++) {
    uint64_t start = now_ns();
    if (write(pair[0], bytes, sizeof bytes) != sizeof bytes || read(pair[0], bytes, sizeof bytes) != sizeof bytes) return 1;
    report(call, start);
  }
  return 0;
}
