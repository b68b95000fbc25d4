/// Compares networks in eight bits with their definition: every bit, on images of several kinds, sizes and formats.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "naive_integers.h"
#include "networks.h"
#include "random.h"

/// Networks with every kind of layer and link: pooled and not, both from one, sums, heads, channels that fill no block
/// and several.
static const fused_layer table[] = {
    {CONVOLUTION, RELU, THE_IMAGE, HALVING, CHANNELS(3, 16), ALONE, I8},
    {CONVOLUTION, NONE, 0, ONE_BY_ONE, CHANNELS(16, 16), ALONE, I8},
    {DEPTHWISE, RELU, 1, SAME, CHANNELS(16, 16), ALONE, I8},
    {CONVOLUTION, NONE, 2, ONE_BY_ONE, CHANNELS(16, 24), ALONE, .source_pooled = 1, I8},
    {DEPTHWISE, RELU, 3, SAME, CHANNELS(24, 24), ALONE, I8},
    {CONVOLUTION, NONE, 4, ONE_BY_ONE, CHANNELS(24, 64), ALONE, I8},
    // Its rows go to a sum, their maxima to deeper layers.
    {DEPTHWISE, RELU, 5, SAME, CHANNELS(64, 64), ALONE, I8},
    {CONVOLUTION, NONE, 6, ONE_BY_ONE, CHANNELS(64, 64), ALONE, .source_pooled = 1, I8},
    {DEPTHWISE, RELU, 7, SAME, CHANNELS(64, 64), ALONE, I8},
    {SUM, NONE, 6, ONE_BY_ONE, CHANNELS(64, 64), ADDS(8), I8},
    {CONVOLUTION, NONE, 9, ONE_BY_ONE, CHANNELS(64, 90), ALONE, I8},
    {DEPTHWISE, RELU, 10, SAME, CHANNELS(90, 90), ALONE, I8},
    // Heads.
    {CONVOLUTION, NONE, 11, ONE_BY_ONE, CHANNELS(90, 16), ALONE, I8},
    {DEPTHWISE, NONE, 12, SAME, CHANNELS(16, 16), ALONE, F32},
    {CONVOLUTION, NONE, 8, ONE_BY_ONE, CHANNELS(64, 35), ALONE, I8},
    {DEPTHWISE, NONE, 14, SAME, CHANNELS(35, 35), ALONE, F32},
    // A depthwise layer right after another and after the first.
    {DEPTHWISE, RELU, 0, SAME, CHANNELS(16, 16), ALONE, I8},
    {DEPTHWISE, NONE, 16, SAME, CHANNELS(16, 16), ALONE, F32},
    {CONVOLUTION, NONE, 8, ONE_BY_ONE, CHANNELS(64, 3), ALONE, .source_pooled = 1, I8},
    {DEPTHWISE, NONE, 18, SAME, CHANNELS(3, 3), ALONE, F32},
    // Blocks with a residual, with stride 2 before and after them.
    {CONVOLUTION, NONE, 2, ONE_BY_ONE, CHANNELS(16, 40), ALONE, I8},
    {DEPTHWISE, RELU, 20, HALVING, CHANNELS(40, 40), ALONE, I8},
    {CONVOLUTION, NONE, 21, ONE_BY_ONE, CHANNELS(40, 24), ALONE, I8},
    {CONVOLUTION, RELU, 22, ONE_BY_ONE, CHANNELS(24, 70), ALONE, I8},
    {DEPTHWISE, RELU, 23, SAME, CHANNELS(70, 70), ALONE, I8},
    {CONVOLUTION, NONE, 24, ONE_BY_ONE, CHANNELS(70, 24), ADDS(22), I8},
    {DEPTHWISE, RELU, 25, HALVING, CHANNELS(24, 24), ALONE, I8},
    // Transposed, and what is added after the limits; fewer channels are added than there are.
    {CONVOLUTION, RELU, 26, ONE_BY_ONE, CHANNELS(24, 20), ALONE, I8},
    {TRANSPOSED, RELU, 27, TWO_BY_TWO, CHANNELS(20, 24), ALONE, I8},
    {CONVOLUTION, RELU, 25, ONE_BY_ONE, CHANNELS(24, 40), ADDS(28), .added_last = 1, I8},
    // 3×3 of all channels, around which there are zeros and other zero points.
    {CONVOLUTION, RELU, 29, SAME, CHANNELS(40, 33), ALONE, I8},
    {CONVOLUTION, NONE, 30, ONE_BY_ONE, CHANNELS(33, 17), ALONE, F32},
    {CONVOLUTION, NONE, 22, SAME, CHANNELS(24, 30), ADDS(25), I8},
    {CONVOLUTION, NONE, 32, ONE_BY_ONE, CHANNELS(30, 3), ALONE, F32},
};
enum { LAYERS = sizeof table / sizeof *table };
static const fused_output outputs[] = {{13, 0, 16, 0}, {15, 3, 32, 0}, {17, 0, 16, 0},
                                       {19, 0, 3, 0},  {31, 1, 16, 0}, {33, 0, 3, 0}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static int32_t add_integers(int count, int least, int most)
{
  const int32_t first = add_numbers(count);
  for (int i = 0; i < count; i++) numbers.values[first + i] = (float)random_between(least, most);
  return first;
}

/// The image's largest weight: the whole range, or so small that products of two or of three fours of bytes are added
/// in 16 bits where kernels do so.
static const int image_weights[] = {64, 32, 21};
static int image_weight;

/// The largest weight of a layer: of matrix products the whole range, or so small that the products of eight or sixteen
/// channels are added in 16 bits where kernels do so.
static int random_largest(const fused_layer *layer)
{
  static const int largest[] = {127, 60, 25};
  if (layer->source < 0) return image_weight;
  // Nine of these times 127 and the bias fit 16 bits.
  if (layer->kind == DEPTHWISE) return layer->format == FUSED_FORMAT_I8 ? 25 : 127;
  return largest[random_between(0, 2)];
}

/// Whole weights, and multipliers that bring sums of usual images to about 40.
static fused_layer random_layer(fused_layer layer)
{
  layer.zero_points = layer.multipliers = layer.weights = layer.bias = layer.slopes = -1;
  if (layer.kind == FUSED_LAYER_SUM) return layer;
  const int inputs = layer.kind == DEPTHWISE ? 1 : layer.in_channels;
  const int taps = layer.kernel * layer.kernel;
  const int most = random_largest(&layer);
  layer.weights = add_integers(layer.out_channels * inputs * taps, -most, most);
  layer.bias = add_integers(layer.out_channels, -2000, 4000);
  const double spread = 0.6 * most * (layer.source < 0 ? 120 : 50) * sqrt(inputs * taps);
  // Half of those that may are shifted.
  const bool may_shift = layer.source >= 0 && layer.kind != DEPTHWISE && layer.format == FUSED_FORMAT_I8;
  layer.shift = may_shift && random_between(0, 1) ? random_between(1, 4) : 0;
  const int multiplier = (int)(32768 * 40 / spread * (1 << layer.shift)) + 1;
  layer.multipliers =
      add_integers(layer.out_channels, multiplier / 2 + 1, multiplier * 2 < 32767 ? multiplier * 2 : 32767);
  if (layer.format == FUSED_FORMAT_F32)
    for (int c = 0; c < layer.out_channels; c++) numbers.values[layer.multipliers + c] /= 99999;
  else if (layer.activation == NONE)
    layer.zero_points = add_integers(layer.out_channels, 0, 127);
  return layer;
}

/// The nearest byte.
static float seen(float value, int shift)
{
  (void)shift;
  return value > 0 ? value < 255 ? (float)(uint8_t)(value + 0.5f) : 255 : 0;
}

/// The context of `give_row`: an image of four bytes a pixel, and the row that it does not give.
typedef struct {
  const fused_image *image;
  int next;
  int missing;
} given_rows;

static int give_row(void *context, int32_t y, uint8_t *row)
{
  given_rows *rows = context;
  expect(y == rows->next, "each row is read once, in order");
  rows->next = y + 1;
  if (y == rows->missing) return 0;
  memcpy(row, rows->image->pixels + (size_t)y * rows->image->stride, (size_t)rows->image->width * 4);
  return 1;
}

/// The same pixels, a row at a time.
static void test_rows(fused_workspace **workspaces, int count, const fused_image *image, const planes *expected)
{
  given_rows rows = {image, 0, -1};
  fused_image given = *image;
  // The fetched bytes are not checked.
  if (random_between(0, 1)) given.pixels = NULL;
  given.read_row = give_row;
  given.rows = &rows;
  expect(fused_workspace_run(workspaces[0], &given) == 0 && rows.next == image->height, "all rows are read");
  compare(workspaces[0], expected);
  rows = (given_rows){image, 0, random_between(0, image->height - 1)};
  expect(fused_workspace_run(workspaces[0], &given) == ECANCELED, "a row that is not given ends the run");
  for (int i = 1; i < count; i++) expect(fused_workspace_run(workspaces[i], &given) == EINVAL, "threads take no rows");
}

/// Tables that are wrong in one number or link.
static void test_refused(const fused_i8_kernels *kernels, fused_layer *layers)
{
  fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, OUTPUTS};
  kernel_set set = {&fused_kernels_portable, NULL, kernels};
  REFUSED_NUMBER(layers[0].weights, 65);
  REFUSED_NUMBER(layers[1].weights, 128);
  REFUSED_NUMBER(layers[1].weights + 5, -128);
  REFUSED_NUMBER(layers[1].weights, 0.5f);
  REFUSED_NUMBER(layers[1].weights, NAN);
  REFUSED_NUMBER(layers[1].bias, INFINITY);
  REFUSED_NUMBER(layers[1].bias, 1e9f);
  REFUSED_NUMBER(layers[1].multipliers, 0);
  REFUSED_NUMBER(layers[1].multipliers, 32768);
  REFUSED_NUMBER(layers[1].zero_points, -1);
  REFUSED_NUMBER(layers[1].zero_points, 128);
  // The layer's sums no longer fit 16 bits.
  REFUSED_NUMBER(layers[2].bias, 32767);
  REFUSED_NUMBER(layers[2].bias, -32768);
  REFUSED_MEMBER(1, multipliers, -1);
  REFUSED_MEMBER(1, zero_points, (int32_t)numbers.count - 15);
  REFUSED_MEMBER(1, activation, FUSED_ACTIVATION_PRELU);
  REFUSED_MEMBER(1, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(21, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(25, added_pooled, 1);
  REFUSED_MEMBER(28, added, 25);
  REFUSED_MEMBER(0, shift, 1);
  REFUSED_MEMBER(2, shift, 1);
  REFUSED_MEMBER(9, shift, 1);
  REFUSED_MEMBER(31, shift, 1);
  REFUSED_MEMBER(20, shift, 9);
  REFUSED_MEMBER(20, shift, -1);
  REFUSED_MEMBER(30, stride, 2);
  REFUSED_MEMBER(31, kernel, 3);
  REFUSED_MEMBER(1, format, FUSED_FORMAT_I16);
  REFUSED_MEMBER(0, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(0, padding, 0);
  REFUSED_MEMBER(4, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(9, format, FUSED_FORMAT_F32);
  REFUSED_MEMBER(13, format, FUSED_FORMAT_I8);
  REFUSED_MEMBER(7, source, 5);
  REFUSED(set.i8 = NULL, (void)0);
}

static const int sizes[][2] = {{16, 16}, {32, 32}, {48, 16}, {160, 96}, {16, 112}, {208, 32}, {352, 80}, {720, 48}};

void test_i8(const fused_i8_kernels *kernels)
{
  const int before = failures;
  subject = kernels->name;
  random_state = 11;
  for (size_t round = 0; round < sizeof image_weights / sizeof *image_weights; round++) {
    image_weight = image_weights[round];
    fused_layer layers[LAYERS];
    for (int i = 0; i < LAYERS; i++) layers[i] = random_layer(table[i]);
    const fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, OUTPUTS};
    // The float kernels are not involved.
    test_network(&(network_test){.kernels = {&fused_kernels_portable, NULL, kernels},
                                 .table = &described,
                                 .sizes = sizes,
                                 .size_count = round == 0 ? sizeof sizes / sizeof *sizes : 3,
                                 .kinds = 3,
                                 .may_be_plain = true,
                                 .mean = {0, -7.3f, 0},
                                 .scale = {1, 1, 1.37f},
                                 .largest = 300,
                                 .specials = 1,
                                 .seen = seen,
                                 .naive = naive_integer_network,
                                 .more = test_rows});
    test_refused(kernels, layers);
    free_numbers();
  }
  printf("kernels: %s, int8: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
}
