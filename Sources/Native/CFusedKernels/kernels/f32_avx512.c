/// AVX-512 as in Skylake servers and all later processors with AVX-512.
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))), \
                             apply_to = function)

#define VECTOR_LENGTH 16
#define REGISTERS 32
#define MAXIMUM(a, b) ((vector)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define KERNELS fused_kernels_avx512
#define NAME "AVX-512"
#define NARROWER (&fused_kernels_avx2)
#include "f32_kernels.h"

#pragma clang attribute pop

#endif
