/// 16-bit integers with AVX-512: a dot product is two instructions.
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))), \
                             apply_to = function)

#define VECTOR_LENGTH 16
#define REGISTERS 32
#define PREFIX _mm512_
#define NARROWER (&fused_i16_kernels_avx2)
#define KERNELS fused_i16_kernels_avx512
#define NAME "AVX-512"
#include "i16_x86.h"

#include "i16_kernels.h"

#pragma clang attribute pop

#endif
