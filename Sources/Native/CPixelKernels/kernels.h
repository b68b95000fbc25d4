/// The kernels of every instruction set, and their parts in plain C, which the compiler vectorises.
#pragma once

#include <stdbool.h>
#include <string.h>

#include "CPixelKernels.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 4")

extern const pixel_kernels pixel_kernels_portable;
#if defined(__x86_64__)
extern const pixel_kernels pixel_kernels_sse41;
extern const pixel_kernels pixel_kernels_avx2;
extern const pixel_kernels pixel_kernels_avx512;
#elif defined(__aarch64__)
extern const pixel_kernels pixel_kernels_neon;
#endif

enum {
  ROUNDING = 128,
  SUM_SHIFT = 8,
  OPAQUE = 255,
  /// Columns whose sums are kept while rows are added, and positions that are prepared together.
  MIXED_TOGETHER = 512,
  CACHE_LINE = 64,
  SAMPLED_TOGETHER = 64,
};
