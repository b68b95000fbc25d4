/// AVX-512: Intel's servers since 2017, AMD since 2022 (Zen 4).
#if defined(__x86_64__)

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)

#define PIXELS 4
#define KERNELS pixel_kernels_avx512
#define NAME "AVX-512"
#define PREFIX _mm512_
#define SUFFIX si512

#include "lane_x86.h"

typedef __m512i vector;

INLINE vector load_windows(const uint8_t *from, const int32_t *offsets)
{
  const __m256i low =
      _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from + offsets[0])), load_lane(from + offsets[1]), 1);
  const __m256i high =
      _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from + offsets[2])), load_lane(from + offsets[3]), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
INLINE __m256i load_two_corners(const uint8_t *const corners[2], ptrdiff_t stride)
{
  const lane first = load_halves(corners[0], stride), second = load_halves(corners[1], stride);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}
INLINE vector load_corners(const uint8_t *const corners[PIXELS], ptrdiff_t stride)
{
  const __m256i low = load_two_corners(corners, stride), high = load_two_corners(corners + 2, stride);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
INLINE vector load_pairs(const int16_t *from)
{
  return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
                                  _mm512_castsi128_si512(load_lane(from)));
}
INLINE vector load_pattern(const void *from) { return _mm512_broadcast_i32x4(load_lane(from)); }
INLINE vector shuffle(vector v, vector pattern) { return _mm512_shuffle_epi8(v, pattern); }
INLINE vector add_products(vector sum, vector a, vector b) { return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)); }
INLINE vector pack(const vector v[4])
{
  const vector low = _mm512_packus_epi32(_mm512_srli_epi32(v[0], SUM_SHIFT), _mm512_srli_epi32(v[1], SUM_SHIFT));
  const vector high = _mm512_packus_epi32(_mm512_srli_epi32(v[2], SUM_SHIFT), _mm512_srli_epi32(v[3], SUM_SHIFT));
  // Each lane has every fourth pixel.
  return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
                                  _mm512_packus_epi16(low, high));
}
INLINE void store(void *to, vector v) { _mm512_storeu_si512(to, v); }

#include "bytes_x86.h"
#include "vector_kernels.h"

#pragma clang attribute pop

#endif
