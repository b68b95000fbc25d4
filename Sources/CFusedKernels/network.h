/// A network as it is run: its steps in order, weights packed as the kernels want them.
#pragma once

#include <stdbool.h>

#include "kernels/kernels.h"

enum {
  FUSED_MAX_STEPS = 256,
  FUSED_MAX_OUTPUTS = 64,
  FUSED_MAX_CHANNELS = 4096,
  /// Each is a halving of the image.
  FUSED_MAX_LEVEL = 8,
  FUSED_MAX_SIDE = 16384,
  FUSED_MAX_THREADS = 16,
  IMAGE_CHANNELS = 3,
};

typedef struct {
  fused_step_kind kind;
  fused_activation activation;
  int source;
  bool source_pooled;
  int kernel;
  int stride;
  int padding;
  int added;
  bool added_pooled;
  bool added_last;
  /// Rounded up to whole vectors; the channels too many are zeros. The image's are not rounded.
  int in_channels;
  int out_channels;
  /// Its rows are the image's divided by two to the power of this.
  int level;
  /// Whether a later step or an output takes all of its rows, or their 2×2 maximum.
  bool rows_taken;
  bool pooled_taken;
  /// As the kernels want them; of transposed steps for the first row of each pair, then for the second.
  const float *weights;
  const float *bias;
  const float *slopes;
} fused_layer;

struct fused_network {
  const fused_kernels *kernels;
  fused_layer *layers;
  int layer_count;
  fused_output *outputs;
  int output_count;
  /// The greatest level of a layer.
  int deepest_level;
  /// The image's only side, or 0.
  int side;
  /// Every layer's packed weights.
  float *weights;
};

/// As `fused_network_create`, with kernels of the caller's choice; NULL is EINVAL.
int fused_network_create_with(
    const fused_kernels *kernels, const fused_step *steps, size_t step_count, const fused_output *outputs,
    size_t output_count, fused_network **network);
