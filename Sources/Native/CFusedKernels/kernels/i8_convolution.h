/// The convolutions of all channels, 1×1, 3×3 and of an image. Part of i8_kernels.h, which includes this.

/// Prefetches the share of `count` pixels from the one with `index` on into the second-level cache: the first
/// level holds the rows in use.
INLINE void fetch_ahead(const fused_fetch *fetch, int index, int count)
{
  const uint8_t *from = fetch->from + fetch->step * (size_t)index;
  const uint8_t *const end = from + fetch->step * (size_t)count;
  for (; from < end; from += CACHE_LINE) __builtin_prefetch(from, 0, 2);
}

/// Initialises the sums with the bias of 16 channels, in four vectors of four.
INLINE void begin_tile(const int mr, const int32_t *bias, vector sum[MAX_MR][4])
{
  UNROLL for (int m = 0; m < mr; m++) UNROLL for (int d = 0; d < 4; d++) sum[m][d] = load_lanes(bias + 4 * d);
}

INLINE void finish_tile(const int mr, vector sum[MAX_MR][4], const int16_t *multipliers, uint8_t *out)
{
  vector multiplier[2];
  load_multipliers(multipliers, multiplier);
  UNROLL for (int m = 0; m < mr; m++)
      store(out + m * VECTOR, requantise(pack32(sum[m][0], sum[m][1]), pack32(sum[m][2], sum[m][3]), multiplier));
}

/// The addend of a tile of `gemm`, from its first pixel on: NULL, or a block of a row.
typedef struct {
  const uint8_t *row;
  bool last;
} addend;

/// Stores the tile, with bytes added before the clamp.
INLINE void finish_tile_adding(const int mr, vector sum[MAX_MR][4], const int16_t *multipliers, const uint8_t *added,
                               uint8_t *out)
{
  vector multiplier[2];
  load_multipliers(multipliers, multiplier);
  UNROLL for (int m = 0; m < mr; m++)
  {
    const vector more = load(added + m * VECTOR), zero = all_bytes(0);
    const vector low = multiply_high(pack32(sum[m][0], sum[m][1]), multiplier[0]);
    const vector high = multiply_high(pack32(sum[m][2], sum[m][3]), multiplier[1]);
    const vector values =
        pack16(add_saturated16(low, zip_low(more, zero)), add_saturated16(high, zip_high(more, zero)));
    store(out + m * VECTOR, minimum(values, all_bytes(MAX_VALUE)));
  }
}

INLINE void add_to_tile(const int mr, const uint8_t *added, uint8_t *out)
{
  UNROLL for (int m = 0; m < mr; m++)
      store(out + m * VECTOR,
            minimum(add_saturated(load(out + m * VECTOR), load(added + m * VECTOR)), all_bytes(MAX_VALUE)));
}

/// Adds all channels of one pixel of the receptive window to the sums: each four channels of a pixel are
/// broadcast over its lane and multiplied by four vectors of weights.
INLINE const int8_t *add_products(const int mr, const uint8_t *in, size_t plane, int blocks, const int8_t *weights,
                                  vector sum[MAX_MR][4])
{
  for (int block = 0; block < blocks; block++, in += plane, weights += LANE * LANE) {
#if BY_ELEMENT
    vector value[MAX_MR];
    UNROLL for (int m = 0; m < mr; m++) value[m] = load(in + m * VECTOR);
    UNROLL for (int part = 0; part < 16; part++)
    {
      const vector weight = load_lanes(weights + 16 * part);
      UNROLL for (int m = 0; m < mr; m++) sum[m][part % 4] = dot_element(sum[m][part % 4], value[m], part / 4, weight);
    }
#else
    UNROLL for (int k = 0; k < 4; k++)
    {
      // Makes the compiler load the input again, because there is no register to keep it in.
      __asm__("" : "+r"(in));
      vector value[MAX_MR];
      UNROLL for (int m = 0; m < mr; m++) value[m] = spread(load(in + m * VECTOR), k);
      UNROLL for (int d = 0; d < 4; d++)
      {
        const vector weight = load_lanes(weights + 64 * k + 16 * d);
        UNROLL for (int m = 0; m < mr; m++) sum[m][d] = dot(sum[m][d], value[m], weight);
      }
    }
#endif
  }
  return weights;
}

#if ADDS_16_BITS

