/// The kernels that each instruction set provides, with the usual names of micro-kernels: gemm, dwconv3x3,
/// maxpool2x2, with s2 for stride 2. Pixels are [row][column][channel], channel counts multiples of
/// `vector_length`, rows aligned to 64 bytes. f32_kernels.h describes each kernel's loop order.
#pragma once

#include <stdbool.h>

#include "CFusedKernels.h"

#define INLINE static inline __attribute__((always_inline))

/// A convolution of all channels as a matrix product, for one row of its output:
///   out[x] = activation(bias + Σ over r and k of in[r][x * pixel_stride + k] * weights)
/// The inputs of one output, its receptive window, are `k_runs` runs of `k_run_length` elements side by side:
/// of a 1×1 convolution one run of all channels, of a 3×3 one three runs, a row each, of three neighbouring
/// pixels. An element is a float or a pair of 16-bit integers: four bytes. Of 16-bit integers, biases are
/// 32-bit ones, and a sum becomes the integer nearest to activation(sum * factor + added), within 16 bits.
typedef struct {
  const void *in[3];
  int k_runs;
  int k_run_length;
  int pixel_stride;
  int width;
  int out_channels;
  /// For each block of `block_vectors` vectors of output channels (fewer at the end): [r][k][channel].
  const void *weights;
  const void *bias;
  /// Of 16-bit integers.
  const float *factors;
  fused_activation activation;
  const float *slopes;
  /// A row that is added to the first channels before or, of floats, after the activation; its pixels have
  /// `added_channels`. May be NULL.
  const void *added;
  int added_channels;
  bool added_last;
  /// Of 16-bit integers: whether `out` is floats, which are sums times factors.
  bool gives_floats;
  void *out;
} fused_gemm;

/// Some columns of a product of matrices, a panel: out = activation(a · b + bias + added).
///
/// Panels are stored one after the other, as [row][column] of `panel_length` columns. `b` is stored like that;
/// the others are [row][column] as a whole or by panels, which their strides say, in floats.
typedef struct {
  const float *a;
  ptrdiff_t a_stride;
  int rows;
  /// Columns of `a`, and rows of `b`.
  int depth;
  const float *b;
  /// One for each row or each column; the other is NULL.
  const float *row_bias;
  const float *column_bias;
  /// May be NULL, or `out`.
  const float *added;
  ptrdiff_t added_stride;
  bool relu;
  float *out;
  ptrdiff_t out_stride;
} fused_product;

/// The normalisation of a matrix's rows: mean 0, variance 1, then times gains plus offsets. `columns` is a
/// multiple of `vector_length`.
typedef struct {
  const float *in;
  ptrdiff_t in_stride;
  int rows;
  int columns;
  const float *gains;
  const float *offsets;
  float epsilon;
  float *out;
  ptrdiff_t out_stride;
  /// From a panel of `out` to the next.
  ptrdiff_t out_panel;
} fused_normalisation;

/// Kernels for rows of floats, or of 16-bit integers, which have those of the first half but `dwconv3x3s2` and
/// `add_upsampled`.
typedef struct fused_kernels fused_kernels;
struct fused_kernels {
  const char *name;
  /// Kernels with shorter vectors for layers whose channels fit in one of those; may be NULL.
  const fused_kernels *narrower;
  /// Sums in a vector.
  int vector_length;
  /// Vectors of output channels whose weights are kept together by `gemm`.
  int block_vectors;
  /// Of 16-bit integers: whether a vector of weights has the first of all pairs, then the second.
  bool has_planar_pairs;

  void (*gemm)(const fused_gemm *gemm);

  /// Computes two rows of a 3×3 depthwise convolution from the four rows around them, each given from the
  /// column before the first.
  /// weights: for each vector of channels [9 taps, bias][vector_length]; of 16-bit integers as i16_kernels.h
  /// says. Activations are none and ReLU. `out` both NULL: only the 2×2 maxima are stored, in `pooled`;
  /// `pooled` NULL, as always with 16-bit integers: only the rows.
  void (*dwconv3x3)(const void *const in[4], int channels, int width, const void *weights, fused_activation activation,
                    void *const out[2], void *pooled);

  /// Computes one row of a 3×3 depthwise convolution with stride 2, from three rows.
  void (*dwconv3x3s2)(const void *const in[3], int channels, int width, const void *weights,
                      fused_activation activation, void *out);

  /// Computes the 2×2 maxima of two rows, `width` of them.
  void (*maxpool2x2)(const void *const rows[2], int channels, int width, void *out);

  /// out[x] = row[x] + half[x / 2].
  void (*add_upsampled)(const void *row, const void *half, int channels, int width, void *out);

