/// AVX2: Intel since 2013, AMD since 2015.
#if defined(__x86_64__)

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define PIXELS 2
#define KERNELS pixel_kernels_avx2
#define NAME "AVX2"
#define PREFIX _mm256_
#define SUFFIX si256

#include "lane_x86.h"

typedef __m256i vector;

INLINE vector load_windows(const uint8_t *from, const int32_t *offsets)
{
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(from + offsets[0])), load_lane(from + offsets[1]), 1);
}
INLINE vector load_corners(const uint8_t *const corners[PIXELS], ptrdiff_t stride)
{
  const lane first = load_halves(corners[0], stride), second = load_halves(corners[1], stride);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}
INLINE vector load_pairs(const int16_t *from)
{
  return _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(load_half(from)),
                                     _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
}
INLINE vector load_pattern(const void *from) { return _mm256_broadcastsi128_si256(load_lane(from)); }
INLINE vector shuffle(vector v, vector pattern) { return _mm256_shuffle_epi8(v, pattern); }
INLINE vector add_products(vector sum, vector a, vector b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
INLINE vector pack(const vector v[4])
{
  const vector low = _mm256_packus_epi32(_mm256_srli_epi32(v[0], SUM_SHIFT), _mm256_srli_epi32(v[1], SUM_SHIFT));
  const vector high = _mm256_packus_epi32(_mm256_srli_epi32(v[2], SUM_SHIFT), _mm256_srli_epi32(v[3], SUM_SHIFT));
  // Each lane has every second pixel.
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
INLINE void store(void *to, vector v) { _mm256_storeu_si256(to, v); }

#include "bytes_x86.h"
#include "vector_kernels.h"

#pragma clang attribute pop

#endif
