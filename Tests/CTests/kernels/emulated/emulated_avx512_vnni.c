/// AVX-512 VNNI's int8 kernels with their instructions emulated.
#if defined(__x86_64__)

#include <immintrin.h>

#define BYTES 64
#include "emulated.h"

/// Two lanes of a and two of b, by the numbers of two bits each.
INLINE emulated emulated_shuffle_i64x2(emulated a, emulated b, int pattern)
{
  EACH(lanes, (i < 2 ? a : b).lanes[pattern >> 2 * i & 3]);
}
INLINE emulated emulated_setr_epi32(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l,
                                    int m, int n, int o, int p)
{
  return (emulated){.s32 = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p}};
}

#define __m512i emulated
#define __m512 emulated
#define _mm512_loadu_si512 emulated_loadu
#define _mm512_storeu_si512 emulated_storeu
#define _mm512_set1_epi8 emulated_set1_epi8
#define _mm512_set1_epi32 emulated_set1_epi32
#undef _mm512_setr_epi32
#define _mm512_setr_epi32 emulated_setr_epi32
#define _mm512_broadcast_i32x4 emulated_broadcast_lane
#define _mm512_add_epi32 emulated_add_epi32
#define _mm512_sra_epi32 emulated_sra_epi32
#define _mm512_min_epu8 emulated_min_epu8
#define _mm512_max_epu8 emulated_max_epu8
#define _mm512_max_epi16 emulated_max_epi16
#define _mm512_adds_epu8 emulated_adds_epu8
#define _mm512_adds_epi16 emulated_adds_epi16
#define _mm512_mulhrs_epi16 emulated_mulhrs_epi16
#define _mm512_packs_epi32 emulated_packs_epi32
#define _mm512_packus_epi16 emulated_packus_epi16
#define _mm512_unpacklo_epi8 emulated_unpacklo_epi8
#define _mm512_unpackhi_epi8 emulated_unpackhi_epi8
#define _mm512_unpacklo_epi16 emulated_unpacklo_epi16
#define _mm512_unpackhi_epi16 emulated_unpackhi_epi16
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32 emulated_shuffle_epi32
#define _mm512_dpbusd_epi32 emulated_dpbusd_epi32
#define _mm512_permutexvar_epi32 emulated_permute_epi32
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2 emulated_shuffle_i64x2
#define _mm512_cvtepi32_ps emulated_cvtepi32_ps
#define _mm512_mul_ps emulated_mul_ps
#define _mm512_castsi512_ps
#define _mm512_castps512_ps128(a) emulated_extract_ps(a, 0)
#undef _mm512_extractf32x4_ps
#define _mm512_extractf32x4_ps emulated_extract_ps
#define fused_i8_kernels_avx512_vnni fused_i8_kernels_emulated_avx512_vnni

#include "kernels/i8_avx512_vnni.c"

#endif
