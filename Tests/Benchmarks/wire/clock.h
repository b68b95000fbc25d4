#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { WARM_UP = 200 };

static inline uint64_t now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Prints how long a call took, unless it was one to warm up with. */
static inline void report(long call, uint64_t start)
{
  uint64_t end = now_ns();
  if (call >= 0) printf("%llu\n", (unsigned long long)(end - start));
}
