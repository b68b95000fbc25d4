/// The kernels that each instruction set provides, named as micro-kernels are elsewhere: gemm, dwconv3x3, maxpool2x2, with
/// s2 for stride 2. Pixels are [row][column][channel], channel counts multiples of `vector_length`, rows aligned to 64
/// bytes. f32_kernels.h describes each kernel's loop order.
#pragma once

#include <stdbool.h>

#include "CFusedKernels.h"

/// A convolution of all channels as a matrix product, for one row of its output:
///   out[x] = activation(bias + Σ over r and k of in[r][x * pixel_stride + k] * weights)
/// The inputs of one output, its receptive window, are `k_runs` runs of `k_run_length` floats side by side: of a 1×1
/// convolution one run of all channels, of a 3×3 one three runs, a row each, of three neighbouring pixels.
typedef struct {
  const float *in[3];
  int k_runs;
  int k_run_length;
  int pixel_stride;
  int width;
  int out_channels;
  /// For each block of `block_vectors` (at the end, fewer) vectors of output channels: [r][k][channel].
  const float *weights;
  const float *bias;
  fused_activation activation;
  const float *slopes;
  /// Or NULL; a row whose pixels have `added_channels`, added to the first channels before or after the activation.
  const float *added;
  int added_channels;
  bool added_last;
  float *out;
} fused_gemm;

typedef struct {
  const char *name;
  /// Floats in a vector.
  int vector_length;
  /// Vectors of output channels whose weights are kept together by `gemm`.
  int block_vectors;

  void (*gemm)(const fused_gemm *gemm);

  /// Two rows of a 3×3 depthwise convolution from the four rows around them, each given from the column before the
  /// first.
  /// weights: for each vector of channels [9 taps, bias][vector_length]. Activations are none and ReLU.
  /// `out` both NULL: only the 2×2 maxima are stored, in `pooled`; `pooled` NULL: only the rows.
  void (*dwconv3x3)(
      const float *const in[4], int channels, int width, const float *weights, fused_activation activation,
      float *const out[2], float *pooled);

  /// One row of the same with stride 2, from three rows.
  void (*dwconv3x3s2)(
      const float *const in[3], int channels, int width, const float *weights, fused_activation activation, float *out);

  /// The 2×2 maxima of two rows, `width` of them.
  void (*maxpool2x2)(const float *const rows[2], int channels, int width, float *out);

  /// out[x] = row[x] + half[x / 2].
  void (*add_upsampled)(const float *row, const float *half, int channels, int width, float *out);

  /// `count` pixels of `image`'s row, as three floats each. Also writes one float after the last.
  void (*read_pixels)(const fused_image *image, const uint8_t *row, int count, float *out);

  /// values[i] = 1 / (1 + exp(-values[i])), to 2e-7.
  void (*sigmoid)(float *values, size_t count);
} fused_kernels;

extern const fused_kernels fused_kernels_portable;
#if defined(__x86_64__)
extern const fused_kernels fused_kernels_avx2;
extern const fused_kernels fused_kernels_avx512;
#elif defined(__aarch64__)
extern const fused_kernels fused_kernels_neon;
#endif

/// NULL when this build has none or this processor does not run them.
const fused_kernels *fused_kernels_for(fused_instructions instructions);
