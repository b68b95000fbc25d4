/// Compares every kernel, and whole networks, with their definitions, on shapes of every kind. Prints what fails.
/// Built with and without sanitizers, and for other processors, by Tools/test_kernels.sh.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "naive.h"
#include "random.h"

extern const fused_kernels fused_kernels_wide;

static int failures;
static const char *subject;

static void expect_near(double worst, double limit, const char *what) {
  if (worst <= limit) return;
  failures++;
  fprintf(stderr, "%s: %s is off by %g\n", subject, what, worst);
}

static void expect(int condition, const char *what) {
  if (condition) return;
  failures++;
  fprintf(stderr, "%s: not so: %s\n", subject, what);
}

/// NaN is the worst of all.
static double worse(double worst, double difference) {
  return difference <= worst ? worst : isnan(difference) ? INFINITY : difference;
}

/// multiply: a 1×1 convolution and a strided 3×3 one, of any width and channel count.
static void test_multiply(const fused_kernels *kernels) {
  const int vector = kernels->vector_length;
  for (int round = 0; round < 120; round++) {
    const int runs = round % 3 == 2 ? 3 : 1;
    static const int lengths[] = {16, 32, 64};
    const int length = runs == 3 ? 9 : round < 60 ? lengths[random_between(0, 2)] : vector * random_between(1, 5);
    const int stride = runs == 3 ? 6 : length;
    const int width = random_between(1, 40);
    const int out_channels = vector * random_between(1, 9);
    const fused_activation activation = random_between(0, 1) ? FUSED_ACTIVATION_RELU : FUSED_ACTIVATION_NONE;
    float *in[3] = {0};
    for (int r = 0; r < runs; r++) in[r] = random_floats((size_t)((width - 1) * stride + length), 1);
    float *weights = random_floats((size_t)(runs * length * out_channels), 1);
    float *bias = random_floats((size_t)out_channels, 1);
    float *out = floats((size_t)(width * out_channels));
    kernels->multiply(
        (const float *const *)in, runs, length, stride, width, out_channels, weights, bias, activation, out);
    double worst = 0;
    for (int x = 0; x < width; x++)
      for (int o = 0; o < out_channels; o++) {
        const int block = kernels->block_vectors * vector;
        const int first = o / block * block;
        const int wide = out_channels - first < block ? out_channels - first : block;
        double sum = bias[o];
        for (int i = 0; i < runs * length; i++)
          sum += (double)in[i / length][x * stride + i % length] *
              weights[first * runs * length + i * wide + o - first];
        if (activation == FUSED_ACTIVATION_RELU && sum < 0) sum = 0;
        worst = worse(worst, fabs(out[x * out_channels + o] - sum));
      }
    expect_near(worst, 3e-5, "multiply");
    for (int r = 0; r < runs; r++) free(in[r]);
    free(weights);
    free(bias);
    free(out);
  }
}

/// depthwise: rows, maxima or both, of any width; what it stores beyond an odd width does not count.
static void test_depthwise(const fused_kernels *kernels) {
  const int vector = kernels->vector_length;
  for (int round = 0; round < 120; round++) {
    const int channels = vector * random_between(1, 5);
    const int width = random_between(1, 30);
    const int even = (width + 1) / 2 * 2;
    const int rows = round % 3 != 0;
    const int pooled = round % 3 != 1;
    const fused_activation activation = random_between(0, 1) ? FUSED_ACTIVATION_RELU : FUSED_ACTIVATION_NONE;
    float *in[4];
    for (int r = 0; r < 4; r++) in[r] = random_floats((size_t)((even + 2) * channels), 1);
    float *weights = random_floats((size_t)(channels * 10), 1);
    float *out[2] = {NULL, NULL};
    float *maxima = pooled ? floats((size_t)(even / 2 * channels)) : NULL;
    for (int r = 0; r < 2 && rows; r++) out[r] = floats((size_t)(even * channels));
    kernels->depthwise((const float *const *)in, channels, width, weights, activation, out, maxima);
    double worst = 0;
    for (int c = 0; c < channels; c++)
      for (int x = 0; x < width; x++) {
        double most = -INFINITY;
        for (int i = 0; i < 4; i++) {
          const float *taps = weights + c / vector * vector * 10 + c % vector;
          double sum = taps[9 * vector];
          for (int t = 0; t < 9; t++)
            sum += (double)taps[t * vector] * in[i / 2 + t / 3][(x + i % 2 + t % 3 - (x % 2)) * channels + c];
          if (activation == FUSED_ACTIVATION_RELU && sum < 0) sum = 0;
          if (rows && i % 2 == x % 2) worst = worse(worst, fabs(out[i / 2][x * channels + c] - sum));
          most = fmax(most, sum);
        }
        if (pooled && x % 2 == 0 && x + 1 < width)
          worst = worse(worst, fabs(maxima[x / 2 * channels + c] - most));
      }
    expect_near(worst, 1e-5, "depthwise");
    for (int r = 0; r < 4; r++) free(in[r]);
    free(weights);
    free(maxima);
    free(out[0]);
    free(out[1]);
  }
}

