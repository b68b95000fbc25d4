/// The depthwise convolutions. Part of i8_kernels.h, which includes this.

/// Interleaves four rows, so that four bytes are a column of four, and a dot product covers the three taps of
/// one column: `mixed` has four parts of four channels each, [pixel] in each. Covers the vectors from the
/// one before `begin` to the one with the column `end`.
INLINE void interleave(const uint8_t *const in[4], int begin, int end, uint8_t *mixed)
{
  for (int x = begin - PIXELS; x <= end; x += PIXELS) {
    const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)x * LANE;
    const vector a = load(in[0] + at), b = load(in[1] + at), c = load(in[2] + at), d = load(in[3] + at);
    const vector above[2] = {zip_low(a, b), zip_high(a, b)};
    const vector below[2] = {zip_low(c, d), zip_high(c, d)};
    uint8_t *to = mixed + FUSED_I8_MARGIN + (x - begin) * LANE;
    UNROLL for (int half = 0; half < 2; half++)
    {
      store(to + (2 * half) * INTERLEAVED, zip_low16(above[half], below[half]));
      store(to + (2 * half + 1) * INTERLEAVED, zip_high16(above[half], below[half]));
    }
  }
}

/// Loads vector `g` of a part of `mixed`, or its neighbours: column 0 is the pixels to the left, 2 those to
/// the right. Processors have more ports for loads than for moves between lanes.
INLINE vector load_neighbours(const uint8_t *mixed, int part, int g, const int column)
{
  return load(mixed + part * INTERLEAVED + VECTOR * g + LANE * (column - 1));
}

/// Stores a vector of pixels of two rows at `at` of them, if there are rows. - Returns: the greater ones.
INLINE vector finish_rows(const vector upper[2], const vector lower[2], const vector multiplier[2],
                          uint8_t *const out[2], ptrdiff_t at)
{
  // Multipliers are positive, so the larger sum gives the larger value.
  if (!out[0]) return requantise(maximum16(upper[0], lower[0]), maximum16(upper[1], lower[1]), multiplier);
  const vector above = requantise(upper[0], upper[1], multiplier);
  const vector below = requantise(lower[0], lower[1], multiplier);
  store(out[0] + at, above);
  store(out[1] + at, below);
  return maximum(above, below);
}

/// Stores the greater ones of neighbouring pixels of two vectors.
INLINE void store_maxima(vector left, vector right, uint8_t *to)
{
  store(to, maximum(even_lanes(left, right), odd_lanes(left, right)));
}

#if ADDS_16_BITS
#include "i8_depthwise_sums.h"
#else

/// Computes two rows of `count` vectors of pixels, [row][vector][eight channels each] in 16 bits.
INLINE void depthwise_sums(const int count, const uint8_t *mixed, const uint8_t *weights, const int32_t *bias,
                           vector sum[2][2][2])
{
  UNROLL for (int half = 0; half < 2; half++)
  {
    vector wide[2][2][2];
    UNROLL for (int quarter = 0; quarter < 2; quarter++)
    {
      UNROLL for (int g = 0; g < count; g++) wide[quarter][0][g] = wide[quarter][1][g] =
          load_lanes(bias + 8 * half + 4 * quarter);
      UNROLL for (int column = 0; column < 3; column++) UNROLL for (int row = 0; row < 2; row++, weights += LANE)
      {
        const vector weight = load_lanes(weights);
        UNROLL for (int g = 0; g < count; g++)
        {
          const vector value = load_neighbours(mixed, 2 * half + quarter, g, column);
          wide[quarter][row][g] = dot(wide[quarter][row][g], value, weight);
        }
      }
    }
    UNROLL for (int row = 0; row < 2; row++) UNROLL for (int g = 0; g < count; g++) sum[row][g][half] =
        pack32(wide[0][row][g], wide[1][row][g]);
  }
}

/// Computes `count` vectors of pixels, from `mixed` on, of two rows, and stores them, their 2×2 maxima, or
/// both.
INLINE void depthwise_tile(const int count, const uint8_t *mixed, const uint8_t *weights, const int32_t *bias,
                           const vector multiplier[2], uint8_t *const out[2], uint8_t *pooled)
{
  vector sum[2][2][2];
  depthwise_sums(count, mixed, weights, bias, sum);
  vector most[2];
  UNROLL for (int g = 0; g < count; g++) most[g] = finish_rows(sum[0][g], sum[1][g], multiplier, out, VECTOR * g);
  if (pooled) store_maxima(most[0], most[count - 1], pooled);
}

