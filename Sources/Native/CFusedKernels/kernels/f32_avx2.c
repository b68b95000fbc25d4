/// AVX2 with fused multiply-add: Intel since 2013, AMD since 2015 (Excavator) and 2017 (Zen).
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)

#define VECTOR_LENGTH 8
#define REGISTERS 16
#define MAXIMUM(a, b) ((vector)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define KERNELS fused_kernels_avx2
#define NAME "AVX2"
#include "f32_kernels.h"

#pragma clang attribute pop

#endif
