/// The convolutions of all channels for AVX2. A vector of sums has eight output channels of one pixel: four
/// bytes of a pixel are broadcast as they are loaded, which takes no instruction that moves bytes between
/// registers. Part of i8_convolution.h, which includes this.

enum {
  /// Vectors of sums of a block's 16 output channels.
  HALVES = 2,
  /// The most pixels of a tile: of two, sums of 16 and of 32 bits fit the registers.
  MAX_TILE = 4,
};

INLINE vector load_four(const uint8_t *from)
{
  int32_t four;
  memcpy(&four, from, sizeof four);
  return _mm256_set1_epi32(four);
}

/// Channels are 0…3, 8…11, 4…7, 12…15 when the two halves of a pixel were packed to 16 bits. Brings
/// multipliers to this order, and pixels of bytes, then two side by side in each lane, from it and
/// to it.
INLINE vector load_packed_multipliers(const int16_t *multipliers)
{
  return _mm256_permute4x64_epi64(load(multipliers), 0xD8);
}
INLINE vector from_packed_order(vector v)
{
  return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
INLINE vector to_packed_order(vector v)
{
  return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}

INLINE void begin_pixels(const int mr, const int32_t *bias, vector sum[MAX_TILE][HALVES])
{
  UNROLL for (int m = 0; m < mr; m++) UNROLL for (int h = 0; h < HALVES; h++) sum[m][h] = load(bias + 8 * h);
}

/// Stores a tile of one pixel or whole vectors of them.
INLINE void finish_pixels(const int mr, vector sum[MAX_TILE][HALVES], const int16_t *multipliers, addend added,
                          uint8_t *out)
{
  const vector multiplier = load_packed_multipliers(multipliers), zero = all_bytes(0), most = all_bytes(MAX_VALUE);
  UNROLL for (int m = 0; m < mr; m += PIXELS, out += VECTOR)
  {
    vector pixel[PIXELS];
    UNROLL for (int i = 0; i < PIXELS; i++)
    {
      const int from = m + i < mr ? m + i : m;
      pixel[i] = multiply_high(pack32(sum[from][0], sum[from][1]), multiplier);
    }
    if (added.row && !added.last) {
      const vector more = to_packed_order(load(added.row + m * LANE));
      pixel[0] = add_saturated16(pixel[0], zip_low(more, zero));
      pixel[1] = add_saturated16(pixel[1], zip_high(more, zero));
    }
    vector values = minimum(from_packed_order(pack16(pixel[0], pixel[1])), most);
    if (added.row && added.last) values = minimum(add_saturated(values, load(added.row + m * LANE)), most);
    if (m + PIXELS <= mr)
      store(out, values);
    else
      _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(values));
  }
}

/// Adds products of four bytes of each pixel, `stride` bytes apart, to sums of 16 bits, or begins those.
INLINE void add_fours(const int mr, const bool begins, const uint8_t *in, const int stride, const int8_t *weights,
                      vector pairs[MAX_TILE][HALVES])
{
  vector weight[HALVES];
  UNROLL for (int h = 0; h < HALVES; h++) weight[h] = load(weights + VECTOR * h);
  UNROLL for (int m = 0; m < mr; m++)
  {
    const vector value = load_four(in + m * stride);
    UNROLL for (int h = 0; h < HALVES; h++)
    {
      const vector products = dot_pairs(value, weight[h]);
      pairs[m][h] = begins ? products : add16(pairs[m][h], products);
      // Nor in an order for which there are not enough.
      __asm__("" : "+x"(pairs[m][h]));
    }
  }
}

INLINE void add_pixels(const int mr, vector pairs[MAX_TILE][HALVES], vector sum[MAX_TILE][HALVES])
{
  UNROLL for (int m = 0; m < mr; m++) UNROLL for (int h = 0; h < HALVES; h++) sum[m][h] =
      add_pairs(sum[m][h], pairs[m][h]);
}

/// Computes `mr` pixels, from `x` on, × 16 output channels. Products of `together` fours of channels are added
/// in 16 bits.
INLINE void gemm_pixels(const int mr, const int together, const fused_i8_gemm *gemm, const int kernel, int blocks,
                        int x, const int8_t *weights, const int32_t *bias, const int16_t *multipliers, addend added,
                        uint8_t *out)
{
  vector sum[MAX_TILE][HALVES], pairs[MAX_TILE][HALVES];
  begin_pixels(mr, bias, sum);
  const ptrdiff_t at = FUSED_I8_MARGIN + (ptrdiff_t)LANE * (x - kernel / 2);
  for (int row = 0; row < kernel; row++)
    for (int column = 0; column < kernel; column++) {
      const uint8_t *in = gemm->in[row] + at + LANE * column;
#pragma GCC unroll 4 // The 64 channels of a layer.
      for (int block = 0; block < blocks; block++, in += gemm->in_plane, weights += LANE * LANE)
        UNROLL for (int k = 0; k < 4; k++)
        {
          // Otherwise the compiler loads more at once than there are registers for.
          __asm__("" : "+r"(in), "+r"(weights));
          add_fours(mr, k % together == 0, in + 4 * k, LANE, weights + 4 * LANE * k, pairs);
          if ((k + 1) % together == 0) add_pixels(mr, pairs, sum);
        }
    }
  if (gemm->shift > 0)
    UNROLL for (int m = 0; m < mr; m++) UNROLL for (int h = 0; h < HALVES; h++) sum[m][h] =
        shift_right(sum[m][h], gemm->shift);
  finish_pixels(mr, sum, multipliers, added, out);
}

/// Computes `mr` windows of a 3×3 convolution of an image, as `conv_tile` does.
INLINE void conv_pixels(const int mr, const int together, const uint8_t *const in[3], const uint8_t *thirds, int x,
                        const int8_t *weights, const int32_t *bias, const int16_t *multipliers, uint8_t *out)
{
  vector sum[MAX_TILE][HALVES], pairs[MAX_TILE][HALVES];
  begin_pixels(mr, bias, sum);
  // Those that may be added together follow each other; the last is added to the second and fifth or alone.
  static const int order[7] = {0, 3, 2, 5, 1, 4, 6};
  UNROLL for (int i = 0; i < 7; i++)
  {
    const int four = order[i];
    const bool begins = together == 1 || (i == 6 ? together == 2 : i % 2 == 0);
    if (begins && i > 0) add_pixels(mr, pairs, sum);
    __asm__("" : "+r"(weights));
    add_fours(mr, begins, four == 6 ? thirds : in[four / 2] + 8 * x + four % 2 * 4, 8, weights + 4 * LANE * four,
              pairs);
  }
  add_pixels(mr, pairs, sum);
  finish_pixels(mr, sum, multipliers, (addend){0}, out);
}
