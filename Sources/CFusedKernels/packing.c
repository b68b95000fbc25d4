/// Lays the weights out in the order in which the kernels read them.
#include <stdlib.h>

#include "network.h"

typedef struct {
  const fused_kernels *kernels;
  /// The table's.
  const float *values;
  /// Where the next packed weight goes.
  float *next;
} packer;

/// The inputs of one output in the order of rows: [row][column][channel], channels rounded up.
typedef struct {
  int kernel;
  int channels;
} receptive_window;

static receptive_window window_of(const fused_node *node) {
  const int kernel = node->layer.kind == FUSED_LAYER_TRANSPOSED ? 1 : node->layer.kernel;
  return (receptive_window){kernel, node->in_channels};
}

static int window_size(receptive_window window) { return window.kernel * window.kernel * window.channels; }

/// Output channels of one matrix product: a transposed layer makes the two pixels of a row side by side.
static int gemm_channels(const fused_node *node) {
  return node->layer.kind == FUSED_LAYER_TRANSPOSED ? 2 * node->out_channels : node->out_channels;
}

/// - Parameter row: of a transposed layer's pair.
static float weight_at(const packer *packer, const fused_node *node, receptive_window window, int row, int out, int in) {
  const fused_layer *layer = &node->layer;
  const int channel = in % window.channels;
  const int channel_out = out % node->out_channels;
  if (channel >= layer->in_channels || channel_out >= layer->out_channels) return 0;
  const int tap = layer->kind == FUSED_LAYER_TRANSPOSED ? row * 2 + out / node->out_channels : in / window.channels;
  const int taps = layer->kernel * layer->kernel;
  return packer->values[layer->weights + ((ptrdiff_t)channel_out * layer->in_channels + channel) * taps + tap];
}

static void pack_gemm(packer *packer, const fused_node *node, int row) {
  const receptive_window window = window_of(node);
  const int block = packer->kernels->block_vectors * packer->kernels->vector_length;
  for (int first = 0; first < gemm_channels(node); first += block) {
    const int end = first + block < gemm_channels(node) ? first + block : gemm_channels(node);
    for (int in = 0; in < window_size(window); in++)
      for (int out = first; out < end; out++) *packer->next++ = weight_at(packer, node, window, row, out, in);
  }
}

static const float *pack_channels(packer *packer, const fused_node *node, int32_t values) {
  const float *start = packer->next;
  for (int i = 0; i < gemm_channels(node); i++) {
    const int channel = i % node->out_channels;
    *packer->next++ = channel < node->layer.out_channels ? packer->values[values + channel] : 0;
  }
  return start;
}

static void pack_depthwise(packer *packer, const fused_node *node) {
  const fused_layer *layer = &node->layer;
  const int vector = packer->kernels->vector_length;
  for (int first = 0; first < node->out_channels; first += vector)
    for (int tap = 0; tap < 10; tap++)
      for (int c = first; c < first + vector; c++)
        *packer->next++ = c >= layer->out_channels ? 0
            : tap == 9                             ? packer->values[layer->bias + c]
                                                   : packer->values[layer->weights + (ptrdiff_t)c * 9 + tap];
}

static size_t packed_size(const fused_node *node) {
  switch (node->layer.kind) {
    case FUSED_LAYER_SUM: return 0;
    case FUSED_LAYER_DEPTHWISE: return 10 * (size_t)node->out_channels;
    default: {
      const size_t rows = node->layer.kind == FUSED_LAYER_TRANSPOSED ? 2 : 1;
      return (rows * (size_t)window_size(window_of(node)) + 2) * (size_t)gemm_channels(node);
    }
  }
}

bool fused_pack_weights(fused_network *network, const float *values) {
  size_t total = 0;
  for (int i = 0; i < network->node_count; i++) total += packed_size(&network->nodes[i]);
  // Each part is whole vectors, so that all begin aligned.
  network->weights = aligned_alloc(64, (total * sizeof(float) + 63) / 64 * 64);
  if (!network->weights) return false;
  packer packer = {network->kernels, values, network->weights};
  for (int i = 0; i < network->node_count; i++) {
    fused_node *node = &network->nodes[i];
    const fused_layer *layer = &node->layer;
    node->weights = packer.next;
    if (layer->kind == FUSED_LAYER_SUM) continue;
    if (layer->kind == FUSED_LAYER_DEPTHWISE) {
      pack_depthwise(&packer, node);
      continue;
    }
    pack_gemm(&packer, node, 0);
    if (layer->kind == FUSED_LAYER_TRANSPOSED) pack_gemm(&packer, node, 1);
    node->bias = pack_channels(&packer, node, layer->bias);
    if (layer->activation == FUSED_ACTIVATION_PRELU) node->slopes = pack_channels(&packer, node, layer->slopes);
  }
  return true;
}
