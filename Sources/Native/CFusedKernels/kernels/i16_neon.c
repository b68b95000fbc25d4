/// 16-bit integers on every 64-bit ARM processor.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

#define VECTOR_LENGTH 4
#define REGISTERS 32
#define PLANAR_PAIRS 1
#define KERNELS fused_i16_kernels_neon
#define NAME "NEON"

typedef float vector __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));
typedef integers pairs;

INLINE integers add_pairs(integers sum, pairs a, pairs b)
{
  const int16x8_t one = (int16x8_t)a, other = (int16x8_t)b;
  return (integers)vmlal_high_s16(vmlal_s16((int32x4_t)sum, vget_low_s16(one), vget_low_s16(other)), one, other);
}
/// Multiplies by elements of a register.
INLINE integers add_element(integers sum, integers weight, int32_t value)
{
  const int16x8_t weights = (int16x8_t)weight;
  const int16x4_t both = vreinterpret_s16_s32(vdup_n_s32(value));
  return (integers)vmlal_high_lane_s16(vmlal_lane_s16((int32x4_t)sum, vget_low_s16(weights), both, 0), weights, both,
                                       1);
}
#define ADD_PRODUCTS(sum, weight, value) ((sum) = add_element(sum, weight, value))

INLINE pairs pair_up(const int16_t *first, const int16_t *second)
{
  return (pairs)vcombine_s16(vld1_s16(first), vld1_s16(second));
}
INLINE vector maximum(vector a, vector b) { return (vector)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
INLINE vector rectified(vector value, vector slope)
{
  return (vector)vbslq_f32(vcltzq_f32((float32x4_t)value), (float32x4_t)(value * slope), (float32x4_t)value);
}
INLINE integers nearest(vector value) { return (integers)vcvtnq_s32_f32((float32x4_t)value); }
INLINE void store_narrow(int16_t *to, integers sum) { vst1_s16(to, vqmovn_s32((int32x4_t)sum)); }

#include "i16_kernels.h"

#endif
