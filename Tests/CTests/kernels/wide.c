/// The kernels as AVX-512 has them, vectors of 16 and 32 registers, in whatever registers there are: their logic is
/// tested on processors without AVX-512, too. Not as ARM runs them, which compiles for minutes and tells nothing more.
#if !defined(__aarch64__)

#include "kernels/kernels.h"

#define VECTOR_LENGTH 16
#define REGISTERS 32
#define MAXIMUM(a, b) greater_of(a, b)
#define KERNELS fused_kernels_wide
#define NAME "wide"
// Shorter than the AVX2 kernels, which not every processor runs.
#define NARROWER (&fused_kernels_portable)

typedef float sixteen_floats __attribute__((vector_size(64)));
typedef int32_t sixteen_integers __attribute__((vector_size(64)));

static inline __attribute__((always_inline)) sixteen_floats greater_of(sixteen_floats a, sixteen_floats b)
{
  const sixteen_integers greater = a > b;
  return (sixteen_floats)(((sixteen_integers)a & greater) | ((sixteen_integers)b & ~greater));
}

#include "kernels/f32_kernels.h"

#endif
