/// The operations of i16_kernels.h that differ between 256 and 512 bits only in their names. Included after
///   VECTOR_LENGTH            8 or 16
///   PREFIX                   of the intrinsics: _mm256_ or _mm512_
///   DOT                      the dot product's instruction; without one it is made of two
#include <immintrin.h>
#include <string.h>

#include "kernels.h"

#define PLANAR_PAIRS 0
#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define X86(name) JOIN(PREFIX, name)

typedef float vector __attribute__((vector_size(VECTOR_LENGTH * 4)));
typedef int32_t integers __attribute__((vector_size(VECTOR_LENGTH * 4)));
typedef integers pairs;
#if VECTOR_LENGTH == 16
typedef __m512i bits;
typedef __m512 floats;
#else
typedef __m256i bits;
typedef __m256 floats;
#endif

INLINE integers add_pairs(integers sum, pairs a, pairs b)
{
#ifdef DOT
  // The compiler would divide its own function into the two instructions again, for shorter chains of sums.
  __asm__(DOT " %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
#else
  return (integers)X86(add_epi32)((bits)sum, X86(madd_epi16)((bits)a, (bits)b));
#endif
}
#define ADD_PRODUCTS(sum, weight, value) ((sum) = add_pairs(sum, weight, (integers){0} + (value)))
#if defined(DOT) && VECTOR_LENGTH == 16
// With an instruction of its own for each load of an element, Zen 4 takes a third more time.
#define ADD_PRODUCTS_AT(sum, weight, at) __asm__(DOT " %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(weight), "m"(*(at)))
#endif

INLINE integers nearest(vector value) { return (integers)X86(cvtps_epi32)((floats)value); }
INLINE vector maximum(vector a, vector b) { return (vector)X86(max_ps)((floats)a, (floats)b); }

#if VECTOR_LENGTH == 16
INLINE vector rectified(vector value, vector slope)
{
  return (vector)_mm512_mask_mul_ps((floats)value, _mm512_movepi32_mask((bits)value), (floats)value, (floats)slope);
}
INLINE pairs pair_up(const int16_t *first, const int16_t *second)
{
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)first));
  const __m512i high = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)second));
  return (pairs)_mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}
INLINE void store_narrow(int16_t *to, integers sum)
{
  _mm256_storeu_si256((__m256i_u *)to, _mm512_cvtsepi32_epi16((bits)sum));
}
#else
INLINE vector rectified(vector value, vector slope)
{
  return (vector)_mm256_blendv_ps((floats)value, (floats)(value * slope), (floats)value);
}
INLINE pairs pair_up(const int16_t *first, const int16_t *second)
{
  const __m256i low = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)first));
  const __m256i high = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)second));
  return (pairs)_mm256_or_si256(low, _mm256_slli_epi32(high, 16));
}
INLINE void store_narrow(int16_t *to, integers sum)
{
  const __m128i low = _mm256_castsi256_si128((bits)sum), high = _mm256_extracti128_si256((bits)sum, 1);
  _mm_storeu_si128((__m128i_u *)to, _mm_packs_epi32(low, high));
}
#endif
