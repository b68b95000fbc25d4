/// The depthwise convolution whose sums fit 16 bits, of products of bytes that are added in pairs. Part of
/// i8_depthwise.h, which includes this.
///
/// Of the nine products of a sum, six are those of two rows, which both output rows have for their own: the
/// upper one the first and second of the four rows, the lower one the third and fourth. The three of the other
/// row, which is the third or the second, are two of neighbouring pixels and one alone. So five instructions
/// multiply, and no row is interleaved in memory.

enum {
  /// Vectors of weights of eight channels.
  PLACES = FUSED_I8_DEPTHWISE_PLACES,
  /// The vector for the other row's left and middle pixel, after two for each column, and for its right one.
  NEIGHBOURS = 6,
  ALONE = 8,
};

/// A vector of pixels of two rows with their bytes in turns: the first and last eight channels.
typedef struct {
  vector half[2];
} interleaved;

INLINE interleaved interleave_vectors(vector a, vector b) { return (interleaved){{zip_low(a, b), zip_high(a, b)}}; }

/// Adds products to the sums of one row, [eight channels each].
INLINE void add_pair(interleaved values, const uint8_t *weights, const int place, vector sum[2])
{
  UNROLL for (int half = 0; half < 2; half++) sum[half] =
      add16(sum[half], dot_pairs(values.half[half], load_lanes(weights + (half * PLACES + place) * LANE)));
}

/// The four rows' pixels to the left of a vector.
typedef struct {
  interleaved upper, lower;
} left_column;

INLINE left_column load_column(const uint8_t *const in[4], ptrdiff_t at)
{
  return (left_column){interleave_vectors(load(in[0] + at), load(in[1] + at)),
                       interleave_vectors(load(in[2] + at), load(in[3] + at))};
}

/// Computes a vector of pixels of two rows. - Parameter left: becomes that of the next vector.
INLINE void depthwise_sums(const uint8_t *const in[4], ptrdiff_t at, const uint8_t *weights, const int16_t *bias,
                           left_column *left, vector upper[2], vector lower[2])
{
  UNROLL for (int half = 0; half < 2; half++) upper[half] = lower[half] = load_lanes(bias + 8 * half);
  add_pair(left->upper, weights, 0, upper);
  add_pair(left->lower, weights, 1, lower);
  const vector b = load(in[1] + at), c = load(in[2] + at);
  add_pair(interleave_vectors(load(in[2] + at - LANE), c), weights, NEIGHBOURS, upper);
  add_pair(interleave_vectors(load(in[1] + at - LANE), b), weights, NEIGHBOURS + 1, lower);
  const left_column middle = {interleave_vectors(load(in[0] + at), b), interleave_vectors(c, load(in[3] + at))};
  add_pair(middle.upper, weights, 2, upper);
  add_pair(middle.lower, weights, 3, lower);
  const vector right_b = load(in[1] + at + LANE), right_c = load(in[2] + at + LANE);
  const interleaved others = interleave_vectors(right_b, right_c);
  add_pair(others, weights, ALONE, upper);
  add_pair(others, weights, ALONE + 1, lower);
  const left_column right = {interleave_vectors(load(in[0] + at + LANE), right_b),
                             interleave_vectors(right_c, load(in[3] + at + LANE))};
  add_pair(right.upper, weights, 4, upper);
  add_pair(right.lower, weights, 5, lower);
  *left = PIXELS == 1 ? middle : right;
}

/// Loops over blocks of 16 channels outside.
INLINE void dwconv3x3_any(const fused_i8_dwconv *conv, const int store_rows, const int store_pooled)
{
  const uint8_t *weights = conv->weights;
  for (int c = 0; c < conv->channels; c += LANE, weights += 2 * PLACES * LANE) {
    const size_t plane = (size_t)(c / LANE) * conv->plane + FUSED_I8_MARGIN;
    const uint8_t *const in[4] = {conv->in[0] + plane, conv->in[1] + plane, conv->in[2] + plane, conv->in[3] + plane};
    uint8_t *const out[2] = {store_rows ? conv->out[0] + plane : NULL, store_rows ? conv->out[1] + plane : NULL};
    uint8_t *const pooled =
        store_pooled ? conv->pooled + (size_t)(c / LANE) * conv->pooled_plane + FUSED_I8_MARGIN : NULL;
    const int16_t *bias = (const int16_t *)conv->bias + c;
    vector multiplier[2];
    load_multipliers(conv->multipliers + c, multiplier);
    left_column left = load_column(in, -LANE);
    int x = 0;
#define TILES(count)                                                                 \
  for (; x + (count - 1) * PIXELS < conv->width; x += count * PIXELS) {              \
    vector most[count];                                                              \
    UNROLL for (int g = 0; g < count; g++)                                           \
    {                                                                                \
      const ptrdiff_t at = (ptrdiff_t)LANE * (x + g * PIXELS);                       \
      vector upper[2], lower[2];                                                     \
      depthwise_sums(in, at, weights, bias, &left, upper, lower);                    \
      most[g] = finish_rows(upper, lower, multiplier, out, at);                      \
    }                                                                                \
    if (store_pooled) store_maxima(most[0], most[count - 1], pooled + LANE / 2 * x); \
  }
    TILES(2)
    TILES(1)
#undef TILES
  }
}
