/// Every int8 kernel, for vectors of any length. A vector is whole lanes of 128 bits, each of which has 16 channels of one
/// pixel, a byte each. An instruction set's file includes this after it has defined
///   PIXELS                    lanes in a vector: 1, 2 or 4
///   REGISTERS                 vector registers, 16 or 32; 0: little code is more important than time
///   ADDS_16_BITS              1: depthwise sums are added in 16 bits, two products at a time; 0: in 32, four at a time
///   PIXEL_OFFSET              what dot_pixels subtracts from u: 0 or 128
///   KERNELS, NAME             the table to define, and its instruction set's name
///   vector                    the type, and functions of it, which work within lanes unless said otherwise:
///   load, store               of a whole vector, not aligned
///   load_lanes(p)             16 bytes to every lane
///   load_windows(p, k)        to all of lane l the four bytes at p + 8l + 4k
///   spread(v, k)              the k-th four bytes of a lane to the whole lane
///   dot(sum, u, s)            to each 32-bit sum adds its four products of bytes of u, unsigned, and s, signed
///   dot_pixels(sum, u, s)     the same, where u is what load_windows gave
///   shift_right(v, n)         of signed 32 bits
///   pack32(a, b), pack16(a, b)  32 to 16 bits, signed; 16 to 8 bits, unsigned; both saturate
///   multiply_high(a, b)       16 bits: (a * b + 2^14) >> 15
///   minimum, maximum          of unsigned bytes; maximum16 of signed 16 bits
///   add_saturated             unsigned bytes; add_saturated16 signed 16 bits
///   all_bytes(x)
///   zip_low, zip_high         of bytes; zip_low16, zip_high16 of 16 bits
///   store_floats(p, v, s, n)  32-bit v times floats s, lane l to p + l * n
/// between lanes:
///   shift_in_left(a, b)       the last lane of a, then all but the last of b
///   shift_in_right(a, b)      all but the first lane of a, then the first of b
///   even_lanes, odd_lanes     of a, then of b
///   double_low, double_high   each lane of the lower or upper half twice; with one lane the lane itself
/// and with ADDS_16_BITS
///   dot_pairs(u, s)           to 16 bits; add16(a, b)

#include <string.h>

#include "kernels.h"

/// A byte's largest value, which leaves room for two of them times two weights in 16 bits.
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
/// Columns whose four rows are interleaved together by the depthwise kernels.
enum { COLUMNS = 160 };
/// Bytes of a quarter of the interleaved rows.
enum { INTERLEAVED = FUSED_I8_MARGIN + LANE * (COLUMNS + 8) };

#if REGISTERS > 0
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL _Pragma("GCC unroll 1")
#endif

/// 16 channels of 32-bit sums to bytes: times multiplier / 32768, rounded, below zero 0.
INLINE vector requantise(vector low, vector high, const vector multiplier[2]) {
  const vector values = pack16(multiply_high(low, multiplier[0]), multiply_high(high, multiplier[1]));
  return minimum(values, all_bytes(MAX_VALUE));
}

INLINE void load_multipliers(const int16_t *multipliers, vector multiplier[2]) {
  multiplier[0] = load_lanes(multipliers);
  multiplier[1] = load_lanes(multipliers + 8);
}

/// Begins with the bias: of 16 channels, in four vectors of four.
INLINE void begin_tile(const int mr, const int32_t *bias, vector sum[MAX_MR][4]) {
  UNROLL for (int m = 0; m < mr; m++)
    UNROLL for (int d = 0; d < 4; d++) sum[m][d] = load_lanes(bias + 4 * d);
}

INLINE void finish_tile(const int mr, vector sum[MAX_MR][4], const int16_t *multipliers, uint8_t *out) {
  vector multiplier[2];
  load_multipliers(multipliers, multiplier);
  UNROLL for (int m = 0; m < mr; m++)
    store(out + m * VECTOR, requantise(pack32(sum[m][0], sum[m][1]), pack32(sum[m][2], sum[m][3]), multiplier));
}

/// What a tile of `gemm` adds, from its first pixel on: NULL, or a block of a row.
typedef struct {
  const uint8_t *row;
  bool last;
} addend;

