/// `narrow` and `sample` for vectors of any length. A vector consists of whole lanes of 128 bits. Each
/// lane is one pixel of the target: four sums of 32 bits. An instruction set's file includes this after it
/// has defined
///   PIXELS                lanes in a vector: 1, 2 or 4
///   KERNELS, NAME         the table to define, and its instruction set's name
///   vector                the type, and functions of it, which work within lanes unless noted:
///   load_windows(p, o)    to lane l the 16 bytes at p + o[l]
///   load_corners(p, s)    to lane l the 8 bytes at p[l] and those at p[l] + s
///   load_pairs(p)         to all of lane l the l-th pair of 16 bits at p
///   load_pattern(p)       16 bytes to every lane
///   shuffle(v, pattern)   bytes of v by their index; 128: zero
///   add_products(s, a, b) to each 32-bit sum adds two products of signed 16 bits
///   pack(v)               four vectors of sums, of pixels in order, to bytes of their bits 8…15, in order
///   store(p, v)

#include "shared_kernels.h"

enum { GROUP = 4 * PIXELS };
_Static_assert(PIXEL_GROUP % GROUP == 0, "tables have whole groups");

/// Makes the pattern that takes the first or third tap and the one after it from 16 bytes, as 16 bits side by
/// side.
static void make_pattern(int bytes_per_pixel, int reversed, int tap, uint8_t pattern[16])
{
  for (int byte = 0; byte < 4; byte++)
    for (int i = 0; i < 2; i++) {
      const int from = reversed && byte < 3 ? 2 - byte : byte;
      pattern[byte * 4 + i * 2] = byte < bytes_per_pixel ? (uint8_t)((tap + i) * bytes_per_pixel + from) : 128;
      pattern[byte * 4 + i * 2 + 1] = 128;
    }
}

/// Computes a group of pixels from `fours` times four taps each, or from two if that is 0.
INLINE vector narrow_group(const pixel_narrowing *narrowing, const int fours, const int alike, int column, vector bias,
                           const vector pattern[2])
{
  vector sums[4];
  for (int v = 0; v < 4; v++) {
    const int at = column + v * PIXELS;
    vector sum = bias;
    const int16_t *weights = narrowing->weights + (alike ? 0 : (ptrdiff_t)at * 2);
    const uint8_t *row = narrowing->row;
    const ptrdiff_t pairs = (ptrdiff_t)narrowing->columns * 2;
    if (fours == 0)
      sum = add_products(sum, shuffle(load_windows(row, narrowing->firsts + at), pattern[0]), load_pairs(weights));
    for (int four = 0; four < fours; four++, weights += 2 * pairs, row += 4 * narrowing->bytes_per_pixel) {
      const vector window = load_windows(row, narrowing->firsts + at);
      sum = add_products(sum, shuffle(window, pattern[0]), load_pairs(weights));
      sum = add_products(sum, shuffle(window, pattern[1]), load_pairs(weights + pairs));
    }
    sums[v] = sum;
  }
  return pack(sums);
}

INLINE void narrow_any(const pixel_narrowing *narrowing, const int fours, const int alike)
{
  uint8_t patterns[2][16];
  for (int i = 0; i < 2; i++) make_pattern(narrowing->bytes_per_pixel, narrowing->reversed, 2 * i, patterns[i]);
  const vector pattern[2] = {load_pattern(patterns[0]), load_pattern(patterns[1])};
  const int32_t rounding = narrowing->rounding;
  const int32_t first_sums[4] = {rounding, rounding, rounding,
                                 narrowing->bytes_per_pixel == 4 ? rounding : OPAQUE << SUM_SHIFT};
  const vector bias = load_pattern(first_sums);
  int column = 0;
#ifdef HAS_BYTE_PRODUCTS
  if (fours == 1 && alike) column = narrow_alike(narrowing);
#endif
  for (; column + GROUP <= narrowing->width; column += GROUP)
    store(narrowing->out + (ptrdiff_t)column * 4, narrow_group(narrowing, fours, alike, column, bias, pattern));
  if (column < narrowing->width) {
    uint8_t last[GROUP * 4];
    store(last, narrow_group(narrowing, fours, alike, column, bias, pattern));
    memcpy(narrowing->out + (ptrdiff_t)column * 4, last, (size_t)(narrowing->width - column) * 4);
  }
}

static void narrow(const pixel_narrowing *narrowing)
{
  const pixel_narrowing own = *narrowing;
  if (own.taps == 2)
    narrow_any(&own, 0, 0);
  else if (own.taps == 4 && own.alike)
    narrow_any(&own, 1, 1);
  else if (own.taps == 4)
    narrow_any(&own, 1, 0);
  else
    narrow_any(&own, own.taps / 4, 0);
}

/// Rows below a position that are prefetched: a crop's next lines are sampled there.
enum { ROWS_AHEAD = 6 };

/// Samples a group of prepared positions from `at` on.
INLINE vector sample_group(const pixel_sampling *sampling, const sample_places *places, int at, const vector pattern[3])
{
  vector sums[4];
  UNROLL for (int v = 0; v < 4; v++, at += PIXELS)
  {
    const uint8_t *corners[PIXELS];
    UNROLL for (int i = 0; i < PIXELS; i++) corners[i] = upper_left(sampling, places, at + i);
    __builtin_prefetch(corners[0] + ROWS_AHEAD * sampling->stride);
    const vector around = load_corners(corners, sampling->stride);
    const vector left = add_products(pattern[2], shuffle(around, pattern[0]), load_pairs(places->left + 2 * at));
    sums[v] = add_products(left, shuffle(around, pattern[1]), load_pairs(places->right + 2 * at));
  }
  return pack(sums);
}

static void sample(const pixel_sampling *sampling)
{
  const pixel_sampling own = *sampling;
  // The upper and the lower byte of each colour side by side, 16 bits each, of the left and of the right pixels.
  uint8_t bytes[2][16];
  for (int i = 0; i < 16; i++)
    for (int right = 0; right < 2; right++)
      bytes[right][i] = i % 2 == 0 ? (uint8_t)(4 * right + i / 4 + i % 4 / 2 * 8) : 128;
  const int32_t rounding[4] = {ROUNDING, ROUNDING, ROUNDING, ROUNDING};
  const vector pattern[3] = {load_pattern(bytes[0]), load_pattern(bytes[1]), load_pattern(rounding)};
  for (int begin = 0; begin < own.count; begin += SAMPLED_TOGETHER) {
    const int count = own.count - begin < SAMPLED_TOGETHER ? own.count - begin : SAMPLED_TOGETHER;
    sample_places places;
    prepare_places(&own, begin, &places);
    uint8_t *const out = own.out + (ptrdiff_t)begin * 4;
    int i = 0;
    for (; i + GROUP <= count; i += GROUP) store(out + (ptrdiff_t)i * 4, sample_group(&own, &places, i, pattern));
    if (i < count) {
      uint8_t last[GROUP * 4];
      store(last, sample_group(&own, &places, i, pattern));
      memcpy(out + (ptrdiff_t)i * 4, last, (size_t)(count - i) * 4);
    }
  }
}

const pixel_kernels KERNELS = {.name = NAME, .mix = mix, .narrow = narrow, .sample = sample};
