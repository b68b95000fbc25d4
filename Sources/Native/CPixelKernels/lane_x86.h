/// The operations of vector_kernels.h on one lane, with SSE4.1.
#include <immintrin.h>

typedef __m128i lane;

INLINE lane lane_of_ints(int value) { return _mm_set1_epi32(value); }
INLINE lane load_lane(const void *from) { return _mm_loadu_si128(from); }
INLINE lane load_half(const void *from) { return _mm_loadl_epi64(from); }
INLINE lane zip_left(lane a, lane b) { return _mm_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)); }
INLINE lane zip_right(lane a, lane b) { return _mm_unpackhi_epi8(_mm_unpacklo_epi8(a, b), _mm_setzero_si128()); }
INLINE lane pair(const int16_t *from, const int n) {
  int32_t both;
  memcpy(&both, from + 2 * n, sizeof both);
  return _mm_set1_epi32(both);
}
INLINE lane add_products_lane(lane sum, lane a, lane b) { return _mm_add_epi32(sum, _mm_madd_epi16(a, b)); }
INLINE lane pack_lane(const lane v[4]) {
  const lane low = _mm_packus_epi32(_mm_srli_epi32(v[0], SUM_SHIFT), _mm_srli_epi32(v[1], SUM_SHIFT));
  const lane high = _mm_packus_epi32(_mm_srli_epi32(v[2], SUM_SHIFT), _mm_srli_epi32(v[3], SUM_SHIFT));
  return _mm_packus_epi16(low, high);
}
INLINE void store_lane(void *to, lane v) { _mm_storeu_si128(to, v); }
