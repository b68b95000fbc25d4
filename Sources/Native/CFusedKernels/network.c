/// Makes a network from the caller's table: validates it, and computes sizes and links.
#include "network.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

/// The kernels, with stride and padding, that layers have.
#define FORM(kernel, stride, padding) ((kernel) << 4 | (stride) << 2 | (padding))
enum {
  ONE_BY_ONE = FORM(1, 1, 0),
  TWO_BY_TWO = FORM(2, 2, 0),
  SAME = FORM(3, 1, 1),
  HALVING = FORM(3, 2, 1),
  HALVING_UNPADDED = FORM(3, 2, 0)
};

int fused_layer_is_known(const fused_layer *layer)
{
  if (layer->in_channels < 1 || layer->in_channels > FUSED_MAX_CHANNELS || layer->out_channels < 1 ||
      layer->out_channels > FUSED_MAX_CHANNELS || layer->activation < FUSED_ACTIVATION_NONE ||
      layer->activation > FUSED_ACTIVATION_PRELU || layer->format < FUSED_FORMAT_F32 ||
      layer->format > FUSED_FORMAT_I16 || (layer->source < 0 && layer->kind != FUSED_LAYER_CONVOLUTION))
    return 0;
  const int form = layer->kernel < 1 || layer->kernel > 3 || layer->stride < 1 || layer->stride > 2 ||
                           layer->padding < 0 || layer->padding > 1
                       ? -1
                       : FORM(layer->kernel, layer->stride, layer->padding);
  switch (layer->kind) {
  case FUSED_LAYER_CONVOLUTION:
    if (layer->whole && form != TWO_BY_TWO) return 0;
    if (layer->source < 0) return !layer->whole && (form == HALVING_UNPADDED || form == HALVING);
    return form == ONE_BY_ONE || form == TWO_BY_TWO || form == SAME || form == HALVING_UNPADDED || form == HALVING;
  case FUSED_LAYER_DEPTHWISE:
    return (form == SAME || form == HALVING) && layer->in_channels == layer->out_channels &&
           layer->activation != FUSED_ACTIVATION_PRELU && layer->added == -1 && !layer->whole;
  case FUSED_LAYER_TRANSPOSED: return form == TWO_BY_TWO && !layer->whole;
  case FUSED_LAYER_SUM:
    return layer->added >= 0 && !layer->added_pooled && layer->in_channels == layer->out_channels && !layer->whole &&
           layer->activation == FUSED_ACTIVATION_NONE;
  }
  return 0;
}

static bool has_values(const fused_layer_table *table, int32_t first, int64_t count)
{
  return first >= 0 && (uint64_t)first <= table->value_count && (uint64_t)count <= table->value_count - (uint64_t)first;
}

static bool has_weights(const fused_layer_table *table, const fused_layer *layer)
{
  if (layer->kind == FUSED_LAYER_SUM) return true;
  const int inputs = layer->kind == FUSED_LAYER_DEPTHWISE ? 1 : layer->in_channels;
  const int64_t count = (int64_t)layer->out_channels * inputs * layer->kernel * layer->kernel;
  return has_values(table, layer->weights, count) && has_values(table, layer->bias, layer->out_channels) &&
         (layer->activation != FUSED_ACTIVATION_PRELU || has_values(table, layer->slopes, layer->out_channels));
}

/// Returns whether there are kernels for a layer whose source or output is int8.
static bool is_known_i8(const fused_layer *layer, fused_format source)
{
  if (layer->activation == FUSED_ACTIVATION_PRELU || source != FUSED_FORMAT_I8) return false;
  const bool gives_bytes = layer->format == FUSED_FORMAT_I8;
  const bool is_shifted = layer->kind == FUSED_LAYER_TRANSPOSED ||
                          (layer->kind == FUSED_LAYER_CONVOLUTION && layer->source >= 0 && gives_bytes);
  if (layer->shift < 0 || layer->shift > (is_shifted ? FUSED_I8_MAX_SHIFT : 0)) return false;
  switch (layer->kind) {
  case FUSED_LAYER_CONVOLUTION:
    if (layer->added_pooled || (!gives_bytes && layer->added != -1)) return false;
    if (layer->source < 0)
      return gives_bytes && layer->kernel == 3 && layer->stride == 2 && layer->padding == 1 && layer->added == -1;
    return layer->kernel == 1 || (gives_bytes && layer->kernel == 3 && layer->stride == 1);
  case FUSED_LAYER_DEPTHWISE: return layer->stride == 1 || gives_bytes;
  case FUSED_LAYER_TRANSPOSED: return gives_bytes && layer->added == -1;
  case FUSED_LAYER_SUM: return gives_bytes;
  }
  return false;
}

