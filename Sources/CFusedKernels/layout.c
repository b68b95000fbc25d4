/// Assigns the parts of a workspace's memory.
#include <string.h>

#include "workspace.h"

typedef struct {
  unsigned char *base;
  size_t used;
} arena;

/// Parts are three cache lines apart: rows at equal offsets of their pages would compete for the same few sets of the
/// first-level cache.
static float *allocate(arena *arena, size_t count) {
  float *start = arena->base ? (float *)(arena->base + arena->used) : NULL;
  arena->used += (count * sizeof(float) + 63) / 64 * 64 + 192;
  return start;
}

size_t fused_image_row_stride(const fused_workspace *workspace) {
  return ((size_t)workspace->width + 2) * IMAGE_CHANNELS + IMAGE_SLACK;
}

static void measure_rows(fused_workspace *workspace) {
  workspace->zero_count = fused_image_row_stride(workspace);
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_node *node = &workspace->network->nodes[i];
    fused_schedule *schedule = &workspace->schedules[i];
    schedule->row_stride = (size_t)(schedule->width + 2 + schedule->width % 2) * (size_t)node->out_channels;
    schedule->pooled_stride = (size_t)(schedule->width / 2) * (size_t)node->out_channels;
    if (schedule->row_stride > workspace->zero_count) workspace->zero_count = schedule->row_stride;
  }
}

static void lay_out_maps(fused_workspace *workspace, arena *arena) {
  for (int i = 0; i < workspace->network->node_count; i++) {
    fused_schedule *schedule = &workspace->schedules[i];
    schedule->map = schedule->keeps_rows ? allocate(arena, schedule->row_stride * (size_t)schedule->height) : NULL;
    schedule->pooled_map = schedule->keeps_pooled ? allocate(arena, schedule->pooled_stride * (size_t)(schedule->height / 2)) : NULL;
  }
}

/// A single thread needs no ring beside a map; of several, each also computes rows that its neighbour keeps.
static void lay_out_worker(fused_workspace *workspace, fused_worker *worker, arena *arena) {
  const bool alone = workspace->worker_count == 1;
  worker->image_ring = allocate(arena, IMAGE_ROWS * fused_image_row_stride(workspace));
  worker->spare = allocate(arena, workspace->zero_count);
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_schedule *schedule = &workspace->schedules[i];
    fused_stage *stage = &worker->stages[i];
    const size_t rows = alone && schedule->keeps_rows ? 0 : (size_t)schedule->ring_rows;
    const size_t pooled_rows = alone && schedule->keeps_pooled ? 0 : (size_t)schedule->pooled_ring_rows;
    stage->ring = rows > 0 ? allocate(arena, rows * schedule->row_stride) : NULL;
    stage->pooled_ring = pooled_rows > 0 ? allocate(arena, pooled_rows * schedule->pooled_stride) : NULL;
  }
}

static void lay_out_outputs(fused_workspace *workspace, arena *arena) {
  for (int i = 0; i < workspace->network->output_count; i++) {
    const fused_output *output = &workspace->network->outputs[i];
    const fused_schedule *schedule = &workspace->schedules[output->layer];
    // Channels begin at multiples of 16 bytes.
    const size_t channel = ((size_t)schedule->width * (size_t)schedule->height + 3) / 4 * 4;
    workspace->outputs[i] = (fused_map){
        .values = allocate(arena, channel * (size_t)output->channels),
        .channels = output->channels,
        .height = schedule->height,
        .width = schedule->width,
        .channel_stride = channel,
    };
  }
}

size_t fused_lay_out(fused_workspace *workspace, unsigned char *base) {
  arena arena = {base, 0};
  fused_schedule_layers(workspace);
  measure_rows(workspace);
  workspace->zeros = allocate(&arena, workspace->zero_count);
  lay_out_maps(workspace, &arena);
  for (int i = 0; i < workspace->worker_count; i++) lay_out_worker(workspace, &workspace->workers[i], &arena);
  lay_out_outputs(workspace, &arena);
  return arena.used;
}

static void write_zeros_around(const fused_node *node, const fused_schedule *schedule, float *rows, int count) {
  const size_t before = (size_t)node->out_channels;
  const size_t end = (size_t)(schedule->width + 1) * before;
  for (int y = 0; rows && y < count; y++) {
    float *row = rows + (size_t)y * schedule->row_stride;
    memset(row, 0, before * sizeof(float));
    memset(row + end, 0, (schedule->row_stride - end) * sizeof(float));
  }
}

void fused_write_zeros(fused_workspace *workspace) {
  memset(workspace->zeros, 0, workspace->zero_count * sizeof(float));
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_node *node = &workspace->network->nodes[i];
    const fused_schedule *schedule = &workspace->schedules[i];
    write_zeros_around(node, schedule, schedule->map, schedule->height);
    for (int l = 0; l < workspace->worker_count; l++)
      write_zeros_around(node, schedule, workspace->workers[l].stages[i].ring, schedule->ring_rows);
  }
  for (int l = 0; l < workspace->worker_count; l++)
    for (int row = 0; row < IMAGE_ROWS; row++)
      memset(
          workspace->workers[l].image_ring + (size_t)row * fused_image_row_stride(workspace), 0,
          IMAGE_CHANNELS * sizeof(float));
}
