/// Compares whole networks with their definitions, on shapes of every kind, in which each kernel runs. Prints what
/// fails. Built with and without sanitizers, and for other processors, by Tools/test_kernels.sh.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "networks.h"
#include "random.h"

extern const fused_kernels fused_kernels_wide;
#if defined(__x86_64__)
extern const fused_i8_kernels fused_i8_kernels_emulated_avx_vnni, fused_i8_kernels_emulated_avx512_vnni;
#endif

int failures;
const char *subject;

void expect_near(double worst, double limit, const char *what)
{
  if (worst <= limit) return;
  failures++;
  fprintf(stderr, "%s: %s is off by %g\n", subject, what, worst);
}

void expect(int condition, const char *what)
{
  if (condition) return;
  failures++;
  fprintf(stderr, "%s: not so: %s\n", subject, what);
}

double worse(double worst, double difference)
{
  return difference <= worst ? worst : isnan(difference) ? INFINITY : difference;
}

/// More exactly than outputs of networks are compared.
static void test_sigmoid(const fused_kernels *kernels)
{
  for (size_t count = 1; count < 70; count++) {
    float *values = floats(count), *out = floats(count);
    for (size_t i = 0; i < count; i++) out[i] = values[i] = random_float() * (i % 7 == 0 ? 200 : 12);
    kernels->sigmoid(out, count);
    for (size_t i = 0; i < count; i++) expect_near(fabsf(out[i] - naive_sigmoid(values[i])), 3e-7, "sigmoid");
    free(values);
    free(out);
  }
}

static int32_t add_weights(int count, float scale)
{
  const int32_t first = add_numbers(count);
  for (int i = 0; i < count; i++) numbers.values[first + i] = random_float() * scale;
  return first;
}

/// The layer with random weights, of about the size that keeps values as large as they were.
static fused_layer random_layer(fused_layer layer)
{
  if (layer.kind == FUSED_LAYER_SUM) return layer;
  const int inputs = layer.kind == FUSED_LAYER_DEPTHWISE ? 1 : layer.in_channels;
  const int taps = layer.kernel * layer.kernel;
  const float spread = layer.kind == FUSED_LAYER_TRANSPOSED ? 1 : sqrtf((float)taps);
  layer.weights = add_weights(layer.out_channels * inputs * taps, 1.5f / sqrtf((float)inputs) / spread);
  layer.bias = add_weights(layer.out_channels, 0.5f);
  layer.slopes = add_weights(layer.out_channels, 1);
  return layer;
}

