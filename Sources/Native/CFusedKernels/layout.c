/// Assigns the parts of a workspace's memory.
#include <string.h>

#include "workspace.h"

typedef struct {
  unsigned char *base;
  size_t used;
} arena;

/// Parts are three cache lines apart: rows at equal offsets of their pages would compete for the same few
/// sets of the first-level cache.
static unsigned char *allocate(arena *arena, size_t size)
{
  unsigned char *start = arena->base ? arena->base + arena->used : NULL;
  arena->used += (size + 63) / 64 * 64 + 192;
  return start;
}

size_t fused_image_row_stride(const fused_workspace *workspace)
{
  const size_t pixel = fused_is_i8(&workspace->network->nodes[0]) ? 4 : IMAGE_CHANNELS * sizeof(float);
  return (((size_t)workspace->width + 2) * pixel + IMAGE_SLACK + 63) / 64 * 64;
}

/// Includes room for a vector of columns beyond the last.
size_t fused_plane_stride(int width) { return 2 * FUSED_I8_MARGIN + (size_t)(width + 3) / 4 * 4 * FUSED_I8_BLOCK; }

static void measure_rows(fused_workspace *workspace)
{
  workspace->longest_row = fused_image_row_stride(workspace);
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_node *node = &workspace->network->nodes[i];
    fused_schedule *schedule = &workspace->schedules[i];
    const size_t pixel = (size_t)(node->out_channels * fused_value_size(node->layer.format));
    if (node->layer.format == FUSED_FORMAT_I8) {
      const size_t blocks = (size_t)(node->out_channels / FUSED_I8_BLOCK);
      schedule->row_stride = fused_plane_stride(schedule->width) * blocks;
      schedule->pooled_stride = fused_plane_stride(schedule->width / 2) * blocks;
    } else {
      // Whole vectors of columns are written when floats are computed from bytes.
      const int columns =
          fused_is_i8(node) ? (schedule->width + 3) / 4 * 4 + 1 : schedule->width + 2 + schedule->width % 2;
      schedule->row_stride = (size_t)columns * pixel;
      schedule->pooled_stride = (size_t)(schedule->width / 2) * pixel;
    }
    if (schedule->row_stride > workspace->longest_row) workspace->longest_row = schedule->row_stride;
  }
}

static void lay_out_maps(fused_workspace *workspace, arena *arena)
{
  for (int i = 0; i < workspace->network->node_count; i++) {
    fused_schedule *schedule = &workspace->schedules[i];
    const bool has_bytes = workspace->network->nodes[i].layer.format == FUSED_FORMAT_I8;
    schedule->padding_row = has_bytes ? allocate(arena, schedule->row_stride) : workspace->zeros;
    schedule->map = schedule->keeps_rows ? allocate(arena, schedule->row_stride * (size_t)schedule->height) : NULL;
    schedule->pooled_map =
        schedule->keeps_pooled ? allocate(arena, schedule->pooled_stride * (size_t)(schedule->height / 2)) : NULL;
  }
}

/// A single thread needs no ring beside a map; of several, each also computes rows that its neighbour keeps.
static void lay_out_worker(fused_workspace *workspace, fused_worker *worker, arena *arena)
{
  const bool alone = workspace->worker_count == 1;
  worker->image_ring = allocate(arena, IMAGE_ROWS * fused_image_row_stride(workspace));
  worker->spare = allocate(arena, workspace->longest_row);
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_schedule *schedule = &workspace->schedules[i];
    fused_stage *stage = &worker->stages[i];
    const size_t rows = alone && schedule->keeps_rows ? 0 : (size_t)schedule->ring_rows;
    const size_t pooled_rows = alone && schedule->keeps_pooled ? 0 : (size_t)schedule->pooled_ring_rows;
    stage->ring = rows > 0 ? allocate(arena, rows * schedule->row_stride) : NULL;
    stage->pooled_ring = pooled_rows > 0 ? allocate(arena, pooled_rows * schedule->pooled_stride) : NULL;
  }
}