/// Adds one pixel as `add_products` does, where products of `together` fours of channels fit 16 bits when
/// they are added: fewer instructions. At most two vectors, because there are no registers for more sums of
/// both kinds.
INLINE const int8_t *add_products_together(const int mr, const int together, const uint8_t *in, size_t plane,
                                           int blocks, const int8_t *weights, vector sum[MAX_MR][4])
{
  for (int block = 0; block < blocks; block++, in += plane, weights += LANE * LANE)
    UNROLL for (int first = 0; first < 4; first += together)
    {
      vector pairs[MAX_MR][4];
      UNROLL for (int k = first; k < first + together; k++)
      {
        // Makes the compiler load the input again, because there is no register to keep it in.
        __asm__("" : "+r"(in));
        vector value[MAX_MR];
        UNROLL for (int m = 0; m < mr; m++) value[m] = spread(load(in + m * VECTOR), k);
        UNROLL for (int d = 0; d < 4; d++)
        {
          const vector weight = load_lanes(weights + 64 * k + 16 * d);
          UNROLL for (int m = 0; m < mr; m++)
          {
            const vector products = dot_pairs(value[m], weight);
            pairs[m][d] = k == first ? products : add16(pairs[m][d], products);
          }
        }
      }
      UNROLL for (int m = 0; m < mr; m++) UNROLL for (int d = 0; d < 4; d++) sum[m][d] =
          add_pairs(sum[m][d], pairs[m][d]);
    }
  return weights;
}

#else
#define add_products_together(mr, together, ...) add_products(mr, __VA_ARGS__)
#endif

/// Computes `mr` vectors of pixels, from `x` on, × 16 output channels. The sums stay in registers over all of
/// the input.
INLINE void gemm_tile(const int mr, const int together, const fused_i8_gemm *gemm, const int kernel, int blocks, int x,
                      const int8_t *weights, const int32_t *bias, const int16_t *multipliers, addend added,
                      uint8_t *out)
{
  vector sum[MAX_MR][4];
  begin_tile(mr, bias, sum);
  const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * (x - kernel / 2);
  for (int row = 0; row < kernel; row++)
    for (int column = 0; column < kernel; column++) {
      const uint8_t *const in = gemm->in[row] + at + LANE * column;
      weights = together > 1 ? add_products_together(mr, together, in, gemm->in_plane, blocks, weights, sum)
                             : add_products(mr, in, gemm->in_plane, blocks, weights, sum);
    }
  if (gemm->shift > 0)
    UNROLL for (int m = 0; m < mr; m++) UNROLL for (int d = 0; d < 4; d++) sum[m][d] =
        shift_right(sum[m][d], gemm->shift);
  if (added.row && !added.last) {
    finish_tile_adding(mr, sum, multipliers, added.row, out);
    return;
  }
  finish_tile(mr, sum, multipliers, out);
  if (added.row) add_to_tile(mr, added.row, out);
}

/// Computes a tile of a 3×3 convolution of an image with stride 2: for each of the seven fours of bytes, four
/// vectors.
/// - Parameter thirds: the right pixels' third bytes of all rows, eight bytes from those of one window to the
///   next.
INLINE void conv_tile(const int mr, const int together, const uint8_t *const in[3], const uint8_t *thirds, int x,
                      const int8_t *weights, const int32_t *bias, const int16_t *multipliers, uint8_t *out)
{
  vector sum[MAX_MR][4];
  begin_tile(mr, bias, sum);
#if BY_ELEMENT
  (void)together;
  UNROLL for (int row = 0; row < 4; row++)
  {
    const uint8_t *const from = row < 3 ? in[row] + 8 * x : thirds;
    vector pairs[(MAX_MR + 1) / 2];
    UNROLL for (int m = 0; m < mr; m += 2) pairs[m / 2] = load_pair_of_windows(from + 8 * m, m + 1 < mr);
    UNROLL for (int k = 0; k < 2; k++)
    {
      if (2 * row + k == 7) continue;
      UNROLL for (int d = 0; d < 4; d++)
      {
        const vector weight = load_lanes(weights + 64 * (2 * row + k) + 16 * d);
        UNROLL for (int m = 0; m < mr; m++) sum[m][d] = dot_element(sum[m][d], pairs[m / 2], m % 2 * 2 + k, weight);
      }
    }
  }
#else
  UNROLL for (int four = 0; four < 7; four++)
  {
    // Fours after the third are added together with an earlier one.
    if (together >= 2 && four >= 3 && four < 4 + together) continue;
    const uint8_t *const from = (four < 6 ? in[four / 2] + 8 * x : thirds);
    vector value[MAX_MR];
    UNROLL for (int m = 0; m < mr; m++) value[m] = load_windows(from + 8 * m * PIXELS, four < 6 ? four % 2 : 0);
#if ADDS_16_BITS
    if (together >= 2 && four < 3) {
      const int other = four + 3, has_third = together == 3 && four == 1;
      vector more[MAX_MR], third[MAX_MR];
      UNROLL for (int m = 0; m < mr; m++)
      {
        more[m] = load_windows(in[other / 2] + 8 * (x + m * PIXELS), other % 2);
        if (has_third) third[m] = load_windows(thirds + 8 * m * PIXELS, 0);
      }
      UNROLL for (int d = 0; d < 4; d++)
      {
        const vector weight = load_lanes(weights + 64 * four + 16 * d),
                     another = load_lanes(weights + 64 * other + 16 * d);
        const vector last = load_lanes(weights + 64 * 6 + 16 * d);
        UNROLL for (int m = 0; m < mr; m++)
        {
          vector pairs = add16(dot_pairs(value[m], weight), dot_pairs(more[m], another));
          if (has_third) pairs = add16(pairs, dot_pairs(third[m], last));
          sum[m][d] = add_pairs(sum[m][d], pairs);
        }
      }
      continue;
    }
#endif
    UNROLL for (int d = 0; d < 4; d++)
    {
      const vector weight = load_lanes(weights + 64 * four + 16 * d);
      UNROLL for (int m = 0; m < mr; m++) sum[m][d] = dot_pixels(sum[m][d], value[m], weight);
    }
  }
#endif
  finish_tile(mr, sum, multipliers, out);
}

