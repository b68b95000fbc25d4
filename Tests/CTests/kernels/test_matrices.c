/// Compares products of matrices, and whole networks of them with normalisations, with their definitions.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "network.h"
#include "random.h"
#include "test.h"

/// multiply: of any size, with biases by row and by column, and optional addends, also in place.
static void test_multiply(const fused_kernels *kernels)
{
  const int length = kernels->panel_length;
  for (int round = 0; round < 200; round++) {
    const int rows = random_between(1, 40), depth = random_between(1, 50);
    const bool by_row = round % 2, is_added = round % 3 > 0, in_place = round % 3 == 2;
    const ptrdiff_t a_stride = depth + random_between(0, 3), out_stride = length * random_between(1, 3);
    const ptrdiff_t added_stride = in_place ? out_stride : length * random_between(1, 3);
    float *a = random_floats((size_t)((rows - 1) * a_stride + depth), 1);
    float *b = random_floats((size_t)(depth * length), 1);
    float *bias = random_floats((size_t)(by_row ? rows : length), 1);
    float *out = random_floats((size_t)((rows - 1) * out_stride + length), 1);
    float *added = random_floats((size_t)((rows - 1) * added_stride + length), 3);
    if (in_place) memcpy(out, added, sizeof(float) * (size_t)((rows - 1) * out_stride + length));
    const fused_product product = {.a = a,
                                   .a_stride = a_stride,
                                   .rows = rows,
                                   .depth = depth,
                                   .b = b,
                                   .row_bias = by_row ? bias : NULL,
                                   .column_bias = by_row ? NULL : bias,
                                   .added = !is_added  ? NULL
                                            : in_place ? out
                                                       : added,
                                   .added_stride = added_stride,
                                   .relu = random_between(0, 1),
                                   .out = out,
                                   .out_stride = out_stride};
    kernels->multiply(&product);
    double worst = 0;
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < length; c++) {
        double sum = bias[by_row ? r : c] + (is_added ? (double)added[r * added_stride + c] : 0);
        for (int k = 0; k < depth; k++) sum += (double)a[r * a_stride + k] * b[k * length + c];
        if (product.relu && sum < 0) sum = 0;
        worst = worse(worst, fabs(out[r * out_stride + c] - sum));
      }
    expect_near(worst, 2e-5, "multiply");
    free(a);
    free(b);
    free(bias);
    free(out);
    free(added);
  }
}

enum { STEPS = 15, INPUT_ROWS = 23, INPUT_COLUMNS = 3, OUTPUTS = 3 };

/// A small MLP-Mixer: points to tokens, a constant token before them, two blocks, where the second needs one row at its
/// end, and a layer that reads that. Weights and biases are filled in by `fill`.
static const fused_mixer_step steps[STEPS] = {
    {.kind = FUSED_MIXER_ROWS, .source = -1, .added = -1, .rows = 13, .columns = 3},
    {.kind = FUSED_MIXER_COLUMNS, .source = 0, .added = -1, .rows = 13, .columns = 48},
    {.kind = FUSED_MIXER_STACK, .source = 1, .added = -1, .rows = 15, .columns = 48},
    {.kind = FUSED_MIXER_NORMALISE, .source = 2, .added = -1, .rows = 15, .columns = 48, .epsilon = 1e-4f},
    {.kind = FUSED_MIXER_ROWS, .source = 3, .added = -1, .rows = 31, .columns = 48, .relu = 1},
    {.kind = FUSED_MIXER_ROWS, .source = 4, .added = 2, .rows = 15, .columns = 48},
    {.kind = FUSED_MIXER_NORMALISE, .source = 5, .added = -1, .rows = 15, .columns = 48, .epsilon = 1e-4f},
    {.kind = FUSED_MIXER_COLUMNS, .source = 6, .added = -1, .rows = 15, .columns = 70, .relu = 1},
    {.kind = FUSED_MIXER_COLUMNS, .source = 7, .added = 5, .rows = 15, .columns = 48, .relu = 1},
    {.kind = FUSED_MIXER_NORMALISE, .source = 8, .added = -1, .rows = 15, .columns = 48, .epsilon = 1e-4f},
    {.kind = FUSED_MIXER_ROWS, .source = 9, .added = -1, .rows = 20, .columns = 48, .relu = 1},
    {.kind = FUSED_MIXER_ROWS, .source = 10, .added = 8, .rows = 1, .columns = 48},
    {.kind = FUSED_MIXER_COLUMNS, .source = 11, .added = -1, .rows = 1, .columns = 17},
    // The sum of a product with what its source is, and with a matrix of more rows stored by panels.
    {.kind = FUSED_MIXER_COLUMNS, .source = 8, .added = 8, .rows = 2, .columns = 48},
    {.kind = FUSED_MIXER_COLUMNS, .source = 13, .added = 10, .rows = 2, .columns = 48},
};
static const fused_mixer_output outputs[OUTPUTS] = {{12, 1, 1}, {8, 0, 0}, {14, 1, 0}};

