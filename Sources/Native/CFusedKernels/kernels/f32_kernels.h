/// All float32 kernels, and the conversion of an image's bytes to floats (`read_pixels`), for vectors of any
/// length. An instruction set's file includes this after it has defined
///   VECTOR_LENGTH   floats in a vector
///   REGISTERS       vector registers, 16 or 32
///   MAXIMUM(a, b)   of two vectors
///   KERNELS, NAME   the table to define, and its instruction set's name
///   NARROWER        a table with shorter vectors, for layers with few channels; optional
/// These are plain loops over constant bounds: the compiler unrolls them and keeps the small arrays of
/// vectors in registers.

#include <math.h>
#include <string.h>

#include "kernels.h"

typedef float vector __attribute__((vector_size(VECTOR_LENGTH * 4)));
typedef int32_t integers __attribute__((vector_size(VECTOR_LENGTH * 4)));

typedef float element;
typedef vector accumulator;
#define ADD_PRODUCTS(sum, weight, value) ((sum) += (weight) * (value))
#include "gemm.h"

INLINE vector load(const float *from) { return *(const vector *)from; }
INLINE void store(float *to, vector value) { *(vector *)to = value; }

INLINE vector activate(vector value, fused_activation activation)
{
  return activation == FUSED_ACTIVATION_RELU ? MAXIMUM(value, (vector){0}) : value;
}

/// Adds the pixels of a row from `x` on to the sums, as many vectors as there are.
INLINE void add_row(const int pixels, const int vectors, const fused_gemm *gemm, int x, int c, sums sum)
{
#pragma GCC unroll 4
  for (int v = 0; v < vectors; v++) {
    if (c + v * VECTOR_LENGTH >= gemm->added_channels) return;
    const float *from = (const float *)gemm->added + (ptrdiff_t)x * gemm->added_channels + c + v * VECTOR_LENGTH;
#pragma GCC unroll 8
    for (int p = 0; p < pixels; p++) sum[p][v] += load(from + (ptrdiff_t)p * gemm->added_channels);
  }
}

/// Adds, activates and stores complete sums.
INLINE void finish_tile(const int pixels, const int vectors, const fused_gemm *gemm, int x, int c, sums sum)
{
  if (gemm->added && !gemm->added_last) add_row(pixels, vectors, gemm, x, c, sum);
  if (gemm->activation == FUSED_ACTIVATION_RELU) {
    EACH_SUM sum[p][v] = MAXIMUM(sum[p][v], (vector){0});
  } else if (gemm->activation == FUSED_ACTIVATION_PRELU) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      const vector slope = load(gemm->slopes + c + v * VECTOR_LENGTH);
#pragma GCC unroll 8
      for (int p = 0; p < pixels; p++) {
        // One of the two parts is zero.
        const vector above = MAXIMUM(sum[p][v], (vector){0});
        sum[p][v] = above + slope * (sum[p][v] - above);
      }
    }
  }
  if (gemm->added && gemm->added_last) add_row(pixels, vectors, gemm, x, c, sum);
  float *out = (float *)gemm->out + (ptrdiff_t)x * gemm->out_channels + c;
  EACH_SUM store(out + (ptrdiff_t)p * gemm->out_channels + v * VECTOR_LENGTH, sum[p][v]);
}

/// Columns of one vector of channels that `dwconv3x3` computes before the next vector: a row's pixels, a
/// vector of each, are so far apart that more of them would evict each other from the first-level cache.
enum { DEPTHWISE_COLUMNS = 16 };

/// Computes one column of two rows: each of the 4×3 inputs is loaded once and added to both or one of them.
INLINE void dwconv3x3_column(const float *const in[4], ptrdiff_t at, ptrdiff_t channels, const vector tap[9],
                             vector bias, vector sum[2])
{
  sum[0] = sum[1] = bias;
#pragma GCC unroll 4
  for (int row = 0; row < 4; row++)
#pragma GCC unroll 3
    for (int column = 0; column < 3; column++) {
      const vector value = load(in[row] + at + column * channels);
      if (row < 3) sum[0] += value * tap[row * 3 + column];
      if (row > 0) sum[1] += value * tap[(row - 1) * 3 + column];
    }
}

