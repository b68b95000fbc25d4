/// Compares networks in 16 bits with their definition: every bit, on images of several kinds, sizes and formats.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "naive_integers.h"
#include "random.h"
#include "test.h"

#define CONVOLUTION FUSED_LAYER_CONVOLUTION
#define DEPTHWISE FUSED_LAYER_DEPTHWISE
#define RELU FUSED_ACTIVATION_RELU
#define PRELU FUSED_ACTIVATION_PRELU
#define NONE FUSED_ACTIVATION_NONE
#define I16 .format = FUSED_FORMAT_I16
#define F32 .format = FUSED_FORMAT_F32

/// Every kind of layer and link: residuals at one size and at half of it, maxima, channels that fill no vector and several.
static const fused_layer table[] = {
    {CONVOLUTION, PRELU, -1, 0, 3, 2, 0, 0, -1, 0, 0, 3, 16, I16},
    {CONVOLUTION, PRELU, 0, 0, 1, 1, 0, 0, -1, 0, 0, 16, 8, I16},
    {DEPTHWISE, NONE, 1, 0, 3, 1, 1, 0, -1, 0, 0, 8, 8, I16},
    {CONVOLUTION, PRELU, 2, 0, 1, 1, 0, 0, 0, 0, 0, 8, 16, I16},
    {CONVOLUTION, PRELU, 3, 0, 2, 2, 0, 0, -1, 0, 0, 16, 19, I16},
    {DEPTHWISE, RELU, 4, 0, 3, 1, 1, 0, -1, 0, 0, 19, 19, I16},
    // Adds the maxima of fewer channels than it has.
    {CONVOLUTION, PRELU, 5, 0, 1, 1, 0, 0, 3, 1, 0, 19, 33, I16},
    {CONVOLUTION, RELU, 6, 0, 1, 1, 0, 0, -1, 0, 0, 33, 70, I16},
    {DEPTHWISE, NONE, 7, 0, 3, 1, 1, 0, -1, 0, 0, 70, 70, I16},
    {CONVOLUTION, NONE, 8, 0, 1, 1, 0, 0, 6, 0, 0, 70, 130, I16},
    {CONVOLUTION, RELU, 9, 0, 3, 1, 1, 0, -1, 0, 0, 130, 11, I16},
    {CONVOLUTION, NONE, 10, 0, 3, 2, 0, 0, -1, 0, 0, 11, 24, I16},
    // Heads in floats.
    {CONVOLUTION, NONE, 6, 1, 1, 1, 0, 0, -1, 0, 0, 33, 20, F32},
    {CONVOLUTION, NONE, 11, 0, 1, 1, 0, 0, -1, 0, 0, 24, 9, F32},
    {CONVOLUTION, NONE, 7, 0, 3, 2, 1, 0, -1, 0, 0, 70, 5, F32},
};
/// The same of an image with one side, which ends in one pixel.
static const fused_layer whole[] = {
    {CONVOLUTION, NONE, -1, 0, 3, 2, 1, 0, -1, 0, 0, 3, 4, I16},
    {DEPTHWISE, RELU, 0, 0, 3, 1, 1, 0, -1, 0, 0, 4, 4, I16},
    {CONVOLUTION, PRELU, 1, 0, 2, 2, 0, 0, -1, 0, 0, 4, 40, I16},
    {CONVOLUTION, NONE, 2, 0, 2, 2, 0, 1, -1, 0, 0, 40, 75, F32},
};
enum { LAYERS = sizeof table / sizeof *table, WHOLE_LAYERS = sizeof whole / sizeof *whole };
static const fused_output outputs[] = {{12, 0, 20, 0}, {13, 1, 8, 0}, {14, 0, 5, 0}};
static const fused_output whole_outputs[] = {{3, 0, 75, 0}};

static struct {
  float *values;
  size_t count;
} numbers;

static int32_t add_numbers(int count) {
  const size_t first = numbers.count;
  numbers.count += (size_t)count;
  numbers.values = realloc(numbers.values, numbers.count * sizeof(float));
  return (int32_t)first;
}

