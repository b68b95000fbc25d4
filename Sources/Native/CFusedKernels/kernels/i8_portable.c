/// int8 kernels for any little-endian processor: vectors of one pixel, in the vector types of C compilers.
#include "kernels.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include <string.h>

#define PIXELS 1
#define REGISTERS 0
#define ADDS_16_BITS 0
#define PIXEL_OFFSET 0
#define KERNELS fused_i8_kernels_portable
#define NAME "portable"

typedef uint8_t vector __attribute__((vector_size(16)));
typedef int16_t eight __attribute__((vector_size(16)));
typedef int32_t four __attribute__((vector_size(16)));
typedef int32_t wide_eight __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16)));

INLINE vector load(const void *from)
{
  vector value;
  memcpy(&value, from, sizeof value);
  return value;
}
INLINE void store(void *to, vector value) { memcpy(to, &value, sizeof value); }
INLINE vector load_lanes(const void *from) { return load(from); }
INLINE vector load_windows(const uint8_t *from, const int k)
{
  int32_t bytes;
  memcpy(&bytes, from + 4 * k, sizeof bytes);
  return (vector)((four){0} + bytes);
}
INLINE vector spread(vector v, const int k) { return (vector)((four){0} + ((four)v)[k]); }
/// Adds products of even and of odd bytes in 16 bits, which hold two of them, then neighbours in 32 bits.
INLINE vector dot(vector sum, vector u, vector s)
{
  const eight even = ((eight)u & 255) * ((eight)((eight)s << 8) >> 8);
  const eight odd = (eight)(((eight)u >> 8) & 255) * ((eight)s >> 8);
  const four pairs = (four)(even + odd);
  return (vector)((four)sum + (four)((four)((uint32_t __attribute__((vector_size(16))))pairs << 16) >> 16) +
                  (pairs >> 16));
}
INLINE vector dot_pixels(vector sum, vector u, vector s) { return dot(sum, u, s); }
INLINE four limited32(four v, int32_t least, int32_t most)
{
  const four low = (four){0} + least, high = (four){0} + most;
  const four below = v<low, above = v> high;
  return (low & below) | (high & above) | (v & ~below & ~above);
}
INLINE eight limited16(eight v, int16_t least, int16_t most)
{
  const eight low = (eight){0} + least, high = (eight){0} + most;
  const eight below = v<low, above = v> high;
  return (low & below) | (high & above) | (v & ~below & ~above);
}
INLINE vector shift_right(vector v, int count) { return (vector)((four)v >> count); }
INLINE vector pack32(vector a, vector b)
{
  const eight low = (eight)limited32((four)a, -32768, 32767), high = (eight)limited32((four)b, -32768, 32767);
  return (vector)__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
}
INLINE vector pack16(vector a, vector b)
{
  const vector low = (vector)limited16((eight)a, 0, 255), high = (vector)limited16((eight)b, 0, 255);
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
INLINE vector multiply_high(vector a, vector b)
{
  const wide_eight wide = __builtin_convertvector((eight)a, wide_eight) * __builtin_convertvector((eight)b, wide_eight);
  return (vector) __builtin_convertvector((wide + 0x4000) >> 15, eight);
}
INLINE vector minimum(vector a, vector b)
{
  const vector less = (vector)(a < b);
  return (a & less) | (b & ~less);
}
INLINE vector maximum(vector a, vector b)
{
  const vector less = (vector)(a < b);
  return (b & less) | (a & ~less);
}
INLINE vector maximum16(vector a, vector b)
{
  const vector less = (vector)((eight)a < (eight)b);
  return (b & less) | (a & ~less);
}
INLINE vector add_saturated(vector a, vector b)
{
  const vector sum = a + b;
  return sum | (vector)(sum < a);
}
INLINE vector add_saturated16(vector a, vector b)
{
  const wide_eight sum = __builtin_convertvector((eight)a, wide_eight) + __builtin_convertvector((eight)b, wide_eight);
  const wide_eight most = (wide_eight){0} + 32767, least = -most - 1;
  const wide_eight above = sum > most, below = sum < least;
  return (vector) __builtin_convertvector((most & above) | (least & below) | (sum & ~above & ~below), eight);
}
INLINE vector all_bytes(int value) { return (vector){0} + (uint8_t)value; }
INLINE vector zip_low(vector a, vector b)
{
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
INLINE vector zip_high(vector a, vector b)
{
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
INLINE vector zip_low16(vector a, vector b)
{
  return (vector)__builtin_shufflevector((eight)a, (eight)b, 0, 8, 1, 9, 2, 10, 3, 11);
}
INLINE vector zip_high16(vector a, vector b)
{
  return (vector)__builtin_shufflevector((eight)a, (eight)b, 4, 12, 5, 13, 6, 14, 7, 15);
}
INLINE void store_floats(float *to, vector v, vector scale, ptrdiff_t lane_stride)
{
  (void)lane_stride;
  const four_floats values = __builtin_convertvector((four)v, four_floats) * (four_floats)scale;
  memcpy(to, &values, sizeof values);
}

#include "i8_kernels.h"

#endif
