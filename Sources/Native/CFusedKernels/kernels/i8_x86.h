/// The operations of i8_kernels.h that differ between 128, 256 and 512 bits only in their names. Included
/// after `vector` and
///   PREFIX, SUFFIX   of the intrinsics: _mm256_ and si256, for example
///   HAS_DOT          1: `dot` is defined, as an instruction; 0: it is made of three
#define PIXEL_OFFSET 0
#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)
#define X86(name) JOIN(PREFIX, name)

INLINE vector load(const void *from) { return JOIN(X86(loadu_), SUFFIX)(from); }
INLINE void store(void *to, vector value) { JOIN(X86(storeu_), SUFFIX)(to, value); }
INLINE vector shift_right(vector v, int count) { return X86(sra_epi32)(v, _mm_cvtsi32_si128(count)); }
INLINE vector pack32(vector a, vector b) { return X86(packs_epi32)(a, b); }
INLINE vector pack16(vector a, vector b) { return X86(packus_epi16)(a, b); }
INLINE vector multiply_high(vector a, vector b) { return X86(mulhrs_epi16)(a, b); }
INLINE vector minimum(vector a, vector b) { return X86(min_epu8)(a, b); }
INLINE vector maximum(vector a, vector b) { return X86(max_epu8)(a, b); }
INLINE vector maximum16(vector a, vector b) { return X86(max_epi16)(a, b); }
INLINE vector add_saturated(vector a, vector b) { return X86(adds_epu8)(a, b); }
INLINE vector add_saturated16(vector a, vector b) { return X86(adds_epi16)(a, b); }
INLINE vector all_bytes(int value) { return X86(set1_epi8)((char)value); }
INLINE vector zip_low(vector a, vector b) { return X86(unpacklo_epi8)(a, b); }
INLINE vector zip_high(vector a, vector b) { return X86(unpackhi_epi8)(a, b); }
INLINE vector zip_low16(vector a, vector b) { return X86(unpacklo_epi16)(a, b); }
INLINE vector zip_high16(vector a, vector b) { return X86(unpackhi_epi16)(a, b); }
INLINE vector spread(vector v, const int k)
{
  switch (k) {
  case 0: return X86(shuffle_epi32)(v, 0x00);
  case 1: return X86(shuffle_epi32)(v, 0x55);
  case 2: return X86(shuffle_epi32)(v, 0xAA);
  default: return X86(shuffle_epi32)(v, 0xFF);
  }
}

#if !HAS_DOT
/// Pairs of products fit 16 bits because bytes are at most 127, or weights ±64.
INLINE vector dot_pairs(vector u, vector s) { return X86(maddubs_epi16)(u, s); }
INLINE vector add16(vector a, vector b) { return X86(add_epi16)(a, b); }
INLINE vector add_pairs(vector sum, vector v) { return X86(add_epi32)(sum, X86(madd_epi16)(v, X86(set1_epi16)(1))); }
INLINE vector dot(vector sum, vector u, vector s) { return add_pairs(sum, dot_pairs(u, s)); }
#endif
INLINE vector dot_pixels(vector sum, vector u, vector s) { return dot(sum, u, s); }
