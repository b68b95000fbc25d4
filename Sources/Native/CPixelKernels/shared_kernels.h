/// The plain C part of every instruction set's file: `mix`, and the positions of `sample`. Included once in
/// each, inside its target, after kernels.h. Weights sum to 256, so that sums fit 16 bits.

/// Mixes a number of rows that the compiler knows: one pass without sums in memory.
INLINE void mix_few(const int rows, const pixel_mix *mix)
{
  const uint8_t *restrict lines[4];
  uint16_t weights[4];
  UNROLL for (int row = 0; row < rows; row++)
  {
    lines[row] = mix->first + row * mix->stride;
    weights[row] = mix->weights[row];
  }
  uint8_t *const restrict out = mix->out;
  const size_t bytes = mix->bytes;
  size_t i = 0;
#ifdef HAS_BYTE_PRODUCTS
  i = mix_vectors(rows, mix);
#endif
  for (; i < bytes; i++) {
    uint16_t sum = ROUNDING;
    UNROLL for (int row = 0; row < rows; row++) sum = (uint16_t)(sum + lines[row][i] * weights[row]);
    out[i] = (uint8_t)(sum >> SUM_SHIFT);
  }
}

INLINE void mix_many(const pixel_mix *mix)
{
  // Otherwise vectors straddle cache lines, depending on where the thread's stack begins: up to twice the time.
  _Alignas(CACHE_LINE) uint16_t sums[MIXED_TOGETHER];
  for (size_t i = 0; i < mix->bytes; i++) sums[i] = ROUNDING;
  for (int row = 0; row < mix->rows; row++) {
    const uint8_t *const line = mix->first + row * mix->stride;
    const uint16_t weight = mix->weights[row];
    for (size_t i = 0; i < mix->bytes; i++) sums[i] = (uint16_t)(sums[i] + line[i] * weight);
  }
  for (size_t i = 0; i < mix->bytes; i++) mix->out[i] = (uint8_t)(sums[i] >> SUM_SHIFT);
}

/// Mixes some columns at a time and prefetches those of the next rows, because a frame comes from distant
/// memory and rows are too short for the processor's own prefetching.
static void mix(const pixel_mix *mix)
{
  for (size_t begin = 0; begin < mix->bytes; begin += MIXED_TOGETHER) {
    pixel_mix part = *mix;
    part.first += begin;
    part.out += begin;
    part.bytes = mix->bytes - begin < MIXED_TOGETHER ? mix->bytes - begin : MIXED_TOGETHER;
    for (int row = 0; row < mix->next_rows; row++)
      for (size_t at = begin; at < begin + part.bytes; at += CACHE_LINE)
        __builtin_prefetch(mix->next + row * mix->stride + (ptrdiff_t)at);
    switch (part.rows) {
    case 1: memcpy(part.out, part.first, part.bytes); break;
    case 2: mix_few(2, &part); break;
    case 3: mix_few(3, &part); break;
    case 4: mix_few(4, &part); break;
    default: mix_many(&part); break;
    }
  }
}

/// The four pixels around some positions, and the weight of each, in 256ths.
typedef struct {
  /// Of the upper left pixels.
  _Alignas(CACHE_LINE) int32_t columns[SAMPLED_TOGETHER];
  int32_t rows[SAMPLED_TOGETHER];
  /// Upper left and lower left; upper right and lower right.
  int16_t left[2 * SAMPLED_TOGETHER];
  int16_t right[2 * SAMPLED_TOGETHER];
} sample_places;

INLINE int64_t limited(int64_t value, int64_t most)
{
  value = value < 0 ? 0 : value;
  return value > most ? most : value;
}

INLINE const uint8_t *upper_left(const pixel_sampling *sampling, const sample_places *places, int at)
{
  return sampling->source + places->rows[at] * sampling->stride + places->columns[at] * (ptrdiff_t)4;
}

/// Prepares SAMPLED_TOGETHER positions from the one with `index` on, also those beyond the last. At the last
/// column and row the pixels before them have a weight of 0.
static void prepare_places(const pixel_sampling *sampling, int index, sample_places *restrict places)
{
  const int64_t max_x = (int64_t)(sampling->width - 1) << 16, max_y = (int64_t)(sampling->height - 1) << 16;
  const int32_t last_left = sampling->width - 2, last_top = sampling->height - 2;
  const int64_t step_x = sampling->step_x, step_y = sampling->step_y;
  int64_t next_x = sampling->x + index * step_x, next_y = sampling->y + index * step_y;
  for (int i = 0; i < SAMPLED_TOGETHER; i++, next_x += step_x, next_y += step_y) {
    const int32_t x = (int32_t)limited(next_x, max_x), y = (int32_t)limited(next_y, max_y);
    const int32_t left = x >> 16 < last_left ? x >> 16 : last_left, top = y >> 16 < last_top ? y >> 16 : last_top;
    const int32_t across = (x >> 8) - (left << 8), down = (y >> 8) - (top << 8);
    const int32_t both = (across * down + 128) >> 8;
    places->columns[i] = left;
    places->rows[i] = top;
    places->left[2 * i] = (int16_t)(256 - across - down + both);
    places->left[2 * i + 1] = (int16_t)(down - both);
    places->right[2 * i] = (int16_t)(across - both);
    places->right[2 * i + 1] = (int16_t)both;
  }
}
