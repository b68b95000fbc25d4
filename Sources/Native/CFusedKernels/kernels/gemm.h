/// The tiles of `gemm`, included by f32_kernels.h and i16_kernels.h after they have defined
///   element       four bytes of a row: a float, or a pair of 16-bit integers
///   accumulator   a vector of sums, as long as one of weights
///   ADD_PRODUCTS(sum, weight, value)   of a vector of weights and an element
///   ADD_PRODUCTS_AT(sum, weight, at)   the same, of the element at a place; optional, for tiles of one vector
/// They define `finish_tile` afterwards.

#if REGISTERS == 32
enum { BLOCK_VECTORS = 4 };
#else
enum { BLOCK_VECTORS = 2 };
#endif
/// The most pixels of a tile of `gemm`.
enum { MAX_MR = 8 };

/// NEON multiplies by an element of a register. The compiler would rather load each input to all elements,
/// which occupies the unit that multiplies, and where it can load those of two steps together it has no
/// registers left for sums.
#if defined(__aarch64__)
#define UNROLL_STEPS _Pragma("GCC unroll 1")
#define KEEP_SCALAR(value) __asm__("" : "+w"(value))
#else
#define UNROLL_STEPS _Pragma("GCC unroll 2")
#define KEEP_SCALAR(value)
#endif

typedef accumulator sums[MAX_MR][BLOCK_VECTORS];

#define EACH_SUM \
  _Pragma("GCC unroll 8") for (int p = 0; p < pixels; p++) _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)

/// Adds, activates and stores complete sums.
INLINE void finish_tile(const int pixels, const int vectors, const fused_gemm *gemm, int x, int c, sums sum);

/// Computes one block of `gemm`, from pixel `x` and channel `c` on: `pixels` × `vectors` sums stay in
/// registers over all of the input. Inside, k goes over the inputs of a pixel; each step loads the weights of
/// one input for all vectors once, then for every pixel broadcasts that input to a vector and adds.
INLINE void gemm_tile(const int pixels, const int vectors, const fused_gemm *gemm, const element *weights, int x, int c)
{
  const int pixel_stride = gemm->pixel_stride;
  const int k_run_length = gemm->k_run_length;
  sums sum;
  EACH_SUM sum[p][v] = *(const accumulator *)((const element *)gemm->bias + c + v * VECTOR_LENGTH);
  for (int run = 0; run < gemm->k_runs; run++) {
    // Each is hidden from the compiler, which would otherwise compute it from the one before in each step.
    const element *values[MAX_MR];
    const element *next = (const element *)gemm->in[run] + (ptrdiff_t)x * pixel_stride;
#pragma GCC unroll 8
    for (int p = 0; p < pixels; p++, next += pixel_stride) {
      __asm__("" : "+r"(next));
      values[p] = next;
    }
    UNROLL_STEPS for (int k = 0; k < k_run_length; k++)
    {
      accumulator weight[BLOCK_VECTORS];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) weight[v] = *(const accumulator *)(weights + v * VECTOR_LENGTH);
      weights += vectors * VECTOR_LENGTH;
#pragma GCC unroll 8
      for (int p = 0; p < pixels; p++) {
#ifdef ADD_PRODUCTS_AT
        if (vectors == 1) {
          ADD_PRODUCTS_AT(sum[p][0], weight[0], values[p] + k);
          continue;
        }
#endif
        element value = values[p][k];
        KEEP_SCALAR(value);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) ADD_PRODUCTS(sum[p][v], weight[v], value);
      }
    }
  }
  finish_tile(pixels, vectors, gemm, x, c, sum);
}

/// Computes one block of output channels for all columns, `pixels` at a time. The remainder at the end is a
/// block of that many or of four that begins early enough to be whole, and computes some columns again, which
/// costs less than a narrow one.
INLINE void gemm_columns(const int pixels, const int vectors, const fused_gemm *gemm, const element *weights, int c)
{
  const int width = gemm->width;
  int x = 0;
  // Eight are computed as two blocks of four rather than as six and an overlapping one.
  for (; x + pixels <= width && (pixels == 8 || width - x != 8); x += pixels)
    gemm_tile(pixels, vectors, gemm, weights, x, c);
  if (width - x > 4 && width - x < pixels && x > 0) {
    gemm_tile(pixels, vectors, gemm, weights, width - pixels, c);
    return;
  }
  for (; x < width && width >= 4; x += 4) {
    if (x + 4 > width) x = width - 4;
    gemm_tile(4, vectors, gemm, weights, x, c);
  }
  for (; x < width; x++) gemm_tile(1, vectors, gemm, weights, x, c);
}

/// Loops over blocks of output channels outside, columns inside: a block's weights stay in the first-level
/// cache for a row. A block has as many pixels as leave registers for its weights and an input.
INLINE void gemm_any(const fused_gemm *gemm)
{
  const element *weights = gemm->weights;
  for (int c = 0; c < gemm->out_channels;) {
    const int left = (gemm->out_channels - c) / VECTOR_LENGTH;
    const int vectors = left < BLOCK_VECTORS ? left : BLOCK_VECTORS;
    switch (vectors) {
    case 1: gemm_columns(8, 1, gemm, weights, c); break;
#if REGISTERS == 32
    case 2: gemm_columns(8, 2, gemm, weights, c); break;
    case 3: gemm_columns(8, 3, gemm, weights, c); break;
    default: gemm_columns(6, 4, gemm, weights, c); break;
#else
    default: gemm_columns(6, 2, gemm, weights, c); break;
#endif
    }
    weights += (ptrdiff_t)gemm->k_runs * gemm->k_run_length * vectors * VECTOR_LENGTH;
    c += vectors * VECTOR_LENGTH;
  }
}

static void gemm(const fused_gemm *gemm)
{
  // A copy, which cannot alias a row that is written.
  const fused_gemm own = *gemm;
  gemm_any(&own);
}