typedef struct {
  fused_mixer_step steps[STEPS];
  float values[1 << 15];
  fused_mixer_table table;
} network;

static int source_rows(const network *network, int index)
{
  return steps[index].source < 0 ? INPUT_ROWS : network->steps[steps[index].source].rows;
}

static int source_columns(const network *network, int index)
{
  return steps[index].source < 0 ? INPUT_COLUMNS : network->steps[steps[index].source].columns;
}

static network *network_make(void)
{
  network *made = calloc(1, sizeof *made);
  if (!made) abort();
  memcpy(made->steps, steps, sizeof steps);
  int32_t count = 0;
  for (int i = 0; i < STEPS; i++) {
    fused_mixer_step *step = &made->steps[i];
    step->weights = count;
    switch (step->kind) {
    case FUSED_MIXER_ROWS: count += step->rows * source_rows(made, i); break;
    case FUSED_MIXER_COLUMNS: count += step->columns * source_columns(made, i); break;
    case FUSED_MIXER_NORMALISE: count += step->columns; break;
    case FUSED_MIXER_STACK: count += (step->rows - source_rows(made, i)) * step->columns; break;
    }
    step->bias = count;
    if (step->kind != FUSED_MIXER_STACK) count += step->kind == FUSED_MIXER_ROWS ? step->rows : step->columns;
  }
  if (count > (int32_t)(sizeof made->values / sizeof(float))) abort();
  for (int32_t i = 0; i < count; i++) made->values[i] = random_float() * 0.4f;
  made->table =
      (fused_mixer_table){INPUT_ROWS, INPUT_COLUMNS, made->steps, STEPS, made->values, (size_t)count, outputs, OUTPUTS};
  return made;
}

/// One step by its definition; `source` and `added` as [row][column].
static void naive_step(const network *network, int index, const double *source, const double *added, double *out)
{
  const fused_mixer_step *const step = &network->steps[index];
  const int depth_rows = source_rows(network, index), depth = source_columns(network, index), columns = step->columns;
  const float *const weights = network->values + step->weights, *const bias = network->values + step->bias;
  for (int r = 0; r < step->rows; r++)
    for (int c = 0; c < columns; c++) {
      double value = 0, mean = 0, variance = 0;
      switch (step->kind) {
      case FUSED_MIXER_ROWS:
        value = bias[r];
        for (int k = 0; k < depth_rows; k++) value += weights[r * depth_rows + k] * source[k * columns + c];
        break;
      case FUSED_MIXER_COLUMNS:
        value = bias[c];
        for (int k = 0; k < depth; k++) value += weights[c * depth + k] * source[r * depth + k];
        break;
      case FUSED_MIXER_NORMALISE:
        for (int k = 0; k < columns; k++) mean += source[r * columns + k] / columns;
        for (int k = 0; k < columns; k++) variance += pow(source[r * columns + k] - mean, 2) / columns;
        value = (source[r * columns + c] - mean) / sqrt(variance + step->epsilon) * weights[c] + bias[c];
        break;
      case FUSED_MIXER_STACK: {
        const int constant = step->rows - depth_rows;
        value = r < constant ? (double)weights[r * columns + c] : source[(r - constant) * columns + c];
        break;
      }
      }
      if (added) value += added[r * columns + c];
      out[r * columns + c] = step->relu && value < 0 ? 0 : value;
    }
}

static void compare(const network *network, const float *input, const fused_mixer_workspace *workspace)
{
  static double matrices[STEPS + 1][31 * 70];
  for (int i = 0; i < INPUT_ROWS * INPUT_COLUMNS; i++) matrices[0][i] = input[i];
  for (int i = 0; i < STEPS; i++) {
    const fused_mixer_step *const step = &network->steps[i];
    naive_step(network, i, matrices[step->source + 1], step->added < 0 ? NULL : matrices[step->added + 1],
               matrices[i + 1]);
  }
  double worst = 0;
  for (int i = 0; i < OUTPUTS; i++) {
    const int rows = steps[outputs[i].step].rows, columns = steps[outputs[i].step].columns;
    const float *const found = fused_mixer_workspace_output(workspace, (size_t)i);
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        double value = matrices[outputs[i].step + 1][r * columns + c];
        if (outputs[i].sigmoid) value = 1 / (1 + exp(-value));
        worst = worse(worst, fabs(found[outputs[i].transposed ? c * rows + r : r * columns + c] - value));
      }
  }
  expect_near(worst, 2e-5, "a network of matrices");
}

