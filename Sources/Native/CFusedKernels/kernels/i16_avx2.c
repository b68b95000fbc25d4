/// 16-bit integers with AVX2: a dot product is two instructions.
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)

#define VECTOR_LENGTH 8
#define REGISTERS 16
#define PREFIX _mm256_
#define KERNELS fused_i16_kernels_avx2
#define NAME "AVX2"
#include "i16_x86.h"

#include "i16_kernels.h"

#pragma clang attribute pop

#endif
