/// Packs the weights in the order in which the kernels read them.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

typedef struct {
  const fused_network *network;
  const float *values;
  /// The memory for packed weights; NULL: they are only counted.
  unsigned char *base;
  size_t used;
} packer;

/// Returns the aligned start of the next part.
static void *begin_part(packer *packer)
{
  packer->used = (packer->used + 63) / 64 * 64;
  return packer->base ? packer->base + packer->used : NULL;
}

static void put(packer *packer, const void *value, size_t size)
{
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

static receptive_window window_of(const fused_node *node)
{
  const int kernel = node->layer.kind == FUSED_LAYER_TRANSPOSED ? 1 : node->layer.kernel;
  return (receptive_window){kernel, fused_reads_exactly(node) ? node->layer.in_channels : node->in_channels};
}

static int window_size(receptive_window window) { return window.kernel * window.kernel * window.channels; }

/// Returns the output channels of one matrix product: a transposed layer computes the two pixels of a row
/// side by side.
static int gemm_channels(const fused_node *node)
{
  return node->layer.kind == FUSED_LAYER_TRANSPOSED ? 2 * node->out_channels : node->out_channels;
}

/// - Parameter row: the row of a transposed layer's pair.
static float weight_at(const packer *packer, const fused_node *node, receptive_window window, int row, int out, int in)
{
  const fused_layer *layer = &node->layer;
  const int channel = in % window.channels;
  const int channel_out = out % node->out_channels;
  if (channel >= layer->in_channels || channel_out >= layer->out_channels) return 0;
  const int tap = layer->kind == FUSED_LAYER_TRANSPOSED ? row * 2 + out / node->out_channels : in / window.channels;
  const int taps = layer->kernel * layer->kernel;
  return packer->values[layer->weights + ((ptrdiff_t)channel_out * layer->in_channels + channel) * taps + tap];
}

static void pack_gemm(packer *packer, const fused_node *node, int row)
{
  const receptive_window window = window_of(node);
  const int block = node->kernels->block_vectors * node->kernels->vector_length;
  for (int first = 0; first < gemm_channels(node); first += block) {
    const int end = first + block < gemm_channels(node) ? first + block : gemm_channels(node);
    for (int in = 0; in < window_size(window); in++)
      for (int out = first; out < end; out++) put_float(packer, weight_at(packer, node, window, row, out, in));
  }
}

/// Writes a vector of pairs; `number` returns the first or the second of a channel.
#define PUT_PAIRS(packer, kernels, channel, second, number)                                 \
  for (int i = 0; i < 2 * (kernels)->vector_length; i++) {                                  \
    const int channel = (kernels)->has_planar_pairs ? i % (kernels)->vector_length : i / 2; \
    const int second = (kernels)->has_planar_pairs ? i / (kernels)->vector_length : i % 2;  \
    put_short(packer, (int)(number));                                                       \
  }

/// Packs pairs of inputs of a run; the last may have a weight of zero.
static void pack_i16_gemm(packer *packer, const fused_node *node)
{
  const receptive_window window = window_of(node);
  const fused_kernels *kernels = node->kernels;
  const int vector = kernels->vector_length, block = kernels->block_vectors * vector,
            run = window.kernel * window.channels;
  for (int first = 0; first < node->out_channels; first += block) {
    const int end = first + block < node->out_channels ? first + block : node->out_channels;
    for (int row = 0; row < window.kernel; row++)
      for (int in = 0; in < run; in += 2)
        for (int out = first; out < end; out += vector)
          PUT_PAIRS(packer, kernels, channel, second,
                    in + second < run ? weight_at(packer, node, window, 0, out + channel, row * run + in + second) : 0)
  }
}

static const float *pack_channels(packer *packer, const fused_node *node, int32_t values)
{
  const float *start = begin_part(packer);
  for (int i = 0; i < gemm_channels(node); i++) {
    const int channel = i % node->out_channels;
    put_float(packer, channel < node->layer.out_channels ? packer->values[values + channel] : 0);
  }
  return start;
}

static void pack_depthwise(packer *packer, const fused_node *node)
{
  const fused_layer *layer = &node->layer;
  const int vector = node->kernels->vector_length;
  for (int first = 0; first < node->out_channels; first += vector)
    for (int tap = 0; tap < 10; tap++)
      for (int c = first; c < first + vector; c++)
        put_float(packer, c >= layer->out_channels ? 0
                          : tap == 9               ? packer->values[layer->bias + c]
                                                   : packer->values[layer->weights + (ptrdiff_t)c * 9 + tap]);
}

/// Returns a weight of a column of four rows, as for int8, of a channel within the layer's own.
static float i16_column_weight(const packer *packer, const fused_node *node, int channel, int column, int lower,
                               int row)
{
  const int y = row - lower;
  if (y < 0 || y > 2 || channel >= node->layer.out_channels) return 0;
  return packer->values[node->layer.weights + (ptrdiff_t)channel * 9 + y * 3 + column];
}

static float channel_value(const packer *packer, const fused_node *node, int32_t first, int channel)
{
  return channel < node->layer.out_channels ? packer->values[first + channel] : 0;
}

/// Packs for each vector of channels: [3 columns][2 halves of the four rows][2 output rows] pairs, bias, factor.
static void pack_i16_depthwise(packer *packer, const fused_node *node)
{
  const fused_kernels *kernels = node->kernels;
  for (int first = 0; first < node->out_channels; first += kernels->vector_length) {
    for (int pair = 0; pair < FUSED_I16_DEPTHWISE_PAIRS; pair++)
      PUT_PAIRS(packer, kernels, channel, second,
                i16_column_weight(packer, node, first + channel, pair / 4, pair % 2, pair / 2 % 2 * 2 + second))
    for (int c = 0; c < kernels->vector_length; c++)
      put_int(packer, (int)channel_value(packer, node, node->layer.bias, first + c));
    for (int c = 0; c < kernels->vector_length; c++)
      put_float(packer, channel_value(packer, node, node->layer.multipliers, first + c));
  }
}

static void pack_i16(packer *packer, fused_node *node)
{
  const fused_layer *layer = &node->layer;
  node->weights = begin_part(packer);
  if (layer->kind == FUSED_LAYER_DEPTHWISE) {
    pack_i16_depthwise(packer, node);
    return;
  }
  pack_i16_gemm(packer, node);
  node->bias = begin_part(packer);
  for (int c = 0; c < node->out_channels; c++) put_int(packer, (int)channel_value(packer, node, layer->bias, c));
  node->multipliers = pack_channels(packer, node, layer->multipliers);
  if (layer->activation == FUSED_ACTIVATION_PRELU) node->slopes = pack_channels(packer, node, layer->slopes);
}

static void pack_f32(packer *packer, fused_node *node)
{
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

/// Returns the table's channel at a place of a layer's rows; the image's channels keep their places.
static int channel_at(const fused_node *node, int place) { return node && node->order ? node->order[place] : place; }

static const fused_node *source_of(const packer *packer, const fused_node *node)
{
  return node->layer.source < 0 ? NULL : &packer->network->nodes[node->layer.source];
}

/// Returns an integer of the table for the channel at `place`, or 0 beyond the layer's own.
static int whole_value(const packer *packer, const fused_node *node, int32_t first, int place)
{
  const int channel = channel_at(node, place);
  return first < 0 || channel >= node->layer.out_channels ? 0 : (int)packer->values[first + channel];
}

/// Returns the weight of the output channel at `out_place` at a place of its receptive window,
/// [in][row][column]; 0 beyond the layer's own.
static int8_t i8_weight(const packer *packer, const fused_node *node, int out_place, int in_place, int tap)
{
  const fused_layer *layer = &node->layer;
  const bool is_depthwise = layer->kind == FUSED_LAYER_DEPTHWISE;
  const int inputs = is_depthwise ? 1 : layer->in_channels;
  const int out = channel_at(node, out_place);
  const int in = is_depthwise ? in_place : channel_at(source_of(packer, node), in_place);
  if (out >= layer->out_channels || in >= inputs) return 0;
  const int taps = layer->kernel * layer->kernel;
  return (int8_t)packer->values[layer->weights + ((ptrdiff_t)out * inputs + in) * taps + tap];
}

/// Packs weights of kernel positions, [row][column], as [out / 16][position][in / 4][16 out][4 in].
static void pack_i8_gemm(packer *packer, const fused_node *node, int first_tap, int taps)
{
  for (int first = 0; first < node->out_channels; first += FUSED_I8_BLOCK)
    for (int tap = first_tap; tap < first_tap + taps; tap++)
      for (int i = 0; i < node->in_channels * FUSED_I8_BLOCK; i++)
        put_byte(packer, i8_weight(packer, node, first + i % 64 / 4, i / 64 * 4 + i % 4, tap));
}

/// Returns a weight of the seven fours of bytes that the image's convolution reads from a receptive window:
/// see kernels.h.
static int8_t image_weight(const packer *packer, const fused_node *node, int out, int four, int byte)
{
  const int row = four / 2;
  if (four == 6) return byte == 3 ? 0 : i8_weight(packer, node, out, 2, 3 * byte + 2);
  if (byte == 3) return i8_weight(packer, node, out, four % 2, 3 * row + 2);
  return i8_weight(packer, node, out, byte, 3 * row + four % 2);
}

static void pack_i8_image(packer *packer, const fused_node *node)
{
  for (int first = 0; first < node->out_channels; first += FUSED_I8_BLOCK)
    for (int four = 0; four < 7; four++)
      for (int i = 0; i < 4 * FUSED_I8_BLOCK; i++)
        put_byte(packer, image_weight(packer, node, first + i / 4, four, i % 4));
}

/// Returns whether 16 bits hold the sum of products of some of the fours of bytes that conv3x3s2 reads, for
/// any pixels.
/// - Parameter fours: as bits.
static bool image_fits_16_bits(const packer *packer, const fused_node *node, int first_out, int fours)
{
  for (int i = 0; i < FUSED_I8_BLOCK * 2; i++) {
    int least = 0, most = 0;
    for (int k = 0; k < 7 * 2; k++) {
      if (!(fours >> k / 2 & 1)) continue;
      const int product = UINT8_MAX * image_weight(packer, node, first_out + i / 2, k / 2, i % 2 * 2 + k % 2);
      *(product < 0 ? &least : &most) += product;
    }
    if (least < INT16_MIN || most > INT16_MAX) return false;
  }
  return true;
}

/// Returns how many of the fours of bytes conv3x3s2 adds in 16 bits.
static int image_together(const packer *packer, const fused_node *node, int first_out)
{
  for (int four = 0; four < 3; four++)
    if (!image_fits_16_bits(packer, node, first_out, 1 << four | 1 << (four + 3))) return 1;
  return image_fits_16_bits(packer, node, first_out, 1 << 1 | 1 << 4 | 1 << 6) ? 3 : 2;
}

/// Packs a layer: of a transposed convolution, each of the 2×2 pixels is a matrix product of its own.
static void pack_i8_gemms(packer *packer, const fused_node *node)
{
  const int taps = node->layer.kernel * node->layer.kernel;
  const bool is_transposed = node->layer.kind == FUSED_LAYER_TRANSPOSED;
  for (int tap = 0; tap < taps; tap += is_transposed ? 1 : taps)
    pack_i8_gemm(packer, node, tap, is_transposed ? 1 : taps);
}

/// Returns whether sums of products of a block of output channels fit 16 bits: of the first two, or of the
/// last two, of `together` fours of input channels, for any bytes.
static bool fits_16_bits(const packer *packer, const fused_node *node, int first_out, int together)
{
  const int taps = node->layer.kernel * node->layer.kernel;
  const int pairs = FUSED_I8_BLOCK * taps * node->in_channels / (4 * together) * 2;
  for (int i = 0; i < pairs; i++) {
    const int out = first_out + i % FUSED_I8_BLOCK, tap = i / FUSED_I8_BLOCK % taps, pair = i / FUSED_I8_BLOCK / taps;
    const int first_in = pair / 2 * 4 * together + pair % 2 * 2;
    int least = 0, most = 0;
    for (int k = 0; k < 2 * together; k++) {
      const int product = FUSED_I8_MAX_VALUE * i8_weight(packer, node, out, first_in + k / 2 * 4 + k % 2, tap);
      *(product < 0 ? &least : &most) += product;
    }
    if (least < INT16_MIN || most > INT16_MAX) return false;
  }
  return true;
}

static const uint8_t *pack_together(packer *packer, const fused_node *node)
{
  const uint8_t *start = begin_part(packer);
  for (int first = 0; first < node->out_channels; first += FUSED_I8_BLOCK) {
    int together = 4;
    if (node->layer.source < 0)
      together = image_together(packer, node, first);
    else
      while (together > 1 && !fits_16_bits(packer, node, first, together)) together /= 2;
    put_byte(packer, together);
  }
  return start;
}

/// Returns a weight of a column of four rows, which both output rows share: for the upper one the last is 0,
/// for the lower the first.
static int column_weight(const packer *packer, const fused_node *node, int channel, int column, int lower, int row)
{
  const int y = row - lower;
  return y < 0 || y > 2 ? 0 : i8_weight(packer, node, channel, 0, y * 3 + column);
}

/// Packs for each four channels: [3 columns][2 output rows][4 channels][4 rows].
static void pack_i8_depthwise(packer *packer, const fused_node *node)
{
  for (int first = 0; first < node->out_channels; first += 4)
    for (int i = 0; i < 3 * 2 * 16; i++)
      put_byte(packer, column_weight(packer, node, first + i % 16 / 4, i / 32, i / 16 % 2, i % 4));
}

/// Returns one of the two weights of a place of i8_depthwise_sums.h: odd places are those of the lower output row.
static int pair_weight(const packer *packer, const fused_node *node, int channel, int place, int second)
{
  const int lower = place % 2, column = place / 2, other_row = lower ? 0 : 2;
  if (column < 3) return i8_weight(packer, node, channel, 0, (second + lower) * 3 + column);
  if (column == 4 && second == lower) return 0;
  return i8_weight(packer, node, channel, 0, other_row * 3 + (column == 3 ? second : 2));
}

/// Packs for each eight channels: [place][8 channels][2].
static void pack_i8_depthwise_pairs(packer *packer, const fused_node *node)
{
  for (int first = 0; first < node->out_channels; first += 8)
    for (int i = 0; i < FUSED_I8_DEPTHWISE_PLACES * 16; i++)
      put_byte(packer, pair_weight(packer, node, first + i % 16 / 2, i / 16, i % 2));
}

/// Kernels that subtract a number from an image's bytes need its product with the sum of the weights in the
/// bias.
static int image_bias(const packer *packer, const fused_node *node, int channel)
{
  int sum = 0;
  for (int i = 0; i < 27; i++) sum += i8_weight(packer, node, channel, i / 9, i % 9);
  return sum * packer->network->i8_kernels->pixel_offset;
}

static void pack_i8(packer *packer, fused_node *node)
{
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
  if (layer->source < 0)
    pack_i8_image(packer, node);
  else if (!is_depthwise)
    pack_i8_gemms(packer, node);
  else if (adds_16_bits)
    pack_i8_depthwise_pairs(packer, node);
  else
    pack_i8_depthwise(packer, node);
  if (!is_depthwise && gives_bytes) node->together = pack_together(packer, node);
  node->bias = begin_part(packer);
  for (int c = 0; c < node->out_channels; c++) {
    const int bias = whole_value(packer, node, layer->bias, c);
    if (adds_16_bits)
      put_short(packer, bias);
    else
      put_int(packer, bias + (layer->source < 0 ? image_bias(packer, node, c) : 0));
  }
  if (!gives_bytes) {
    node->multipliers = pack_channels(packer, node, layer->multipliers);
    return;
  }
  node->multipliers = begin_part(packer);
  for (int c = 0; c < node->out_channels; c++) put_short(packer, whole_value(packer, node, layer->multipliers, c));
}

static size_t pack(fused_network *network, const float *values, void *base)
{
  packer packer = {network, values, base, 0};
  for (int i = 0; i < network->node_count; i++) {
    if (fused_is_i8(&network->nodes[i]))
      pack_i8(&packer, &network->nodes[i]);
    else if (fused_is_i16(&network->nodes[i]))
      pack_i16(&packer, &network->nodes[i]);
    else
      pack_f32(&packer, &network->nodes[i]);
  }
  begin_part(&packer);
  return packer.used;
}

bool fused_pack_weights(fused_network *network, const float *values)
{
  const size_t size = pack(network, values, NULL);
  network->weights = aligned_alloc(64, size > 0 ? size : 64);
  if (!network->weights) return false;
  const size_t packed = pack(network, values, network->weights);
  assert(packed == size);
  (void)packed;
  return true;
}
