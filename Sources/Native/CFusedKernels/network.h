/// A network as it is run: its layers in order, with weights packed for the kernels.
#pragma once

#include <stdbool.h>

#include "kernels/kernels.h"

enum {
  FUSED_MAX_LAYERS = 256,
  FUSED_MAX_OUTPUTS = 64,
  /// The most halvings of the image.
  FUSED_MAX_LEVEL = 8,
  FUSED_MAX_SIDE = 16384,
  FUSED_MAX_THREADS = 16,
  IMAGE_CHANNELS = 3,
};

/// A layer and the values derived from the table for it.
typedef struct {
  /// The layer as described in the table; its channels are those of `in_channels` and `out_channels` below
  /// that are not padding.
  fused_layer layer;
  /// Those of its rows if they are not int8.
  const fused_kernels *kernels;
  /// The format of its source; for the first layer its own, because an image is read in its layer's format.
  fused_format source_format;
  /// Rounded up to whole vectors or blocks; the padding channels are zeros. The image's are not rounded.
  int in_channels;
  int out_channels;
  /// The number of rows is the image's divided by two to the power of this.
  int level;
  /// Whether a later layer or an output uses all of its rows, or their 2×2 maximum.
  bool rows_used;
  bool pooled_used;
  /// Packed for the kernels: floats, for transposed layers those of the first row of each pair, then those of
  /// the second; else integers. Biases are floats or integers of 32 or 16 bits, multipliers 16 bits or floats.
  const void *weights;
  const void *bias;
  const float *slopes;
  const void *multipliers;
  /// [out_channels], for layers with int8 output.
  const uint8_t *zero_points;
  /// [out_channels / 16], for convolutions of all channels with int8 output: see kernels.h.
  const uint8_t *together;
  /// [out_channels]: the table's index of the channel at each place of its rows; NULL: the table's order.
  const uint16_t *order;
} fused_node;

struct fused_network {
  const fused_kernels *kernels;
  const fused_kernels *i16_kernels;
  const fused_i8_kernels *i8_kernels;
  fused_node *nodes;
  int node_count;
  fused_output *outputs;
  int output_count;
  /// The greatest level of a layer.
  int deepest_level;
  /// The image's only side, or 0.
  int side;
  /// Every layer's packed weights.
  void *weights;
  /// Every layer's order of channels, or NULL.
  uint16_t *orders;
};

/// Creates a network as `fused_network_create`, with kernels of the caller's choice; NULL is EINVAL.
int fused_network_create_with(const fused_kernels *kernels, const fused_kernels *i16_kernels,
                              const fused_i8_kernels *i8_kernels, const fused_layer_table *table,
                              fused_network **network);

/// Creates a network of matrices in the same way.
int fused_mixer_create_with(const fused_kernels *kernels, const fused_mixer_table *table, fused_mixer **mixer);

/// Chooses the order of channels in int8 rows, from the table's values. - Returns: whether there was memory.
bool fused_order_channels(fused_network *network, const float *values);

/// Packs the weights of all layers from the table's values, in that order. - Returns: whether there was
/// memory.
bool fused_pack_weights(fused_network *network, const float *values);

/// Returns whether it computes with bytes, whatever its output is.
static inline bool fused_is_i8(const fused_node *node) { return node->source_format == FUSED_FORMAT_I8; }
static inline bool fused_is_i16(const fused_node *node) { return node->source_format == FUSED_FORMAT_I16; }

/// Returns the bytes of a value of a row: of floats or 16-bit integers.
static inline int fused_value_size(fused_format format)
{
  return format == FUSED_FORMAT_I16 ? (int)sizeof(int16_t) : (int)sizeof(float);
}
/// Returns whether its receptive window has no padding channels: the channels of a single pixel, not in int8.
static inline bool fused_reads_exactly(const fused_node *node)
{
  return node->layer.kind == FUSED_LAYER_CONVOLUTION && node->layer.kernel == 1 && !fused_is_i8(node);
}