/// Returns whether there are kernels for a layer whose source or output is int16.
static bool is_known_i16(const fused_layer *layer, fused_format source)
{
  if (source != FUSED_FORMAT_I16 || layer->added_last || layer->shift < 0 ||
      layer->shift > (layer->source < 0 ? 14 : 0))
    return false;
  if (layer->kind == FUSED_LAYER_DEPTHWISE) return layer->format == FUSED_FORMAT_I16 && layer->stride == 1;
  if (layer->kind != FUSED_LAYER_CONVOLUTION) return false;
  return layer->format == FUSED_FORMAT_I16 || (layer->activation == FUSED_ACTIVATION_NONE && layer->added == -1);
}

static bool are_whole(const fused_layer_table *table, int32_t first, int64_t count, float least, float most)
{
  for (int64_t i = 0; i < count; i++) {
    const float value = table->values[first + i];
    // Converted only if it is in range, which NaN is not.
    if (!(value >= least && value <= most) || value != (float)(int32_t)value) return false;
  }
  return true;
}

/// Returns whether every sum of a depthwise layer fits 16 bits.
static bool fits_16_bits(const fused_layer_table *table, const fused_layer *layer)
{
  for (int c = 0; c < layer->out_channels; c++) {
    float most = table->values[layer->bias + c], least = most;
    for (int tap = 0; tap < 9; tap++) {
      const float weight = table->values[layer->weights + c * 9 + tap];
      if (weight > 0)
        most += weight * FUSED_I8_MAX_VALUE;
      else
        least += weight * FUSED_I8_MAX_VALUE;
    }
    if (most > INT16_MAX || least < INT16_MIN) return false;
  }
  return true;
}

/// Returns whether the numbers of a layer with an int8 source are in the ranges that the kernels rely on.
static bool has_i8_numbers(const fused_layer_table *table, const fused_layer *layer)
{
  const int channels = layer->out_channels;
  if (layer->zero_points != -1 && (!has_values(table, layer->zero_points, channels) ||
                                   !are_whole(table, layer->zero_points, channels, 0, FUSED_I8_MAX_VALUE)))
    return false;
  if (layer->kind == FUSED_LAYER_SUM) return true;
  const bool is_depthwise = layer->kind == FUSED_LAYER_DEPTHWISE;
  const int64_t count = (int64_t)channels * (is_depthwise ? 1 : layer->in_channels) * layer->kernel * layer->kernel;
  const float most = layer->source < 0 ? FUSED_I8_MAX_IMAGE_WEIGHT : 127;
  if (!are_whole(table, layer->weights, count, -most, most) ||
      !are_whole(table, layer->bias, channels, -(1 << 23), 1 << 23) || !has_values(table, layer->multipliers, channels))
    return false;
  if (layer->format == FUSED_FORMAT_F32) return true;
  return are_whole(table, layer->multipliers, channels, 1, INT16_MAX) && (!is_depthwise || fits_16_bits(table, layer));
}

/// Returns whether the largest number of a channel's output fits 32 bits before it is limited to 16.
static bool fits_32_bits(const fused_layer_table *table, const fused_layer *layer, int channel)
{
  const float factor = table->values[layer->multipliers + channel];
  const float slope = layer->activation == FUSED_ACTIVATION_PRELU ? fabsf(table->values[layer->slopes + channel]) : 0;
  // A sum times the factor has 30 bits at most, what is added 15, and the slope gives it 14 more.
  return factor > 0 && slope <= 1 << 14 && factor * fmaxf(slope, 1) <= 0.5f;
}

/// Returns whether the numbers of a layer with an int16 source let no sum leave 32 bits.
static bool has_i16_numbers(const fused_layer_table *table, const fused_layer *layer)
{
  const int channels = layer->out_channels;
  const int64_t inputs =
      (int64_t)(layer->kind == FUSED_LAYER_DEPTHWISE ? 1 : layer->in_channels) * layer->kernel * layer->kernel;
  if (!are_whole(table, layer->weights, channels * inputs, -INT16_MAX, INT16_MAX) ||
      !are_whole(table, layer->bias, channels, -(1 << 30), 1 << 30) || !has_values(table, layer->multipliers, channels))
    return false;
  for (int c = 0; c < channels; c++) {
    double most = fabsf(table->values[layer->bias + c]);
    for (int64_t i = 0; i < inputs; i++)
      most += fabsf(table->values[layer->weights + c * inputs + i]) * -(double)INT16_MIN;
    if (most > INT32_MAX || (layer->format == FUSED_FORMAT_I16 && !fits_32_bits(table, layer, c))) return false;
  }
  return true;
}

