/// Advanced SIMD, which every 64-bit ARM processor has.
#if defined(__aarch64__)

#include <arm_neon.h>

#define VECTOR_LENGTH 4
#define REGISTERS 32
#define MAXIMUM(a, b) ((vector)vmaxq_f32((float32x4_t)(a), (float32x4_t)(b)))
#define KERNELS fused_kernels_neon
#define NAME "NEON"
#include "f32_kernels.h"

#endif
