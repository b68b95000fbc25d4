/// Where everything of a workspace lies.
#include <string.h>

#include "workspace.h"

typedef struct {
  unsigned char *base;
  size_t used;
} arena;

/// Parts are moved apart by three cache lines: rows at equal places of their pages would compete for the same few
/// places of the first-level cache.
static float *take(arena *arena, size_t count) {
  float *start = arena->base ? (float *)(arena->base + arena->used) : NULL;
  arena->used += (count * sizeof(float) + 63) / 64 * 64 + 192;
  return start;
}

/// A column of zeros before and after, and one more where the width is odd, since columns go in pairs.
static size_t ring_row_stride(const fused_plan *plan, const fused_layer *layer) {
  return plan->row_stride + 2 * (size_t)layer->out_channels;
}

size_t fused_image_row_stride(const fused_workspace *workspace) {
  return ((size_t)workspace->width + 1) * IMAGE_CHANNELS + 16;
}

static void measure_rows(fused_workspace *workspace) {
  workspace->zero_count = fused_image_row_stride(workspace);
  for (int i = 0; i < workspace->network->layer_count; i++) {
    const fused_layer *layer = &workspace->network->layers[i];
    fused_plan *plan = &workspace->plans[i];
    plan->width = workspace->width >> layer->level;
    plan->height = workspace->height >> layer->level;
    plan->row_stride = (size_t)((plan->width + 1) / 2 * 2) * (size_t)layer->out_channels;
    const size_t longest = ring_row_stride(plan, layer);
    if (longest > workspace->zero_count) workspace->zero_count = longest;
  }
}

static void lay_out_maps(fused_workspace *workspace, arena *arena) {
  for (int i = 0; i < workspace->network->layer_count; i++) {
    fused_plan *plan = &workspace->plans[i];
    const size_t count = plan->row_stride * (size_t)plan->height;
    plan->map = plan->keeps_rows ? take(arena, count) : NULL;
    plan->pooled_map = plan->keeps_pooled ? take(arena, count / 4) : NULL;
  }
}

static void lay_out_lane(fused_workspace *workspace, fused_lane *lane, arena *arena) {
  lane->image_ring = take(arena, RING_ROWS * fused_image_row_stride(workspace));
  for (int i = 0; i < workspace->network->layer_count; i++) {
    const fused_layer *layer = &workspace->network->layers[i];
    const fused_plan *plan = &workspace->plans[i];
    fused_stage *stage = &lane->stages[i];
    const bool unit = layer->kind == FUSED_STEP_UNIT;
    stage->ring = unit ? take(arena, RING_ROWS * ring_row_stride(plan, layer)) : NULL;
    stage->scratch = take(arena, 2 * plan->row_stride);
    stage->pooled_scratch = layer->pooled_taken ? take(arena, plan->row_stride / 2) : NULL;
    stage->sum = layer->upsampled >= 0 ? take(arena, (size_t)plan->width * (size_t)layer->in_channels) : NULL;
  }
}

static void lay_out_outputs(fused_workspace *workspace, arena *arena) {
  for (int i = 0; i < workspace->network->output_count; i++) {
    const fused_output *output = &workspace->network->outputs[i];
    const fused_plan *plan = &workspace->plans[output->step];
    // Channels begin at multiples of 16 bytes.
    const size_t channel = ((size_t)plan->width * (size_t)plan->height + 3) / 4 * 4;
    workspace->outputs[i] = (fused_map){
        .values = take(arena, channel * (size_t)output->channels),
        .channels = output->channels,
        .height = plan->height,
        .width = plan->width,
        .channel_stride = channel,
    };
  }
}

size_t fused_lay_out(fused_workspace *workspace, unsigned char *base) {
  arena arena = {base, 0};
  measure_rows(workspace);
  workspace->zeros = take(&arena, workspace->zero_count);
  lay_out_maps(workspace, &arena);
  for (int i = 0; i < workspace->lane_count; i++) lay_out_lane(workspace, &workspace->lanes[i], &arena);
  lay_out_outputs(workspace, &arena);
  return arena.used;
}

static void write_zeros_of_ring(const fused_layer *layer, const fused_plan *plan, float *ring) {
  const size_t stride = ring_row_stride(plan, layer);
  const size_t before = (size_t)layer->out_channels;
  const size_t end = (size_t)(plan->width + 1) * before;
  for (int row = 0; row < RING_ROWS; row++) {
    memset(ring + row * stride, 0, before * sizeof(float));
    memset(ring + row * stride + end, 0, (stride - end) * sizeof(float));
  }
}

void fused_write_zeros(fused_workspace *workspace) {
  memset(workspace->zeros, 0, workspace->zero_count * sizeof(float));
  for (int l = 0; l < workspace->lane_count; l++) {
    fused_lane *lane = &workspace->lanes[l];
    for (int row = 0; row < RING_ROWS; row++)
      memset(lane->image_ring + row * fused_image_row_stride(workspace), 0, IMAGE_CHANNELS * sizeof(float));
    for (int i = 0; i < workspace->network->layer_count; i++)
      if (lane->stages[i].ring)
        write_zeros_of_ring(&workspace->network->layers[i], &workspace->plans[i], lane->stages[i].ring);
  }
}
