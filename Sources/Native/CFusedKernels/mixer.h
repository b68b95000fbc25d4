/// A network of matrices as it is run: its steps in order, with weights packed for the kernels.
#pragma once

#include "network.h"

/// A step as it is run. The network's input is a step without a source.
typedef struct {
  fused_mixer_step step;
  /// Of the source.
  int depth;
  /// Packed for the kernels, as are the biases.
  const float *weights;
  const float *bias;
  /// Which of the workspace's buffers its matrix is in.
  int buffer;
  /// The last node that reads it.
  int last_use;
  /// Whether its matrix is stored by panels, as the right side of a product; else row by row.
  bool by_panels;
} fused_mixer_node;

struct fused_mixer {
  const fused_kernels *kernels;
  /// The input, then the steps.
  fused_mixer_node nodes[FUSED_MIXER_MAX_STEPS + 1];
  int node_count;
  fused_mixer_output *outputs;
  /// Where the values of each output begin in a workspace, in floats.
  size_t *output_places;
  int output_count;
  /// Where each buffer begins in a workspace, in floats.
  size_t buffers[FUSED_MIXER_MAX_STEPS + 1];
  int buffer_count;
  /// The floats of a workspace.
  size_t memory;
  float *weights;
};

enum { ALIGNMENT = 64, ALIGNED_FLOATS = ALIGNMENT / sizeof(float) };

/// Returns the panels that a matrix with so many columns has.
static inline int fused_panels(const fused_mixer *mixer, int columns)
{
  return (columns + mixer->kernels->panel_length - 1) / mixer->kernels->panel_length;
}

/// Returns the columns of whole panels.
static inline int fused_padded(const fused_mixer *mixer, int columns)
{
  return fused_panels(mixer, columns) * mixer->kernels->panel_length;
}

/// Returns the floats of a matrix, with its padding.
static inline size_t fused_matrix_size(const fused_mixer *mixer, const fused_mixer_node *node)
{
  return (size_t)node->step.rows * (size_t)fused_padded(mixer, node->step.columns);
}

/// Returns the node that is added to this one's product, or NULL.
static inline const fused_mixer_node *fused_mixer_added(const fused_mixer *mixer, const fused_mixer_node *own)
{
  return own->step.added < 0 ? NULL : &mixer->nodes[own->step.added + 1];
}