static void test_add_upsampled(const fused_kernels *kernels) {
  for (int width = 1; width < 12; width++) {
    const int channels = kernels->vector_length * (1 + width % 3);
    float *row = random_floats((size_t)(width * channels), 1);
    float *half = random_floats((size_t)((width + 1) / 2 * channels), 1);
    float *out = floats((size_t)(width * channels));
    kernels->add_upsampled(row, half, channels, width, out);
    for (int i = 0; i < width * channels; i++)
      expect(out[i] == row[i] + half[i / channels / 2 * channels + i % channels], "add_upsampled");
    free(row);
    free(half);
    free(out);
  }
}

static void test_read_pixels(const fused_kernels *kernels) {
  for (int round = 0; round < 40; round++) {
    const int count = 1 + round / 4;
    fused_image image = {.bytes_per_pixel = 3 + round % 2, .reversed = round / 2 % 2};
    for (int c = 0; c < 3; c++) {
      image.mean[c] = random_float() * 100;
      image.scale[c] = random_float();
    }
    const size_t bytes = (size_t)(count * image.bytes_per_pixel);
    uint8_t *row = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) row[i] = (uint8_t)random_bits();
    float *out = floats((size_t)(count * 3 + 1));
    kernels->read_pixels(&image, row, count, out);
    for (int i = 0; i < count * 3; i++) {
      const int c = i % 3;
      const uint8_t byte = row[i / 3 * image.bytes_per_pixel + (image.reversed ? 2 - c : c)];
      expect_near(fabsf(out[i] - ((float)byte - image.mean[c]) * image.scale[c]), 2e-5, "read_pixels");
    }
    free(row);
    free(out);
  }
}

static void test_sigmoid(const fused_kernels *kernels) {
  for (size_t count = 1; count < 70; count++) {
    float *values = floats(count), *out = floats(count);
    for (size_t i = 0; i < count; i++) out[i] = values[i] = random_float() * (i % 7 == 0 ? 200 : 12);
    kernels->sigmoid(out, count);
    for (size_t i = 0; i < count; i++) expect_near(fabsf(out[i] - naive_sigmoid(values[i])), 3e-7, "sigmoid");
    free(values);
    free(out);
  }
}

/// Steps with random weights, of about the size that keeps values as large as they were.
static fused_step random_step(fused_step step) {
  const int unit = step.kind == FUSED_STEP_UNIT;
  const int inputs = unit ? step.in_channels : 27;
  step.weights = random_floats((size_t)(step.out_channels * inputs), 1.5f / sqrtf((float)inputs));
  step.bias = random_floats((size_t)step.out_channels, 0.5f);
  step.depthwise = unit ? random_floats((size_t)step.out_channels * 9, 0.6f) : NULL;
  step.depthwise_bias = unit ? random_floats((size_t)step.out_channels, 0.5f) : NULL;
  return step;
}

static void free_step(const fused_step *step) {
  free((void *)step->weights);
  free((void *)step->bias);
  free((void *)step->depthwise);
  free((void *)step->depthwise_bias);
}

#define RELU FUSED_ACTIVATION_RELU
#define NONE FUSED_ACTIVATION_NONE

