/// One lane of a vector, with SSE4.1.
#include <immintrin.h>

typedef __m128i lane;

INLINE lane load_lane(const void *from) { return _mm_loadu_si128(from); }
INLINE lane load_half(const void *from) { return _mm_loadl_epi64(from); }
INLINE lane load_halves(const uint8_t *from, ptrdiff_t stride)
{
  int64_t second;
  memcpy(&second, from + stride, sizeof second);
  return _mm_insert_epi64(load_half(from), second, 1);
}