/// Loops over blocks of 16 channels outside, then blocks of columns.
INLINE void dwconv3x3_any(const fused_i8_dwconv *conv, const int store_rows, const int store_pooled)
{
  uint8_t mixed[4 * INTERLEAVED] __attribute__((aligned(64)));
  const uint8_t *weights = conv->weights;
  for (int c = 0; c < conv->channels; c += LANE, weights += 24 * LANE) {
    const size_t at = (size_t)(c / LANE) * conv->plane + FUSED_I8_MARGIN;
    const uint8_t *const in[4] = {conv->in[0] + at - FUSED_I8_MARGIN, conv->in[1] + at - FUSED_I8_MARGIN,
                                  conv->in[2] + at - FUSED_I8_MARGIN, conv->in[3] + at - FUSED_I8_MARGIN};
    const int32_t *bias = (const int32_t *)conv->bias + c;
    vector multiplier[2];
    load_multipliers(conv->multipliers + c, multiplier);
    for (int begin = 0; begin < conv->width; begin += COLUMNS) {
      const int end = begin + COLUMNS < conv->width ? begin + COLUMNS : conv->width;
      interleave(in, begin, end, mixed);
      int x = begin;
#define TILES(count)                                                                                             \
  for (; x + (count - 1) * PIXELS < end; x += count * PIXELS) {                                                  \
    uint8_t *const out[2] = {store_rows ? conv->out[0] + at + LANE * x : NULL,                                   \
                             store_rows ? conv->out[1] + at + LANE * x : NULL};                                  \
    depthwise_tile(count, mixed + FUSED_I8_MARGIN + LANE * (x - begin), weights, bias, multiplier, out,          \
                   store_pooled                                                                                  \
                       ? conv->pooled + (size_t)(c / LANE) * conv->pooled_plane + FUSED_I8_MARGIN + LANE / 2 * x \
                       : NULL);                                                                                  \
  }
      TILES(2)
      TILES(1)
#undef TILES
    }
  }
}

#endif

static void dwconv3x3(const fused_i8_dwconv *conv)
{
  const fused_i8_dwconv own = *conv;
  if (own.out[0] && own.pooled)
    dwconv3x3_any(&own, 1, 1);
  else if (own.out[0])
    dwconv3x3_any(&own, 1, 0);
  else
    dwconv3x3_any(&own, 0, 1);
}

/// Computes a vector of outputs from the even lanes, the odd ones, and those before the even ones, of two
/// vectors of columns.
static void dwconv3x3s2(const fused_i8_dwconv_s2 *conv)
{
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
        UNROLL for (int d = 0; d < 4; d++)
        {
          const uint8_t *from = mixed + d * INTERLEAVED + FUSED_I8_MARGIN + 2 * LANE * (x - begin);
          const vector left = load(from), right = load(from + VECTOR);
          const vector column[3] = {even_lanes(load(from - LANE), load(from - LANE + VECTOR)), even_lanes(left, right),
                                    odd_lanes(left, right)};
          sum[d] = load_lanes(conv->bias + c + 4 * d);
          // Of the weights for two rows, those of the upper one.
          UNROLL for (int k = 0; k < 3; k++) sum[d] =
              dot(sum[d], column[k], load_lanes(weights + (6 * d + 2 * k) * LANE));
        }
        store(out + LANE * x, requantise(pack32(sum[0], sum[1]), pack32(sum[2], sum[3]), multiplier));
      }
    }
  }
}

/// Computes two rows whose sums fit 32 bits.
static void dwconv3x3_to_floats(const fused_i8_dwconv_to_floats *conv)
{
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
        UNROLL for (int d = 0; d < 4; d++)
        {
          vector sum[2];
          sum[0] = sum[1] = load_lanes(conv->bias + c + 4 * d);
          UNROLL for (int column = 0; column < 3; column++, weight += 2 * LANE)
          {
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
