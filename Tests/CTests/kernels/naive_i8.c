#include "naive_i8.h"

#include <stdlib.h>

/// The byte at a place of the source; outside it, the byte that means zero.
static int64_t input_at(const planes *in, const fused_layer_table *table, int32_t zero_points, int c, int y, int x) {
  if (y < 0 || x < 0 || y >= in->height || x >= in->width) return zero_points < 0 ? 0 : (int64_t)table->values[zero_points + c];
  return (int64_t)*planes_at(in, c, y, x);
}

static int64_t sum_at(
    const planes *in, const fused_layer_table *table, const fused_layer *layer, int32_t zero_points, int o, int y, int x) {
  const int k = layer->kernel, inputs = layer->kind == FUSED_LAYER_DEPTHWISE ? 1 : layer->in_channels;
  const float *weight = table->values + layer->weights + (ptrdiff_t)o * inputs * k * k;
  int64_t sum = (int64_t)table->values[layer->bias + o];
  for (int i = 0; i < inputs; i++)
    for (int t = 0; t < k * k; t++)
      sum += (int64_t)*weight++ *
          input_at(
              in, table, zero_points, layer->kind == FUSED_LAYER_DEPTHWISE ? o : i,
              y * layer->stride - layer->padding + t / k, x * layer->stride - layer->padding + t % k);
  return sum;
}

/// The sum of a transposed layer: each pixel of its 2×2 is computed from one of the source.
static int64_t transposed_sum_at(
    const planes *in, const fused_layer_table *table, const fused_layer *layer, int o, int y, int x) {
  const float *weights = table->values + layer->weights + (ptrdiff_t)o * layer->in_channels * 4;
  int64_t sum = (int64_t)table->values[layer->bias + o];
  for (int i = 0; i < layer->in_channels; i++)
    sum += (int64_t)weights[i * 4 + y % 2 * 2 + x % 2] * (int64_t)*planes_at(in, i, y / 2, x / 2);
  return sum;
}

static int64_t limited(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

static float value_at(
    const planes *in, const planes *added, const fused_layer_table *table, const fused_layer *layer, int32_t zero_points,
    int o, int y, int x) {
  if (layer->kind == FUSED_LAYER_SUM)
    return (float)limited((int64_t)*planes_at(in, o, y, x) + (int64_t)*planes_at(added, o, y / 2, x / 2), 0, 127);
  const int64_t sum = layer->kind == FUSED_LAYER_TRANSPOSED
      ? transposed_sum_at(in, table, layer, o, y, x)
      : sum_at(in, table, layer, zero_points, o, y, x);
  const float multiplier = table->values[layer->multipliers + o];
  if (layer->format == FUSED_FORMAT_F32) return (float)(int32_t)sum * multiplier;
  int64_t value = (limited(sum >> layer->shift, -32768, 32767) * (int64_t)multiplier + 16384) >> 15;
  if (layer->added_last) value = limited(value, 0, 127);
  if (added && o < added->channels) value += (int64_t)*planes_at(added, o, y, x);
  return (float)limited(value, 0, 127);
}

void naive_i8_network(const planes *image, const fused_layer_table *table, planes *outputs) {
  for (size_t i = 0; i < table->layer_count; i++) {
    const fused_layer *layer = &table->layers[i];
    const planes *source = layer->source < 0 ? image : &outputs[layer->source];
    const int32_t zero_points = layer->source < 0 ? -1 : table->layers[layer->source].zero_points;
    planes pooled = {0};
    if (layer->source_pooled) pooled = naive_pool(source);
    const planes *in = pooled.values ? &pooled : source;
    const bool is_transposed = layer->kind == FUSED_LAYER_TRANSPOSED;
    outputs[i] = planes_make(
        layer->out_channels, is_transposed ? in->height * 2 : in->height / layer->stride,
        is_transposed ? in->width * 2 : in->width / layer->stride);
    for (int o = 0; o < outputs[i].channels; o++)
      for (int y = 0; y < outputs[i].height; y++)
        for (int x = 0; x < outputs[i].width; x++)
          *planes_at(&outputs[i], o, y, x) =
              value_at(in, layer->added < 0 ? NULL : &outputs[layer->added], table, layer, zero_points, o, y, x);
    free(pooled.values);
  }
}