/// A network of every kind of link: pooled and not, two that follow one, two sums, channels that fill no vector.
static const fused_step table[] = {
    {FUSED_STEP_STEM, RELU, -1, 0, -1, 3, 16, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 0, 0, -1, 16, 16, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 1, 1, -1, 16, 24, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 2, 0, -1, 24, 64, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, NONE, 3, 1, -1, 64, 64, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 4, 0, -1, 64, 64, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 5, 1, -1, 64, 64, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 5, 0, 6, 64, 64, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 3, 0, 7, 64, 33, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, NONE, 6, 0, -1, 64, 16, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, NONE, 7, 0, -1, 64, 7, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, NONE, 8, 0, -1, 33, 16, 0, 0, 0, 0},
    {FUSED_STEP_UNIT, RELU, 5, 0, -1, 64, 9, 0, 0, 0, 0},
};
enum { STEPS = sizeof table / sizeof *table };
static const fused_output outputs[] = {
    {9, 0, 16, 0}, {10, 2, 5, 1}, {11, 0, 1, 1}, {11, 1, 15, 0}, {12, 0, 9, 0}, {4, 0, 64, 0},
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/// The image as the network should see it.
static planes seen_image(const fused_image *image, int width, int height) {
  planes seen = planes_make(3, height, width);
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < image->height; y++)
      for (int x = 0; x < image->width; x++) {
        const uint8_t *bytes =
            image->pixels ? image->pixels + (size_t)y * image->stride + (size_t)(x * image->bytes_per_pixel) : NULL;
        *planes_at(&seen, c, y, x) = bytes
            ? ((float)bytes[image->reversed ? 2 - c : c] - image->mean[c]) * image->scale[c]
            : image->planes[c][(size_t)y * image->plane_stride + (size_t)x];
      }
  return seen;
}

static void compare(const fused_workspace *workspace, const planes *expected) {
  double worst = 0;
  for (int i = 0; i < OUTPUTS; i++) {
    const fused_map map = fused_workspace_output(workspace, (size_t)i);
    const planes *naive = &expected[outputs[i].step];
    expect(map.width == naive->width && map.height == naive->height && map.channels == outputs[i].channels, "shape");
    for (int c = 0; c < map.channels; c++)
      for (int y = 0; y < map.height; y++)
        for (int x = 0; x < map.width; x++) {
          float value = *planes_at(naive, outputs[i].first_channel + c, y, x);
          if (outputs[i].sigmoid) value = naive_sigmoid(value);
          const float ours = map.values[(size_t)c * map.channel_stride + (size_t)(y * map.width + x)];
          worst = worse(worst, fabs(ours - value) / (1 + fabs(value)));
        }
  }
  expect_near(worst, 1e-4, "a network's output");
}

/// One image of a size, from bytes or floats, by workspaces that had other sizes before.
static void test_size(fused_workspace **workspaces, int count, const fused_step *steps, int width, int height) {
  fused_image image = {
      .width = width - random_between(0, 15), .height = height - random_between(0, 15),
      .bytes_per_pixel = random_between(3, 4), .reversed = random_between(0, 1),
      .mean = {0.5f, 10, -3}, .scale = {1 / 128.f, 1 / 100.f, 1 / 64.f}};
  const int bytes = random_between(0, 1);
  const size_t row = (size_t)(image.width * image.bytes_per_pixel);
  image.stride = row + (size_t)random_between(0, 9);
  // Ends with the last row's last pixel.
  const size_t size = image.stride * (size_t)(image.height - 1) + row;
  uint8_t *pixels = malloc(size);
  for (size_t i = 0; i < size; i++) pixels[i] = (uint8_t)random_bits();
  image.plane_stride = (size_t)image.width;
  float *plane = random_floats((size_t)(image.width * image.height), 1);
  for (int c = 0; c < 3; c++) image.planes[c] = plane;
  image.pixels = bytes ? pixels : NULL;

  planes seen = seen_image(&image, width, height);
  planes expected[STEPS];
  naive_network(&seen, steps, STEPS, expected);
  for (int i = 0; i < count; i++) {
    expect(fused_workspace_resize(workspaces[i], width, height) == 0, "a size is taken");
    // Twice: nothing of a run may be left for the next.
    for (int again = 0; again < 2; again++) {
      expect(fused_workspace_run(workspaces[i], &image) == 0, "an image is taken");
      compare(workspaces[i], expected);
    }
  }
  for (int i = 0; i < STEPS; i++) free(expected[i].values);
  free(seen.values);
  free(plane);
  free(pixels);
}