/// The same, with bytes added before they are limited.
INLINE void finish_tile_adding(
    const int mr, vector sum[MAX_MR][4], const int16_t *multipliers, const uint8_t *added, uint8_t *out) {
  vector multiplier[2];
  load_multipliers(multipliers, multiplier);
  UNROLL for (int m = 0; m < mr; m++) {
    const vector more = load(added + m * VECTOR), zero = all_bytes(0);
    const vector low = multiply_high(pack32(sum[m][0], sum[m][1]), multiplier[0]);
    const vector high = multiply_high(pack32(sum[m][2], sum[m][3]), multiplier[1]);
    const vector values =
        pack16(add_saturated16(low, zip_low(more, zero)), add_saturated16(high, zip_high(more, zero)));
    store(out + m * VECTOR, minimum(values, all_bytes(MAX_VALUE)));
  }
}

INLINE void add_to_tile(const int mr, const uint8_t *added, uint8_t *out) {
  UNROLL for (int m = 0; m < mr; m++)
    store(
        out + m * VECTOR,
        minimum(add_saturated(load(out + m * VECTOR), load(added + m * VECTOR)), all_bytes(MAX_VALUE)));
}

/// Adds one pixel of the receptive window to the sums, all of its channels: for each four of a pixel, spread over its lane,
/// four vectors of weights.
INLINE const int8_t *add_products(
    const int mr, const uint8_t *in, size_t plane, int blocks, const int8_t *weights, vector sum[MAX_MR][4]) {
  for (int block = 0; block < blocks; block++, in += plane, weights += LANE * LANE)
    UNROLL for (int k = 0; k < 4; k++) {
      // Loads the input again, rather than keeping what there is no register for.
      __asm__("" : "+r"(in));
      vector value[MAX_MR];
      UNROLL for (int m = 0; m < mr; m++) value[m] = spread(load(in + m * VECTOR), k);
      UNROLL for (int d = 0; d < 4; d++) {
        const vector weight = load_lanes(weights + 64 * k + 16 * d);
        UNROLL for (int m = 0; m < mr; m++) sum[m][d] = dot(sum[m][d], value[m], weight);
      }
    }
  return weights;
}

/// `mr` vectors of pixels, from `x` on, × 16 output channels. The sums stay in registers over all of the input.
INLINE void gemm_tile(
    const int mr, const fused_i8_gemm *gemm, const int kernel, int blocks, int x, const int8_t *weights,
    const int32_t *bias, const int16_t *multipliers, addend added, uint8_t *out) {
  vector sum[MAX_MR][4];
  begin_tile(mr, bias, sum);
  const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * (x - kernel / 2);
  for (int row = 0; row < kernel; row++)
    for (int column = 0; column < kernel; column++)
      weights = add_products(mr, gemm->in[row] + at + LANE * column, gemm->in_plane, blocks, weights, sum);
  if (gemm->shift > 0)
    UNROLL for (int m = 0; m < mr; m++)
      UNROLL for (int d = 0; d < 4; d++) sum[m][d] = shift_right(sum[m][d], gemm->shift);
  if (added.row && !added.last) {
    finish_tile_adding(mr, sum, multipliers, added.row, out);
    return;
  }
  finish_tile(mr, sum, multipliers, out);
  if (added.row) add_to_tile(mr, added.row, out);
}

/// The same of a 3×3 convolution of an image with stride 2: for each of the nine pixels of four bytes, four vectors.
INLINE void conv_tile(
    const int mr, const uint8_t *const in[3], int x, const int8_t *weights, const int32_t *bias,
    const int16_t *multipliers, uint8_t *out) {
  vector sum[MAX_MR][4];
  begin_tile(mr, bias, sum);
  for (int row = 0; row < 3; row++)
    UNROLL for (int k = 0; k < 3; k++, weights += 64) {
      vector value[MAX_MR];
      UNROLL for (int m = 0; m < mr; m++) value[m] = load_windows(in[row] + 8 * (x + m * PIXELS), k);
      UNROLL for (int d = 0; d < 4; d++) {
        const vector weight = load_lanes(weights + 16 * d);
        UNROLL for (int m = 0; m < mr; m++) sum[m][d] = dot_pixels(sum[m][d], value[m], weight);
      }
    }
  finish_tile(mr, sum, multipliers, out);
}

/// Whether a tile of `mr` vectors begins at `x`: the last vector may have columns beyond the row.
INLINE int is_tile(const int mr, int x, int width) { return mr == 1 ? x < width : x + mr * PIXELS <= width; }

