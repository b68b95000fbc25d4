/// AVX-VNNI: Intel since 2021 (Alder Lake, N100), AMD since 2024 (Zen 5).
#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("avx2,avxvnni"))), apply_to = function)

#define PIXELS 2
#define REGISTERS 16
#define ADDS_16_BITS 0
#define HAS_DOT 1
#define KERNELS fused_i8_kernels_avx_vnni
#define NAME "AVX-VNNI"
#define PREFIX _mm256_
#define SUFFIX si256

typedef __m256i vector;

INLINE vector dot(vector sum, vector u, vector s) { return _mm256_dpbusd_avx_epi32(sum, u, s); }

#include "i8_x86.h"
#include "i8_avx2.h"

#include "i8_kernels.h"

#pragma clang attribute pop

#endif
