/// All int8 kernels, for vectors of any length. A vector consists of whole lanes of 128 bits, each with 16
/// channels of one pixel, a byte each. An instruction set's file includes this after it has defined
///   PIXELS                    lanes in a vector: 1, 2 or 4
///   REGISTERS                 vector registers, 16 or 32; 0: small code is more important than time
///   ADDS_16_BITS              1: depthwise sums are added in 16 bits, two products at a time;
///                             0: in 32 bits, four at a time
///   BROADCASTS                if defined, convolutions of all channels are those of i8_convolution_avx2.h
///   PIXEL_OFFSET              what dot_pixels subtracts from u: 0 or 128
///   BY_ELEMENT                1: dot_element and load_pair_of_windows are defined
///   KERNELS, NAME             the table to define, and its instruction set's name
///   vector                    the type, and functions of it, which work within lanes unless noted:
///   load, store               of a whole vector, not aligned
///   load_lanes(p)             16 bytes to every lane
///   load_windows(p, k)        to all of lane l the four bytes at p + 8l + 4k
///   spread(v, k)              the k-th four bytes of a lane to the whole lane
///   dot(sum, u, s)            to each 32-bit sum adds its four products of bytes: u unsigned, s signed
///   dot_element(sum, u, k, s) the same as dot(sum, spread(u, k), s), by one instruction
///   dot_pixels(sum, u, s)     the same as dot, where u is what load_windows gave
///   shift_right(v, n)         of signed 32 bits
///   pack32(a, b), pack16(a, b)  32 to 16 bits, signed; 16 to 8 bits, unsigned; both saturate
///   multiply_high(a, b)       16 bits: (a * b + 2^14) >> 15
///   minimum, maximum          of unsigned bytes; maximum16 of signed 16 bits
///   add_saturated             unsigned bytes; add_saturated16 signed 16 bits
///   all_bytes(x)
///   zip_low, zip_high         of bytes; zip_low16, zip_high16 of 16 bits
///   store_floats(p, v, s, n)  32-bit v times floats s, lane l to p + l * n
/// between lanes, where there are several:
///   even_lanes, odd_lanes     of a, then of b
///   double_low, double_high   each lane of the lower or upper half twice
/// with ADDS_16_BITS
///   dot_pairs(u, s)           to 16 bits; add16(a, b)
///   add_pairs(sum, v)         to each 32-bit sum adds its two 16 bits of v

#include <string.h>

#include "kernels.h"

/// The largest value of a byte, which lets the sum of two products of bytes and weights fit 16 bits.
enum { MAX_VALUE = FUSED_I8_MAX_VALUE };
/// Bytes of a lane and of a vector.
enum { LANE = FUSED_I8_BLOCK, VECTOR = LANE * PIXELS };
/// The most vectors of pixels of a tile of `gemm`.
#if REGISTERS == 32
enum { MAX_MR = 5 };
#elif REGISTERS == 16
enum { MAX_MR = 3 };
#else
enum { MAX_MR = 1 };
#endif
/// Columns whose four rows the depthwise kernels interleave together.
enum { COLUMNS = 160 };
/// Bytes of a quarter of the interleaved rows.
enum { INTERLEAVED = FUSED_I8_MARGIN + LANE * (COLUMNS + 8) };

#if REGISTERS > 0
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL _Pragma("GCC unroll 1")
#endif

#if PIXELS == 1
INLINE vector even_lanes(vector a, vector b)
{
  (void)b;
  return a;
}
INLINE vector odd_lanes(vector a, vector b)
{
  (void)a;
  return b;
}
INLINE vector double_low(vector v) { return v; }
INLINE vector double_high(vector v) { return v; }
#endif

/// Converts 16 channels of 32-bit sums to bytes: times multiplier / 32768, rounded, negative ones to 0.
INLINE vector requantise(vector low, vector high, const vector multiplier[2])
{
  const vector values = pack16(multiply_high(low, multiplier[0]), multiply_high(high, multiplier[1]));
  return minimum(values, all_bytes(MAX_VALUE));
}