/// Returns whether a layer computes floats from integers, and so cannot be a source.
static bool is_dequantised(const fused_node *node) { return node->source_format != node->layer.format; }

static bool has_maxima(const fused_node *node)
{
  const bool is_depthwise = node->layer.kind == FUSED_LAYER_DEPTHWISE;
  return node->layer.format == FUSED_FORMAT_F32 || is_depthwise == (node->layer.format == FUSED_FORMAT_I8);
}

/// Returns how many times it halves its input.
static int halvings(const fused_layer *layer)
{
  if (layer->kind == FUSED_LAYER_TRANSPOSED) return -1;
  if (layer->kind == FUSED_LAYER_SUM) return 0;
  return (layer->source_pooled ? 1 : 0) + (layer->stride == 2 ? 1 : 0);
}

/// Links a layer to its source; false when they do not match.
static bool connect_source(fused_network *network, int index)
{
  fused_node *node = &network->nodes[index];
  const fused_layer *layer = &node->layer;
  // Exactly one layer, the first, has the image as its input.
  if ((layer->source < 0) != (index == 0) || layer->source < -1 || layer->source >= index) return false;
  node->level = halvings(layer);
  if (index == 0) return layer->in_channels == IMAGE_CHANNELS && !layer->source_pooled;
  fused_node *source = &network->nodes[layer->source];
  if (layer->in_channels != source->layer.out_channels || is_dequantised(source)) return false;
  node->level += source->level;
  if (layer->source_pooled) {
    if (layer->kind != FUSED_LAYER_CONVOLUTION || layer->kernel != 1 || !has_maxima(source)) return false;
    source->pooled_used = true;
  } else {
    source->rows_used = true;
  }
  if (!layer->whole) return true;
  // With this side of the image, the input has as many pixels as the kernel.
  const int side = layer->kernel << source->level;
  if (network->side != 0 && network->side != side) return false;
  network->side = side;
  return true;
}

/// Links a layer to the one that is added to it, if any; false when they do not match.
static bool connect_added(fused_network *network, int index)
{
  const fused_node *node = &network->nodes[index];
  const fused_layer *layer = &node->layer;
  if (layer->added == -1) return true;
  if (layer->added < 0 || layer->added >= index) return false;
  fused_node *added = &network->nodes[layer->added];
  const bool needs_all_channels = layer->kind == FUSED_LAYER_TRANSPOSED || layer->kind == FUSED_LAYER_SUM;
  if (is_dequantised(added) || added->layer.format != layer->format || (layer->added_pooled && !has_maxima(added)))
    return false;
  if (added->layer.out_channels > layer->out_channels ||
      (needs_all_channels && added->layer.out_channels != layer->out_channels))
    return false;
  if (layer->added_pooled)
    added->pooled_used = true;
  else
    added->rows_used = true;
  const int level = layer->kind == FUSED_LAYER_SUM ? node->level + 1 : node->level;
  return level == added->level + (layer->added_pooled ? 1 : 0);
}

/// Returns whether a layer's rows, or those of depthwise layers after it, are added to others, by whole vectors.
static bool needs_whole_vectors(const fused_layer_table *table, int index)
{
  for (int i = index + 1; i < (int)table->layer_count; i++) {
    const fused_layer *reader = &table->layers[i];
    if (reader->added == index) return true;
    if (reader->source != index) continue;
    if (reader->kind == FUSED_LAYER_SUM) return true;
    if (reader->kind == FUSED_LAYER_DEPTHWISE && needs_whole_vectors(table, i)) return true;
  }
  return false;
}

/// Returns the kernels of a layer that is not int8. Padding 8 channels to a vector of 16 would double the work.
static const fused_kernels *kernels_for(const fused_network *network, const fused_layer_table *table, int index,
                                        fused_format source)
{
  const fused_kernels *kernels = source == FUSED_FORMAT_I16 ? network->i16_kernels : network->kernels;
  const fused_layer *layer = &table->layers[index];
  if (!kernels->narrower || layer->out_channels > kernels->narrower->vector_length || layer->format != source ||
      layer->added != -1 || needs_whole_vectors(table, index))
    return kernels;
  if (layer->kind == FUSED_LAYER_CONVOLUTION) return kernels->narrower;
  // A depthwise layer's rows have the padding of its source's.
  const bool follows = layer->kind == FUSED_LAYER_DEPTHWISE && layer->source < index;
  return follows ? network->nodes[layer->source].kernels : kernels;
}

