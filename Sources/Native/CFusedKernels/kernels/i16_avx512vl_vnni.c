/// 16-bit integers with AVX-512 VNNI's dot products in vectors of 256 bits, for layers with few channels.
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), \
                             apply_to = function)

#define VECTOR_LENGTH 8
#define REGISTERS 32
#define PREFIX _mm256_
#define DOT "vpdpwssd"
#define KERNELS fused_i16_kernels_avx512vl_vnni
#define NAME "AVX-512 VNNI of 256 bits"
#include "i16_x86.h"

#include "i16_kernels.h"

#pragma clang attribute pop

#endif
