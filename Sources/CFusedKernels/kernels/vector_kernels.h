/// Every kernel, once, for vectors of any length. An instruction set's file includes this after it has defined
///   VECTOR_LENGTH   floats in a vector
///   REGISTERS       vector registers, 16 or 32
///   MAXIMUM(a, b)   of two vectors
///   KERNELS, NAME   the table to define, and its instruction set's name
/// Plain loops over constant bounds: the compiler unrolls them and keeps the small arrays of vectors in registers.

#include <string.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(VECTOR_LENGTH * 4)));
typedef int32_t integers __attribute__((vector_size(VECTOR_LENGTH * 4)));

#if REGISTERS == 32
enum { BLOCK_VECTORS = 4 };
#else
enum { BLOCK_VECTORS = 2 };
#endif
/// Sums that are kept in registers at once; the rest hold weights and an input.
enum { MAX_PIXELS = 12 };

INLINE vector load(const float *from) { return *(const vector *)from; }
INLINE void store(float *to, vector value) { *(vector *)to = value; }

INLINE vector activate(vector value, fused_activation activation) {
  return activation == FUSED_ACTIVATION_RELU ? MAXIMUM(value, (vector){0}) : value;
}

/// One block of `multiply`: `pixels` × `vectors` sums stay in registers over all of the input. Inside, k goes over the
/// inputs of a pixel; each step loads the weights of one input for all vectors once, then for every pixel spreads that
/// input over a vector and adds.
INLINE void multiply_block(
    const int pixels, const int vectors, const float *const *in, int runs, int run_length, int pixel_stride,
    const float *weights, const float *bias, fused_activation activation, float *out, int out_stride) {
  vector sum[MAX_PIXELS][BLOCK_VECTORS];
#pragma GCC unroll 12
  for (int p = 0; p < pixels; p++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) sum[p][v] = load(bias + v * VECTOR_LENGTH);
  for (int run = 0; run < runs; run++) {
    const float *values = in[run];
#pragma GCC unroll 4
    for (int k = 0; k < run_length; k++) {
      vector weight[BLOCK_VECTORS];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) weight[v] = load(weights + v * VECTOR_LENGTH);
      weights += vectors * VECTOR_LENGTH;
#pragma GCC unroll 12
      for (int p = 0; p < pixels; p++) {
        const float value = values[p * pixel_stride + k];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) sum[p][v] += weight[v] * value;
      }
    }
  }
#pragma GCC unroll 12
  for (int p = 0; p < pixels; p++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      store(out + p * out_stride + v * VECTOR_LENGTH, activate(sum[p][v], activation));
}

/// One block of output channels over all columns, `pixels` at a time. The last block begins early enough to be whole,
/// and computes some columns again, which costs less than a narrow one.
INLINE void multiply_columns(
    const int pixels, const int vectors, const float *const *in, int runs, int run_length, int pixel_stride,
    int width, const float *weights, const float *bias, fused_activation activation, float *out, int out_stride) {
  const int step = width < pixels ? 1 : pixels;
  for (int x = 0; x < width; x += step) {
    if (x + step > width) x = width - step;
    const float *from[3];
    for (int run = 0; run < runs; run++) from[run] = in[run] + (ptrdiff_t)x * pixel_stride;
    float *to = out + (ptrdiff_t)x * out_stride;
    if (step == pixels)
      multiply_block(
          pixels, vectors, from, runs, run_length, pixel_stride, weights, bias, activation, to, out_stride);
    else
      multiply_block(1, vectors, from, runs, run_length, pixel_stride, weights, bias, activation, to, out_stride);
  }
}

/// Blocks of output channels outside, columns inside: a block's weights stay in the first-level cache for a row.
INLINE void multiply_any(
    const float *const *in, int runs, int run_length, int pixel_stride, int width, int out_channels,
    const float *weights, const float *bias, fused_activation activation, float *out) {
  for (int c = 0; c < out_channels;) {
    const int left = (out_channels - c) / VECTOR_LENGTH;
    const int vectors = left < BLOCK_VECTORS ? left : BLOCK_VECTORS;
#define COLUMNS(pixels, vectors)                                                                                  \
  multiply_columns(                                                                                               \
      pixels, vectors, in, runs, run_length, pixel_stride, width, weights, bias + c, activation, out + c,         \
      out_channels)
    switch (vectors) {
      case 1: COLUMNS(12, 1); break;
#if REGISTERS == 32
      case 2: COLUMNS(12, 2); break;
      case 3: COLUMNS(8, 3); break;
      default: COLUMNS(6, 4); break;
#else
      default: COLUMNS(6, 2); break;
#endif
    }
#undef COLUMNS
    weights += (ptrdiff_t)runs * run_length * vectors * VECTOR_LENGTH;
    c += vectors * VECTOR_LENGTH;
  }
}

