/// 16-bit integers with AVX-VNNI, which i8_avx_vnni.c names the processors of.
#if defined(__x86_64__)

#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2,fma,avxvnni"))), apply_to = function)

#define VECTOR_LENGTH 8
#define REGISTERS 16
#define PREFIX _mm256_
// The assembler would otherwise encode the instruction of AVX-512, which these processors lack.
#define DOT "%{vex%} vpdpwssd"
#define KERNELS fused_i16_kernels_avx_vnni
#define NAME "AVX-VNNI"
#include "i16_x86.h"

#include "i16_kernels.h"

#pragma clang attribute pop

#endif
