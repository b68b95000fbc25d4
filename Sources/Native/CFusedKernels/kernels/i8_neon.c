/// NEON for every 64-bit ARM processor: a dot product takes four instructions.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

#define KERNELS fused_i8_kernels_neon
#define NAME "NEON"

/// The sum of two products of bytes up to 127 and weights fits 16 bits.
INLINE uint8x16_t dot(uint8x16_t sum, uint8x16_t u, uint8x16_t s)
{
  const int8x16_t a = vreinterpretq_s8_u8(u), b = vreinterpretq_s8_u8(s);
  const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
  const int16x8_t high = vmull_high_s8(a, b);
  return vreinterpretq_u8_s32(vpadalq_s16(vreinterpretq_s32_u8(sum), vpaddq_s16(low, high)));
}

#include "i8_neon.h"
#include "i8_kernels.h"

#endif
