/// Lays the weights out in the order in which the kernels read them.
#include <stdlib.h>
#include <string.h>

#include "network.h"

typedef struct {
  const fused_network *network;
  /// The table's.
  const float *values;
  /// Where packed weights go; NULL: they are only counted.
  unsigned char *base;
  size_t used;
} packer;

/// Where the next part begins, which is aligned.
static void *begin_part(packer *packer) {
  packer->used = (packer->used + 63) / 64 * 64;
  return packer->base ? packer->base + packer->used : NULL;
}

static void put(packer *packer, const void *value, size_t size) {
  if (packer->base) memcpy(packer->base + packer->used, value, size);
  packer->used += size;
}

static void put_float(packer *packer, float value) { put(packer, &value, sizeof value); }
static void put_byte(packer *packer, int value) { put(packer, &(uint8_t){(uint8_t)value}, 1); }
static void put_short(packer *packer, int value) { put(packer, &(int16_t){(int16_t)value}, 2); }
static void put_int(packer *packer, int value) { put(packer, &(int32_t){(int32_t)value}, 4); }

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
  const int block = packer->network->kernels->block_vectors * packer->network->kernels->vector_length;
  for (int first = 0; first < gemm_channels(node); first += block) {
    const int end = first + block < gemm_channels(node) ? first + block : gemm_channels(node);
    for (int in = 0; in < window_size(window); in++)
      for (int out = first; out < end; out++) put_float(packer, weight_at(packer, node, window, row, out, in));
  }
}

static const float *pack_channels(packer *packer, const fused_node *node, int32_t values) {
  const float *start = begin_part(packer);
  for (int i = 0; i < gemm_channels(node); i++) {
    const int channel = i % node->out_channels;
    put_float(packer, channel < node->layer.out_channels ? packer->values[values + channel] : 0);
  }
  return start;
}

static void pack_depthwise(packer *packer, const fused_node *node) {
  const fused_layer *layer = &node->layer;
  const int vector = packer->network->kernels->vector_length;
  for (int first = 0; first < node->out_channels; first += vector)
    for (int tap = 0; tap < 10; tap++)
      for (int c = first; c < first + vector; c++)
        put_float(
            packer, c >= layer->out_channels ? 0
                : tap == 9                   ? packer->values[layer->bias + c]
                                             : packer->values[layer->weights + (ptrdiff_t)c * 9 + tap]);
}

static void pack_f32(packer *packer, fused_node *node) {
  const fused_layer *layer = &node->layer;
  node->weights = begin_part(packer);
  if (layer->kind == FUSED_LAYER_SUM) return;
  if (layer->kind == FUSED_LAYER_DEPTHWISE) {
    pack_depthwise(packer, node);
    return;
  }
  pack_gemm(packer, node, 0);
  if (layer->kind == FUSED_LAYER_TRANSPOSED) pack_gemm(packer, node, 1);
  node->bias = pack_channels(packer, node, layer->bias);
  if (layer->activation == FUSED_ACTIVATION_PRELU) node->slopes = pack_channels(packer, node, layer->slopes);
}

/// A whole number of the table, or 0 for channels beyond the layer's own.
static int whole_value(const packer *packer, const fused_node *node, int32_t first, int channel) {
  return first < 0 || channel >= node->layer.out_channels ? 0 : (int)packer->values[first + channel];
}

/// Weight of the output channel `out` at a place of its receptive window, [in][row][column]; 0 beyond the layer's own.
static int8_t i8_weight(const packer *packer, const fused_node *node, int out, int in, int tap) {
  const fused_layer *layer = &node->layer;
  const int inputs = layer->kind == FUSED_LAYER_DEPTHWISE ? 1 : layer->in_channels;
  if (out >= layer->out_channels || in >= inputs) return 0;
  const int taps = layer->kernel * layer->kernel;
  return (int8_t)packer->values[layer->weights + ((ptrdiff_t)out * inputs + in) * taps + tap];
}

/// [out / 16][row][column][in / 4][16 out][4 in], of the image's pixels, too, which have four bytes.
/// - Parameters first_tap, taps: of the kernel's places, [row][column].
static void pack_i8_gemm(packer *packer, const fused_node *node, int first_tap, int taps) {
  const int groups = node->layer.source < 0 ? 1 : node->in_channels / 4;
  for (int first = 0; first < node->out_channels; first += FUSED_I8_BLOCK)
    for (int tap = first_tap; tap < first_tap + taps; tap++)
      for (int group = 0; group < groups; group++)
        for (int out = first; out < first + FUSED_I8_BLOCK; out++)
          for (int i = 0; i < 4; i++) put_byte(packer, i8_weight(packer, node, out, group * 4 + i, tap));
}

