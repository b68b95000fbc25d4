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

size_t fused_image_row_stride(const fused_workspace *workspace) {
  return ((size_t)workspace->width + 2) * IMAGE_CHANNELS + IMAGE_SLACK;
}

static void measure_rows(fused_workspace *workspace) {
  workspace->zero_count = fused_image_row_stride(workspace);
  for (int i = 0; i < workspace->network->layer_count; i++) {
    const fused_layer *layer = &workspace->network->layers[i];
    fused_plan *plan = &workspace->plans[i];
    plan->row_stride = (size_t)(plan->width + 2 + plan->width % 2) * (size_t)layer->out_channels;
    plan->pooled_stride = (size_t)(plan->width / 2) * (size_t)layer->out_channels;
    if (plan->row_stride > workspace->zero_count) workspace->zero_count = plan->row_stride;
  }
}

static void lay_out_maps(fused_workspace *workspace, arena *arena) {
  for (int i = 0; i < workspace->network->layer_count; i++) {
    fused_plan *plan = &workspace->plans[i];
    plan->map = plan->keeps_rows ? take(arena, plan->row_stride * (size_t)plan->height) : NULL;
    plan->pooled_map = plan->keeps_pooled ? take(arena, plan->pooled_stride * (size_t)(plan->height / 2)) : NULL;
  }
}

/// A lone thread needs no ring beside a map; of several, each has rows that are its neighbour's to keep.
static void lay_out_lane(fused_workspace *workspace, fused_lane *lane, arena *arena) {
  const bool alone = workspace->lane_count == 1;
  lane->image_ring = take(arena, IMAGE_ROWS * fused_image_row_stride(workspace));
  lane->spare = take(arena, workspace->zero_count);
  for (int i = 0; i < workspace->network->layer_count; i++) {
    const fused_plan *plan = &workspace->plans[i];
    fused_stage *stage = &lane->stages[i];
    const size_t rows = alone && plan->keeps_rows ? 0 : (size_t)plan->ring_rows;
    const size_t pooled_rows = alone && plan->keeps_pooled ? 0 : (size_t)plan->pooled_ring_rows;
    stage->ring = rows > 0 ? take(arena, rows * plan->row_stride) : NULL;
    stage->pooled_ring = pooled_rows > 0 ? take(arena, pooled_rows * plan->pooled_stride) : NULL;
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
  fused_plan_streams(workspace);
  measure_rows(workspace);
  workspace->zeros = take(&arena, workspace->zero_count);
  lay_out_maps(workspace, &arena);
  for (int i = 0; i < workspace->lane_count; i++) lay_out_lane(workspace, &workspace->lanes[i], &arena);
  lay_out_outputs(workspace, &arena);
  return arena.used;
}

static void write_zeros_around(const fused_layer *layer, const fused_plan *plan, float *rows, int count) {
  const size_t before = (size_t)layer->out_channels;
  const size_t end = (size_t)(plan->width + 1) * before;
  for (int y = 0; rows && y < count; y++) {
    float *row = rows + (size_t)y * plan->row_stride;
    memset(row, 0, before * sizeof(float));
    memset(row + end, 0, (plan->row_stride - end) * sizeof(float));
  }
}

void fused_write_zeros(fused_workspace *workspace) {
  memset(workspace->zeros, 0, workspace->zero_count * sizeof(float));
  for (int i = 0; i < workspace->network->layer_count; i++) {
    const fused_layer *layer = &workspace->network->layers[i];
    const fused_plan *plan = &workspace->plans[i];
    write_zeros_around(layer, plan, plan->map, plan->height);
    for (int l = 0; l < workspace->lane_count; l++)
      write_zeros_around(layer, plan, workspace->lanes[l].stages[i].ring, plan->ring_rows);
  }
  for (int l = 0; l < workspace->lane_count; l++)
    for (int row = 0; row < IMAGE_ROWS; row++)
      memset(
          workspace->lanes[l].image_ring + (size_t)row * fused_image_row_stride(workspace), 0,
          IMAGE_CHANNELS * sizeof(float));
}
