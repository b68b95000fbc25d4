/// The kernels in plain C for any processor; they also define the results of the others.
#include "kernels.h"
#include "shared_kernels.h"

INLINE void narrow_any(const pixel_narrowing *narrowing, const int bytes)
{
  for (int column = 0; column < narrowing->width; column++) {
    const uint8_t *from = narrowing->row + narrowing->firsts[column];
    const uint32_t rounding = (uint32_t)narrowing->rounding;
    uint32_t sums[4] = {rounding, rounding, rounding, bytes == 4 ? rounding : OPAQUE << SUM_SHIFT};
    const int16_t *weights = narrowing->weights + (ptrdiff_t)column * 2;
    for (int tap = 0; tap < narrowing->taps; tap += 2, from += 2 * bytes, weights += (ptrdiff_t)narrowing->columns * 2)
      UNROLL for (int byte = 0; byte < bytes; byte++) sums[byte] +=
          (uint32_t)(from[byte] * weights[0] + from[bytes + byte] * weights[1]);
    uint8_t *const out = narrowing->out + (ptrdiff_t)column * 4;
    UNROLL for (int byte = 0; byte < 4; byte++) out[byte] =
        (uint8_t)(sums[narrowing->reversed && byte < 3 ? 2 - byte : byte] >> SUM_SHIFT);
  }
}

static void narrow(const pixel_narrowing *narrowing)
{
  if (narrowing->bytes_per_pixel == 4)
    narrow_any(narrowing, 4);
  else
    narrow_any(narrowing, 3);
}

static void sample(const pixel_sampling *sampling)
{
  for (int begin = 0; begin < sampling->count; begin += SAMPLED_TOGETHER) {
    const int count = sampling->count - begin < SAMPLED_TOGETHER ? sampling->count - begin : SAMPLED_TOGETHER;
    sample_places places;
    prepare_places(sampling, begin, &places);
    for (int i = 0; i < count; i++) {
      const uint8_t *const upper = upper_left(sampling, &places, i), *const lower = upper + sampling->stride;
      const int16_t *const left = places.left + 2 * i, *const right = places.right + 2 * i;
      for (int byte = 0; byte < 4; byte++)
        sampling->out[(ptrdiff_t)(begin + i) * 4 + byte] =
            (uint8_t)((upper[byte] * left[0] + lower[byte] * left[1] + upper[byte + 4] * right[0] +
                       lower[byte + 4] * right[1] + ROUNDING) >>
                      SUM_SHIFT);
    }
  }
}

const pixel_kernels pixel_kernels_portable = {.name = "portable", .mix = mix, .narrow = narrow, .sample = sample};