/// Of a transposed convolution, each of the 2×2 pixels is a matrix product of its own.
static void pack_i8_gemms(packer *packer, const fused_node *node) {
  const int taps = node->layer.kernel * node->layer.kernel;
  const bool is_transposed = node->layer.kind == FUSED_LAYER_TRANSPOSED;
  for (int tap = 0; tap < taps; tap += is_transposed ? 1 : taps) pack_i8_gemm(packer, node, tap, is_transposed ? 1 : taps);
}

/// A column of weights is of four rows, the same for both output rows: of the upper one the last is 0, of the lower the first.
static int column_weight(const packer *packer, const fused_node *node, int channel, int column, int lower, int row) {
  const int y = row - lower;
  return y < 0 || y > 2 ? 0 : i8_weight(packer, node, channel, 0, y * 3 + column);
}

/// For each four channels: [3 columns][2 output rows][4 channels][4 rows].
static void pack_i8_depthwise(packer *packer, const fused_node *node) {
  for (int first = 0; first < node->out_channels; first += 4)
    for (int column = 0; column < 3; column++)
      for (int lower = 0; lower < 2; lower++)
        for (int i = 0; i < 16; i++)
          put_byte(packer, column_weight(packer, node, first + i / 4, column, lower, i % 4));
}

/// For each eight channels: [3 columns][2 output rows][2 pairs of rows][8 channels][2 rows].
static void pack_i8_depthwise_pairs(packer *packer, const fused_node *node) {
  for (int first = 0; first < node->out_channels; first += 8)
    for (int column = 0; column < 3; column++)
      for (int lower = 0; lower < 2; lower++)
        for (int pair = 0; pair < 2; pair++)
          for (int i = 0; i < 16; i++)
            put_byte(packer, column_weight(packer, node, first + i / 2, column, lower, 2 * pair + i % 2));
}

/// Kernels that read an image's bytes less a number need its product with the sum of the weights in the bias.
static int image_bias(const packer *packer, const fused_node *node, int channel) {
  int sum = 0;
  for (int i = 0; i < 27; i++) sum += i8_weight(packer, node, channel, i / 9, i % 9);
  return sum * packer->network->i8_kernels->pixel_offset;
}

static void pack_i8(packer *packer, fused_node *node) {
  const fused_layer *layer = &node->layer;
  const bool gives_bytes = layer->format == FUSED_FORMAT_I8;
  if (gives_bytes) {
    node->zero_points = begin_part(packer);
    for (int c = 0; c < node->out_channels; c++) put_byte(packer, whole_value(packer, node, layer->zero_points, c));
  }
  if (layer->kind == FUSED_LAYER_SUM) return;
  const bool is_depthwise = layer->kind == FUSED_LAYER_DEPTHWISE;
  const bool adds_16_bits =
      is_depthwise && layer->stride == 1 && gives_bytes && packer->network->i8_kernels->adds_16_bits;
  node->weights = begin_part(packer);
  if (!is_depthwise) pack_i8_gemms(packer, node);
  else if (adds_16_bits) pack_i8_depthwise_pairs(packer, node);
  else pack_i8_depthwise(packer, node);
  node->bias = begin_part(packer);
  for (int c = 0; c < node->out_channels; c++) {
    const int bias = whole_value(packer, node, layer->bias, c);
    if (adds_16_bits) put_short(packer, bias);
    else put_int(packer, bias + (layer->source < 0 ? image_bias(packer, node, c) : 0));
  }
  if (!gives_bytes) {
    node->multipliers = pack_channels(packer, node, layer->multipliers);
    return;
  }
  node->multipliers = begin_part(packer);
  for (int c = 0; c < node->out_channels; c++) put_short(packer, whole_value(packer, node, layer->multipliers, c));
}

static size_t pack(fused_network *network, const float *values, void *base) {
  packer packer = {network, values, base, 0};
  for (int i = 0; i < network->node_count; i++) {
    if (fused_is_i8(&network->nodes[i])) pack_i8(&packer, &network->nodes[i]);
    else pack_f32(&packer, &network->nodes[i]);
  }
  begin_part(&packer);
  return packer.used;
}

bool fused_pack_weights(fused_network *network, const float *values) {
  const size_t size = pack(network, values, NULL);
  network->weights = aligned_alloc(64, size > 0 ? size : 64);
  if (!network->weights) return false;
  pack(network, values, network->weights);
  return true;
}