#ifdef BROADCASTS
#include "i8_convolution_avx2.h"
#define TILE(kind) kind##_pixels
enum { STEP = 1, TOGETHER_IN_THREES = 4 };
#else
#define TILE(kind) kind##_tile
enum { STEP = PIXELS, TOGETHER_IN_THREES = 1 };
#endif

/// Returns whether a tile of `mr` steps begins at `x`: the last step may have columns beyond the row.
INLINE int is_tile(const int mr, int x, int width) { return mr == 1 ? x < width : x + mr * STEP <= width; }

/// Computes the block of 16 output channels from `c` on, whose weights stay in the first-level cache for a
/// row.
INLINE void gemm_block(const int together, const fused_i8_gemm *gemm, int c, const int kernel, const int in_channels,
                       const bool adds)
{
  const int8_t *weights = gemm->weights + (size_t)c * (size_t)(kernel * kernel * in_channels);
  uint8_t *out = gemm->out + (size_t)(c / LANE) * gemm->out_plane;
  const uint8_t *added = adds && c < gemm->added_channels ? gemm->added + (size_t)(c / LANE) * gemm->added_plane : NULL;
  int x = 0;
#define TILES(mr)                                                                                       \
  for (; is_tile(mr, x, gemm->width); x += mr * STEP) {                                                 \
    const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * x;                                         \
    fetch_ahead(&gemm->fetch, c / LANE * gemm->width + x, mr * STEP);                                   \
    TILE(gemm)                                                                                          \
    (mr, together, gemm, kernel, in_channels / LANE, x, weights, gemm->bias + c, gemm->multipliers + c, \
     (addend){added ? added + at : NULL, gemm->added_last}, out + at);                                  \
  }
#if REGISTERS == 32
  TILES(5)
#endif
#if REGISTERS > 0
  // Sums of other kinds need more registers.
  if (together == TOGETHER_IN_THREES) TILES(3)
  TILES(2)
#endif
  TILES(1)
#undef TILES
}

/// Computes a block of 16 output channels for the windows from `begin` to before `end`.
INLINE void conv_block(const int together, const fused_i8_conv *conv, int c, int begin, int end, const uint8_t *thirds)
{
  const int8_t *weights = conv->weights + (ptrdiff_t)c / LANE * 7 * 64;
  uint8_t *out = conv->out + (size_t)(c / LANE) * conv->out_plane;
  int x = begin;
#define TILES(mr)                                                                                         \
  for (; is_tile(mr, x, end); x += mr * STEP) {                                                           \
    fetch_ahead(&conv->fetch, c / LANE * conv->width + x, mr * STEP);                                     \
    TILE(conv)                                                                                            \
    (mr, together, conv->in, thirds + 8 * (x - begin), x, weights, conv->bias + c, conv->multipliers + c, \
     out + FUSED_I8_MARGIN + LANE * x);                                                                   \
  }
#ifdef BROADCASTS
  TILES(4)
#elif REGISTERS == 32
  TILES(5)
#elif REGISTERS == 16
  if (together == 1) TILES(3)
#endif
#if REGISTERS > 0
  TILES(2)
#endif
  TILES(1)
#undef TILES
}