/// The shapes that are met most have their lengths known to the compiler, the others share the last line.
static void multiply(
    const float *const *in, int runs, int run_length, int pixel_stride, int width, int out_channels,
    const float *weights, const float *bias, fused_activation activation, float *out) {
#define SHAPE(RUNS, LENGTH, STRIDE, ACTIVATION)                                                              \
  if (runs == RUNS && run_length == LENGTH && pixel_stride == STRIDE && activation == ACTIVATION)            \
    return multiply_any(in, RUNS, LENGTH, STRIDE, width, out_channels, weights, bias, ACTIVATION, out);
  SHAPE(1, 16, 16, FUSED_ACTIVATION_NONE)
  SHAPE(1, 32, 32, FUSED_ACTIVATION_NONE)
  SHAPE(1, 64, 64, FUSED_ACTIVATION_NONE)
  SHAPE(3, 9, 6, FUSED_ACTIVATION_RELU)
#undef SHAPE
  multiply_any(in, runs, run_length, pixel_stride, width, out_channels, weights, bias, activation, out);
}

/// One vector of channels over all columns: its nine weights stay in registers. Inside, 2×2 outputs at a time; each of
/// the 4×4 inputs they are made of is loaded once and added to every output it belongs to.
INLINE void depthwise_vector(
    const float *const in[4], int channels, int width, const float *weights, fused_activation activation,
    float *const out[2], float *pooled, const int store_rows, const int store_pooled) {
  vector tap[9];
#pragma GCC unroll 9
  for (int t = 0; t < 9; t++) tap[t] = load(weights + t * VECTOR_LENGTH);
  for (int x = 0; x < width; x += 2) {
    const ptrdiff_t offset = (ptrdiff_t)x * channels;
    vector sum[2][2];
    sum[0][0] = sum[0][1] = sum[1][0] = sum[1][1] = load(weights + 9 * VECTOR_LENGTH);
#pragma GCC unroll 4
    for (int row = 0; row < 4; row++)
#pragma GCC unroll 4
      for (int column = 0; column < 4; column++) {
        const vector value = load(in[row] + offset + column * channels);
#pragma GCC unroll 2
        for (int dy = 0; dy < 2; dy++)
#pragma GCC unroll 2
          for (int dx = 0; dx < 2; dx++)
            if (row >= dy && row < dy + 3 && column >= dx && column < dx + 3)
              sum[dy][dx] += value * tap[(row - dy) * 3 + column - dx];
      }
    if (store_pooled) {
      const vector most = MAXIMUM(MAXIMUM(sum[0][0], sum[0][1]), MAXIMUM(sum[1][0], sum[1][1]));
      store(pooled + offset / 2, activate(most, activation));
    }
    if (store_rows)
#pragma GCC unroll 2
      for (int dy = 0; dy < 2; dy++)
#pragma GCC unroll 2
        for (int dx = 0; dx < 2; dx++)
          store(out[dy] + offset + dx * channels, activate(sum[dy][dx], activation));
  }
}

/// Vectors of channels outside, columns inside, so that weights are loaded once a call.
INLINE void depthwise_any(
    const float *const in[4], int channels, int width, const float *weights, fused_activation activation,
    float *const out[2], float *pooled, const int store_rows, const int store_pooled) {
  for (int c = 0; c < channels; c += VECTOR_LENGTH) {
    const float *const from[4] = {in[0] + c, in[1] + c, in[2] + c, in[3] + c};
    float *const to[2] = {store_rows ? out[0] + c : NULL, store_rows ? out[1] + c : NULL};
    depthwise_vector(
        from, channels, width, weights + (ptrdiff_t)c * 10, activation, to, store_pooled ? pooled + c : NULL,
        store_rows, store_pooled);
  }
}

/// What is known to the compiler of the channels: how far apart columns are, so that all inputs are read from few
/// addresses, of which it otherwise counts up more than there are registers for. Other counts share the last line.
INLINE void depthwise_channels(
    const float *const in[4], int channels, int width, const float *weights, fused_activation activation,
    float *const out[2], float *pooled, const int store_rows, const int store_pooled) {
#define CHANNELS(count)                                                                                          \
  if (channels == count)                                                                                         \
    return depthwise_any(in, count, width, weights, activation, out, pooled, store_rows, store_pooled);
  CHANNELS(16)
  CHANNELS(32)
  CHANNELS(64)
#undef CHANNELS
  depthwise_any(in, channels, width, weights, activation, out, pooled, store_rows, store_pooled);
}

