#include "networks.h"

#include <math.h>
#include <string.h>

#include "random.h"

struct numbers numbers;

int32_t add_numbers(int count)
{
  const size_t first = numbers.count;
  numbers.count += (size_t)count;
  numbers.values = realloc(numbers.values, numbers.count * sizeof(float));
  if (!numbers.values) abort();
  return (int32_t)first;
}

void free_numbers(void)
{
  free(numbers.values);
  numbers = (struct numbers){0};
}

static int make(kernel_set kernels, const fused_layer_table *table, fused_network **network)
{
  return fused_network_create_with(kernels.floats, kernels.i16, kernels.i8, table, network);
}

void expect_refused(kernel_set kernels, const fused_layer_table *table, const char *what)
{
  fused_network *network = NULL;
  expect(make(kernels, table, &network) != 0, what);
  expect(network == NULL, "nothing is made");
}

typedef enum { NOISE, SMOOTH, EXTREMES } image_kind;

static uint8_t random_pixel(image_kind kind, int x, int y, int c)
{
  switch (kind) {
  case NOISE: return (uint8_t)random_bits();
  case SMOOTH: return (uint8_t)((x * 3 + y * 2 + c * 40) / 2 % 256 * 15 / 16 + random_between(0, 15));
  default: return random_bits() & 1 ? 255 : 0;
  }
}

/// An image for an input of this size, of so many bytes a pixel or of floats; its buffer ends with its last pixel.
static fused_image random_image(const network_test *test, int width, int height, image_kind kind, int bytes)
{
  fused_image image = {.width = test->fills ? width : width - random_between(0, 15),
                       .height = test->fills ? height : height - random_between(0, height / 2),
                       .bytes_per_pixel = bytes ? bytes : 4,
                       .reversed = random_between(0, 1),
                       .scale = {1, 1, 1}};
  if (!test->may_be_plain || random_between(0, 1)) {
    memcpy(image.mean, test->mean, sizeof image.mean);
    memcpy(image.scale, test->scale, sizeof image.scale);
  }
  const size_t row = (size_t)(image.width * image.bytes_per_pixel);
  image.stride = row + (size_t)random_between(0, 9);
  image.plane_stride = (size_t)image.width;
  if (bytes) {
    const size_t size = image.stride * (size_t)(image.height - 1) + row;
    uint8_t *pixels = malloc(size);
    for (size_t i = 0; i < size; i++) {
      const int at = (int)(i % image.stride);
      pixels[i] = random_pixel(kind, at / bytes, (int)(i / image.stride), at % bytes);
    }
    image.pixels = pixels;
  } else {
    float *plane = random_floats((size_t)(image.width * image.height), test->largest);
    for (int i = 0; i < test->specials; i++) plane[i] = i ? INFINITY : NAN;
    for (int c = 0; c < 3; c++) image.planes[c] = plane;
  }
  return image;
}

/// What the network should see.
static planes seen_image(const network_test *test, const fused_image *image, int width, int height)
{
  planes seen = planes_make(3, height, width);
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < image->height; y++)
      for (int x = 0; x < image->width; x++) {
        const uint8_t *pixel =
            image->pixels ? image->pixels + (size_t)y * image->stride + (size_t)(x * image->bytes_per_pixel) : NULL;
        const float value = pixel ? ((float)pixel[image->reversed ? 2 - c : c] - image->mean[c]) * image->scale[c]
                                  : image->planes[c][(size_t)y * image->plane_stride + (size_t)x];
        *planes_at(&seen, c, y, x) = test->seen ? test->seen(value, test->table->layers[0].shift) : value;
      }
  return seen;
}

static const network_test *current;

void compare(const fused_workspace *workspace, const planes *expected)
{
  for (size_t i = 0; i < current->table->output_count; i++) {
    const fused_output *output = &current->table->outputs[i];
    const fused_map map = fused_workspace_output(workspace, i);
    const planes *naive = &expected[output->layer];
    double worst = 0;
    expect(map.width == naive->width && map.height == naive->height && map.channels == output->channels, "shape");
    for (int c = 0; c < map.channels; c++)
      for (int y = 0; y < map.height; y++)
        for (int x = 0; x < map.width; x++) {
          float value = *planes_at(naive, output->first_channel + c, y, x);
          if (output->sigmoid) value = naive_sigmoid(value);
          const float ours = map.values[(size_t)c * map.channel_stride + (size_t)(y * map.width + x)];
          worst = worse(worst, fabs(ours - value) / (1 + fabs(value)));
        }
    expect_near(worst, current->limit, "a network's output");
  }
}

/// One image of a size by workspaces that had other sizes before.
static void test_image(fused_workspace **workspaces, int count, int width, int height, image_kind kind, int bytes)
{
  const fused_image image = random_image(current, width, height, kind, bytes);
  const size_t layers = current->table->layer_count;
  planes seen = seen_image(current, &image, width, height), *expected = calloc(layers, sizeof *expected);
  current->naive(&seen, current->table, expected);
  for (int i = 0; i < count; i++) {
    expect(fused_workspace_resize(workspaces[i], width, height) == 0, "a size is accepted");
    // Runs twice: no state of a run may affect the next.
    for (int again = 0; again < 2; again++) {
      expect(fused_workspace_run(workspaces[i], &image) == 0, "an image is accepted");
      compare(workspaces[i], expected);
    }
  }
  if (bytes == 4 && current->more) current->more(workspaces, count, &image, expected);
  for (size_t i = 0; i < layers; i++) free(expected[i].values);
  free(expected);
  free(seen.values);
  free((void *)image.planes[0]);
  free((void *)image.pixels);
}

void test_network(const network_test *test)
{
  current = test;
  fused_network *network = NULL;
  expect(make(test->kernels, test->table, &network) == 0, "the table is accepted");
  expect(fused_network_format(network) == test->table->layers[0].format, "it has its layers' format");
  enum { WORKSPACES = 4 };
  static const int threads[WORKSPACES] = {1, 2, 3, 5}, bytes[] = {4, 3, 0};
  fused_workspace *workspaces[WORKSPACES];
  for (int i = 0; i < WORKSPACES; i++)
    expect(fused_workspace_create(network, threads[i], &workspaces[i]) == 0, "a workspace is made");
  for (size_t i = 0; i < test->size_count; i++)
    for (int kind = 0; kind < test->kinds; kind++)
      test_image(workspaces, WORKSPACES, test->sizes[i][0], test->sizes[i][1], (image_kind)kind,
                 bytes[(i + (size_t)kind) % 3]);
  for (int i = 0; i < WORKSPACES; i++) fused_workspace_destroy(workspaces[i]);
  fused_network_destroy(network);
}
