// The most that one thread of this processor multiplies and adds, in 1e9 fused operations a second on floats.
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Twelve sums that do not wait for each other keep every unit busy.
#define PEAK(name, features, lanes)                                                                   \
  __attribute__((target(features))) double name(void) {                                               \
    typedef float vector __attribute__((vector_size(lanes * 4)));                                     \
    enum { SUMS = 12, ROUNDS = 1000000 };                                                             \
    vector sum[SUMS], factor = (vector){0} + 0.999f;                                                  \
    for (int s = 0; s < SUMS; s++) sum[s] = (vector){0} + (float)s;                                   \
    const double start = seconds();                                                                   \
    for (int r = 0; r < ROUNDS; r++) {                                                                \
      _Pragma("GCC unroll 12") for (int s = 0; s < SUMS; s++) sum[s] = sum[s] * factor + factor;      \
      __asm__ volatile("" : "+x"(factor));                                                            \
    }                                                                                                 \
    const double taken = seconds() - start;                                                           \
    for (int s = 1; s < SUMS; s++) sum[0] += sum[s];                                                  \
    volatile float kept = sum[0][0];                                                                  \
    (void)kept;                                                                                       \
    return (double)SUMS * ROUNDS * lanes / taken * 1e-9;                                              \
  }

PEAK(peak_avx2, "avx2,fma", 8)
PEAK(peak_avx512, "avx512f,fma", 16)
