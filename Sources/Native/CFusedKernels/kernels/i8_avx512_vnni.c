/// AVX-512 with VNNI: Intel's servers since 2019 (Cascade Lake), AMD since 2022 (Zen 4).
#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2"))), \
                             apply_to = function)

#define PIXELS 4
#define REGISTERS 32
#define ADDS_16_BITS 0
#define HAS_DOT 1
#define KERNELS fused_i8_kernels_avx512_vnni
#define NAME "AVX-512 VNNI"
#define PREFIX _mm512_
#define SUFFIX si512

typedef __m512i vector;

INLINE vector dot(vector sum, vector u, vector s) { return _mm512_dpbusd_epi32(sum, u, s); }

#include "i8_x86.h"

INLINE vector load_lanes(const void *from) { return _mm512_broadcast_i32x4(_mm_loadu_si128(from)); }
INLINE vector load_windows(const uint8_t *from, const int k)
{
  const vector index =
      _mm512_add_epi32(_mm512_set1_epi32(k), _mm512_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6));
  return _mm512_permutexvar_epi32(index, load(from));
}
INLINE vector even_lanes(vector a, vector b) { return _mm512_shuffle_i64x2(a, b, 0x88); }
INLINE vector odd_lanes(vector a, vector b) { return _mm512_shuffle_i64x2(a, b, 0xDD); }
INLINE vector double_low(vector v) { return _mm512_shuffle_i64x2(v, v, 0x50); }
INLINE vector double_high(vector v) { return _mm512_shuffle_i64x2(v, v, 0xFA); }
INLINE void store_floats(float *to, vector v, vector scale, ptrdiff_t lane_stride)
{
  const __m512 values = _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_castsi512_ps(scale));
  _mm_storeu_ps(to, _mm512_castps512_ps128(values));
  _mm_storeu_ps(to + lane_stride, _mm512_extractf32x4_ps(values, 1));
  _mm_storeu_ps(to + 2 * lane_stride, _mm512_extractf32x4_ps(values, 2));
  _mm_storeu_ps(to + 3 * lane_stride, _mm512_extractf32x4_ps(values, 3));
}

#include "i8_kernels.h"

#pragma clang attribute pop

#endif
