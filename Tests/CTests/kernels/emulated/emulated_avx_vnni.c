/// AVX-VNNI's int8 kernels with their instructions emulated.
#if defined(__x86_64__)

#include <immintrin.h>

#define BYTES 32
#include "emulated.h"

/// Lanes of a and b by the numbers of four bits each.
INLINE emulated emulated_permute2x128(emulated a, emulated b, int pattern)
{
  EACH(lanes, (pattern >> (4 * i + 1) & 1 ? b : a).lanes[pattern >> 4 * i & 1]);
}
INLINE emulated emulated_permute4x64(emulated a, int pattern) { EACH(u64, a.u64[pattern >> 2 * i & 3]); }
INLINE emulated emulated_setr_epi32(int a, int b, int c, int d, int e, int f, int g, int h)
{
  return (emulated){.s32 = {a, b, c, d, e, f, g, h}};
}
/// Bytes of a lane by the low bits of an index.
INLINE emulated emulated_shuffle_epi8(emulated a, emulated index) { EACH(u8, a.u8[i / 16 * 16 + index.u8[i] % 16]); }

#define __m256i emulated
#define __m256 emulated
#define _mm256_loadu_si256 emulated_loadu
#define _mm256_storeu_si256 emulated_storeu
#define _mm256_set1_epi8 emulated_set1_epi8
#define _mm256_set1_epi32 emulated_set1_epi32
#define _mm256_setr_epi32 emulated_setr_epi32
#define _mm256_broadcastsi128_si256 emulated_broadcast_lane
#define _mm256_add_epi32 emulated_add_epi32
#define _mm256_sra_epi32 emulated_sra_epi32
#define _mm256_min_epu8 emulated_min_epu8
#define _mm256_max_epu8 emulated_max_epu8
#define _mm256_max_epi16 emulated_max_epi16
#define _mm256_adds_epu8 emulated_adds_epu8
#define _mm256_adds_epi16 emulated_adds_epi16
#define _mm256_mulhrs_epi16 emulated_mulhrs_epi16
#define _mm256_packs_epi32 emulated_packs_epi32
#define _mm256_packus_epi16 emulated_packus_epi16
#define _mm256_unpacklo_epi8 emulated_unpacklo_epi8
#define _mm256_unpackhi_epi8 emulated_unpackhi_epi8
#define _mm256_unpacklo_epi16 emulated_unpacklo_epi16
#define _mm256_unpackhi_epi16 emulated_unpackhi_epi16
#undef _mm256_shuffle_epi32
#define _mm256_shuffle_epi32 emulated_shuffle_epi32
#define _mm256_dpbusd_avx_epi32 emulated_dpbusd_epi32
#define _mm256_shuffle_epi8 emulated_shuffle_epi8
#undef _mm256_permute2x128_si256
#define _mm256_permute2x128_si256 emulated_permute2x128
#undef _mm256_permute4x64_epi64
#define _mm256_permute4x64_epi64 emulated_permute4x64
#define _mm256_cvtepi32_ps emulated_cvtepi32_ps
#define _mm256_mul_ps emulated_mul_ps
#define _mm256_castsi256_ps
#define _mm256_castps256_ps128(a) emulated_extract_ps(a, 0)
#undef _mm256_extractf128_ps
#define _mm256_extractf128_ps emulated_extract_ps
#define fused_i8_kernels_avx_vnni fused_i8_kernels_emulated_avx_vnni

#include "kernels/i8_avx_vnni.c"

#endif