static bool set_nodes(fused_network *network, const fused_layer_table *table)
{
  for (int i = 0; i < network->node_count; i++) {
    const fused_layer *layer = &table->layers[i];
    if (!fused_layer_is_known(layer) || !has_weights(table, layer)) return false;
    fused_node *node = &network->nodes[i];
    const fused_format source =
        i > 0 && layer->source >= 0 && layer->source < i ? network->nodes[layer->source].layer.format : layer->format;
    const bool is_i8 = source == FUSED_FORMAT_I8 || layer->format == FUSED_FORMAT_I8;
    if (is_i8 && (!is_known_i8(layer, source) || !network->i8_kernels || !has_i8_numbers(table, layer))) return false;
    const bool is_i16 = source == FUSED_FORMAT_I16 || layer->format == FUSED_FORMAT_I16;
    if (is_i16 && (!is_known_i16(layer, source) || !network->i16_kernels || !has_i16_numbers(table, layer)))
      return false;
    const fused_kernels *kernels = kernels_for(network, table, i, source);
    *node = (fused_node){
        .layer = *layer,
        .kernels = kernels,
        .source_format = source,
        .in_channels =
            layer->source >= 0 && layer->source < i ? network->nodes[layer->source].out_channels : IMAGE_CHANNELS,
        .out_channels = rounded_up(layer->out_channels, is_i8 ? FUSED_I8_BLOCK : kernels->vector_length),
    };
    if (!connect_source(network, i) || node->level < 0 || node->level > FUSED_MAX_LEVEL || !connect_added(network, i))
      return false;
    if (node->level > network->deepest_level) network->deepest_level = node->level;
  }
  return true;
}

static bool set_outputs(fused_network *network, const fused_layer_table *table)
{
  for (int i = 0; i < network->output_count; i++) {
    const fused_output *output = &table->outputs[i];
    if (output->layer < 0 || output->layer >= network->node_count || output->first_channel < 0 ||
        output->channels < 1 || output->channels > FUSED_MAX_CHANNELS ||
        output->first_channel > table->layers[output->layer].out_channels - output->channels ||
        table->layers[output->layer].format != FUSED_FORMAT_F32)
      return false;
    network->nodes[output->layer].rows_used = true;
    network->outputs[i] = *output;
  }
  return true;
}

int fused_network_create(fused_instructions instructions, const fused_layer_table *table, fused_network **created)
{
  return fused_network_create_with(fused_kernels_for(instructions), fused_i16_kernels_for(instructions),
                                   fused_i8_kernels_for(instructions), table, created);
}

int fused_network_create_with(const fused_kernels *kernels, const fused_kernels *i16_kernels,
                              const fused_i8_kernels *i8_kernels, const fused_layer_table *table,
                              fused_network **created)
{
  if (!kernels || !table || !table->layers || (!table->values && table->value_count > 0) || !table->outputs ||
      table->layer_count < 1 || table->layer_count > FUSED_MAX_LAYERS || table->output_count < 1 ||
      table->output_count > FUSED_MAX_OUTPUTS)
    return EINVAL;
  fused_network *network = calloc(1, sizeof *network);
  if (!network) return ENOMEM;
  network->kernels = kernels;
  network->i16_kernels = i16_kernels;
  network->i8_kernels = i8_kernels;
  network->node_count = (int)table->layer_count;
  network->output_count = (int)table->output_count;
  network->nodes = calloc(table->layer_count, sizeof *network->nodes);
  network->outputs = calloc(table->output_count, sizeof *network->outputs);
  int result = 0;
  if (!network->nodes || !network->outputs)
    result = ENOMEM;
  else if (!set_nodes(network, table) || !set_outputs(network, table))
    result = EINVAL;
  else if (!fused_order_channels(network, table->values) || !fused_pack_weights(network, table->values))
    result = ENOMEM;
  if (result != 0) {
    fused_network_destroy(network);
    return result;
  }
  *created = network;
  return 0;
}

void fused_network_destroy(fused_network *network)
{
  if (!network) return;
  free(network->nodes);
  free(network->outputs);
  free(network->weights);
  free(network->orders);
  free(network);
}

fused_format fused_network_format(const fused_network *network) { return network->nodes[0].source_format; }

const char *fused_network_instructions(const fused_network *network)
{
  switch (fused_network_format(network)) {
  case FUSED_FORMAT_I8: return network->i8_kernels->name;
  case FUSED_FORMAT_I16: return network->i16_kernels->name;
  default: return network->kernels->name;
  }
}

int32_t fused_network_multiple(const fused_network *network) { return 1 << network->deepest_level; }

int32_t fused_network_side(const fused_network *network) { return network->side; }
