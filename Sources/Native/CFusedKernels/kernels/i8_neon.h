/// The operations of i8_kernels.h on NEON. Bytes of rows are at most 127, so they can be treated as signed.
/// Those of pixels are not: 128 is subtracted from them, for which 128 times the sum of the weights is added
/// to the bias.
#include <arm_neon.h>
#include <string.h>

#define PIXELS 1
#define REGISTERS 32
#define ADDS_16_BITS 0
#define PIXEL_OFFSET 128

typedef uint8x16_t vector;

INLINE vector load(const void *from) { return vld1q_u8(from); }
INLINE void store(void *to, vector value) { vst1q_u8(to, value); }
INLINE vector load_lanes(const void *from) { return vld1q_u8(from); }
INLINE vector load_windows(const uint8_t *from, const int k)
{
  int32_t four;
  memcpy(&four, from + 4 * k, sizeof four);
  return veorq_u8(vreinterpretq_u8_s32(vdupq_n_s32(four)), vdupq_n_u8(128));
}
/// Loads the eight bytes of a window, and those of the next one if it `has_next`.
INLINE vector load_pair_of_windows(const uint8_t *from, const int has_next)
{
  return veorq_u8(has_next ? vld1q_u8(from) : vcombine_u8(vld1_u8(from), vdup_n_u8(0)), vdupq_n_u8(128));
}
INLINE vector spread(vector v, const int k)
{
  const int32x4_t fours = vreinterpretq_s32_u8(v);
  switch (k) {
  case 0: return vreinterpretq_u8_s32(vdupq_laneq_s32(fours, 0));
  case 1: return vreinterpretq_u8_s32(vdupq_laneq_s32(fours, 1));
  case 2: return vreinterpretq_u8_s32(vdupq_laneq_s32(fours, 2));
  default: return vreinterpretq_u8_s32(vdupq_laneq_s32(fours, 3));
  }
}
INLINE vector dot_pixels(vector sum, vector u, vector s) { return dot(sum, u, s); }
INLINE int16x8_t as16(vector v) { return vreinterpretq_s16_u8(v); }
INLINE int32x4_t as32(vector v) { return vreinterpretq_s32_u8(v); }
INLINE vector shift_right(vector v, int count)
{
  return vreinterpretq_u8_s32(vshlq_s32(vreinterpretq_s32_u8(v), vdupq_n_s32(-count)));
}
INLINE vector pack32(vector a, vector b) { return vreinterpretq_u8_s16(vqmovn_high_s32(vqmovn_s32(as32(a)), as32(b))); }
INLINE vector pack16(vector a, vector b) { return vqmovun_high_s16(vqmovun_s16(as16(a)), as16(b)); }
INLINE vector multiply_high(vector a, vector b) { return vreinterpretq_u8_s16(vqrdmulhq_s16(as16(a), as16(b))); }
INLINE vector minimum(vector a, vector b) { return vminq_u8(a, b); }
INLINE vector maximum(vector a, vector b) { return vmaxq_u8(a, b); }
INLINE vector maximum16(vector a, vector b) { return vreinterpretq_u8_s16(vmaxq_s16(as16(a), as16(b))); }
INLINE vector add_saturated(vector a, vector b) { return vqaddq_u8(a, b); }
INLINE vector add_saturated16(vector a, vector b) { return vreinterpretq_u8_s16(vqaddq_s16(as16(a), as16(b))); }
INLINE vector all_bytes(int value) { return vdupq_n_u8((uint8_t)value); }
INLINE vector zip_low(vector a, vector b) { return vzip1q_u8(a, b); }
INLINE vector zip_high(vector a, vector b) { return vzip2q_u8(a, b); }
INLINE vector zip_low16(vector a, vector b) { return vreinterpretq_u8_s16(vzip1q_s16(as16(a), as16(b))); }
INLINE vector zip_high16(vector a, vector b) { return vreinterpretq_u8_s16(vzip2q_s16(as16(a), as16(b))); }
INLINE void store_floats(float *to, vector v, vector scale, ptrdiff_t lane_stride)
{
  (void)lane_stride;
  vst1q_f32(to, vmulq_f32(vcvtq_f32_s32(as32(v)), vreinterpretq_f32_u8(scale)));
}
