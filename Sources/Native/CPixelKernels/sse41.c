/// SSE4.1: Intel since 2008.
#if defined(__x86_64__)

#include "kernels.h"

#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)

#define PIXELS 1
#define KERNELS pixel_kernels_sse41
#define NAME "SSE4.1"
#define PREFIX _mm_
#define SUFFIX si128

#include "lane_x86.h"

typedef lane vector;

INLINE vector load_windows(const uint8_t *from, const int32_t *offsets) { return load_lane(from + offsets[0]); }
INLINE vector load_pairs(const int16_t *from) { return pair(from, 0); }
INLINE vector load_pattern(const void *from) { return load_lane(from); }
INLINE vector shuffle(vector v, vector pattern) { return _mm_shuffle_epi8(v, pattern); }
INLINE vector add_products(vector sum, vector a, vector b) { return add_products_lane(sum, a, b); }
INLINE vector pack(const vector v[4]) { return pack_lane(v); }
INLINE void store(void *to, vector v) { store_lane(to, v); }

#include "bytes_x86.h"
#include "vector_kernels.h"

#pragma clang attribute pop

#endif
