/// Makes a network of matrices from the caller's table: validates it, packs weights and assigns memory.
#include "mixer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// What takes time is in the kernels.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#endif

static size_t aligned(size_t count) { return (count + ALIGNED_FLOATS - 1) / ALIGNED_FLOATS * ALIGNED_FLOATS; }

static bool has_values(const fused_mixer_table *table, int32_t first, int64_t count)
{
  return first >= 0 && (uint64_t)first <= table->value_count && (uint64_t)count <= table->value_count - (uint64_t)first;
}

static bool is_side(int32_t side) { return side >= 1 && side <= FUSED_MIXER_MAX_SIDE; }

/// Returns whether the step at `index` of the nodes can be run, and has its weights in the table.
static bool is_valid(const fused_mixer *mixer, int index, const fused_mixer_table *table)
{
  const fused_mixer_node *const node = &mixer->nodes[index];
  const fused_mixer_step *const step = &node->step;
  if (!is_side(step->rows) || !is_side(step->columns)) return false;
  if (index == 0) return true;
  if (step->source < -1 || step->source >= index - 1 || step->added < -1 || step->added >= index - 1) return false;
  const fused_mixer_step *const source = &mixer->nodes[step->source + 1].step;
  const int64_t rows = step->rows, columns = step->columns;
  const bool is_product = step->kind == FUSED_MIXER_ROWS || step->kind == FUSED_MIXER_COLUMNS;
  if (!is_product && (step->added != -1 || step->relu)) return false;
  if (step->added != -1) {
    const fused_mixer_step *const added = &mixer->nodes[step->added + 1].step;
    if (added->rows < rows || added->columns != columns) return false;
  }
  switch (step->kind) {
  case FUSED_MIXER_ROWS:
    return source->columns == columns && has_values(table, step->weights, rows * source->rows) &&
           has_values(table, step->bias, rows);
  case FUSED_MIXER_COLUMNS:
    return source->rows >= rows && has_values(table, step->weights, columns * source->columns) &&
           has_values(table, step->bias, columns);
  case FUSED_MIXER_NORMALISE:
    return source->rows >= rows && source->columns == columns && columns % FUSED_MIXER_COLUMN_MULTIPLE == 0 &&
           has_values(table, step->weights, columns) && has_values(table, step->bias, columns);
  case FUSED_MIXER_STACK:
    return rows > source->rows && source->columns == columns &&
           has_values(table, step->weights, (rows - source->rows) * columns);
  }
  return false;
}

/// Packs the weights [columns][depth] of a product whose right side they are.
static void pack_columns(const fused_mixer *mixer, const float *from, int columns, int depth, float *to)
{
  const int length = mixer->kernels->panel_length;
  for (int c = 0; c < columns; c++)
    for (int k = 0; k < depth; k++) to[((ptrdiff_t)(c / length) * depth + k) * length + c % length] = *from++;
}

/// Packs a step's weights, or with `to` NULL only measures.
/// - Returns: the floats needed.
static size_t pack_step(const fused_mixer *mixer, fused_mixer_node *node, const float *values, float *to)
{
  const fused_mixer_step *const step = &node->step;
  const int rows = step->rows, columns = step->columns, wide = fused_padded(mixer, columns);
  const bool is_rows = step->kind == FUSED_MIXER_ROWS;
  size_t weights = (size_t)wide, bias = (size_t)wide;
  int constant = 0;
  switch (step->kind) {
  case FUSED_MIXER_ROWS:
    weights = (size_t)rows * (size_t)node->depth;
    bias = (size_t)rows;
    break;
  case FUSED_MIXER_COLUMNS: weights = (size_t)wide * (size_t)node->depth; break;
  case FUSED_MIXER_NORMALISE: break;
  case FUSED_MIXER_STACK:
    constant = rows - node->depth;
    weights *= (size_t)constant;
    bias = 0;
    break;
  }
  // Vectors are aligned.
  weights = aligned(weights);
  bias = aligned(bias);
  if (!to) return weights + bias;
  const float *const from = values + step->weights;
  switch (step->kind) {
  case FUSED_MIXER_ROWS: memcpy(to, from, sizeof(float) * (size_t)rows * (size_t)node->depth); break;
  case FUSED_MIXER_COLUMNS: pack_columns(mixer, from, columns, node->depth, to); break;
  case FUSED_MIXER_NORMALISE: memcpy(to, from, sizeof(float) * (size_t)columns); break;
  case FUSED_MIXER_STACK:
    for (int r = 0; r < constant; r++)
      memcpy(to + (ptrdiff_t)r * wide, from + (ptrdiff_t)r * columns, sizeof(float) * (size_t)columns);
    break;
  }
  if (bias > 0) memcpy(to + weights, values + step->bias, sizeof(float) * (size_t)(is_rows ? rows : columns));
  node->weights = to;
  node->bias = to + weights;
  return weights + bias;
}

/// Finds what reads each matrix. - Returns: whether all that do can read it as it is stored.
static bool link_nodes(fused_mixer *mixer)
{
  for (int i = 1; i < mixer->node_count; i++) {
    const fused_mixer_step *const step = &mixer->nodes[i].step;
    if (step->kind == FUSED_MIXER_ROWS) mixer->nodes[step->source + 1].by_panels = true;
  }
  for (int i = 0; i < mixer->node_count; i++) {
    fused_mixer_node *const own = &mixer->nodes[i];
    own->last_use = i;
    if (i == 0) continue;
    fused_mixer_node *const source = &mixer->nodes[own->step.source + 1];
    if (source->by_panels != (own->step.kind == FUSED_MIXER_ROWS)) return false;
    if (own->by_panels && own->step.kind == FUSED_MIXER_STACK) return false;
    source->last_use = i;
    if (own->step.added >= 0) mixer->nodes[own->step.added + 1].last_use = i;
  }
  for (int i = 0; i < mixer->output_count; i++) mixer->nodes[mixer->outputs[i].step + 1].last_use = mixer->node_count;
  return true;
}

