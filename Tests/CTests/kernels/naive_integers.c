#include "naive_integers.h"

#include <math.h>
#include <stdlib.h>

/// A map in whole numbers, with one more on each side. Floats would take most of the tests' time, above all emulated
/// ones.
typedef struct {
  int height, width;
  int32_t *values;
} bordered;

static int32_t *bordered_row(const bordered *map, int channel, int row)
{
  return map->values + ((ptrdiff_t)channel * (map->height + 2) + row + 1) * (map->width + 2) + 1;
}

/// Outside the source is the byte that means zero.
static bordered bordered_copy(const planes *in, const float *zero_points)
{
  const size_t count = (size_t)in->channels * (size_t)(in->height + 2) * (size_t)(in->width + 2);
  const bordered copy = {in->height, in->width, malloc(count * sizeof(int32_t))};
  for (int c = 0; c < in->channels; c++)
    for (int y = -1; y <= in->height; y++) {
      int32_t *const row = bordered_row(&copy, c, y);
      for (int x = -1; x <= in->width; x++) row[x] = zero_points ? (int32_t)zero_points[c] : 0;
      if (y < 0 || y == in->height) continue;
      for (int x = 0; x < in->width; x++) row[x] = (int32_t)*planes_at(in, c, y, x);
    }
  return copy;
}

/// Adds what a weight of a convolution, `row` and `column` from its pixel's, adds to the sums of an output channel.
static void add_tap(const bordered *in, const fused_layer *layer, int channel, int row, int column, int32_t weight,
                    int height, int width, int32_t *sums)
{
  for (int y = 0; y < height; y++) {
    const int32_t *const source = bordered_row(in, channel, y * layer->stride + row) + column;
    for (int x = 0; x < width; x++) sums[y * width + x] += weight * source[x * layer->stride];
  }
}

/// The same of a transposed layer: each pixel of its 2×2 is computed from one of the source.
static void add_transposed_tap(const bordered *in, int channel, int row, int column, int32_t weight, int height,
                               int width, int32_t *sums)
{
  for (int y = row; y < height; y += 2) {
    const int32_t *const source = bordered_row(in, channel, y / 2);
    for (int x = column; x < width; x += 2) sums[y * width + x] += weight * source[x / 2];
  }
}

/// The sums of output channel `o`, which fit 32 bits.
static void sum(const bordered *in, const fused_layer_table *table, const fused_layer *layer, int o, int height,
                int width, int32_t *sums)
{
  const int k = layer->kernel, inputs = layer->kind == FUSED_LAYER_DEPTHWISE ? 1 : layer->in_channels;
  const float *weight = table->values + layer->weights + (ptrdiff_t)o * inputs * k * k;
  for (int i = 0; i < height * width; i++) sums[i] = (int32_t)table->values[layer->bias + o];
  for (int i = 0; i < inputs; i++)
    for (int t = 0; t < k * k; t++, weight++)
      if (layer->kind == FUSED_LAYER_TRANSPOSED)
        add_transposed_tap(in, i, t / k, t % k, (int32_t)*weight, height, width, sums);
      else
        add_tap(in, layer, layer->kind == FUSED_LAYER_DEPTHWISE ? o : i, t / k - layer->padding, t % k - layer->padding,
                (int32_t)*weight, height, width, sums);
}

static int64_t limited(int64_t value, int64_t least, int64_t most)
{
  return value < least ? least : value > most ? most : value;
}

/// Of 16 bits; the compiler must not fuse multiplication and addition.
static float rounded(float value, float added, const fused_layer_table *table, const fused_layer *layer, int o)
{
  volatile float result = value + added;
  if (layer->activation == FUSED_ACTIVATION_PRELU && result < 0) result *= table->values[layer->slopes + o];
  if (layer->activation == FUSED_ACTIVATION_RELU) result = fmaxf(result, 0);
  return fminf(fmaxf(nearbyintf(result), -32768), 32767);
}

static float value_of(int32_t sum, const planes *added, const fused_layer_table *table, const fused_layer *layer, int o,
                      int y, int x)
{
  const float multiplier = table->values[layer->multipliers + o];
  if (layer->format == FUSED_FORMAT_F32) return (float)sum * multiplier;
  if (layer->format == FUSED_FORMAT_I16) {
    volatile const float product = (float)sum * multiplier;
    return rounded(product, added && o < added->channels ? *planes_at(added, o, y, x) : 0, table, layer, o);
  }
  int64_t value = (limited(sum >> layer->shift, -32768, 32767) * (int64_t)multiplier + 16384) >> 15;
  if (layer->added_last) value = limited(value, 0, 127);
  if (added && o < added->channels) value += (int64_t)*planes_at(added, o, y, x);
  return (float)limited(value, 0, 127);
}

static planes convolved(const planes *in, const planes *added, const fused_layer_table *table, const fused_layer *layer,
                        const float *zero_points)
{
  const bool is_transposed = layer->kind == FUSED_LAYER_TRANSPOSED;
  planes out = planes_make(layer->out_channels, is_transposed ? in->height * 2 : in->height / layer->stride,
                           is_transposed ? in->width * 2 : in->width / layer->stride);
  const bordered source = bordered_copy(in, zero_points);
  int32_t *const sums = malloc((size_t)out.height * (size_t)out.width * sizeof(int32_t));
  for (int o = 0; o < out.channels; o++) {
    sum(&source, table, layer, o, out.height, out.width, sums);
    for (int i = 0; i < out.height * out.width; i++)
      *planes_at(&out, o, i / out.width, i % out.width) =
          value_of(sums[i], added, table, layer, o, i / out.width, i % out.width);
  }
  free(sums);
  free(source.values);
  return out;
}

static planes added_upsampled(const planes *in, const planes *added)
{
  planes out = planes_make(in->channels, in->height, in->width);
  for (int c = 0; c < out.channels; c++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++)
        *planes_at(&out, c, y, x) =
            (float)limited((int64_t)*planes_at(in, c, y, x) + (int64_t)*planes_at(added, c, y / 2, x / 2), 0, 127);
  return out;
}

void naive_integer_network(const planes *image, const fused_layer_table *table, planes *outputs)
{
  for (size_t i = 0; i < table->layer_count; i++) {
    const fused_layer *layer = &table->layers[i];
    const planes *source = layer->source < 0 ? image : &outputs[layer->source];
    const int32_t zero_points = layer->source < 0 ? -1 : table->layers[layer->source].zero_points;
    const planes *added = layer->added < 0 ? NULL : &outputs[layer->added];
    planes pooled = {0}, added_pooled = {0};
    if (layer->source_pooled) pooled = naive_pool(source);
    if (layer->added_pooled) {
      added_pooled = naive_pool(added);
      added = &added_pooled;
    }
    const planes *in = pooled.values ? &pooled : source;
    outputs[i] = layer->kind == FUSED_LAYER_SUM
                     ? added_upsampled(in, added)
                     : convolved(in, added, table, layer, zero_points < 0 ? NULL : table->values + zero_points);
    free(pooled.values);
    free(added_pooled.values);
  }
}
