#include "naive.h"

#include <math.h>
#include <stdlib.h>

planes planes_make(int channels, int height, int width)
{
  return (planes){channels, height, width, calloc((size_t)channels * (size_t)height * (size_t)width, sizeof(float))};
}

float *planes_at(const planes *map, int channel, int row, int column)
{
  return &map->values[((ptrdiff_t)channel * map->height + row) * map->width + column];
}

float planes_value(const planes *map, int channel, int row, int column)
{
  if (row < 0 || column < 0 || row >= map->height || column >= map->width) return 0;
  return *planes_at(map, channel, row, column);
}

float naive_activation(double sum, fused_activation activation, float slope)
{
  if (sum >= 0 || activation == FUSED_ACTIVATION_NONE) return (float)sum;
  return (float)(activation == FUSED_ACTIVATION_PRELU ? sum * slope : 0);
}

/// The sum over channels `first` up to `end`, exclusive, at the output's pixel.
static double convolved(const planes *in, const fused_layer *layer, int first, int end, const float *weights, int y,
                        int x)
{
  const int k = layer->kernel;
  double sum = 0;
  for (int c = first; c < end; c++)
    for (int t = 0; t < k * k; t++)
      sum += (double)*weights++ * planes_value(in, c, y * layer->stride - layer->padding + t / k,
                                               x * layer->stride - layer->padding + t % k);
  return sum;
}

static double sum_at(const planes *in, const fused_layer *layer, const float *values, int o, int y, int x)
{
  const float *weights = values + layer->weights, *bias = values + layer->bias;
  const int channels = layer->in_channels;
  switch (layer->kind) {
  case FUSED_LAYER_CONVOLUTION: {
    const int taps = layer->kernel * layer->kernel;
    return bias[o] + convolved(in, layer, 0, channels, weights + (ptrdiff_t)o * channels * taps, y, x);
  }
  case FUSED_LAYER_DEPTHWISE: return bias[o] + convolved(in, layer, o, o + 1, weights + (ptrdiff_t)o * 9, y, x);
  case FUSED_LAYER_TRANSPOSED: {
    double sum = bias[o];
    for (int c = 0; c < channels; c++)
      sum += (double)*planes_at(in, c, y / 2, x / 2) * weights[((ptrdiff_t)o * channels + c) * 4 + y % 2 * 2 + x % 2];
    return sum;
  }
  case FUSED_LAYER_SUM: return *planes_at(in, o, y, x);
  }
  return 0;
}

static double added_at(const planes *added, const fused_layer *layer, int o, int y, int x)
{
  if (!added || o >= added->channels) return 0;
  return layer->kind == FUSED_LAYER_SUM ? *planes_at(added, o, y / 2, x / 2) : *planes_at(added, o, y, x);
}

planes naive_layer(const planes *in, const planes *added, const fused_layer *layer, const float *values)
{
  const int grown = layer->kind == FUSED_LAYER_TRANSPOSED ? 2 : 1;
  const int shrunk = layer->kind == FUSED_LAYER_CONVOLUTION || layer->kind == FUSED_LAYER_DEPTHWISE ? layer->stride : 1;
  planes out = planes_make(layer->out_channels, in->height * grown / shrunk, in->width * grown / shrunk);
  for (int o = 0; o < out.channels; o++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        const double more = added_at(added, layer, o, y, x);
        const double sum = sum_at(in, layer, values, o, y, x) + (layer->added_last ? 0 : more);
        const float value =
            naive_activation(sum, layer->activation,
                             layer->activation == FUSED_ACTIVATION_PRELU ? values[layer->slopes + o] : 0);
        *planes_at(&out, o, y, x) = (float)(value + (layer->added_last ? more : 0));
      }
  return out;
}

planes naive_pool(const planes *in)
{
  planes out = planes_make(in->channels, in->height / 2, in->width / 2);
  for (int c = 0; c < out.channels; c++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        float most = *planes_at(in, c, 2 * y, 2 * x);
        for (int i = 1; i < 4; i++) most = fmaxf(most, *planes_at(in, c, 2 * y + i / 2, 2 * x + i % 2));
        *planes_at(&out, c, y, x) = most;
      }
  return out;
}

void naive_network(const planes *image, const fused_layer_table *table, planes *outputs)
{
  for (size_t i = 0; i < table->layer_count; i++) {
    const fused_layer *layer = &table->layers[i];
    const planes *source = layer->source < 0 ? image : &outputs[layer->source];
    planes pooled = {0}, added_pooled = {0};
    if (layer->source_pooled) pooled = naive_pool(source);
    const planes *added = layer->added < 0 ? NULL : &outputs[layer->added];
    if (layer->added_pooled) added_pooled = naive_pool(added);
    outputs[i] = naive_layer(pooled.values ? &pooled : source, added_pooled.values ? &added_pooled : added, layer,
                             table->values);
    free(pooled.values);
    free(added_pooled.values);
  }
}

float naive_sigmoid(float value) { return (float)(1 / (1 + exp(-(double)value))); }
