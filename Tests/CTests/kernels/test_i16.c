/// Compares networks in 16 bits with their definition: every bit, on images of several kinds, sizes and formats.
#include <math.h>
#include <stdio.h>

#include "naive_integers.h"
#include "networks.h"
#include "random.h"

/// Every kind of layer and link: residuals at one size and at half of it, maxima, channels that fill no vector and
/// several.
static const fused_layer table[] = {
    {CONVOLUTION, PRELU, THE_IMAGE, HALVING_UNPADDED, CHANNELS(3, 16), ALONE, I16},
    {CONVOLUTION, PRELU, 0, ONE_BY_ONE, CHANNELS(16, 8), ALONE, I16},
    {DEPTHWISE, NONE, 1, SAME, CHANNELS(8, 8), ALONE, I16},
    {CONVOLUTION, PRELU, 2, ONE_BY_ONE, CHANNELS(8, 16), ADDS(0), I16},
    {CONVOLUTION, PRELU, 3, TWO_BY_TWO, CHANNELS(16, 19), ALONE, I16},
    {DEPTHWISE, RELU, 4, SAME, CHANNELS(19, 19), ALONE, I16},
    // Adds the maxima of fewer channels than it has.
    {CONVOLUTION, PRELU, 5, ONE_BY_ONE, CHANNELS(19, 33), ADDS(3), .added_pooled = 1, I16},
    {CONVOLUTION, RELU, 6, ONE_BY_ONE, CHANNELS(33, 70), ALONE, I16},
    {DEPTHWISE, NONE, 7, SAME, CHANNELS(70, 70), ALONE, I16},
    {CONVOLUTION, NONE, 8, ONE_BY_ONE, CHANNELS(70, 130), ADDS(6), I16},
    {CONVOLUTION, RELU, 9, SAME, CHANNELS(130, 11), ALONE, I16},
    {CONVOLUTION, NONE, 10, HALVING_UNPADDED, CHANNELS(11, 24), ALONE, I16},
    // Heads in floats.
    {CONVOLUTION, NONE, 6, ONE_BY_ONE, CHANNELS(33, 20), ALONE, .source_pooled = 1, F32},
    {CONVOLUTION, NONE, 11, ONE_BY_ONE, CHANNELS(24, 9), ALONE, F32},
    {CONVOLUTION, NONE, 7, HALVING, CHANNELS(70, 5), ALONE, F32},
};
/// The same of an image with one side, which ends in one pixel.
static const fused_layer whole[] = {
    {CONVOLUTION, NONE, THE_IMAGE, HALVING, CHANNELS(3, 4), ALONE, I16},
    {DEPTHWISE, RELU, 0, SAME, CHANNELS(4, 4), ALONE, I16},
    {CONVOLUTION, PRELU, 1, TWO_BY_TWO, CHANNELS(4, 40), ALONE, I16},
    {CONVOLUTION, NONE, 2, TWO_BY_TWO, CHANNELS(40, 75), ALONE, .whole = 1, F32},
};
enum { LAYERS = sizeof table / sizeof *table, WHOLE_LAYERS = sizeof whole / sizeof *whole };
static const fused_output outputs[] = {{12, 0, 20, 0}, {13, 1, 8, 0}, {14, 0, 5, 0}};
static const fused_output whole_outputs[] = {{3, 0, 75, 0}};

/// Weights whose sums nearly leave 32 bits for some images, and factors that bring those of usual ones to a quarter of
/// 16 bits.
static fused_layer random_layer(fused_layer layer)
{
  const int inputs = (layer.kind == DEPTHWISE ? 1 : layer.in_channels) * layer.kernel * layer.kernel;
  const int most = inputs > 2 ? 64000 / inputs : 32767;
  const bool is_extreme = random_between(0, 2) == 0;
  layer.zero_points = -1;
  layer.shift = layer.source < 0 ? random_between(5, 7) : 0;
  layer.weights = add_numbers(layer.out_channels * inputs);
  for (int i = 0; i < layer.out_channels * inputs; i++)
    numbers.values[layer.weights + i] =
        (float)(is_extreme ? random_between(0, 1) * 2 * most - most : random_between(-most, most));
  layer.bias = add_numbers(layer.out_channels);
  layer.multipliers = add_numbers(layer.out_channels);
  layer.slopes = add_numbers(layer.out_channels);
  const float factor = 1 / (sqrtf((float)inputs) * (float)most * (is_extreme ? 1 : 0.6f));
  for (int c = 0; c < layer.out_channels; c++) {
    numbers.values[layer.bias + c] = (float)random_between(-(1 << 16), 1 << 16);
    numbers.values[layer.multipliers + c] = fminf(factor * (1 + 0.5f * random_float()), 0.24f);
    numbers.values[layer.slopes + c] = random_float() * 2;
  }
  return layer;
}