/// Loops over blocks of columns outside, then vectors of channels, then columns, so that nine weights stay in
/// registers.
INLINE void dwconv3x3_any(const float *const in[4], int channels, int width, const float *weights,
                          fused_activation activation, float *const out[2], float *pooled, const int store_rows,
                          const int store_pooled)
{
  for (int begin = 0; begin < width; begin += DEPTHWISE_COLUMNS) {
    const int end = begin + DEPTHWISE_COLUMNS < width ? begin + DEPTHWISE_COLUMNS : width;
    for (int c = 0; c < channels; c += VECTOR_LENGTH) {
      const float *const own = (const float *)weights + (ptrdiff_t)c * 10;
      const vector bias = load(own + 9 * VECTOR_LENGTH);
      vector tap[9];
#pragma GCC unroll 9
      for (int t = 0; t < 9; t++) tap[t] = load(own + t * VECTOR_LENGTH);
      vector most = bias;
      for (int x = begin; x < end; x++) {
        const ptrdiff_t at = (ptrdiff_t)x * channels + c;
        vector sum[2];
        dwconv3x3_column(in, at, channels, tap, bias, sum);
        if (store_rows) {
          store(out[0] + at, activate(sum[0], activation));
          store(out[1] + at, activate(sum[1], activation));
        }
        if (store_pooled) {
          const vector of_column = MAXIMUM(sum[0], sum[1]);
          if (x % 2 == 0)
            most = of_column;
          else
            store(pooled + (ptrdiff_t)(x / 2) * channels + c, activate(MAXIMUM(most, of_column), activation));
        }
      }
    }
  }
}

static void dwconv3x3(const void *const rows[4], int channels, int width, const void *weights,
                      fused_activation activation, void *const to[2], void *pooled)
{
  const float *const in[4] = {rows[0], rows[1], rows[2], rows[3]};
  float *const out[2] = {to[0], to[1]};
  const int store_rows = out[0] != NULL;
  const int store_pooled = pooled != NULL;
#define CASE(ACTIVATION, ROWS, POOLED)                                          \
  if (activation == ACTIVATION && store_rows == ROWS && store_pooled == POOLED) \
    return dwconv3x3_any(in, channels, width, weights, ACTIVATION, out, pooled, ROWS, POOLED);
  CASE(FUSED_ACTIVATION_RELU, 1, 0)
  CASE(FUSED_ACTIVATION_RELU, 0, 1)
  CASE(FUSED_ACTIVATION_RELU, 1, 1)
  CASE(FUSED_ACTIVATION_NONE, 1, 0)
#undef CASE
  dwconv3x3_any(in, channels, width, weights, activation, out, pooled, store_rows, store_pooled);
}

/// Loops over vectors of channels outside, columns inside, as above; of the five columns that two outputs
/// read, they share one.
static void dwconv3x3s2(const void *const rows[3], int channels, int width, const void *weights,
                        fused_activation activation, void *to)
{
  const float *const in[3] = {rows[0], rows[1], rows[2]};
  float *const out = to;
  for (int begin = 0; begin < width; begin += DEPTHWISE_COLUMNS) {
    const int end = begin + DEPTHWISE_COLUMNS < width ? begin + DEPTHWISE_COLUMNS : width;
    for (int c = 0; c < channels; c += VECTOR_LENGTH) {
      const float *const own = (const float *)weights + (ptrdiff_t)c * 10;
      vector tap[9];
#pragma GCC unroll 9
      for (int t = 0; t < 9; t++) tap[t] = load(own + t * VECTOR_LENGTH);
      for (int x = begin; x < end; x++) {
        vector sum = load(own + 9 * VECTOR_LENGTH);
#pragma GCC unroll 9
        for (int t = 0; t < 9; t++) sum += tap[t] * load(in[t / 3] + ((ptrdiff_t)2 * x + t % 3) * channels + c);
        store(out + (ptrdiff_t)x * channels + c, activate(sum, activation));
      }
    }
  }
}