/// A network of every kind of layer and link: pooled and not, several consumers of one, sums, residuals around a chain
/// at one size and at half of it, a sum with an unrelated layer, channels that fill no vector.
static const fused_layer table[] = {
    {CONVOLUTION, RELU, THE_IMAGE, HALVING, CHANNELS(3, 16), ALONE},
    // Two units, the second of the first's maxima.
    {CONVOLUTION, NONE, 0, ONE_BY_ONE, CHANNELS(16, 16), ALONE},
    {DEPTHWISE, RELU, 1, SAME, CHANNELS(16, 16), ALONE},
    {CONVOLUTION, NONE, 2, ONE_BY_ONE, CHANNELS(16, 24), ALONE, .source_pooled = 1},
    {DEPTHWISE, RELU, 3, SAME, CHANNELS(24, 24), ALONE},
    // A residual around three.
    {CONVOLUTION, PRELU, 4, ONE_BY_ONE, CHANNELS(24, 12), ALONE},
    {DEPTHWISE, NONE, 5, SAME, CHANNELS(12, 12), ALONE},
    {CONVOLUTION, PRELU, 6, ONE_BY_ONE, CHANNELS(12, 24), ADDS(4)},
    // The same, halving: with its maxima in the first channels.
    {CONVOLUTION, PRELU, 7, TWO_BY_TWO, CHANNELS(24, 17), ALONE},
    {DEPTHWISE, NONE, 8, SAME, CHANNELS(17, 17), ALONE},
    {CONVOLUTION, PRELU, 9, ONE_BY_ONE, CHANNELS(17, 64), ADDS(7), .added_pooled = 1},
    // Depthwise after depthwise, halving, and a residual after the activation.
    {DEPTHWISE, RELU, 10, SAME, CHANNELS(64, 64), ALONE},
    {DEPTHWISE, RELU, 11, HALVING, CHANNELS(64, 64), ALONE},
    {CONVOLUTION, RELU, 12, SAME, CHANNELS(64, 64), ADDS(12), .added_last = 1},
    // Returns to the start of the residual.
    {SUM, NONE, 10, ONE_BY_ONE, CHANNELS(64, 64), ADDS(13)},
    {TRANSPOSED, RELU, 14, TWO_BY_TWO, CHANNELS(64, 24), ADDS(7), .added_last = 1},
    {CONVOLUTION, RELU, 4, ONE_BY_ONE, CHANNELS(24, 33), ADDS(15), .added_last = 1},
    {TRANSPOSED, NONE, 16, TWO_BY_TWO, CHANNELS(33, 7), ALONE},
    {CONVOLUTION, NONE, 13, ONE_BY_ONE, CHANNELS(64, 9), ALONE},
    {DEPTHWISE, NONE, 18, SAME, CHANNELS(9, 9), ALONE},
    {CONVOLUTION, NONE, 13, HALVING_UNPADDED, CHANNELS(64, 10), ALONE},
    // The maxima of what halves itself.
    {CONVOLUTION, NONE, 12, ONE_BY_ONE, CHANNELS(64, 8), ALONE, .source_pooled = 1},
    // Units of few channels. The second adds its depthwise rows in whole vectors.
    {CONVOLUTION, PRELU, 7, ONE_BY_ONE, CHANNELS(24, 4), ALONE},
    {DEPTHWISE, NONE, 22, SAME, CHANNELS(4, 4), ALONE},
    {CONVOLUTION, PRELU, 23, ONE_BY_ONE, CHANNELS(4, 24), ADDS(7)},
    {CONVOLUTION, RELU, 24, ONE_BY_ONE, CHANNELS(24, 3), ALONE},
    {DEPTHWISE, NONE, 25, SAME, CHANNELS(3, 3), ALONE},
    {CONVOLUTION, NONE, 26, ONE_BY_ONE, CHANNELS(3, 20), ADDS(26)},
    // Maxima without an activation, with rows and alone.
    {CONVOLUTION, NONE, 6, ONE_BY_ONE, CHANNELS(12, 8), ALONE, .source_pooled = 1},
    {CONVOLUTION, RELU, 4, ONE_BY_ONE, CHANNELS(24, 20), ALONE},
    {DEPTHWISE, NONE, 29, SAME, CHANNELS(20, 20), ALONE},
    {CONVOLUTION, NONE, 30, ONE_BY_ONE, CHANNELS(20, 5), ALONE, .source_pooled = 1},
    // Added after no activation.
    {CONVOLUTION, NONE, 24, ONE_BY_ONE, CHANNELS(24, 24), ADDS(7), .added_last = 1},
};
enum { LAYERS = sizeof table / sizeof *table };
static const fused_output outputs[] = {
    {17, 2, 5, 1}, {19, 0, 9, 0}, {20, 0, 1, 1},  {20, 1, 9, 0},  {16, 0, 33, 0}, {2, 0, 16, 0}, {11, 0, 64, 0},
    {21, 0, 8, 0}, {23, 1, 3, 0}, {24, 0, 24, 0}, {27, 0, 20, 0}, {28, 0, 8, 0},  {31, 0, 5, 0}, {32, 0, 24, 0},
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static void test_networks(const fused_kernels *kernels)
{
  fused_layer layers[LAYERS];
  for (int i = 0; i < LAYERS; i++) layers[i] = random_layer(table[i]);
  const fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, OUTPUTS};
  static const int sizes[][2] = {{32, 32}, {160, 96}, {32, 224}, {416, 32}, {64, 96}, {352, 160}, {96, 416}};
  test_network(&(network_test){.kernels = {kernels, NULL, NULL},
                               .table = &described,
                               .sizes = sizes,
                               .size_count = sizeof sizes / sizeof *sizes,
                               .kinds = 1,
                               .mean = {0.5f, 10, -3},
                               .scale = {1 / 128.f, 1 / 100.f, 1 / 64.f},
                               .largest = 1,
                               .naive = naive_network,
                               .limit = 1e-4});

  fused_network *network = NULL;
  fused_workspace *workspace = NULL;
  expect(fused_network_create_with(kernels, NULL, NULL, &described, &network) == 0, "the table is accepted");
  expect(fused_network_multiple(network) == 32, "sides are multiples of 32");
  expect(fused_workspace_create(network, 1, &workspace) == 0, "a workspace is made");
  expect(fused_workspace_resize(workspace, 96, 416) == 0, "a size is accepted");
  static const int refused[][2] = {{0, 32}, {32, 0}, {-32, 32}, {48, 32}, {32, 16416}, {1 << 30, 1 << 30}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    expect(fused_workspace_resize(workspace, refused[i][0], refused[i][1]) != 0, "an absurd size is refused");
  const float nothing = 0;
  const fused_image too_large = {.width = 97, .height = 416, .planes = {&nothing, &nothing, &nothing}};
  expect(fused_workspace_run(workspace, &too_large) != 0, "an image larger than the size is refused");
  const fused_image empty = {.width = 32, .height = 32};
  expect(fused_workspace_run(workspace, &empty) != 0, "an image without pixels is refused");
  fused_workspace_destroy(workspace);
  fused_network_destroy(network);
  free_numbers();
}

/// A network that ends in one pixel: it takes only one size.
static void test_whole(const fused_kernels *kernels)
{
  fused_layer layers[] = {
      random_layer((fused_layer){CONVOLUTION, PRELU, THE_IMAGE, HALVING_UNPADDED, CHANNELS(3, 11), ALONE}),
      random_layer((fused_layer){DEPTHWISE, RELU, 0, HALVING, CHANNELS(11, 11), ALONE}),
      random_layer((fused_layer){CONVOLUTION, NONE, 1, TWO_BY_TWO, CHANNELS(11, 1434), ALONE, .whole = 1}),
  };
  const fused_output output = {2, 0, 1434, 0};
  const fused_layer_table described = {layers, 3, numbers.values, numbers.count, &output, 1};
  static const int side[][2] = {{8, 8}, {8, 8}, {8, 8}};
  test_network(&(network_test){.kernels = {kernels, NULL, NULL},
                               .table = &described,
                               .sizes = side,
                               .size_count = 3,
                               .kinds = 1,
                               .fills = true,
                               .scale = {1 / 255.f, 1 / 255.f, 1 / 255.f},
                               .largest = 1,
                               .naive = naive_network,
                               .limit = 1e-5});
  fused_network *network = NULL;
  fused_workspace *workspace = NULL;
  expect(fused_network_create_with(kernels, NULL, NULL, &described, &network) == 0, "the table is accepted");
  expect(fused_network_side(network) == 8, "it has one side");
  expect(fused_workspace_create(network, 2, &workspace) == 0, "a workspace is made");
  expect(fused_workspace_resize(workspace, 16, 16) != 0, "another size is refused");
  expect(fused_workspace_resize(workspace, 8, 16) != 0, "another height is refused");
  fused_workspace_destroy(workspace);
  fused_network_destroy(network);
  free_numbers();
}

/// Tables that are wrong in one place.
static void test_refused_tables(const fused_kernels *kernels)
{
  fused_layer layers[LAYERS];
  for (int i = 0; i < LAYERS; i++) layers[i] = random_layer(table[i]);
  fused_layer_table described = {layers, LAYERS, numbers.values, numbers.count, outputs, OUTPUTS};
  kernel_set set = {kernels, NULL, NULL};
  REFUSED_MEMBER(3, source, 3);
  REFUSED_MEMBER(3, source, -1);
  REFUSED_MEMBER(0, source, 0);
  REFUSED_MEMBER(0, padding, 2);
  const fused_layer first = layers[0];
  REFUSED((layers[0].kind = DEPTHWISE, layers[0].out_channels = 3), layers[0] = first);
  REFUSED_MEMBER(3, in_channels, 17);
  REFUSED_MEMBER(3, out_channels, 1 << 20);
  REFUSED_MEMBER(3, out_channels, 0);
  REFUSED_MEMBER(3, kernel, 2);
  REFUSED_MEMBER(3, kind, (fused_layer_kind)9);
  REFUSED_MEMBER(4, out_channels, 25);
  REFUSED_MEMBER(4, activation, PRELU);
  REFUSED_MEMBER(4, source_pooled, 1);
  REFUSED_MEMBER(4, added, 3);
  REFUSED_MEMBER(7, added, 7);
  REFUSED_MEMBER(7, added, 1);
  REFUSED_MEMBER(7, added_pooled, 1);
  REFUSED_MEMBER(8, stride, 1);
  REFUSED_MEMBER(14, added, 10);
  REFUSED_MEMBER(15, added, 14);
  REFUSED_MEMBER(20, whole, 1);
  const int32_t end = (int32_t)numbers.count;
  REFUSED_MEMBER(5, slopes, -1);
  REFUSED_MEMBER(5, slopes, end - 11);
  REFUSED_MEMBER(5, weights, -1);
  REFUSED_MEMBER(5, weights, end - 24 * 12 + 1);
  REFUSED_MEMBER(5, weights, INT32_MAX);
  REFUSED_MEMBER(6, bias, end - 11);
  REFUSED(described.value_count = (size_t)layers[21].bias, described.value_count = numbers.count);
  free_numbers();
}

static void test(const fused_kernels *kernels)
{
  const int before = failures;
  subject = kernels->name;
  random_state = 7;
  test_sigmoid(kernels);
  test_networks(kernels);
  test_whole(kernels);
  test_refused_tables(kernels);
  test_matrices(kernels);
  printf("kernels: %s: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
}

static const struct {
  fused_instructions instructions;
  const char *name;
} all[] = {
    {FUSED_INSTRUCTIONS_PORTABLE, "portable"},
#if defined(__aarch64__)
    {FUSED_INSTRUCTIONS_NEON, "NEON"},
    {FUSED_INSTRUCTIONS_NEON_DOTPROD, "NEON SDOT"},
#else
    {FUSED_INSTRUCTIONS_SSE41, "SSE4.1"},
    {FUSED_INSTRUCTIONS_AVX2, "AVX2"},
    {FUSED_INSTRUCTIONS_AVX_VNNI, "AVX-VNNI"},
    {FUSED_INSTRUCTIONS_AVX512, "AVX-512"},
    {FUSED_INSTRUCTIONS_AVX512_VNNI, "AVX-512 VNNI"},
#endif
};

int main(void)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const fused_instructions instructions = all[i].instructions;
    if (!fused_has_instructions(instructions)) {
      fprintf(stderr, "kernels: %s was NOT tested: this processor does not have it\n", all[i].name);
      continue;
    }
    const fused_kernels *kernels = fused_kernels_for(instructions);
    const fused_i8_kernels *i8_kernels = fused_i8_kernels_for(instructions);
    const fused_kernels *i16_kernels = fused_i16_kernels_for(instructions);
    // Some have only one of the three of their own.
    int is_known = 0, is_i16_known = 0, is_i8_known = 0;
    for (size_t j = 0; j < i; j++) {
      is_known |= fused_kernels_for(all[j].instructions) == kernels;
      is_i16_known |= fused_i16_kernels_for(all[j].instructions) == i16_kernels;
      is_i8_known |= fused_i8_kernels_for(all[j].instructions) == i8_kernels;
    }
    if (!is_known) test(kernels);
    if (!is_i16_known && i16_kernels) test_i16(i16_kernels);
    if (!is_i8_known && i8_kernels) test_i8(i8_kernels);
  }
#if !defined(__aarch64__)
  test(&fused_kernels_wide);
#endif
#if defined(__x86_64__)
  puts("kernels: with their instructions emulated:");
  test_i8(&fused_i8_kernels_emulated_avx_vnni);
  test_i8(&fused_i8_kernels_emulated_avx512_vnni);
#endif
  test_pixels();
  return failures != 0;
}