/// Whole numbers.
static float seen(float value, int shift)
{
  const float whole_number = nearbyintf(value * (float)(1 << shift));
  return whole_number >= -32768 ? fminf(whole_number, 32767) : -32768;
}

/// Tables that are wrong in one number or link.
static void test_refused(const fused_kernels *kernels, fused_layer *layers)
{
  fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, 3};
  kernel_set set = {&fused_kernels_portable, kernels, NULL};
  REFUSED_NUMBER(layers[1].weights, 32768);
  REFUSED_NUMBER(layers[1].weights + 5, -32768);
  REFUSED_NUMBER(layers[1].weights, 0.5f);
  REFUSED_NUMBER(layers[1].weights, NAN);
  REFUSED_NUMBER(layers[1].bias, INFINITY);
  REFUSED_NUMBER(layers[1].bias, 1.5e9f);
  REFUSED_NUMBER(layers[1].multipliers, 0);
  REFUSED_NUMBER(layers[1].multipliers, NAN);
  // A result would no longer fit 32 bits.
  REFUSED_NUMBER(layers[1].multipliers, 0.6f);
  REFUSED_NUMBER(layers[1].slopes, 1e6f);
  REFUSED_NUMBER(layers[1].slopes, NAN);
  // A sum would not either, for some source.
  for (int i = 0; i < 3; i++) numbers.values[layers[2].weights + i] = 32767;
  REFUSED_NUMBER(layers[2].weights, 32766);
  for (int i = 0; i < 3; i++) numbers.values[layers[2].weights + i] = 0;
  REFUSED_MEMBER(1, multipliers, -1);
  REFUSED_MEMBER(1, added_last, 1);
  REFUSED_MEMBER(1, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(1, format, FUSED_FORMAT_I8);
  REFUSED_MEMBER(2, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(0, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(13, format, FUSED_FORMAT_I16);
  REFUSED_MEMBER(13, activation, RELU);
  REFUSED_MEMBER(1, shift, 1);
  REFUSED_MEMBER(0, shift, 15);
  REFUSED_MEMBER(0, shift, -1);
  REFUSED(set.i16 = NULL, (void)0);
}

/// A network of random weights on images of some sizes. Of the float kernels only the reading of pixels is involved.
static void test_table(const fused_kernels *kernels, const fused_layer *described_layers, size_t count,
                       const fused_output *described_outputs, size_t output_count, const int (*sizes)[2],
                       size_t size_count)
{
  fused_layer layers[LAYERS];
  for (size_t i = 0; i < count; i++) layers[i] = random_layer(described_layers[i]);
  const fused_layer_table described = {layers, count, numbers.values, numbers.count, described_outputs, output_count};
  test_network(&(network_test){.kernels = {&fused_kernels_portable, kernels, NULL},
                               .table = &described,
                               .sizes = sizes,
                               .size_count = size_count,
                               .kinds = 3,
                               .fills = count == WHOLE_LAYERS,
                               .mean = {0, 127.5f, -7.3f},
                               .scale = {1, 1.37f, 4},
                               .largest = 600,
                               .specials = 2,
                               .seen = seen,
                               .naive = naive_integer_network});
  if (count == LAYERS) test_refused(kernels, layers);
  free_numbers();
}

void test_i16(const fused_kernels *kernels)
{
  static const int sizes[][2] = {{16, 16}, {32, 48}, {112, 16}, {208, 32}, {96, 144}};
  static const int side[][2] = {{8, 8}};
  const int before = failures;
  subject = kernels->name;
  random_state = 17;
  for (int round = 0; round < 3; round++) {
    test_table(kernels, table, LAYERS, outputs, 3, sizes, round == 0 ? sizeof sizes / sizeof *sizes : 2);
    test_table(kernels, whole, WHOLE_LAYERS, whole_outputs, 1, side, 1);
  }
  printf("kernels: %s, int16: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
}
