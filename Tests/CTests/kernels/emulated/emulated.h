/// What the int8 kernels of AVX-VNNI and AVX-512 VNNI need of the processor, in plain C: so their logic is tested on
/// processors that lack these instructions. Included after <immintrin.h> and BYTES, those of a vector. Each function
/// does what Intel's Intrinsics Guide says of the intrinsic with its name.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernels/kernels.h"

/// Stands for vectors of integers and of floats.
typedef union {
  uint8_t u8[BYTES];
  int8_t s8[BYTES];
  int16_t s16[BYTES / 2];
  int32_t s32[BYTES / 4];
  uint64_t u64[BYTES / 8];
  float f32[BYTES / 4];
  __m128i lanes[BYTES / 16];
} emulated;

/// `expression` of i for every element of a result.
#define EACH(type, expression)                                                                             \
  emulated result;                                                                                         \
  for (int i = 0; i < (int)(sizeof result.type / sizeof *result.type); i++) result.type[i] = (expression); \
  return result

INLINE int within(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

INLINE emulated emulated_loadu(const void *from)
{
  emulated result;
  memcpy(&result, from, sizeof result);
  return result;
}
INLINE void emulated_storeu(void *to, emulated v) { memcpy(to, &v, sizeof v); }
INLINE emulated emulated_set1_epi8(char value) { EACH(s8, value); }
INLINE emulated emulated_set1_epi32(int value) { EACH(s32, value); }
INLINE emulated emulated_broadcast_lane(__m128i lane) { EACH(lanes, lane); }
INLINE emulated emulated_add_epi32(emulated a, emulated b) { EACH(s32, a.s32[i] + b.s32[i]); }
INLINE emulated emulated_sra_epi32(emulated a, __m128i count) { EACH(s32, a.s32[i] >> _mm_cvtsi128_si32(count)); }
INLINE emulated emulated_min_epu8(emulated a, emulated b) { EACH(u8, a.u8[i] < b.u8[i] ? a.u8[i] : b.u8[i]); }
INLINE emulated emulated_max_epu8(emulated a, emulated b) { EACH(u8, a.u8[i] > b.u8[i] ? a.u8[i] : b.u8[i]); }
INLINE emulated emulated_max_epi16(emulated a, emulated b) { EACH(s16, a.s16[i] > b.s16[i] ? a.s16[i] : b.s16[i]); }
INLINE emulated emulated_adds_epu8(emulated a, emulated b) { EACH(u8, (uint8_t)within(a.u8[i] + b.u8[i], 0, 255)); }
INLINE emulated emulated_adds_epi16(emulated a, emulated b)
{
  EACH(s16, (int16_t)within(a.s16[i] + b.s16[i], -32768, 32767));
}
INLINE emulated emulated_mulhrs_epi16(emulated a, emulated b)
{
  EACH(s16, (int16_t)(((a.s16[i] * b.s16[i] >> 14) + 1) >> 1));
}
/// Within lanes: their first half is of a, the second of b.
INLINE emulated emulated_packs_epi32(emulated a, emulated b)
{
  EACH(s16, (int16_t)within((i % 8 < 4 ? a : b).s32[i / 8 * 4 + i % 4], -32768, 32767));
}
INLINE emulated emulated_packus_epi16(emulated a, emulated b)
{
  EACH(u8, (uint8_t)within((i % 16 < 8 ? a : b).s16[i / 16 * 8 + i % 8], 0, 255));
}
/// Within lanes: elements of a and b in turns.
INLINE emulated emulated_unpacklo_epi8(emulated a, emulated b)
{
  EACH(u8, (i % 2 ? b : a).u8[i / 16 * 16 + i % 16 / 2]);
}
INLINE emulated emulated_unpackhi_epi8(emulated a, emulated b)
{
  EACH(u8, (i % 2 ? b : a).u8[i / 16 * 16 + 8 + i % 16 / 2]);
}
INLINE emulated emulated_unpacklo_epi16(emulated a, emulated b)
{
  EACH(s16, (i % 2 ? b : a).s16[i / 8 * 8 + i % 8 / 2]);
}
INLINE emulated emulated_unpackhi_epi16(emulated a, emulated b)
{
  EACH(s16, (i % 2 ? b : a).s16[i / 8 * 8 + 4 + i % 8 / 2]);
}
INLINE emulated emulated_shuffle_epi32(emulated a, int pattern)
{
  EACH(s32, a.s32[i / 4 * 4 + (pattern >> 2 * (i % 4) & 3)]);
}
/// The dot product, which does not saturate.
INLINE emulated emulated_dpbusd_epi32(emulated sum, emulated u, emulated s)
{
  EACH(s32, (int32_t)((uint32_t)sum.s32[i] +
                      (uint32_t)(u.u8[4 * i] * s.s8[4 * i] + u.u8[4 * i + 1] * s.s8[4 * i + 1] +
                                 u.u8[4 * i + 2] * s.s8[4 * i + 2] + u.u8[4 * i + 3] * s.s8[4 * i + 3])));
}
INLINE emulated emulated_permute_epi32(emulated index, emulated a) { EACH(s32, a.s32[index.s32[i] & (BYTES / 4 - 1)]); }
INLINE emulated emulated_cvtepi32_ps(emulated a) { EACH(f32, (float)a.s32[i]); }
INLINE emulated emulated_mul_ps(emulated a, emulated b) { EACH(f32, a.f32[i] * b.f32[i]); }
INLINE __m128 emulated_extract_ps(emulated a, int lane) { return _mm_castsi128_ps(a.lanes[lane]); }

/// The kernels' file sets their target, which must not let the compiler use what is emulated.
#define target(instructions) target("sse2")