/// Loops over columns outside, channels inside.
static void maxpool2x2(const void *const rows[2], int channels, int width, void *out)
{
  const float *const in[2] = {rows[0], rows[1]};
  for (int x = 0; x < width; x++)
    for (int c = 0; c < channels; c += VECTOR_LENGTH) {
      const ptrdiff_t at = (ptrdiff_t)2 * x * channels + c;
      const vector above = MAXIMUM(load(in[0] + at), load(in[0] + at + channels));
      const vector below = MAXIMUM(load(in[1] + at), load(in[1] + at + channels));
      store((float *)out + (ptrdiff_t)x * channels + c, MAXIMUM(above, below));
    }
}

/// Loops over columns outside, channels inside; a pixel of the half-size row is used for two columns.
static void add_upsampled(const void *rows, const void *halves, int channels, int width, void *to)
{
  const float *const row = rows, *const half = halves;
  float *const out = to;
  for (int x = 0; x < width; x++) {
    const ptrdiff_t at = (ptrdiff_t)x * channels;
    const ptrdiff_t from = (ptrdiff_t)(x / 2) * channels;
    for (int c = 0; c < channels; c += VECTOR_LENGTH) store(out + at + c, load(row + at + c) + load(half + from + c));
  }
}

typedef float pixel __attribute__((vector_size(16)));
typedef uint8_t pixel_bytes __attribute__((vector_size(4)));

/// Converts a pixel at a time: four bytes become four floats, and the last one is overwritten by the next
/// pixel's first.
INLINE void read_pixels_any(const fused_image *image, const uint8_t *row, int count, float *out,
                            const int bytes_per_pixel, const int reversed)
{
  const pixel mean = {image->mean[0], image->mean[1], image->mean[2], 0};
  const pixel scale = {image->scale[0], image->scale[1], image->scale[2], 0};
  for (int x = 0; x < count; x++) {
    pixel_bytes bytes = {0};
    // Three bytes at the end of a row may be the end of the memory.
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

static void read_pixels(const fused_image *image, const uint8_t *row, int count, float *out)
{
  if (image->bytes_per_pixel == 4)
    image->reversed ? read_pixels_any(image, row, count, out, 4, 1) : read_pixels_any(image, row, count, out, 4, 0);
  else
    image->reversed ? read_pixels_any(image, row, count, out, 3, 1) : read_pixels_any(image, row, count, out, 3, 0);
}

/// Without fused multiply-add, so that the outputs of int8 networks are bit-identical everywhere.
#if defined(__clang__)
#define ROUND_EACH_OPERATION _Pragma("clang fp contract(off)")
#else
#define ROUND_EACH_OPERATION
#endif

/// exp(y) = 2^n · e^f with n the integer nearest to y / ln 2, found by adding a number so large that the
/// fraction is lost (1.5 · 2^23), and |f| ≤ ln 2 / 2, where a Taylor polynomial of degree 6 is exact to 2e-7.
INLINE vector exponential(vector y)
{
  ROUND_EACH_OPERATION
  const vector limit = (vector){0} + 87.f;
  y = -MAXIMUM(-MAXIMUM(y, -limit), -limit);
  const vector shifted = y * 1.44269504f + 12582912.f;
  const vector whole = shifted - 12582912.f;
  // ln 2 in two parts: the first has so few digits that its product with an integer is exact.
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

/// Computes a vector at a time; the rest through a vector of its own.
static void sigmoid(float *values, size_t count)
{
  ROUND_EACH_OPERATION
  for (size_t i = 0; i < count; i += VECTOR_LENGTH) {
    const size_t left = count - i < VECTOR_LENGTH ? count - i : VECTOR_LENGTH;
    vector value = {0};
    memcpy(&value, values + i, left * sizeof(float));
    value = 1.f / (1.f + exponential(-value));
    memcpy(values + i, &value, left * sizeof(float));
  }
}

#include "f32_matrices.h"

#ifndef NARROWER
#define NARROWER NULL
#endif

const fused_kernels KERNELS = {
    .name = NAME,
    .narrower = NARROWER,
    .vector_length = VECTOR_LENGTH,
    .block_vectors = BLOCK_VECTORS,
    .gemm = gemm,
    .dwconv3x3 = dwconv3x3,
    .dwconv3x3s2 = dwconv3x3s2,
    .maxpool2x2 = maxpool2x2,
    .add_upsampled = add_upsampled,
    .read_pixels = read_pixels,
    .sigmoid = sigmoid,
    .panel_length = PANEL_LENGTH,
    .multiply = multiply,
    .normalise = normalise,
};