/// Weights whose sums nearly leave 32 bits for some images, and factors that bring those of usual ones to a quarter of 16 bits.
static fused_layer random_layer(fused_layer layer) {
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

typedef enum { SMOOTH, NOISE, EXTREMES, KINDS } image_kind;

static uint8_t random_pixel(image_kind kind, size_t at) {
  switch (kind) {
  case SMOOTH: return (uint8_t)(at / 7 % 256 * 15 / 16 + random_bits() % 16);
  case NOISE: return (uint8_t)random_bits();
  default: return random_bits() & 1 ? 255 : 0;
  }
}

/// The whole numbers that the network should see.
static planes seen_image(const fused_image *image, int width, int height, int shift) {
  planes seen = planes_make(3, height, width);
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < image->height; y++)
      for (int x = 0; x < image->width; x++) {
        const uint8_t *pixel = image->pixels ? image->pixels + (size_t)y * image->stride + (size_t)(x * image->bytes_per_pixel)
                                             : NULL;
        const float value = pixel ? ((float)pixel[image->reversed ? 2 - c : c] - image->mean[c]) * image->scale[c]
                                  : image->planes[c][(size_t)y * image->plane_stride + (size_t)x];
        const float whole_number = nearbyintf(value * (float)(1 << shift));
        *planes_at(&seen, c, y, x) = whole_number >= -32768 ? fminf(whole_number, 32767) : -32768;
      }
  return seen;
}

static void compare(const fused_workspace *workspace, const fused_layer_table *network, const planes *expected) {
  for (size_t i = 0; i < network->output_count; i++) {
    const fused_output *output = &network->outputs[i];
    const fused_map map = fused_workspace_output(workspace, i);
    const planes *naive = &expected[output->layer];
    int differ = 0;
    expect(map.width == naive->width && map.height == naive->height && map.channels == output->channels, "shape");
    for (int c = 0; c < map.channels; c++)
      for (int y = 0; y < map.height; y++)
        for (int x = 0; x < map.width; x++)
          differ += map.values[(size_t)c * map.channel_stride + (size_t)(y * map.width + x)] !=
                    *planes_at(naive, output->first_channel + c, y, x);
    if (differ == 0) continue;
    failures++;
    fprintf(stderr, "%s, int16: %d values of output %d differ at %d×%d\n", subject, differ, (int)i, map.width, map.height);
  }
}

static void test_image(
    fused_workspace **workspaces, int count, const fused_layer_table *network, int width, int height, image_kind kind,
    int bytes) {
  const bool is_whole = network->layer_count == WHOLE_LAYERS;
  fused_image image = {
      .width = is_whole ? width : width - random_between(0, 15),
      .height = is_whole ? height : height - random_between(0, height / 2),
      .bytes_per_pixel = bytes ? bytes : 4,
      .reversed = random_between(0, 1),
      .mean = {0, 127.5f, -7.3f},
      .scale = {1, 1.37f, 4}};
  const size_t row = (size_t)(image.width * image.bytes_per_pixel);
  image.stride = row + (size_t)random_between(0, 9);
  // The buffer ends with the last row's last pixel.
  const size_t size = image.stride * (size_t)(image.height - 1) + row;
  uint8_t *pixels = malloc(size);
  for (size_t i = 0; i < size; i++) pixels[i] = random_pixel(kind, i);
  image.plane_stride = (size_t)image.width;
  float *plane = random_floats((size_t)(image.width * image.height), 600);
  plane[0] = NAN;
  plane[1] = INFINITY;
  for (int c = 0; c < 3; c++) image.planes[c] = plane;
  image.pixels = bytes ? pixels : NULL;

  planes seen = seen_image(&image, width, height, network->layers[0].shift);
  planes expected[LAYERS];
  naive_integer_network(&seen, network, expected);
  for (int i = 0; i < count; i++) {
    expect(fused_workspace_resize(workspaces[i], width, height) == 0, "a size is accepted");
    // Runs twice: no state of a run may affect the next.
    for (int again = 0; again < 2; again++) {
      expect(fused_workspace_run(workspaces[i], &image) == 0, "an image is accepted");
      compare(workspaces[i], network, expected);
    }
  }
  for (size_t i = 0; i < network->layer_count; i++) free(expected[i].values);
  free(seen.values);
  free(plane);
  free(pixels);
}

/// Tables that are wrong in one number or link.
static void test_refused(const fused_kernels *kernels, fused_layer *layers) {
  fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, 3};