/// Blocks of 16 output channels outside, columns inside: a block's weights stay in the first-level cache for a row.
INLINE void gemm_any(const fused_i8_gemm *gemm, const int kernel, const int in_channels) {
  const int8_t *weights = gemm->weights;
  uint8_t *out = gemm->out;
  const size_t block = (size_t)(kernel * kernel * LANE * in_channels);
  for (int c = 0; c < gemm->out_channels; c += LANE, weights += block, out += gemm->out_plane) {
    const uint8_t *added = c < gemm->added_channels ? gemm->added + (size_t)(c / LANE) * gemm->added_plane : NULL;
    int x = 0;
#define TILES(mr)                                                                                                    \
  for (; is_tile(mr, x, gemm->width); x += mr * PIXELS) {                                                            \
    const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * x;                                                      \
    gemm_tile(                                                                                                       \
        mr, gemm, kernel, in_channels / LANE, x, weights, gemm->bias + c, gemm->multipliers + c,                     \
        (addend){added ? added + at : NULL, gemm->added_last}, out + at);                                            \
  }
#if REGISTERS == 32
    TILES(5)
#endif
#if REGISTERS > 0
    TILES(3)
    TILES(2)
#endif
    TILES(1)
#undef TILES
  }
}

static void gemm(const fused_i8_gemm *gemm) {
  const fused_i8_gemm own = *gemm;
  // Little code is more important to the portable ones and to SSE4.1.
  if (REGISTERS == 0 || (REGISTERS == 16 && PIXELS == 1)) gemm_any(&own, own.kernel, own.in_channels);
  else if (own.kernel == 3) gemm_any(&own, 3, own.in_channels);
  else if (own.in_channels == 16) gemm_any(&own, 1, 16);
  else if (own.in_channels == 32) gemm_any(&own, 1, 32);
  else if (own.in_channels == 64) gemm_any(&own, 1, 64);
  else gemm_any(&own, 1, own.in_channels);
}

/// A vector of pixels at a time: these are few channels.
static void gemm_to_floats(const fused_i8_gemm_to_floats *gemm) {
  const int8_t *weights = gemm->weights;
  for (int c = 0; c < gemm->out_channels; c += LANE, weights += LANE * gemm->in_channels)
    for (int x = 0; x < gemm->width; x += PIXELS) {
      vector sum[MAX_MR][4];
      begin_tile(1, gemm->bias + c, sum);
      add_products(
          1, gemm->in + FUSED_I8_MARGIN + (ptrdiff_t)LANE * x, gemm->in_plane, gemm->in_channels / LANE, weights, sum);
      float *out = gemm->out + (ptrdiff_t)x * gemm->out_channels + c;
      UNROLL for (int d = 0; d < 4; d++)
        store_floats(out + 4 * d, sum[0][d], load_lanes(gemm->scales + c + 4 * d), gemm->out_channels);
    }
}

static void conv3x3s2(const fused_i8_conv *conv) {
  const int8_t *weights = conv->weights;
  uint8_t *out = conv->out;
  for (int c = 0; c < conv->out_channels; c += LANE, weights += 9 * 64, out += conv->out_plane) {
    int x = 0;
#define TILES(mr)                                                                                         \
  for (; is_tile(mr, x, conv->width); x += mr * PIXELS)                                                   \
    conv_tile(                                                                                            \
        mr, conv->in, x, weights, conv->bias + c, conv->multipliers + c, out + FUSED_I8_MARGIN + LANE * x);
#if REGISTERS == 32
    TILES(5)
#elif REGISTERS == 16
    TILES(3)
#endif
#if REGISTERS > 0
    TILES(2)
#endif
    TILES(1)
#undef TILES
  }
}

/// Interleaves four rows, so that four bytes are a column of four, and a dot product the three taps of one column: `mixed` has
/// four parts of four channels each, [pixel] in each. From a vector before `begin` to the one with the column `end`.
INLINE void interleave(const uint8_t *const in[4], int begin, int end, uint8_t *mixed) {
  for (int x = begin - PIXELS; x <= end; x += PIXELS) {
    const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)x * LANE;
    const vector a = load(in[0] + at), b = load(in[1] + at), c = load(in[2] + at), d = load(in[3] + at);
    const vector above[2] = {zip_low(a, b), zip_high(a, b)};
    const vector below[2] = {zip_low(c, d), zip_high(c, d)};
    uint8_t *to = mixed + FUSED_I8_MARGIN + (x - begin) * LANE;
    UNROLL for (int half = 0; half < 2; half++) {
      store(to + (2 * half) * INTERLEAVED, zip_low16(above[half], below[half]));
      store(to + (2 * half + 1) * INTERLEAVED, zip_high16(above[half], below[half]));
    }
  }
}

