/// `mix_few` and `narrow` with products of bytes, added in pairs in 16 bits: half as many
/// instructions as with products of 16 bits. Pixels are signed, less 128, because one factor has to be
/// signed; as weights sum to 256, one more addition compensates for that.
/// Included by an instruction set's file before vector_kernels.h, after what that needs and
///   PREFIX, SUFFIX   of the intrinsics: _mm256_ and si256, for example
#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define X86(name) JOIN(PREFIX, name)

INLINE vector products_of_bytes(vector weights, vector centred) { return X86(maddubs_epi16)(weights, centred); }
INLINE vector exclusive_or(vector a, vector b) { return JOIN(X86(xor_), SUFFIX)(a, b); }
/// Returns the upper bytes of sums of 16 bits, less 128, plus `rounding`.
INLINE vector upper_bytes(vector sum, int rounding)
{
  return X86(srli_epi16)(X86(add_epi16)(sum, X86(set1_epi16)((short)(128 * 256 + rounding))), SUM_SHIFT);
}

INLINE bool are_bytes(const uint16_t *weights, int count)
{
  int sum = 0;
  for (int i = 0; i < count; i++) {
    if (weights[i] > UINT8_MAX) return false;
    sum += weights[i];
  }
  return sum == 256;
}

/// Mixes a half of each lane of two to four rows.
INLINE vector mix_half(const int rows, vector pairs, vector more_pairs, const vector weights[2])
{
  vector sum = products_of_bytes(weights[0], pairs);
  if (rows > 2) sum = X86(add_epi16)(sum, products_of_bytes(weights[1], more_pairs));
  return upper_bytes(sum, ROUNDING);
}

/// Mixes whole vectors of two to four rows. - Returns: the number of bytes.
INLINE size_t mix_vectors(const int rows, const pixel_mix *mix)
{
  if (rows < 2 || !are_bytes(mix->weights, rows)) return 0;
  const vector weights[2] = {X86(set1_epi16)((short)(mix->weights[0] | mix->weights[1] << 8)),
                             X86(set1_epi16)(
                                 (short)(rows < 3 ? 0 : mix->weights[2] | (rows < 4 ? 0 : mix->weights[3] << 8)))};
  const vector centre = X86(set1_epi8)((char)128);
  size_t i = 0;
  for (; i + sizeof(vector) <= mix->bytes; i += sizeof(vector)) {
    vector row[4];
    UNROLL for (int r = 0; r < rows; r++) row[r] =
        exclusive_or(JOIN(X86(loadu_), SUFFIX)((const void *)(mix->first + r * mix->stride + i)), centre);
    // Missing rows have a weight of 0.
    UNROLL for (int r = rows; r < 4; r++) row[r] = row[r - 1];
    const vector low = mix_half(rows, X86(unpacklo_epi8)(row[0], row[1]), X86(unpacklo_epi8)(row[2], row[3]), weights);
    const vector high = mix_half(rows, X86(unpackhi_epi8)(row[0], row[1]), X86(unpackhi_epi8)(row[2], row[3]), weights);
    store(mix->out + i, X86(packus_epi16)(low, high));
  }
  return i;
}

/// The tables of `narrow` for four taps that are the same for all pixels: a lane has a pixel's products,
/// those of the first two taps and then those of the last two.
typedef struct {
  vector pattern;
  vector centre;
  vector weights;
} alike_taps;

INLINE alike_taps make_alike_taps(const pixel_narrowing *narrowing, const uint16_t taps[4])
{
  const int bytes = narrowing->bytes_per_pixel;
  uint8_t pattern[16], centre[16], weights[16];
  for (int i = 0; i < 16; i++) {
    const int byte = i % 8 / 2, tap = i / 8 * 2 + i % 2;
    const int from = narrowing->reversed && byte < 3 ? 2 - byte : byte;
    pattern[i] = byte < bytes ? (uint8_t)(tap * bytes + from) : 128;
    // 0 becomes 127, from which 256 and 128 * 256 make the byte 255.
    centre[i] = byte < bytes ? 128 : 127;
    weights[i] = (uint8_t)taps[tap];
  }
  return (alike_taps){load_pattern(pattern), load_pattern(centre), load_pattern(weights)};
}

/// Computes a group of pixels, four to a lane.
INLINE vector narrow_alike_group(const pixel_narrowing *narrowing, const alike_taps *taps, int column)
{
  vector sums[2];
  UNROLL for (int half = 0; half < 2; half++)
  {
    vector products[2];
    UNROLL for (int i = 0; i < 2; i++)
    {
      int32_t offsets[PIXELS];
      UNROLL for (int lane = 0; lane < PIXELS; lane++) offsets[lane] =
          narrowing->firsts[column + 4 * lane + 2 * half + i];
      const vector window = shuffle(load_windows(narrowing->row, offsets), taps->pattern);
      products[i] = products_of_bytes(taps->weights, exclusive_or(window, taps->centre));
    }
    sums[half] = upper_bytes(X86(add_epi16)(X86(unpacklo_epi64)(products[0], products[1]),
                                            X86(unpackhi_epi64)(products[0], products[1])),
                             narrowing->rounding);
  }
  return X86(packus_epi16)(sums[0], sums[1]);
}

/// Computes whole groups of pixels. - Returns: the number of pixels.
INLINE int narrow_alike(const pixel_narrowing *narrowing)
{
  const int16_t *const first = narrowing->weights, *const last = first + (ptrdiff_t)narrowing->columns * 2;
  const uint16_t weights[4] = {(uint16_t)first[0], (uint16_t)first[1], (uint16_t)last[0], (uint16_t)last[1]};
  if (!are_bytes(weights, 4)) return 0;
  const alike_taps taps = make_alike_taps(narrowing, weights);
  int column = 0;
  for (; column + 4 * PIXELS <= narrowing->width; column += 4 * PIXELS)
    store(narrowing->out + (ptrdiff_t)column * 4, narrow_alike_group(narrowing, &taps, column));
  return column;
}
#define HAS_BYTE_PRODUCTS 1
