/// 16-bit integers on any little-endian processor: vectors of four sums, in the vector types of C compilers.
#include "kernels.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#if defined(__x86_64__)
#include <emmintrin.h>
#endif
#include <string.h>

#define VECTOR_LENGTH 4
#define REGISTERS 16
#define PLANAR_PAIRS 0
#define KERNELS fused_i16_kernels_portable
#define NAME "portable"

typedef float vector __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));
typedef uint32_t bits __attribute__((vector_size(16)));
typedef int16_t four __attribute__((vector_size(8)));
typedef uint16_t four_bits __attribute__((vector_size(8)));
typedef integers pairs;

INLINE integers add_pairs(integers sum, pairs a, pairs b)
{
#if defined(__x86_64__)
  return sum + (integers)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  const integers low = ((integers)((bits)a << 16) >> 16) * ((integers)((bits)b << 16) >> 16);
  return sum + low + (a >> 16) * (b >> 16);
#endif
}
#define ADD_PRODUCTS(sum, weight, value) ((sum) = add_pairs(sum, weight, (integers){0} + (value)))

INLINE pairs pair_up(const int16_t *first, const int16_t *second)
{
  four_bits low, high;
  memcpy(&low, first, sizeof low);
  memcpy(&high, second, sizeof high);
  return (pairs)(__builtin_convertvector(low, bits) | __builtin_convertvector(high, bits) << 16);
}

INLINE vector maximum(vector a, vector b)
{
  const integers is_greater = a > b;
  return (vector)(((integers)a & is_greater) | ((integers)b & ~is_greater));
}

INLINE vector rectified(vector value, vector slope)
{
  const integers is_below = value < (vector){0};
  return (vector)(((integers)(value * slope) & is_below) | ((integers)value & ~is_below));
}

/// Adds a number so large that the fraction is rounded, to values limited to 16 bits.
INLINE integers nearest(vector value)
{
  value = maximum(value, (vector){0} - 32768.f);
  value = -maximum(-value, (vector){0} - 32767.f);
  return (integers)(value + 12582912.f) - 0x4B400000;
}

INLINE void store_narrow(int16_t *to, integers sum)
{
  const four value = __builtin_convertvector(sum, four);
  memcpy(to, &value, sizeof value);
}

#include "i16_kernels.h"

#endif