/// The pixels beside those of vector `g` of `n`, whose first is the one before: column 0 the left ones, 2 the right ones.
INLINE vector neighbour(const vector *n, int g, const int column) {
  if (column == 0) return shift_in_left(n[g], n[g + 1]);
  return column == 1 ? n[g + 1] : shift_in_right(n[g + 1], n[g + 2]);
}

#if ADDS_16_BITS

/// Interleaves rows by pairs: `mixed` has rows 0 and 1 of the first and of the last eight channels, then rows 2 and 3.
INLINE void interleave_for_sums(const uint8_t *const in[4], int begin, int end, uint8_t *mixed) {
  for (int x = begin - PIXELS; x <= end; x += PIXELS) {
    const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)x * LANE;
    const vector a = load(in[0] + at), b = load(in[1] + at), c = load(in[2] + at), d = load(in[3] + at);
    uint8_t *to = mixed + FUSED_I8_MARGIN + (x - begin) * LANE;
    store(to, zip_low(a, b));
    store(to + INTERLEAVED, zip_high(a, b));
    store(to + 2 * INTERLEAVED, zip_low(c, d));
    store(to + 3 * INTERLEAVED, zip_high(c, d));
  }
}

/// Two rows of `count` vectors of pixels, [row][vector][eight channels each] in 16 bits, which hold every sum.
INLINE void depthwise_sums(
    const int count, const uint8_t *mixed, const uint8_t *weights, const void *bias, vector sum[2][2][2]) {
  UNROLL for (int half = 0; half < 2; half++) {
    UNROLL for (int g = 0; g < count; g++)
      sum[0][g][half] = sum[1][g][half] = load_lanes((const int16_t *)bias + 8 * half);
    UNROLL for (int pair = 0; pair < 2; pair++) {
      vector n[4];
      UNROLL for (int g = 0; g < count + 2; g++)
        n[g] = load(mixed + (2 * pair + half) * INTERLEAVED + VECTOR * (g - 1));
      UNROLL for (int column = 0; column < 3; column++)
        UNROLL for (int row = 0; row < 2; row++) {
          const vector weight = load_lanes(weights + (half * 12 + column * 4 + row * 2 + pair) * LANE);
          UNROLL for (int g = 0; g < count; g++)
            sum[row][g][half] = add16(sum[row][g][half], dot_pairs(neighbour(n, g, column), weight));
        }
    }
  }
}

#else

INLINE void interleave_for_sums(const uint8_t *const in[4], int begin, int end, uint8_t *mixed) {
  interleave(in, begin, end, mixed);
}

/// Two rows of `count` vectors of pixels, [row][vector][eight channels each] in 16 bits.
INLINE void depthwise_sums(
    const int count, const uint8_t *mixed, const uint8_t *weights, const void *bias, vector sum[2][2][2]) {
  UNROLL for (int half = 0; half < 2; half++) {
    vector wide[2][2][2];
    UNROLL for (int quarter = 0; quarter < 2; quarter++) {
      UNROLL for (int g = 0; g < count; g++)
        wide[quarter][0][g] = wide[quarter][1][g] = load_lanes((const int32_t *)bias + 8 * half + 4 * quarter);
      vector n[4];
      UNROLL for (int g = 0; g < count + 2; g++)
        n[g] = load(mixed + (2 * half + quarter) * INTERLEAVED + VECTOR * (g - 1));
      UNROLL for (int column = 0; column < 3; column++)
        UNROLL for (int row = 0; row < 2; row++, weights += LANE) {
          const vector weight = load_lanes(weights);
          UNROLL for (int g = 0; g < count; g++)
            wide[quarter][row][g] = dot(wide[quarter][row][g], neighbour(n, g, column), weight);
        }
    }
    UNROLL for (int row = 0; row < 2; row++)
      UNROLL for (int g = 0; g < count; g++) sum[row][g][half] = pack32(wide[0][row][g], wide[1][row][g]);
  }
}

#endif