#define REFUSED(change, restore)                                                                                   \
  do {                                                                                                             \
    fused_network *network = NULL;                                                                                 \
    change;                                                                                                        \
    expect(fused_network_create_with(&fused_kernels_portable, kernels, NULL, &described, &network) != 0, #change); \
    restore;                                                                                                       \
  } while (0)
#define REFUSED_NUMBER(index, number)                                        \
  do {                                                                       \
    const float kept = numbers.values[index];                                \
    REFUSED(numbers.values[index] = (number), numbers.values[index] = kept); \
  } while (0)
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
  REFUSED(layers[1].multipliers = -1, layers[1].multipliers = layers[1].bias + 8);
  REFUSED(layers[1].added_last = 1, layers[1].added_last = 0);
  REFUSED(layers[1].format = FUSED_FORMAT_F32, layers[1].format = FUSED_FORMAT_I16);
  REFUSED(layers[1].format = FUSED_FORMAT_I8, layers[1].format = FUSED_FORMAT_I16);
  REFUSED(layers[2].format = FUSED_FORMAT_F32, layers[2].format = FUSED_FORMAT_I16);
  REFUSED(layers[0].format = FUSED_FORMAT_F32, layers[0].format = FUSED_FORMAT_I16);
  REFUSED(layers[13].format = FUSED_FORMAT_I16, layers[13].format = FUSED_FORMAT_F32);
  REFUSED(layers[13].activation = RELU, layers[13].activation = NONE);
  REFUSED(layers[1].shift = 1, layers[1].shift = 0);
  const int32_t shift = layers[0].shift;
  REFUSED(layers[0].shift = 15, layers[0].shift = shift);
  REFUSED(layers[0].shift = -1, layers[0].shift = shift);
  REFUSED(kernels = NULL, (void)0);
#undef REFUSED
#undef REFUSED_NUMBER
}

/// A network of random weights on images of some sizes.
static void test_network(
    const fused_kernels *kernels, const fused_layer *described_layers, size_t count, const fused_output *described_outputs,
    size_t output_count, const int (*sizes)[2], size_t size_count) {
  fused_layer layers[LAYERS];
  for (size_t i = 0; i < count; i++) layers[i] = random_layer(described_layers[i]);
  const fused_layer_table described = {layers, count, numbers.values, numbers.count, described_outputs, output_count};
  fused_network *network = NULL;
  // Of the float kernels only the reading of pixels is involved.
  expect(fused_network_create_with(&fused_kernels_portable, kernels, NULL, &described, &network) == 0, "the table is accepted");
  expect(fused_network_format(network) == FUSED_FORMAT_I16, "it is in 16 bits");
  enum { WORKSPACES = 3 };
  static const int threads[WORKSPACES] = {1, 2, 5};
  fused_workspace *workspaces[WORKSPACES];
  for (int i = 0; i < WORKSPACES; i++)
    expect(fused_workspace_create(network, threads[i], &workspaces[i]) == 0, "a workspace is made");
  static const int bytes[] = {4, 3, 0};
  for (size_t i = 0; i < size_count; i++)
    for (int kind = 0; kind < KINDS; kind++)
      test_image(workspaces, WORKSPACES, &described, sizes[i][0], sizes[i][1], (image_kind)kind, bytes[(i + (size_t)kind) % 3]);
  for (int i = 0; i < WORKSPACES; i++) fused_workspace_destroy(workspaces[i]);
  fused_network_destroy(network);
  if (count == LAYERS) test_refused(kernels, layers);
  free(numbers.values);
  numbers.values = NULL;
  numbers.count = 0;
}

void test_i16(const fused_kernels *kernels) {
  static const int sizes[][2] = {{16, 16}, {32, 48}, {112, 16}, {208, 32}, {96, 144}};
  static const int side[][2] = {{8, 8}};
  const int before = failures;
  subject = kernels->name;
  random_state = 17;
  for (int round = 0; round < 3; round++) {
    test_network(kernels, table, LAYERS, outputs, 3, sizes, round == 0 ? sizeof sizes / sizeof *sizes : 2);
    test_network(kernels, whole, WHOLE_LAYERS, whole_outputs, 1, side, 1);
  }
  printf("kernels: %s, int16: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
}