static void depthwise(
    const float *const in[4], int channels, int width, const float *weights, fused_activation activation,
    float *const out[2], float *pooled) {
  const int store_rows = out[0] != NULL;
  const int store_pooled = pooled != NULL;
#define CASE(ACTIVATION, ROWS, POOLED)                                                              \
  if (activation == ACTIVATION && store_rows == ROWS && store_pooled == POOLED)                     \
    return depthwise_channels(in, channels, width, weights, ACTIVATION, out, pooled, ROWS, POOLED);
  CASE(FUSED_ACTIVATION_RELU, 1, 0)
  CASE(FUSED_ACTIVATION_RELU, 0, 1)
  CASE(FUSED_ACTIVATION_RELU, 1, 1)
  CASE(FUSED_ACTIVATION_NONE, 1, 0)
#undef CASE
  depthwise_any(in, channels, width, weights, activation, out, pooled, store_rows, store_pooled);
}

/// Columns outside, channels inside; a pixel of the half-size row is used for two columns.
static void add_upsampled(const float *row, const float *half, int channels, int width, float *out) {
  for (int x = 0; x < width; x++) {
    const ptrdiff_t at = (ptrdiff_t)x * channels;
    const ptrdiff_t from = (ptrdiff_t)(x / 2) * channels;
    for (int c = 0; c < channels; c += VECTOR_LENGTH)
      store(out + at + c, load(row + at + c) + load(half + from + c));
  }
}

typedef float pixel __attribute__((vector_size(16)));
typedef uint8_t pixel_bytes __attribute__((vector_size(4)));

/// A pixel at a time: four bytes become four floats, of which the next pixel's first overwrites the last.
INLINE void read_pixels_any(
    const fused_image *image, const uint8_t *row, int count, float *out, const int bytes_per_pixel,
    const int reversed) {
  const pixel mean = {image->mean[0], image->mean[1], image->mean[2], 0};
  const pixel scale = {image->scale[0], image->scale[1], image->scale[2], 0};
  for (int x = 0; x < count; x++) {
    pixel_bytes bytes = {0};
    // Three bytes at the end of a row may be the last of the memory.
    if (bytes_per_pixel == 4 || x + 1 < count)
      memcpy(&bytes, row + (ptrdiff_t)x * bytes_per_pixel, 4);
    else
      memcpy(&bytes, row + (ptrdiff_t)x * bytes_per_pixel, 3);
    pixel value = __builtin_convertvector(bytes, pixel);
    if (reversed) value = __builtin_shufflevector(value, value, 2, 1, 0, 3);
    value = (value - mean) * scale;
    memcpy(out + (ptrdiff_t)x * 3, &value, sizeof value);
  }
}

static void read_pixels(const fused_image *image, const uint8_t *row, int count, float *out) {
  if (image->bytes_per_pixel == 4)
    image->reversed ? read_pixels_any(image, row, count, out, 4, 1) : read_pixels_any(image, row, count, out, 4, 0);
  else
    image->reversed ? read_pixels_any(image, row, count, out, 3, 1) : read_pixels_any(image, row, count, out, 3, 0);
}

/// exp(y) = 2^n · e^f with n the nearest whole number of y / ln 2, found by adding a number so large that the fraction
/// is lost (1.5 · 2^23), and |f| ≤ ln 2 / 2, where a Taylor polynomial of degree 6 is exact to 2e-7.
INLINE vector exponential(vector y) {
  const vector limit = (vector){0} + 87.f;
  y = -MAXIMUM(-MAXIMUM(y, -limit), -limit);
  const vector shifted = y * 1.44269504f + 12582912.f;
  const vector whole = shifted - 12582912.f;
  // ln 2 in two parts: the first has so few digits that its product with a whole number is exact.
  const vector f = y - whole * 0.693359375f + whole * 2.12194440e-4f;
  vector power = f * (1.f / 720) + (1.f / 120);
  power = power * f + (1.f / 24);
  power = power * f + (1.f / 6);
  power = power * f + .5f;
  power = power * f + 1.f;
  power = power * f + 1.f;
  // The exponent of a float begins at bit 23.
  return (vector)((integers)power + ((integers)shifted << 23));
}

/// A vector at a time; the rest through a vector of its own.
static void sigmoid(float *values, size_t count) {
  for (size_t i = 0; i < count; i += VECTOR_LENGTH) {
    const size_t left = count - i < VECTOR_LENGTH ? count - i : VECTOR_LENGTH;
    vector value = {0};
    memcpy(&value, values + i, left * sizeof(float));
    value = 1.f / (1.f + exponential(-value));
    memcpy(values + i, &value, left * sizeof(float));
  }
}

const fused_kernels KERNELS = {
    .name = NAME,
    .vector_length = VECTOR_LENGTH,
    .block_vectors = BLOCK_VECTORS,
    .multiply = multiply,
    .depthwise = depthwise,
    .add_upsampled = add_upsampled,
    .read_pixels = read_pixels,
    .sigmoid = sigmoid,
};
