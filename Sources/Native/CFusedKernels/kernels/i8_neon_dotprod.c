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

INLINE uint8x16_t dot(uint8x16_t sum, uint8x16_t u, uint8x16_t s) {
  return vreinterpretq_u8_s32(
      vdotq_s32(vreinterpretq_s32_u8(sum), vreinterpretq_s8_u8(u), vreinterpretq_s8_u8(s)));
}

#include "i8_neon.h"
#include "i8_kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