static void test_networks(const fused_kernels *kernels) {
  fused_step steps[STEPS];
  for (int i = 0; i < STEPS; i++) steps[i] = random_step(table[i]);
  fused_network *network = NULL;
  expect(fused_network_create_with(kernels, steps, STEPS, outputs, OUTPUTS, &network) == 0, "the table is taken");
  expect(fused_network_multiple(network) == 16, "sides are multiples of 16");
  enum { WORKSPACES = 4 };
  static const int threads[WORKSPACES] = {1, 2, 3, 5};
  fused_workspace *workspaces[WORKSPACES];
  for (int i = 0; i < WORKSPACES; i++)
    expect(fused_workspace_create(network, threads[i], &workspaces[i]) == 0, "a workspace is made");
  static const int sizes[][2] = {{16, 16}, {160, 96}, {16, 112}, {112, 16}, {32, 48}, {176, 80}, {48, 208}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    test_size(workspaces, WORKSPACES, steps, sizes[i][0], sizes[i][1]);

  static const int refused[][2] = {{0, 16}, {16, 0}, {-16, 16}, {24, 16}, {16, 16400}, {1 << 30, 1 << 30}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    expect(fused_workspace_resize(workspaces[0], refused[i][0], refused[i][1]) != 0, "an absurd size is refused");
  // And the last good one still holds.
  const float nothing = 0;
  const fused_image too_large = {.width = 49, .height = 208, .planes = {&nothing, &nothing, &nothing}};
  expect(fused_workspace_run(workspaces[0], &too_large) != 0, "an image larger than the size is refused");
  const fused_image empty = {.width = 16, .height = 16};
  expect(fused_workspace_run(workspaces[0], &empty) != 0, "an image without pixels is refused");
  for (int i = 0; i < WORKSPACES; i++) fused_workspace_destroy(workspaces[i]);
  fused_network_destroy(network);
  for (int i = 0; i < STEPS; i++) free_step(&steps[i]);
}

/// Tables that are wrong in one place.
static void test_refused_tables(const fused_kernels *kernels) {
  fused_step steps[STEPS];
  for (int i = 0; i < STEPS; i++) steps[i] = random_step(table[i]);
#define REFUSED(change, restore)                                                                            \
  do {                                                                                                      \
    fused_network *network = NULL;                                                                          \
    change;                                                                                                 \
    expect(fused_network_create_with(kernels, steps, STEPS, outputs, OUTPUTS, &network) != 0, #change);     \
    expect(network == NULL, "nothing is made");                                                             \
    restore;                                                                                                \
  } while (0)
  REFUSED(steps[3].source = 3, steps[3].source = 2);
  REFUSED(steps[3].source = -1, steps[3].source = 2);
  REFUSED(steps[3].in_channels = 16, steps[3].in_channels = 24);
  REFUSED(steps[3].out_channels = 1 << 20, steps[3].out_channels = 64);
  REFUSED(steps[3].out_channels = 0, steps[3].out_channels = 64);
  REFUSED(steps[3].kind = FUSED_STEP_STEM, steps[3].kind = FUSED_STEP_UNIT);
  REFUSED(steps[1].source_pooled = 1, steps[1].source_pooled = 0);
  REFUSED(steps[7].upsampled = 9, steps[7].upsampled = 6);
  REFUSED(steps[7].upsampled = 4, steps[7].upsampled = 6);
  const float *kept = steps[5].depthwise;
  REFUSED(steps[5].depthwise = NULL, steps[5].depthwise = kept);
#undef REFUSED
  for (int i = 0; i < STEPS; i++) free_step(&steps[i]);
}

static void test(const fused_kernels *kernels) {
  const int before = failures;
  subject = kernels->name;
  random_state = 7;
  test_multiply(kernels);
  test_depthwise(kernels);
  test_add_upsampled(kernels);
  test_read_pixels(kernels);
  test_sigmoid(kernels);
  test_networks(kernels);
  test_refused_tables(kernels);
  printf("kernels: %s: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
}

int main(void) {
  static const fused_instructions all[] = {
      FUSED_INSTRUCTIONS_PORTABLE, FUSED_INSTRUCTIONS_AVX2, FUSED_INSTRUCTIONS_AVX512, FUSED_INSTRUCTIONS_NEON};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (fused_has_instructions(all[i])) test(fused_kernels_for(all[i]));
  test(&fused_kernels_wide);
  return failures != 0;
}