INLINE void load_multipliers(const int16_t *multipliers, vector multiplier[2])
{
  multiplier[0] = load_lanes(multipliers);
  multiplier[1] = load_lanes(multipliers + 8);
}

#include "i8_convolution.h"
#include "i8_depthwise.h"

/// Fills four windows at a time, which may be up to three beyond the last.
static void fill_spare_bytes(uint8_t *row, int windows)
{
  for (int x = 0; x < windows; x += 4) {
    four_windows window, right;
    memcpy(&window, row + 8 * x, sizeof window);
    memcpy(&right, row + 8 * x + 8, sizeof right);
    window = (window & 0x00FFFFFF00FFFFFF) | (right & 0xFF) << 24 | (right & 0xFF00) << 48;
    memcpy(row + 8 * x, &window, sizeof window);
  }
}

/// Loops over blocks of 16 channels outside; a pixel of the half-size row is used for two columns.
static void add_upsampled(const uint8_t *row, size_t plane, const uint8_t *half, size_t half_plane, int channels,
                          int width, uint8_t *out)
{
  const vector most = all_bytes(MAX_VALUE);
  for (int c = 0; c < channels; c += LANE, row += plane, half += half_plane, out += plane)
    for (int x = 0; x < width; x += 2 * PIXELS) {
      const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * x;
      const vector values = load(half + FUSED_I8_MARGIN + LANE / 2 * x);
      store(out + at, minimum(add_saturated(load(row + at), double_low(values)), most));
      if (x + PIXELS < width)
        store(out + at + VECTOR, minimum(add_saturated(load(row + at + VECTOR), double_high(values)), most));
    }
}

typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));

/// Converts four pixels at a time. A fourth byte that is not part of the pixel is kept, because its weight is
/// 0.
INLINE void load_pixels_any(const uint8_t *row, int count, uint8_t *out, const int bytes_per_pixel, const int reversed)
{
  int x = 0;
  // Sixteen bytes are read for four pixels of three.
  const int safe = bytes_per_pixel == 4 ? count - 3 : count - 5;
  for (; x < safe; x += 4) {
    sixteen_bytes value;
    memcpy(&value, row + (ptrdiff_t)x * bytes_per_pixel, sizeof value);
    if (bytes_per_pixel == 4)
      value = __builtin_shufflevector(value, value, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
    if (bytes_per_pixel == 3 && reversed)
      value = __builtin_shufflevector(value, value, 2, 1, 0, 3, 5, 4, 3, 6, 8, 7, 6, 9, 11, 10, 9, 12);
    if (bytes_per_pixel == 3 && !reversed)
      value = __builtin_shufflevector(value, value, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    memcpy(out + (ptrdiff_t)x * 4, &value, sizeof value);
  }
  for (; x < count; x++) {
    uint8_t pixel[3];
    memcpy(pixel, row + (ptrdiff_t)x * bytes_per_pixel, sizeof pixel);
    for (int c = 0; c < 3; c++) out[(ptrdiff_t)x * 4 + c] = pixel[reversed ? 2 - c : c];
  }
}

static void load_pixels(const uint8_t *row, int count, int bytes_per_pixel, int reversed, uint8_t *out)
{
  if (bytes_per_pixel == 4)
    reversed ? load_pixels_any(row, count, out, 4, 1) : (void)memcpy(out, row, (size_t)count * 4);
  else
    reversed ? load_pixels_any(row, count, out, 3, 1) : load_pixels_any(row, count, out, 3, 0);
}

const fused_i8_kernels KERNELS = {
    .name = NAME,
    .adds_16_bits = ADDS_16_BITS,
    .pixel_offset = PIXEL_OFFSET,
    .conv3x3s2 = conv3x3s2,
    .gemm = gemm,
    .gemm_to_floats = gemm_to_floats,
    .dwconv3x3 = dwconv3x3,
    .dwconv3x3s2 = dwconv3x3s2,
    .dwconv3x3_to_floats = dwconv3x3_to_floats,
    .add_upsampled = add_upsampled,
    .fill_spare_bytes = fill_spare_bytes,
    .load_pixels = load_pixels,
};
