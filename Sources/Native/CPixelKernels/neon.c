/// NEON for every 64-bit ARM processor.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

#define PIXELS 1
#define KERNELS pixel_kernels_neon
#define NAME "NEON"

typedef uint8x16_t vector;

INLINE vector load_pattern(const void *from) { return vld1q_u8(from); }
INLINE vector load_windows(const uint8_t *from, const int32_t *offsets) { return vld1q_u8(from + offsets[0]); }
INLINE vector load_corners(const uint8_t *const corners[PIXELS], ptrdiff_t stride)
{
  return vcombine_u8(vld1_u8(corners[0]), vld1_u8(corners[0] + stride));
}
INLINE vector load_pairs(const int16_t *from)
{
  int32_t pair;
  memcpy(&pair, from, sizeof pair);
  return vreinterpretq_u8_s32(vdupq_n_s32(pair));
}
INLINE vector shuffle(vector v, vector pattern) { return vqtbl1q_u8(v, pattern); }
INLINE vector add_products(vector sum, vector a, vector b)
{
  const int16x8_t left = vreinterpretq_s16_u8(a), right = vreinterpretq_s16_u8(b);
  const int32x4_t low = vmull_s16(vget_low_s16(left), vget_low_s16(right)), high = vmull_high_s16(left, right);
  return vreinterpretq_u8_s32(vaddq_s32(vreinterpretq_s32_u8(sum), vpaddq_s32(low, high)));
}
INLINE vector pack(const vector v[4])
{
  const uint16x8_t low = vcombine_u16(vshrn_n_u32(vreinterpretq_u32_u8(v[0]), SUM_SHIFT),
                                      vshrn_n_u32(vreinterpretq_u32_u8(v[1]), SUM_SHIFT));
  const uint16x8_t high = vcombine_u16(vshrn_n_u32(vreinterpretq_u32_u8(v[2]), SUM_SHIFT),
                                       vshrn_n_u32(vreinterpretq_u32_u8(v[3]), SUM_SHIFT));
  return vcombine_u8(vmovn_u16(low), vmovn_u16(high));
}
INLINE void store(void *to, vector v) { vst1q_u8(to, v); }

#include "vector_kernels.h"

#endif
