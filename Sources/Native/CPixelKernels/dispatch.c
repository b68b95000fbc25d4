/// Selects the kernels for this processor.
#include "kernels.h"

const pixel_kernels *pixel_kernels_for(pixel_instructions instructions)
{
  switch (instructions) {
  case PIXEL_INSTRUCTIONS_PORTABLE: return &pixel_kernels_portable;
#if defined(__x86_64__)
  // The compiler's own test also checks whether the system saves the wide registers.
  case PIXEL_INSTRUCTIONS_SSE41: return __builtin_cpu_supports("sse4.1") ? &pixel_kernels_sse41 : NULL;
  case PIXEL_INSTRUCTIONS_AVX2: return __builtin_cpu_supports("avx2") ? &pixel_kernels_avx2 : NULL;
  case PIXEL_INSTRUCTIONS_AVX512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? &pixel_kernels_avx512
               : NULL;
#elif defined(__aarch64__)
  case PIXEL_INSTRUCTIONS_NEON: return &pixel_kernels_neon;
#endif
  default: return NULL;
  }
}

pixel_kernels pixel_kernels_best(void)
{
  static const pixel_instructions fastest_first[] = {PIXEL_INSTRUCTIONS_AVX512, PIXEL_INSTRUCTIONS_AVX2,
                                                     PIXEL_INSTRUCTIONS_SSE41, PIXEL_INSTRUCTIONS_NEON};
  for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++) {
    const pixel_kernels *kernels = pixel_kernels_for(fastest_first[i]);
    if (kernels) return *kernels;
  }
  return pixel_kernels_portable;
}
