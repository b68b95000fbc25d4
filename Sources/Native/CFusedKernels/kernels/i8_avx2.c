/// AVX2: a dot product is three instructions.
#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define PIXELS 2
#define REGISTERS 16
#define ADDS_16_BITS 1
#define BROADCASTS 1
#define HAS_DOT 0
#define KERNELS fused_i8_kernels_avx2
#define NAME "AVX2"
#define PREFIX _mm256_
#define SUFFIX si256

typedef __m256i vector;

#include "i8_x86.h"
#include "i8_avx2.h"

#include "i8_kernels.h"

#pragma clang attribute pop

#endif
