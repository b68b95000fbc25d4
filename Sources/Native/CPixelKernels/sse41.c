/// SSE4.1: Intel since 2008.
#if defined(__x86_64__)

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)

#define PIXELS 1
#define KERNELS pixel_kernels_sse41
#define NAME "SSE4.1"
#define PREFIX _mm_
#define SUFFIX si128

#include "lane_x86.h"

typedef lane vector;

INLINE vector load_windows(const uint8_t *from, const int32_t *offsets) { return load_lane(from + offsets[0]); }
INLINE vector load_corners(const uint8_t *const corners[PIXELS], ptrdiff_t stride)
{
  return load_halves(corners[0], stride);
}
INLINE vector load_pairs(const int16_t *from)
{
  int32_t pair;
  memcpy(&pair, from, sizeof pair);
  return _mm_set1_epi32(pair);
}
INLINE vector load_pattern(const void *from) { return load_lane(from); }
INLINE vector shuffle(vector v, vector pattern) { return _mm_shuffle_epi8(v, pattern); }
INLINE vector add_products(vector sum, vector a, vector b) { return _mm_add_epi32(sum, _mm_madd_epi16(a, b)); }
INLINE vector pack(const vector v[4])
{
  const vector low = _mm_packus_epi32(_mm_srli_epi32(v[0], SUM_SHIFT), _mm_srli_epi32(v[1], SUM_SHIFT));
  const vector high = _mm_packus_epi32(_mm_srli_epi32(v[2], SUM_SHIFT), _mm_srli_epi32(v[3], SUM_SHIFT));
  return _mm_packus_epi16(low, high);
}
INLINE void store(void *to, vector v) { _mm_storeu_si128(to, v); }

#include "bytes_x86.h"
#include "vector_kernels.h"

#pragma clang attribute pop

#endif