/// `count` vectors of pixels, from `mixed` on, of two rows: stored, or their 2×2 maxima, or both.
INLINE void depthwise_tile(
    const int count, const uint8_t *mixed, const uint8_t *weights, const void *bias, const vector multiplier[2],
    uint8_t *const out[2], uint8_t *pooled) {
  vector sum[2][2][2];
  depthwise_sums(count, mixed, weights, bias, sum);
  vector most[2];
  UNROLL for (int g = 0; g < count; g++) {
    if (out[0]) {
      const vector above = requantise(sum[0][g][0], sum[0][g][1], multiplier);
      const vector below = requantise(sum[1][g][0], sum[1][g][1], multiplier);
      store(out[0] + VECTOR * g, above);
      store(out[1] + VECTOR * g, below);
      most[g] = maximum(above, below);
    } else {
      // Multipliers are positive: the larger sum is the larger value.
      most[g] = requantise(
          maximum16(sum[0][g][0], sum[1][g][0]), maximum16(sum[0][g][1], sum[1][g][1]), multiplier);
    }
  }
  if (!pooled) return;
  const vector last = most[count - 1];
  store(pooled, maximum(even_lanes(most[0], last), odd_lanes(most[0], last)));
}

/// Blocks of 16 channels outside, then blocks of columns.
INLINE void dwconv3x3_any(const fused_i8_dwconv *conv, const int store_rows, const int store_pooled) {
  uint8_t mixed[4 * INTERLEAVED] __attribute__((aligned(64)));
  const uint8_t *weights = conv->weights;
  for (int c = 0; c < conv->channels; c += LANE, weights += 24 * LANE) {
    const size_t at = (size_t)(c / LANE) * conv->plane + FUSED_I8_MARGIN;
    const uint8_t *const in[4] = {
        conv->in[0] + at - FUSED_I8_MARGIN, conv->in[1] + at - FUSED_I8_MARGIN, conv->in[2] + at - FUSED_I8_MARGIN,
        conv->in[3] + at - FUSED_I8_MARGIN};
    const void *bias = ADDS_16_BITS ? (const void *)((const int16_t *)conv->bias + c) : (const int32_t *)conv->bias + c;
    vector multiplier[2];
    load_multipliers(conv->multipliers + c, multiplier);
    for (int begin = 0; begin < conv->width; begin += COLUMNS) {
      const int end = begin + COLUMNS < conv->width ? begin + COLUMNS : conv->width;
      interleave_for_sums(in, begin, end, mixed);
      int x = begin;
#define TILES(count)                                                                                                 \
  for (; x + (count - 1) * PIXELS < end; x += count * PIXELS) {                                                      \
    uint8_t *const out[2] = {                                                                                        \
        store_rows ? conv->out[0] + at + LANE * x : NULL, store_rows ? conv->out[1] + at + LANE * x : NULL};         \
    depthwise_tile(                                                                                                  \
        count, mixed + FUSED_I8_MARGIN + LANE * (x - begin), weights, bias, multiplier, out,                         \
        store_pooled ? conv->pooled + (size_t)(c / LANE) * conv->pooled_plane + FUSED_I8_MARGIN + LANE / 2 * x : NULL); \
  }
      TILES(2)
      TILES(1)
#undef TILES
    }
  }
}

static void dwconv3x3(const fused_i8_dwconv *conv) {
  const fused_i8_dwconv own = *conv;
  if (own.out[0] && own.pooled) dwconv3x3_any(&own, 1, 1);
  else if (own.out[0]) dwconv3x3_any(&own, 1, 0);
  else dwconv3x3_any(&own, 0, 1);
}

/// A vector of outputs is of the even lanes, the odd ones, and those before the even ones, of two vectors of columns.
static void dwconv3x3s2(const fused_i8_dwconv_s2 *conv) {
  uint8_t mixed[4 * INTERLEAVED] __attribute__((aligned(64)));
  const uint8_t *weights = conv->weights;
  for (int c = 0; c < conv->channels; c += LANE, weights += 24 * LANE) {
    const size_t at = (size_t)(c / LANE) * conv->in_plane;
    // The fourth row's weights are 0.
    const uint8_t *const in[4] = {conv->in[0] + at, conv->in[1] + at, conv->in[2] + at, conv->in[2] + at};
    uint8_t *out = conv->out + (size_t)(c / LANE) * conv->out_plane + FUSED_I8_MARGIN;
    vector multiplier[2];
    load_multipliers(conv->multipliers + c, multiplier);
    for (int begin = 0; begin < conv->width; begin += COLUMNS / 2) {
      const int end = begin + COLUMNS / 2 < conv->width ? begin + COLUMNS / 2 : conv->width;
      interleave(in, 2 * begin, 2 * end, mixed);
      for (int x = begin; x < end; x += PIXELS) {
        vector sum[4];
        UNROLL for (int d = 0; d < 4; d++) {
          const uint8_t *from = mixed + d * INTERLEAVED + FUSED_I8_MARGIN + 2 * LANE * (x - begin);
          const vector left = load(from), right = load(from + VECTOR);
          const vector column[3] = {
              even_lanes(load(from - LANE), load(from - LANE + VECTOR)), even_lanes(left, right), odd_lanes(left, right)};
          sum[d] = load_lanes(conv->bias + c + 4 * d);
          // Of the weights for two rows, those of the upper one.
          UNROLL for (int k = 0; k < 3; k++)
            sum[d] = dot(sum[d], column[k], load_lanes(weights + (6 * d + 2 * k) * LANE));
        }
        store(out + LANE * x, requantise(pack32(sum[0], sum[1]), pack32(sum[2], sum[3]), multiplier));
      }
    }
  }
}

