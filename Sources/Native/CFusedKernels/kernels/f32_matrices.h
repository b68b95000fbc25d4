/// The kernels of small matrices, included by f32_kernels.h for vectors of any length.

/// Vectors of a panel, and rows of a tile: as many sums as stay in registers beside a row of the panel and an
/// input.
enum {
  PANEL_VECTORS = VECTOR_LENGTH == 4 && REGISTERS == 32 ? 4 : 2,
  PANEL_LENGTH = PANEL_VECTORS * VECTOR_LENGTH,
  TILE_ROWS = 6,
};

/// Computes `rows` rows of a panel. Inside, k goes over the columns of `a`; each step loads a row of `b` once,
/// then for every row broadcasts a value of `a` to a vector and adds.
INLINE void product_tile(const int rows, const fused_product *product, ptrdiff_t row)
{
  vector sum[TILE_ROWS][PANEL_VECTORS];
#define EACH_TILE_SUM \
  _Pragma("GCC unroll 6") for (int r = 0; r < rows; r++) _Pragma("GCC unroll 4") for (int v = 0; v < PANEL_VECTORS; v++)
  if (product->row_bias) {
    EACH_TILE_SUM sum[r][v] = (vector){0} + product->row_bias[row + r];
  } else {
    EACH_TILE_SUM sum[r][v] = load(product->column_bias + v * VECTOR_LENGTH);
  }
  const float *values[TILE_ROWS];
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
    values[r] = product->a + (row + r) * product->a_stride;
    // As in gemm_tile.
    __asm__("" : "+r"(values[r]));
  }
  const float *from = product->b;
  // Unrolled it would be no faster.
#pragma GCC unroll 1
  for (ptrdiff_t k = 0; k < product->depth; k++) {
    vector weight[PANEL_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < PANEL_VECTORS; v++) weight[v] = load(from + v * VECTOR_LENGTH);
    from += PANEL_LENGTH;
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      float value = values[r][k];
      KEEP_SCALAR(value);
#pragma GCC unroll 4
      for (int v = 0; v < PANEL_VECTORS; v++) sum[r][v] += weight[v] * value;
    }
  }
  if (product->added) {
    EACH_TILE_SUM sum[r][v] += load(product->added + (row + r) * product->added_stride + v * VECTOR_LENGTH);
  }
  if (product->relu) EACH_TILE_SUM sum[r][v] = MAXIMUM(sum[r][v], (vector){0});
  EACH_TILE_SUM store(product->out + (row + r) * product->out_stride + v * VECTOR_LENGTH, sum[r][v]);
#undef EACH_TILE_SUM
}

/// Loops over tiles of rows. Where their number is no multiple of a tile's, some tiles have one less; only a
/// matrix of few rows is left to single ones.
static void multiply(const fused_product *product)
{
  // A copy, which cannot alias a row that is written.
  const fused_product own = *product;
  int shorter = (TILE_ROWS - own.rows % TILE_ROWS) % TILE_ROWS;
  if (shorter * (TILE_ROWS - 1) > own.rows) shorter = 0;
  const int rest = shorter * (TILE_ROWS - 1);
  int row = 0;
  for (; row + TILE_ROWS <= own.rows - rest; row += TILE_ROWS) product_tile(TILE_ROWS, &own, row);
  for (; shorter > 0; shorter--, row += TILE_ROWS - 1) product_tile(TILE_ROWS - 1, &own, row);
  for (; row < own.rows; row++) product_tile(1, &own, row);
}

/// In pairs, which is more exact and sooner done than one after the other.
INLINE float sum_of(vector values)
{
  float sums[VECTOR_LENGTH];
#pragma GCC unroll 16
  for (int i = 0; i < VECTOR_LENGTH; i++) sums[i] = values[i];
#pragma GCC unroll 4
  for (int half = VECTOR_LENGTH / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < half; i++) sums[i] += sums[i + half];
  }
  return sums[0];
}

/// Loops over rows outside, columns inside: three times, for the mean, the variance and the result.
static void normalise(const fused_normalisation *normalisation)
{
  const fused_normalisation own = *normalisation;
#define EACH_VECTOR _Pragma("GCC unroll 1") for (int c = 0; c < own.columns; c += VECTOR_LENGTH)
  for (ptrdiff_t row = 0; row < own.rows; row++) {
    const float *const in = own.in + row * own.in_stride;
    float *const out = own.out + row * own.out_stride;
    vector sum = {0}, squares = {0};
    EACH_VECTOR sum += load(in + c);
    const float mean = sum_of(sum) / (float)own.columns;
    EACH_VECTOR
    {
      const vector distance = load(in + c) - mean;
      squares += distance * distance;
    }
    const float scale = 1 / sqrtf(sum_of(squares) / (float)own.columns + own.epsilon);
    EACH_VECTOR
    {
      const ptrdiff_t at = (unsigned)c / PANEL_LENGTH * own.out_panel + (unsigned)c % PANEL_LENGTH;
      store(out + at, (load(in + c) - mean) * scale * load(own.gains + c) + load(own.offsets + c));
    }
  }
#undef EACH_VECTOR
}
