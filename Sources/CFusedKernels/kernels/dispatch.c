#include "kernels.h"

static const fused_kernels *best(void) {
  static const fused_instructions fastest_first[] = {
      FUSED_INSTRUCTIONS_AVX512, FUSED_INSTRUCTIONS_AVX2, FUSED_INSTRUCTIONS_NEON};
  for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++) {
    const fused_kernels *kernels = fused_kernels_for(fastest_first[i]);
    if (kernels) return kernels;
  }
  return &fused_kernels_portable;
}

const fused_kernels *fused_kernels_for(fused_instructions instructions) {
  switch (instructions) {
    case FUSED_INSTRUCTIONS_BEST: return best();
    case FUSED_INSTRUCTIONS_PORTABLE: return &fused_kernels_portable;
#if defined(__x86_64__)
    // The compiler's own test also asks whether the system saves the wide registers.
    case FUSED_INSTRUCTIONS_AVX2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &fused_kernels_avx2 : NULL;
    case FUSED_INSTRUCTIONS_AVX512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
          ? &fused_kernels_avx512
          : NULL;
#elif defined(__aarch64__)
    case FUSED_INSTRUCTIONS_NEON: return &fused_kernels_neon;
#endif
    default: return NULL;
  }
}

int fused_has_instructions(fused_instructions instructions) { return fused_kernels_for(instructions) != NULL; }
