/// NEON with SDOT: ARM's cores since 2018 (Cortex-A55 and A76, Raspberry Pi 5), Apple's since 2020.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

#define KERNELS fused_i8_kernels_neon_dotprod
#define NAME "NEON SDOT"

INLINE uint8x16_t dot(uint8x16_t sum, uint8x16_t u, uint8x16_t s)
{
  return vreinterpretq_u8_s32(vdotq_s32(vreinterpretq_s32_u8(sum), vreinterpretq_s8_u8(u), vreinterpretq_s8_u8(s)));
}

INLINE uint8x16_t dot_element(uint8x16_t sum, uint8x16_t u, const int k, uint8x16_t s)
{
  const int32x4_t sums = vreinterpretq_s32_u8(sum);
  const int8x16_t a = vreinterpretq_s8_u8(s), b = vreinterpretq_s8_u8(u);
  switch (k) {
  case 0: return vreinterpretq_u8_s32(vdotq_laneq_s32(sums, a, b, 0));
  case 1: return vreinterpretq_u8_s32(vdotq_laneq_s32(sums, a, b, 1));
  case 2: return vreinterpretq_u8_s32(vdotq_laneq_s32(sums, a, b, 2));
  default: return vreinterpretq_u8_s32(vdotq_laneq_s32(sums, a, b, 3));
  }
}

#define BY_ELEMENT 1
#include "i8_neon.h"
#include "i8_kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
