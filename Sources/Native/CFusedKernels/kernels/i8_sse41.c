/// SSE4.1: Intel since 2008, including its small processors before 2021, which have no AVX2.
#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)

#define PIXELS 1
#define REGISTERS 16
#define ADDS_16_BITS 1
#define HAS_DOT 0
#define KERNELS fused_i8_kernels_sse41
#define NAME "SSE4.1"
#define PREFIX _mm_
#define SUFFIX si128

typedef __m128i vector;

#include "i8_x86.h"

INLINE vector load_lanes(const void *from) { return load(from); }
INLINE vector load_windows(const uint8_t *from, const int k)
{
  int32_t four;
  memcpy(&four, from + 4 * k, sizeof four);
  return _mm_set1_epi32(four);
}
INLINE void store_floats(float *to, vector v, vector scale, ptrdiff_t lane_stride)
{
  (void)lane_stride;
  _mm_storeu_ps(to, _mm_mul_ps(_mm_cvtepi32_ps(v), _mm_castsi128_ps(scale)));
}

#include "i8_kernels.h"

#pragma clang attribute pop

#endif
