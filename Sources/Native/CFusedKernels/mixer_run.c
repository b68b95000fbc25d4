/// Runs a network of matrices, in the memory of one run.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mixer.h"

// What takes time is in the kernels.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif

struct fused_mixer_workspace {
  const fused_mixer *mixer;
  // The buffers follow, from the next line of the cache on.
};

int fused_mixer_workspace_create(const fused_mixer *mixer, fused_mixer_workspace **workspace)
{
  const size_t bytes = ALIGNMENT + mixer->memory * sizeof(float);
  if (posix_memalign((void **)workspace, ALIGNMENT, bytes) != 0) return ENOMEM;
  // Padding is computed with, though nothing reads what comes of it.
  memset(*workspace, 0, bytes);
  (*workspace)->mixer = mixer;
  return 0;
}

void fused_mixer_workspace_destroy(fused_mixer_workspace *workspace) { free(workspace); }

static float *memory(fused_mixer_workspace *workspace, size_t place)
{
  return (float *)workspace + ALIGNED_FLOATS + place;
}

static float *matrix(fused_mixer_workspace *workspace, const fused_mixer_node *node)
{
  return memory(workspace, workspace->mixer->buffers[node->buffer]);
}

/// Returns the floats from a row of a matrix to the next.
static ptrdiff_t row_stride(const fused_mixer *mixer, const fused_mixer_node *node)
{
  return node->by_panels ? mixer->kernels->panel_length : fused_padded(mixer, node->step.columns);
}

/// Returns the floats from a panel of a matrix to the next.
static ptrdiff_t panel_stride(const fused_mixer *mixer, const fused_mixer_node *node)
{
  return (ptrdiff_t)mixer->kernels->panel_length * (node->by_panels ? node->step.rows : 1);
}

/// Returns the index of a value in its matrix.
static ptrdiff_t place(const fused_mixer *mixer, const fused_mixer_node *node, int row, int column)
{
  const int length = mixer->kernels->panel_length;
  return column / length * panel_stride(mixer, node) + row * row_stride(mixer, node) + column % length;
}

static void run_product(fused_mixer_workspace *workspace, const fused_mixer_node *own)
{
  const fused_mixer *const mixer = workspace->mixer;
  const fused_mixer_node *const source = &mixer->nodes[own->step.source + 1];
  const fused_mixer_node *const added = fused_mixer_added(mixer, own);
  const bool is_rows = own->step.kind == FUSED_MIXER_ROWS;
  const int length = mixer->kernels->panel_length;
  const float *const activations = matrix(workspace, source);
  for (ptrdiff_t panel = 0; panel < fused_panels(mixer, own->step.columns); panel++) {
    const fused_product product = {
        .a = is_rows ? own->weights : activations,
        .a_stride = is_rows ? own->depth : row_stride(mixer, source),
        .rows = own->step.rows,
        .depth = own->depth,
        .b = (is_rows ? activations : own->weights) + panel * own->depth * length,
        .row_bias = is_rows ? own->bias : NULL,
        .column_bias = is_rows ? NULL : own->bias + panel * length,
        .added = added ? matrix(workspace, added) + panel * panel_stride(mixer, added) : NULL,
        .added_stride = added ? row_stride(mixer, added) : 0,
        .relu = own->step.relu != 0,
        .out = matrix(workspace, own) + panel * panel_stride(mixer, own),
        .out_stride = row_stride(mixer, own),
    };
    mixer->kernels->multiply(&product);
  }
}

static void run_normalisation(fused_mixer_workspace *workspace, const fused_mixer_node *own)
{
  const fused_mixer *const mixer = workspace->mixer;
  const fused_mixer_node *const source = &mixer->nodes[own->step.source + 1];
  const fused_normalisation normalisation = {
      .in = matrix(workspace, source),
      .in_stride = row_stride(mixer, source),
      .rows = own->step.rows,
      .columns = own->step.columns,
      .gains = own->weights,
      .offsets = own->bias,
      .epsilon = own->step.epsilon,
      .out = matrix(workspace, own),
      .out_stride = row_stride(mixer, own),
      .out_panel = panel_stride(mixer, own),
  };
  mixer->kernels->normalise(&normalisation);
}

static void run_stack(fused_mixer_workspace *workspace, const fused_mixer_node *own)
{
  const fused_mixer_node *const source = &workspace->mixer->nodes[own->step.source + 1];
  const size_t below = fused_matrix_size(workspace->mixer, source);
  const size_t above = fused_matrix_size(workspace->mixer, own) - below;
  float *const out = matrix(workspace, own);
  memcpy(out, own->weights, above * sizeof(float));
  memcpy(out + above, matrix(workspace, source), below * sizeof(float));
}

static void write_input(fused_mixer_workspace *workspace, const float *from, size_t stride)
{
  const fused_mixer *const mixer = workspace->mixer;
  const fused_mixer_node *const own = &mixer->nodes[0];
  float *const to = matrix(workspace, own);
  for (int r = 0; r < own->step.rows; r++)
    for (int c = 0; c < own->step.columns; c++) to[place(mixer, own, r, c)] = from[(size_t)r * stride + (size_t)c];
}

static void write_output(fused_mixer_workspace *workspace, int index)
{
  const fused_mixer *const mixer = workspace->mixer;
  const fused_mixer_output *const output = &mixer->outputs[index];
  float *const to = memory(workspace, mixer->output_places[index]);
  const fused_mixer_node *const own = &mixer->nodes[output->step + 1];
  const float *const from = matrix(workspace, own);
  const int rows = own->step.rows, columns = own->step.columns;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      to[output->transposed ? c * rows + r : r * columns + c] = from[place(mixer, own, r, c)];
  if (output->sigmoid) mixer->kernels->sigmoid(to, (size_t)rows * (size_t)columns);
}

void fused_mixer_workspace_run(fused_mixer_workspace *workspace, const float *input, size_t row_stride)
{
  const fused_mixer *const mixer = workspace->mixer;
  write_input(workspace, input, row_stride);
  for (int i = 1; i < mixer->node_count; i++) {
    switch (mixer->nodes[i].step.kind) {
    case FUSED_MIXER_ROWS:
    case FUSED_MIXER_COLUMNS: run_product(workspace, &mixer->nodes[i]); break;
    case FUSED_MIXER_NORMALISE: run_normalisation(workspace, &mixer->nodes[i]); break;
    case FUSED_MIXER_STACK: run_stack(workspace, &mixer->nodes[i]); break;
    }
  }
  for (int i = 0; i < mixer->output_count; i++) write_output(workspace, i);
}

const float *fused_mixer_workspace_output(const fused_mixer_workspace *workspace, size_t index)
{
  return memory((fused_mixer_workspace *)workspace, workspace->mixer->output_places[index]);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
