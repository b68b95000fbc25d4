/// The operations of i8_kernels.h that are specific to 256 bits.
INLINE vector load_lanes(const void *from) { return _mm256_broadcastsi128_si256(_mm_loadu_si128(from)); }
INLINE vector load_windows(const uint8_t *from, const int k)
{
  // The first or third four bytes of 16.
  const vector fours =
      _mm256_setr_epi32(0x03020100, 0x03020100, 0x03020100, 0x03020100, 0x0B0A0908, 0x0B0A0908, 0x0B0A0908, 0x0B0A0908);
  return _mm256_shuffle_epi8(load_lanes(from), _mm256_add_epi32(fours, _mm256_set1_epi32(k * 0x04040404)));
}
INLINE vector even_lanes(vector a, vector b) { return _mm256_permute2x128_si256(a, b, 0x20); }
INLINE vector odd_lanes(vector a, vector b) { return _mm256_permute2x128_si256(a, b, 0x31); }
INLINE vector double_low(vector v) { return _mm256_permute4x64_epi64(v, 0x44); }
INLINE vector double_high(vector v) { return _mm256_permute4x64_epi64(v, 0xEE); }
INLINE void store_floats(float *to, vector v, vector scale, ptrdiff_t lane_stride)
{
  const __m256 values = _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_castsi256_ps(scale));
  _mm_storeu_ps(to, _mm256_castps256_ps128(values));
  _mm_storeu_ps(to + lane_stride, _mm256_extractf128_ps(values, 1));
}
