/// Selects the kernels for this processor.
#include "kernels.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define HAS_DOTPROD ((getauxval(AT_HWCAP) & (1 << 20)) != 0) // HWCAP_ASIMDDP
#else
#define HAS_DOTPROD 0
#endif

static const fused_instructions fastest_first[] = {FUSED_INSTRUCTIONS_AVX512_VNNI, FUSED_INSTRUCTIONS_AVX512,
                                                   FUSED_INSTRUCTIONS_AVX_VNNI,    FUSED_INSTRUCTIONS_AVX2,
                                                   FUSED_INSTRUCTIONS_SSE41,       FUSED_INSTRUCTIONS_NEON_DOTPROD,
                                                   FUSED_INSTRUCTIONS_NEON,        FUSED_INSTRUCTIONS_PORTABLE};

int fused_has_instructions(fused_instructions instructions)
{
  switch (instructions) {
  case FUSED_INSTRUCTIONS_BEST:
  case FUSED_INSTRUCTIONS_PORTABLE: return 1;
#if defined(__x86_64__)
  // The compiler's own test also checks whether the system saves the wide registers.
  case FUSED_INSTRUCTIONS_SSE41: return __builtin_cpu_supports("sse4.1") != 0;
  case FUSED_INSTRUCTIONS_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case FUSED_INSTRUCTIONS_AVX_VNNI:
    return fused_has_instructions(FUSED_INSTRUCTIONS_AVX2) && __builtin_cpu_supports("avxvnni");
  case FUSED_INSTRUCTIONS_AVX512:
    return fused_has_instructions(FUSED_INSTRUCTIONS_AVX2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
  case FUSED_INSTRUCTIONS_AVX512_VNNI:
    return fused_has_instructions(FUSED_INSTRUCTIONS_AVX512) && __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__)
  case FUSED_INSTRUCTIONS_NEON: return 1;
  case FUSED_INSTRUCTIONS_NEON_DOTPROD: return HAS_DOTPROD;
#endif
  default: return 0;
  }
}

static fused_instructions best(void)
{
  for (size_t i = 0; i < sizeof fastest_first / sizeof *fastest_first; i++)
    if (fused_has_instructions(fastest_first[i])) return fastest_first[i];
  return FUSED_INSTRUCTIONS_PORTABLE;
}

const fused_kernels *fused_kernels_for(fused_instructions instructions)
{
  if (!fused_has_instructions(instructions)) return NULL;
  switch (instructions == FUSED_INSTRUCTIONS_BEST ? best() : instructions) {
#if defined(__x86_64__)
  case FUSED_INSTRUCTIONS_AVX2:
  case FUSED_INSTRUCTIONS_AVX_VNNI: return &fused_kernels_avx2;
  case FUSED_INSTRUCTIONS_AVX512:
  case FUSED_INSTRUCTIONS_AVX512_VNNI: return &fused_kernels_avx512;
#elif defined(__aarch64__)
  case FUSED_INSTRUCTIONS_NEON:
  case FUSED_INSTRUCTIONS_NEON_DOTPROD: return &fused_kernels_neon;
#endif
  default: return &fused_kernels_portable;
  }
}

const fused_kernels *fused_i16_kernels_for(fused_instructions instructions)
{
  if (!fused_has_instructions(instructions)) return NULL;
#if defined(__aarch64__)
  // SMLAL multiplies 4 pairs a cycle on Cortex-A76 and its relatives, FMLA 8 floats.
  if (instructions == FUSED_INSTRUCTIONS_BEST) return NULL;
#endif
  switch (instructions == FUSED_INSTRUCTIONS_BEST ? best() : instructions) {
#if defined(__x86_64__)
  case FUSED_INSTRUCTIONS_AVX2: return &fused_i16_kernels_avx2;
  case FUSED_INSTRUCTIONS_AVX_VNNI: return &fused_i16_kernels_avx_vnni;
  case FUSED_INSTRUCTIONS_AVX512: return &fused_i16_kernels_avx512;
  case FUSED_INSTRUCTIONS_AVX512_VNNI: return &fused_i16_kernels_avx512_vnni;
#elif defined(__aarch64__)
  case FUSED_INSTRUCTIONS_NEON:
  case FUSED_INSTRUCTIONS_NEON_DOTPROD: return &fused_i16_kernels_neon;
#endif
  default:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return &fused_i16_kernels_portable;
#else
    return NULL;
#endif
  }
}

const fused_i8_kernels *fused_i8_kernels_for(fused_instructions instructions)
{
  if (!fused_has_instructions(instructions)) return NULL;
  switch (instructions == FUSED_INSTRUCTIONS_BEST ? best() : instructions) {
#if defined(__x86_64__)
  case FUSED_INSTRUCTIONS_SSE41: return &fused_i8_kernels_sse41;
  case FUSED_INSTRUCTIONS_AVX2:
  case FUSED_INSTRUCTIONS_AVX512: return &fused_i8_kernels_avx2;
  case FUSED_INSTRUCTIONS_AVX_VNNI: return &fused_i8_kernels_avx_vnni;
  case FUSED_INSTRUCTIONS_AVX512_VNNI: return &fused_i8_kernels_avx512_vnni;
#elif defined(__aarch64__)
  case FUSED_INSTRUCTIONS_NEON: return &fused_i8_kernels_neon;
  case FUSED_INSTRUCTIONS_NEON_DOTPROD: return &fused_i8_kernels_neon_dotprod;
#endif
  default:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return &fused_i8_kernels_portable;
#else
    return NULL;
#endif
  }
}