INLINE void gemm_any(const int together, const fused_i8_gemm *gemm, int c)
{
  // Small code is more important for the portable kernels and SSE4.1, and for variants that few blocks use.
  const bool is_small = REGISTERS == 0 || (REGISTERS == 16 && PIXELS == 1) || (together == 2 && gemm->in_channels > 16);
  if (is_small)
    gemm_block(together, gemm, c, gemm->kernel, gemm->in_channels, true);
  else if (gemm->kernel == 3)
    gemm_block(together, gemm, c, 3, gemm->in_channels, true);
  else if (gemm->in_channels == 16)
    gemm_block(together, gemm, c, 1, 16, true);
  else if (gemm->in_channels == 32)
    gemm_block(together, gemm, c, 1, 32, true);
  else if (gemm->in_channels == 64 && gemm->added_channels == 0)
    gemm_block(together, gemm, c, 1, 64, false);
  else
    gemm_block(together, gemm, c, 1, gemm->in_channels, true);
}

static void gemm(const fused_i8_gemm *gemm)
{
  const fused_i8_gemm own = *gemm;
  for (int c = 0; c < own.out_channels; c += LANE) {
    const int together = ADDS_16_BITS ? own.together[c / LANE] : 1;
    if (ADDS_16_BITS && together == 4)
      gemm_any(4, &own, c);
    else if (ADDS_16_BITS && together == 2)
      gemm_any(2, &own, c);
    else
      gemm_any(1, &own, c);
  }
}

/// Computes a vector of pixels at a time, because there are few channels.
static void gemm_to_floats(const fused_i8_gemm_to_floats *gemm)
{
  const int8_t *weights = gemm->weights;
  for (int c = 0; c < gemm->out_channels; c += LANE, weights += LANE * gemm->in_channels)
    for (int x = 0; x < gemm->width; x += PIXELS) {
      vector sum[MAX_MR][4];
      begin_tile(1, gemm->bias + c, sum);
      add_products(1, gemm->in + FUSED_I8_MARGIN + (ptrdiff_t)LANE * x, gemm->in_plane, gemm->in_channels / LANE,
                   weights, sum);
      float *out = gemm->out + (ptrdiff_t)x * gemm->out_channels + c;
      UNROLL for (int d = 0; d < 4; d++)
          store_floats(out + 4 * d, sum[0][d], load_lanes(gemm->scales + c + 4 * d), gemm->out_channels);
    }
}

typedef uint64_t four_windows __attribute__((vector_size(32)));

/// Gathers the third bytes of three rows' right pixels for the windows from `begin` to before `end`, four at
/// a time.
INLINE void gather_thirds(const uint8_t *const in[3], int begin, int end, uint8_t *thirds)
{
  for (int x = begin; x < end; x += 4) {
    four_windows right[3];
    for (int row = 0; row < 3; row++) memcpy(&right[row], in[row] + 8 * (x + 1), sizeof right[row]);
    const four_windows bytes = (right[0] >> 16 & 0xFF) | (right[1] >> 8 & 0xFF00) | (right[2] & 0xFF0000);
    memcpy(thirds + 8 * (x - begin), &bytes, sizeof bytes);
  }
}

static void conv3x3s2(const fused_i8_conv *conv)
{
  const fused_i8_conv own = *conv;
  // A whole vector is read from the last window on.
  uint8_t thirds[8 * (COLUMNS + PIXELS) + VECTOR] __attribute__((aligned(64)));
  for (int begin = 0; begin < own.width; begin += COLUMNS) {
    const int end = begin + COLUMNS < own.width ? begin + COLUMNS : own.width;
    gather_thirds(own.in, begin, end + PIXELS - 1, thirds);
    for (int c = 0; c < own.out_channels; c += LANE) {
      const int together = ADDS_16_BITS ? own.together[c / LANE] : 1;
      if (ADDS_16_BITS && together == 3)
        conv_block(3, &own, c, begin, end, thirds);
      else if (ADDS_16_BITS && together == 2)
        conv_block(2, &own, c, begin, end, thirds);
      else
        conv_block(1, &own, c, begin, end, thirds);
    }
  }
}
