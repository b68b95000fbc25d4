/// float32 kernels for any processor: vectors of four, which on x86-64 are SSE registers.
#include "kernels.h"

#define VECTOR_LENGTH 4
#define REGISTERS 16
/// By mask, because C has no maximum of vectors. Of a number and NaN, it gives the second.
#define MAXIMUM(a, b) select_greater(a, b)
#define KERNELS fused_kernels_portable
#define NAME "portable"

typedef float four_floats __attribute__((vector_size(16)));
typedef int32_t four_integers __attribute__((vector_size(16)));

static inline four_floats select_greater(four_floats a, four_floats b)
{
  const four_integers greater = a > b;
  return (four_floats)(((four_integers)a & greater) | ((four_integers)b & ~greater));
}

#include "f32_kernels.h"
