/// Compares the kernels for pixels with their definition, bit by bit.
#include <stdio.h>
#include <string.h>

#include "CPixelKernels.h"
#include "random.h"
#include "test.h"

/// Memory of exactly this many bytes, so that the address sanitizer notices an access to the next one.
static uint8_t *random_bytes(size_t count)
{
  uint8_t *bytes = malloc(count);
  for (size_t i = 0; i < count; i++)
    bytes[i] = random_bits() % 8 ? (uint8_t)random_bits() : random_bits() & 1 ? 255 : 0;
  return bytes;
}

/// `count` numbers that sum to 256; some are 0, and often one is all.
static void random_weights(int count, int *weights)
{
  int left = 256;
  for (int i = 0; i < count; i++) {
    weights[i] = i == count - 1 ? left : random_bits() % 4 ? random_between(0, left) : 0;
    left -= weights[i];
  }
}

static void test_mix(const pixel_kernels *kernels)
{
  for (int round = 0; round < 400; round++) {
    const int rows = random_between(1, 9), stride = random_between(-1, 1) * 3000, bytes = random_between(1, 2900);
    int weights[9];
    uint16_t given[9];
    random_weights(rows, weights);
    for (int i = 0; i < rows; i++) given[i] = (uint16_t)weights[i];
    uint8_t *pixels = random_bytes((size_t)(abs(stride) * (rows - 1) + bytes)), *out = malloc((size_t)bytes);
    const uint8_t *first = stride < 0 ? pixels - stride * (rows - 1) : pixels;
    kernels->mix(&(pixel_mix){first, stride, rows, given, (size_t)bytes, out, first, random_between(0, rows)});
    int differ = 0;
    for (int i = 0; i < bytes; i++) {
      int sum = 128;
      for (int row = 0; row < rows; row++) sum += first[row * stride + i] * weights[row];
      differ += out[i] != sum / 256;
    }
    expect(differ == 0, "mix gives the weighed sum of rows");
    free(pixels);
    free(out);
  }
}

static void test_narrow(const pixel_kernels *kernels)
{
  for (int round = 0; round < 400; round++) {
    const int bytes = random_between(3, 4), reversed = random_between(0, 1), width = random_between(1, 90);
    const int alike = random_between(0, 1);
    const int rounding = round % 3 ? 128 : random_between(0, 255);
    const int most = (int[]){1, 2, 3, 4, 7, 8, 12}[random_between(0, 6)], taps = most <= 2 ? 2 : (most + 3) / 4 * 4;
    const int columns = (width + PIXEL_GROUP - 1) / PIXEL_GROUP * PIXEL_GROUP, pixels = random_between(most, 400);
    int32_t *firsts = malloc((size_t)columns * sizeof *firsts);
    int16_t *weights = calloc((size_t)(taps * columns), sizeof *weights);
    int own[12];
    for (int column = 0; column < columns; column++) {
      if (!alike || column == 0) random_weights(most, own);
      // The last taps of the last pixels have no weight and lie behind the row.
      firsts[column] = random_between(0, pixels - most) * bytes;
      for (int tap = 0; tap < most; tap++) weights[(tap / 2 * columns + column) * 2 + tap % 2] = (int16_t)own[tap];
    }
    uint8_t *row = random_bytes((size_t)(pixels * bytes) + PIXEL_ROOM), *out = malloc((size_t)width * 4);
    kernels->narrow(
        &(pixel_narrowing){row, bytes, reversed, rounding, width, taps, firsts, weights, alike, columns, out});
    int differ = 0;
    for (int column = 0; column < width; column++)
      for (int byte = 0; byte < 4; byte++) {
        const int from = reversed && byte < 3 ? 2 - byte : byte;
        int sum = rounding;
        for (int tap = 0; tap < most; tap++)
          sum += row[firsts[column] + tap * bytes + from] * weights[(tap / 2 * columns + column) * 2 + tap % 2];
        differ += out[column * 4 + byte] != (from < bytes ? sum / 256 : 255);
      }
    expect(differ == 0, "narrow gives the weighed sum of neighbours");
    free(firsts);
    free(weights);
    free(row);
    free(out);
  }
}

static int64_t clamped(int64_t value, int64_t most) { return value < 0 ? 0 : value < most ? value : most; }

static void test_sample(const pixel_kernels *kernels)
{
  for (int round = 0; round < 400; round++) {
    const int width = random_between(2, 70), height = random_between(2, 40), stride = width * 4 + random_between(0, 9);
    const int count = random_between(1, 200), far = round % 8 == 0;
    uint8_t *source = random_bytes((size_t)(stride * (height - 1) + width * 4)), *out = malloc((size_t)count * 4);
    const int most = far ? 1 << 29 : 1 << 17;
    const pixel_sampling sampling = {source,
                                     stride,
                                     width,
                                     height,
                                     random_between(-(20 << 16), 90 << 16) +
                                         (far ? random_between(-9, 9) * ((int64_t)1 << 42) : 0),
                                     random_between(-(20 << 16), 60 << 16),
                                     random_between(-most, most),
                                     random_between(-most, most),
                                     count,
                                     out};
    kernels->sample(&sampling);
    int differ = 0;
    for (int i = 0; i < count; i++) {
      const int64_t x = clamped(sampling.x + i * sampling.step_x, (int64_t)(width - 1) << 16);
      const int64_t y = clamped(sampling.y + i * sampling.step_y, (int64_t)(height - 1) << 16);
      const int left = (int)(x >> 16), top = (int)(y >> 16);
      const int right = left + (left < width - 1), bottom = top + (top < height - 1);
      const int across = (int)(x >> 8 & 255), down = (int)(y >> 8 & 255), both = (across * down + 128) >> 8;
      for (int byte = 0; byte < 4; byte++) {
#define AT(column, row) source[(row)*stride + (column)*4 + byte]
        const int sum = AT(left, top) * (256 - across - down + both) + AT(right, top) * (across - both) +
                        AT(left, bottom) * (down - both) + AT(right, bottom) * both;
        differ += out[i * 4 + byte] != (sum + 128) / 256;
      }
    }
    expect(differ == 0, "sample gives the mean of the four pixels around");
    free(source);
    free(out);
  }
}

static const struct {
  pixel_instructions instructions;
  const char *name;
} all[] = {
    {PIXEL_INSTRUCTIONS_PORTABLE, "portable"},
#if defined(__aarch64__)
    {PIXEL_INSTRUCTIONS_NEON, "NEON"},
#else
    {PIXEL_INSTRUCTIONS_SSE41, "SSE4.1"},
    {PIXEL_INSTRUCTIONS_AVX2, "AVX2"},
    {PIXEL_INSTRUCTIONS_AVX512, "AVX-512"},
#endif
};

void test_pixels(void)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const pixel_kernels *kernels = pixel_kernels_for(all[i].instructions);
    if (!kernels) {
      fprintf(stderr, "kernels: pixels with %s were NOT tested: this processor does not have it\n", all[i].name);
      continue;
    }
    const int before = failures;
    subject = kernels->name;
    random_state = 5;
    test_mix(kernels);
    test_narrow(kernels);
    test_sample(kernels);
    printf("kernels: pixels, %s: %s\n", kernels->name, failures == before ? "ok" : "FAILED");
  }
}
