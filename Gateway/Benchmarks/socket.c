/* socket PATH COUNT: Health/Check of the engine at its socket, one call after the other. Nanoseconds, one a line. */
#include "raw.h"

int main(int argc, char **argv)
{
  if (argc != 3) return 2;
  int fd = connect_to(argv[1]);
  bytes request = envelope("faceengine.v1.Health", "Check", (bytes){NULL, 0});
  bytes answer = {malloc(1 << 20), 0};
  long count = atol(argv[2]);
  for (long number = -WARM_UP; number < count; number++) {
    uint64_t start = now_ns();
    if (!call(fd, (uint32_t)(2 * (number + WARM_UP) + 1), request, &answer)) return 1;
    report(number, start);
  }
  return 0;
}
