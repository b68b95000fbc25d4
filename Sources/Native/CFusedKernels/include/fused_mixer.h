/// Networks of small matrices, such as an MLP-Mixer: products with constant matrices, layer normalisations and
/// sums, run in float32 on one thread.
///
/// A network is a table of steps. Each step makes a matrix from the matrices of steps before. `fused_mixer`
/// holds the packed weights and never changes, so any number of threads may share it; a
/// `fused_mixer_workspace` holds the memory of one run and belongs to one caller at a time. Nothing here prints,
/// traps on its arguments or keeps a pointer of the caller.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum {
  /// weights · source + bias: mixes the rows. `weights` [rows][source's rows], `bias` [rows].
  FUSED_MIXER_ROWS = 0,
  /// source · weightsᵀ + bias: mixes the columns. `weights` [columns][source's columns], `bias` [columns].
  FUSED_MIXER_COLUMNS,
  /// Each row, minus its mean and divided by its standard deviation, times `weights` [columns] plus `bias`
  /// [columns].
  FUSED_MIXER_NORMALISE,
  /// The rows of `weights` [constant rows][columns], then the source's.
  FUSED_MIXER_STACK,
} fused_mixer_kind;

enum {
  FUSED_MIXER_MAX_STEPS = 256,
  FUSED_MIXER_MAX_SIDE = 4096,
  /// The most floats of a workspace.
  FUSED_MIXER_MAX_MEMORY = 1 << 24,
  /// Divides the columns of what is normalised.
  FUSED_MIXER_COLUMN_MULTIPLE = 16,
};

/// A step of a network: its only description. A matrix is read by steps that mix its rows, or by others, not by
/// both, and what STACK makes not by steps that mix rows.
typedef struct {
  fused_mixer_kind kind;
  int32_t source;  ///< the preceding step whose matrix is the input; -1: the network's input
  int32_t added;   ///< a preceding step whose matrix is added to a product before ReLU; -1: none
  int32_t rows;    ///< of the result. Where rows are not mixed, the source and what is added may have more
  int32_t columns; ///< of the result
  int32_t relu;    ///< 1: negative values of a product become 0
  int32_t weights; ///< index of the first one in `values` of the table
  int32_t bias;    ///< an index; unused by STACK
  float epsilon;   ///< added to variances
} fused_mixer_step;

/// A matrix that the caller reads.
typedef struct {
  int32_t step;
  int32_t transposed; ///< 1: it is given column by column
  int32_t sigmoid;    ///< 1: 1 / (1 + exp(-x)) of each value
} fused_mixer_output;

/// A network's steps, each after its inputs. Only read while the network is created.
typedef struct {
  int32_t rows; ///< of the input
  int32_t columns;
  const fused_mixer_step *steps;
  size_t step_count;
  /// The weights of all steps.
  const float *values;
  size_t value_count;
  const fused_mixer_output *outputs;
  size_t output_count;
} fused_mixer_table;

typedef struct fused_mixer fused_mixer;
typedef struct fused_mixer_workspace fused_mixer_workspace;

/// - Returns: 0; EINVAL for an invalid table or an instruction set that is not available; ENOMEM.
int fused_mixer_create(fused_instructions instructions, const fused_mixer_table *table, fused_mixer **mixer);
/// Destroys the network; call after the last workspace of it is destroyed. NULL is ignored.
void fused_mixer_destroy(fused_mixer *mixer);
/// Returns the instruction set whose kernels run, as in "AVX2".
const char *fused_mixer_instructions(const fused_mixer *mixer);

/// - Returns: 0 or ENOMEM.
int fused_mixer_workspace_create(const fused_mixer *mixer, fused_mixer_workspace **workspace);
/// NULL is ignored.
void fused_mixer_workspace_destroy(fused_mixer_workspace *workspace);

/// Runs the network. Allocates nothing.
/// - Parameter input: [rows][columns], rows `row_stride` floats apart.
void fused_mixer_workspace_run(fused_mixer_workspace *workspace, const float *input, size_t row_stride);
/// Returns the values of an output of the last run, one row after the other, valid until the next.
const float *fused_mixer_workspace_output(const fused_mixer_workspace *workspace, size_t index);