  /// Of 16-bit integers: out[i] = the integer nearest to values[i] * scale, within 16 bits.
  void (*round_values)(const float *values, int count, float scale, int16_t *out);

  /// Converts `count` pixels of `image`'s row to three floats each. Also writes one float after the last.
  void (*read_pixels)(const fused_image *image, const uint8_t *row, int count, float *out);

  /// values[i] = 1 / (1 + exp(-values[i])), to 2e-7.
  void (*sigmoid)(float *values, size_t count);

  /// Columns of a panel.
  int panel_length;
  void (*multiply)(const fused_product *product);
  void (*normalise)(const fused_normalisation *normalisation);
};

enum {
  /// The pairs of weights of a depthwise convolution of 16-bit integers: see i16_kernels.h.
  FUSED_I16_DEPTHWISE_PAIRS = 12,
};

enum {
  /// The channels of an int8 row's block.
  FUSED_I8_BLOCK = 16,
  /// Bytes before the first pixel of a block; the last 16 of them are the column of padding.
  FUSED_I8_MARGIN = 64,
  FUSED_I8_MAX_VALUE = 127,
  FUSED_I8_MAX_SHIFT = 8,
  /// Pairs of weights for both rows of a depthwise convolution: see i8_depthwise_sums.h.
  FUSED_I8_DEPTHWISE_PLACES = 10,
  /// The largest weight for an image's pixels, which are whole bytes.
  FUSED_I8_MAX_IMAGE_WEIGHT = 64,
};

enum { CACHE_LINE = 64 };

/// Memory that a kernel prefetches into the cache while it computes: `step` bytes for each pixel of a block
/// of its output, or 0. A burst of many lines would stall on memory.
typedef struct {
  const uint8_t *from;
  size_t step;
} fused_fetch;

/// A convolution of all channels of int8 rows, for one row of its output.
///
/// The int8 kernels' rows are [channels / 16][pixel][16] bytes of 0…127: each block of channels begins
/// `plane` bytes after the one before, and a pixel x of it at FUSED_I8_MARGIN + 16 * x. Up to three columns
/// beyond the width may be written.
///
/// A sum of bytes times weights (-128…127) and a bias becomes a byte by a shift, saturation to 16 bits,
/// multiplication by multiplier / 32768, rounding, and clamping to 0…127. All instruction sets compute the
/// same bits.
typedef struct {
  /// One row for a 1×1 convolution; three for a 3×3 one, with the padding before and after them.
  const uint8_t *in[3];
  size_t in_plane;
  /// 1 or 3.
  int kernel;
  /// Multiples of 16.
  int in_channels;
  int out_channels;
  int width;
  /// [out / 16][row][column][in / 4][16 out][4 in]
  const int8_t *weights;
  /// If `adds_16_bits`, [out / 16]: the number of consecutive fours of input channels whose products fit 16
  /// bits when those of the first and second, and those of the third and last, are added: 1, 2 or 4.
  const uint8_t *together;
  const int32_t *bias;
  int shift;
  const int16_t *multipliers;
  /// A row that is added to the first channels, before the clamp to 0…127, or after it and clamped again. May
  /// be NULL.
  const uint8_t *added;
  size_t added_plane;
  int added_channels;
  bool added_last;
  uint8_t *out;
  size_t out_plane;
  fused_fetch fetch;
} fused_i8_gemm;

/// A 1×1 convolution whose output is floats, [pixel][channel]: sums times scales.
typedef struct {
  const uint8_t *in;
  size_t in_plane;
  int in_channels;
  int out_channels;
  int width;
  const int8_t *weights;
  const int32_t *bias;
  const float *scales;
  float *out;
} fused_i8_gemm_to_floats;

/// A 3×3 convolution with stride 2 of an image, whose rows have four bytes a pixel and begin with a column of
/// zeros. So that the 27 bytes of a receptive window are read as 7 fours, `fill_spare_bytes` must have filled
/// the fourth bytes of the rows.
typedef struct {
  const uint8_t *in[3];
  int out_channels;
  int width;
  /// [out / 16][7][16 out][4]: for each row the left pixel with its spare byte and the middle one with its
  /// own; then the right pixels' third bytes of all rows, and 0.
  const int8_t *weights;
  /// As in fused_i8_gemm, for the first and fourth of the seven, the second and fifth, and the third and
  /// sixth: 1 or 2; 3: also for the second, fifth and last.
  const uint8_t *together;
  const int32_t *bias;
  const int16_t *multipliers;
  uint8_t *out;
  size_t out_plane;
  fused_fetch fetch;
} fused_i8_conv;