static void test_mixer(const fused_kernels *kernels)
{
  network *described = network_make();
  fused_mixer *mixer = NULL;
  fused_mixer_workspace *workspaces[2];
  expect(fused_mixer_create_with(kernels, &described->table, &mixer) == 0, "the table is accepted");
  expect(strcmp(fused_mixer_instructions(mixer), kernels->name) == 0, "its kernels have a name");
  for (int i = 0; i < 2; i++) expect(fused_mixer_workspace_create(mixer, &workspaces[i]) == 0, "a workspace is made");
  for (int round = 0; round < 6; round++) {
    float *input = random_floats(INPUT_ROWS * INPUT_COLUMNS, 2);
    const size_t stride = INPUT_COLUMNS + (size_t)round;
    float *spread = random_floats(stride * (INPUT_ROWS - 1) + INPUT_COLUMNS, 1);
    for (size_t r = 0; r < INPUT_ROWS; r++)
      memcpy(spread + r * stride, input + r * INPUT_COLUMNS, INPUT_COLUMNS * sizeof(float));
    fused_mixer_workspace_run(workspaces[round % 2], spread, stride);
    compare(described, input, workspaces[round % 2]);
    free(input);
    free(spread);
  }
  for (int i = 0; i < 2; i++) fused_mixer_workspace_destroy(workspaces[i]);
  fused_mixer_destroy(mixer);
  free(described);
}

/// Tables that are wrong in one place.
static void test_refused_tables(const fused_kernels *kernels)
{
  network *described = network_make();
  fused_mixer_output wrong[OUTPUTS];
  memcpy(wrong, outputs, sizeof wrong);
  described->table.outputs = wrong;
#define REFUSED(place, value)                                                                           \
  do {                                                                                                  \
    fused_mixer *mixer = NULL;                                                                          \
    const network kept = *described;                                                                    \
    fused_mixer_step *const s = described->steps;                                                       \
    fused_mixer_table *const t = &described->table;                                                     \
    (void)s, (void)t;                                                                                   \
    place = value;                                                                                      \
    expect(fused_mixer_create_with(kernels, &described->table, &mixer) == EINVAL, #place " = " #value); \
    expect(mixer == NULL, "nothing is made");                                                           \
    memcpy(described, &kept, sizeof kept);                                                              \
    memcpy(wrong, outputs, sizeof wrong);                                                               \
  } while (0)
  REFUSED(t->rows, 0);
  REFUSED(t->rows, FUSED_MIXER_MAX_SIDE + 1);
  REFUSED(t->columns, 1 << 30);
  REFUSED(t->step_count, 0);
  REFUSED(t->step_count, 12);
  REFUSED(t->step_count, FUSED_MIXER_MAX_STEPS + 1);
  REFUSED(t->output_count, 0);
  REFUSED(t->value_count, t->value_count - 1);
  REFUSED(wrong[1].step, -1);
  REFUSED(wrong[1].step, STEPS);
  REFUSED(s[3].kind, (fused_mixer_kind)7);
  REFUSED(s[3].source, 3);
  REFUSED(s[3].source, -2);
  REFUSED(s[5].added, 5);
  REFUSED(s[5].added, -2);
  REFUSED(s[5].added, 0);
  REFUSED(s[5].rows, 16);
  REFUSED(s[5].columns, 47);
  REFUSED(s[4].rows, -31);
  REFUSED(s[4].rows, FUSED_MIXER_MAX_SIDE + 1);
  REFUSED(s[1].columns, 49);
  REFUSED(s[2].rows, 13);
  REFUSED(s[2].added, 1);
  REFUSED(s[3].relu, 1);
  REFUSED(s[3].rows, 16);
  REFUSED(s[7].rows, 16);
  REFUSED(s[4].weights, -1);
  REFUSED(s[4].weights, INT32_MAX);
  REFUSED(s[4].bias, (int32_t)t->value_count - 30);
  // One matrix for both sides of products, and a stack as their right side.
  REFUSED(s[7].source, 3);
  REFUSED(s[4].source, 2);
#undef REFUSED
  free(described);
}

void test_matrices(const fused_kernels *kernels)
{
  random_state = 11;
  test_multiply(kernels);
  test_mixer(kernels);
  test_refused_tables(kernels);
}