/// Two rows, of which no sum is more than 32 bits.
static void dwconv3x3_to_floats(const fused_i8_dwconv_to_floats *conv) {
  uint8_t mixed[4 * INTERLEAVED] __attribute__((aligned(64)));
  const uint8_t *weights = conv->weights;
  for (int c = 0; c < conv->channels; c += LANE, weights += 24 * LANE) {
    const size_t at = (size_t)(c / LANE) * conv->plane;
    const uint8_t *const in[4] = {conv->in[0] + at, conv->in[1] + at, conv->in[2] + at, conv->in[3] + at};
    for (int begin = 0; begin < conv->width; begin += COLUMNS) {
      const int end = begin + COLUMNS < conv->width ? begin + COLUMNS : conv->width;
      interleave(in, begin, end, mixed);
      for (int x = begin; x < end; x += PIXELS) {
        const uint8_t *weight = weights;
        UNROLL for (int d = 0; d < 4; d++) {
          vector sum[2];
          sum[0] = sum[1] = load_lanes(conv->bias + c + 4 * d);
          UNROLL for (int column = 0; column < 3; column++, weight += 2 * LANE) {
            const vector value = load(mixed + d * INTERLEAVED + FUSED_I8_MARGIN + LANE * (x - begin + column - 1));
            UNROLL for (int row = 0; row < 2; row++) sum[row] = dot(sum[row], value, load_lanes(weight + row * LANE));
          }
          const vector scale = load_lanes(conv->scales + c + 4 * d);
          const ptrdiff_t to = (ptrdiff_t)x * conv->channels + c + 4 * d;
          UNROLL for (int row = 0; row < 2; row++) store_floats(conv->out[row] + to, sum[row], scale, conv->channels);
        }
      }
    }
  }
}

/// Blocks of 16 channels outside; a pixel of the half-size row is used for two columns.
static void add_upsampled(
    const uint8_t *row, size_t plane, const uint8_t *half, size_t half_plane, int channels, int width, uint8_t *out) {
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

/// Four pixels at a time. A fourth byte that is none of the pixel is left in, as no weight belongs to it.
INLINE void load_pixels_any(const uint8_t *row, int count, uint8_t *out, const int bytes_per_pixel, const int reversed) {
  int x = 0;
  // Sixteen bytes are read for four pixels of three.
  const int safe = bytes_per_pixel == 4 ? count - 3 : count - 5;
  for (; x < safe; x += 4) {
    sixteen_bytes value;
    memcpy(&value, row + (ptrdiff_t)x * bytes_per_pixel, sizeof value);
    if (bytes_per_pixel == 4 && reversed)
      value = __builtin_shufflevector(value, value, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
    if (bytes_per_pixel == 3 && reversed)
      value = __builtin_shufflevector(value, value, 2, 1, 0, 3, 5, 4, 3, 6, 8, 7, 6, 9, 11, 10, 9, 12);
    if (bytes_per_pixel == 3 && !reversed)
      value = __builtin_shufflevector(value, value, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    memcpy(out + (ptrdiff_t)x * 4, &value, sizeof value);
  }
  for (; x < count; x++)
    for (int c = 0; c < 3; c++)
      out[(ptrdiff_t)x * 4 + c] = row[(ptrdiff_t)x * bytes_per_pixel + (reversed ? 2 - c : c)];
}

static void load_pixels(const uint8_t *row, int count, int bytes_per_pixel, int reversed, uint8_t *out) {
  if (bytes_per_pixel == 4)
    reversed ? load_pixels_any(row, count, out, 4, 1) : load_pixels_any(row, count, out, 4, 0);
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
    .load_pixels = load_pixels,
};