/// Two rows of a 3×3 depthwise convolution from the four rows around them, whose columns before the first and
/// after the last are the padding.
typedef struct {
  const uint8_t *in[4];
  size_t plane;
  int channels;
  int width;
  /// Weights in one of the two layouts of packing.c.
  const uint8_t *weights;
  /// 16-bit integers if `adds_16_bits`, else 32-bit.
  const void *bias;
  const int16_t *multipliers;
  /// Both NULL: only the 2×2 maxima are stored, in `pooled`; `pooled` NULL: only the rows.
  uint8_t *out[2];
  uint8_t *pooled;
  size_t pooled_plane;
} fused_i8_dwconv;

/// A row of a 3×3 depthwise convolution with stride 2, from three rows of twice the width. Its weights are
/// laid out for sums of 32 bits.
typedef struct {
  const uint8_t *in[3];
  size_t in_plane;
  int channels;
  int width;
  const uint8_t *weights;
  const int32_t *bias;
  const int16_t *multipliers;
  uint8_t *out;
  size_t out_plane;
} fused_i8_dwconv_s2;

/// Two rows of a 3×3 depthwise convolution with stride 1 whose output is floats, [pixel][channel]: sums times
/// scales.
typedef struct {
  const uint8_t *in[4];
  size_t plane;
  int channels;
  int width;
  const uint8_t *weights;
  const int32_t *bias;
  const float *scales;
  float *out[2];
} fused_i8_dwconv_to_floats;

typedef struct {
  const char *name;
  /// Whether dwconv3x3's sums must fit 16 bits, for which its weights and biases are then packed; gemm adds
  /// in 16 bits what fits.
  bool adds_16_bits;
  /// The number that conv3x3s2 subtracts from an image's bytes, compensated by its bias.
  int pixel_offset;

  void (*conv3x3s2)(const fused_i8_conv *conv);
  void (*gemm)(const fused_i8_gemm *gemm);
  void (*gemm_to_floats)(const fused_i8_gemm_to_floats *gemm);
  void (*dwconv3x3)(const fused_i8_dwconv *conv);
  void (*dwconv3x3s2)(const fused_i8_dwconv_s2 *conv);
  void (*dwconv3x3_to_floats)(const fused_i8_dwconv_to_floats *conv);

  /// out[x] = row[x] + half[x / 2], at most 127.
  void (*add_upsampled)(const uint8_t *row, size_t plane, const uint8_t *half, size_t half_plane, int channels,
                        int width, uint8_t *out);

  /// Fills the spare bytes of a row of an image for `conv3x3s2`: in its `windows` windows a left pixel's
  /// fourth byte becomes the right one's first, and a middle one's the right one's second.
  void (*fill_spare_bytes)(uint8_t *row, int windows);

  /// Converts `count` pixels to four bytes each; the fourth may be anything; pixels of four bytes
  /// may stay in place.
  void (*load_pixels)(const uint8_t *row, int count, int bytes_per_pixel, int reversed, uint8_t *out);
} fused_i8_kernels;

extern const fused_kernels fused_kernels_portable;
extern const fused_kernels fused_i16_kernels_portable;
extern const fused_i8_kernels fused_i8_kernels_portable;
#if defined(__x86_64__)
extern const fused_kernels fused_kernels_avx2;
extern const fused_kernels fused_kernels_avx512;
extern const fused_kernels fused_i16_kernels_avx2;
extern const fused_kernels fused_i16_kernels_avx_vnni;
extern const fused_kernels fused_i16_kernels_avx512;
extern const fused_kernels fused_i16_kernels_avx512_vnni;
extern const fused_kernels fused_i16_kernels_avx512vl_vnni;
extern const fused_i8_kernels fused_i8_kernels_sse41;
extern const fused_i8_kernels fused_i8_kernels_avx2;
extern const fused_i8_kernels fused_i8_kernels_avx_vnni;
extern const fused_i8_kernels fused_i8_kernels_avx512_vnni;
#elif defined(__aarch64__)
extern const fused_kernels fused_kernels_neon;
extern const fused_kernels fused_i16_kernels_neon;
extern const fused_i8_kernels fused_i8_kernels_neon;
extern const fused_i8_kernels fused_i8_kernels_neon_dotprod;
#endif

/// Returns NULL when this build has no such kernels or this processor does not support them.
const fused_kernels *fused_kernels_for(fused_instructions instructions);
const fused_kernels *fused_i16_kernels_for(fused_instructions instructions);
const fused_i8_kernels *fused_i8_kernels_for(fused_instructions instructions);