static void lay_out_outputs(fused_workspace *workspace, arena *arena)
{
  for (int i = 0; i < workspace->network->output_count; i++) {
    const fused_output *output = &workspace->network->outputs[i];
    const fused_schedule *schedule = &workspace->schedules[output->layer];
    // Channels begin at multiples of 16 bytes.
    const size_t channel = ((size_t)schedule->width * (size_t)schedule->height + 3) / 4 * 4;
    workspace->outputs[i] = (fused_map){
        .values = (const float *)(const void *)allocate(arena, channel * (size_t)output->channels * sizeof(float)),
        .channels = output->channels,
        .height = schedule->height,
        .width = schedule->width,
        .channel_stride = channel,
    };
  }
}

size_t fused_lay_out(fused_workspace *workspace, unsigned char *base)
{
  arena arena = {base, 0};
  fused_schedule_layers(workspace);
  measure_rows(workspace);
  workspace->zeros = allocate(&arena, workspace->longest_row);
  lay_out_maps(workspace, &arena);
  for (int i = 0; i < workspace->worker_count; i++) lay_out_worker(workspace, &workspace->workers[i], &arena);
  lay_out_outputs(workspace, &arena);
  return arena.used;
}

static void write_zeros_around(const fused_node *node, const fused_schedule *schedule, unsigned char *row)
{
  const size_t pixel = (size_t)(node->out_channels * fused_value_size(node->layer.format));
  const size_t end = (size_t)(schedule->width + 1) * pixel;
  memset(row, 0, pixel);
  memset(row + end, 0, schedule->row_stride - end);
}

static void write_zero_points_around(const fused_node *node, const fused_schedule *schedule, unsigned char *row)
{
  for (int c = 0; c < node->out_channels; c += FUSED_I8_BLOCK, row += fused_plane_stride(schedule->width)) {
    memcpy(row + FUSED_I8_MARGIN - FUSED_I8_BLOCK, node->zero_points + c, FUSED_I8_BLOCK);
    memcpy(row + FUSED_I8_MARGIN + schedule->width * FUSED_I8_BLOCK, node->zero_points + c, FUSED_I8_BLOCK);
  }
}

static void write_around(const fused_node *node, const fused_schedule *schedule, unsigned char *rows, int count)
{
  for (int y = 0; rows && y < count; y++) {
    if (node->layer.format == FUSED_FORMAT_I8)
      write_zero_points_around(node, schedule, rows + (size_t)y * schedule->row_stride);
    else
      write_zeros_around(node, schedule, rows + (size_t)y * schedule->row_stride);
  }
}

static void fill_with_zero_points(const fused_node *node, const fused_schedule *schedule, unsigned char *row)
{
  const size_t plane = fused_plane_stride(schedule->width);
  for (int c = 0; c < node->out_channels; c += FUSED_I8_BLOCK)
    for (size_t at = 0; at < plane; at += FUSED_I8_BLOCK, row += FUSED_I8_BLOCK)
      memcpy(row, node->zero_points + c, FUSED_I8_BLOCK);
}

void fused_write_padding(fused_workspace *workspace)
{
  memset(workspace->zeros, 0, workspace->longest_row);
  for (int i = 0; i < workspace->network->node_count; i++) {
    const fused_node *node = &workspace->network->nodes[i];
    const fused_schedule *schedule = &workspace->schedules[i];
    write_around(node, schedule, schedule->map, schedule->height);
    for (int w = 0; w < workspace->worker_count; w++)
      write_around(node, schedule, workspace->workers[w].stages[i].ring, schedule->ring_rows);
    if (node->layer.format == FUSED_FORMAT_I8) fill_with_zero_points(node, schedule, schedule->padding_row);
  }
  for (int w = 0; w < workspace->worker_count; w++)
    for (int row = 0; row < IMAGE_ROWS; row++)
      memset(workspace->workers[w].image_ring + (size_t)row * fused_image_row_stride(workspace), 0,
             IMAGE_CHANNELS * sizeof(float));
}