/// Assigns a buffer to every matrix, and memory to the outputs. A matrix takes over the buffer of one that no later
/// step reads.
static void assign_buffers(fused_mixer *mixer)
{
  size_t sizes[FUSED_MIXER_MAX_STEPS + 1];
  bool is_free[FUSED_MIXER_MAX_STEPS + 1];
  for (int i = 0; i < mixer->node_count; i++) {
    fused_mixer_node *const own = &mixer->nodes[i];
    const fused_mixer_node *const source = i == 0 ? NULL : &mixer->nodes[own->step.source + 1];
    const fused_mixer_node *const added = i == 0 ? NULL : fused_mixer_added(mixer, own);
    // What is added may become the result in its place, if a row has the same place; the source is read until the end.
    const bool ends = added && added != source && added->last_use == i;
    if (ends && !added->by_panels && !own->by_panels) is_free[added->buffer] = true;
    const size_t needed = fused_matrix_size(mixer, own);
    // The one that has to grow least, or is least too large, by less than half.
    int best = -1;
    size_t least = needed / 2;
    for (int b = 0; b < mixer->buffer_count; b++) {
      const size_t distance = sizes[b] > needed ? sizes[b] - needed : needed - sizes[b];
      if (!is_free[b] || distance > least) continue;
      best = b;
      least = distance;
    }
    if (best < 0) {
      best = mixer->buffer_count++;
      sizes[best] = 0;
    }
    if (sizes[best] < needed) sizes[best] = needed;
    if (ends) is_free[added->buffer] = true;
    is_free[best] = own->last_use == i;
    own->buffer = best;
    if (source && source->last_use == i) is_free[source->buffer] = true;
  }
  for (int b = 0; b < mixer->buffer_count; b++) {
    mixer->buffers[b] = mixer->memory;
    mixer->memory += aligned(sizes[b]);
  }
  for (int i = 0; i < mixer->output_count; i++) {
    const fused_mixer_step *const step = &mixer->nodes[mixer->outputs[i].step + 1].step;
    mixer->output_places[i] = mixer->memory;
    mixer->memory += aligned((size_t)step->rows * (size_t)step->columns);
  }
}

static int fill(fused_mixer *mixer, const fused_mixer_table *table)
{
  mixer->nodes[0].step = (fused_mixer_step){.rows = table->rows, .columns = table->columns};
  if (!is_valid(mixer, 0, table)) return EINVAL;
  mixer->node_count = 1 + (int)table->step_count;
  size_t needed = 0;
  for (int i = 1; i < mixer->node_count; i++) {
    fused_mixer_node *const own = &mixer->nodes[i];
    own->step = table->steps[i - 1];
    if (!is_valid(mixer, i, table)) return EINVAL;
    const fused_mixer_step *const source = &mixer->nodes[own->step.source + 1].step;
    own->depth = own->step.kind == FUSED_MIXER_COLUMNS ? source->columns : source->rows;
    needed += pack_step(mixer, own, table->values, NULL);
  }
  for (size_t i = 0; i < table->output_count; i++)
    if (table->outputs[i].step < 0 || (size_t)table->outputs[i].step >= table->step_count) return EINVAL;
  mixer->outputs = malloc(sizeof *mixer->outputs * table->output_count);
  mixer->output_places = malloc(sizeof *mixer->output_places * table->output_count);
  if (!mixer->outputs || !mixer->output_places ||
      posix_memalign((void **)&mixer->weights, ALIGNMENT, needed * sizeof(float)) != 0)
    return ENOMEM;
  memcpy(mixer->outputs, table->outputs, sizeof *mixer->outputs * table->output_count);
  mixer->output_count = (int)table->output_count;
  memset(mixer->weights, 0, needed * sizeof(float));
  float *to = mixer->weights;
  for (int i = 1; i < mixer->node_count; i++) to += pack_step(mixer, &mixer->nodes[i], table->values, to);
  assert(to == mixer->weights + needed);
  if (!link_nodes(mixer)) return EINVAL;
  assign_buffers(mixer);
  return mixer->memory <= FUSED_MIXER_MAX_MEMORY ? 0 : EINVAL;
}

int fused_mixer_create(fused_instructions instructions, const fused_mixer_table *table, fused_mixer **mixer)
{
  return fused_mixer_create_with(fused_kernels_for(instructions), table, mixer);
}

int fused_mixer_create_with(const fused_kernels *kernels, const fused_mixer_table *table, fused_mixer **mixer)
{
  if (!kernels || table->step_count < 1 || table->step_count > FUSED_MIXER_MAX_STEPS || table->output_count < 1 ||
      table->output_count > FUSED_MIXER_MAX_STEPS)
    return EINVAL;
  fused_mixer *const made = calloc(1, sizeof *made);
  if (!made) return ENOMEM;
  made->kernels = kernels;
  const int result = fill(made, table);
  if (result == 0)
    *mixer = made;
  else
    fused_mixer_destroy(made);
  return result;
}

void fused_mixer_destroy(fused_mixer *mixer)
{
  if (!mixer) return;
  free(mixer->outputs);
  free(mixer->output_places);
  free(mixer->weights);
  free(mixer);
}

const char *fused_mixer_instructions(const fused_mixer *mixer) { return mixer->kernels->name; }

#if defined(__clang__)
#pragma clang attribute pop
#endif
