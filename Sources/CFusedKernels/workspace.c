#define _DEFAULT_SOURCE  // madvise
#include "workspace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 2 << 20 };

int fused_workspace_create(const fused_network *network, int32_t threads, fused_workspace **created) {
  if (!network || threads < 1 || threads > FUSED_MAX_THREADS) return EINVAL;
  fused_workspace *workspace = calloc(1, sizeof *workspace);
  if (!workspace) return ENOMEM;
  const size_t layers = (size_t)network->layer_count;
  workspace->network = network;
  workspace->lane_count = threads;
  workspace->plans = calloc(layers, sizeof *workspace->plans);
  workspace->stages = calloc(layers * (size_t)threads, sizeof *workspace->stages);
  workspace->outputs = calloc((size_t)network->output_count, sizeof *workspace->outputs);
  int result = workspace->plans && workspace->stages && workspace->outputs ? 0 : ENOMEM;
  if (result == 0 && threads > 1) result = fused_team_create(threads, &workspace->team);
  if (result != 0) {
    fused_workspace_destroy(workspace);
    return result;
  }
  for (int i = 0; i < threads; i++) workspace->lanes[i].stages = workspace->stages + layers * (size_t)i;
  *created = workspace;
  return 0;
}

void fused_workspace_destroy(fused_workspace *workspace) {
  if (!workspace) return;
  fused_team_destroy(workspace->team);
  free(workspace->plans);
  free(workspace->stages);
  free(workspace->outputs);
  free(workspace->memory);
  free(workspace);
}

/// For free(). All of it is written with each image, so that huge pages, where the system has them, take a thousandth of the
/// page faults of the first one.
static void *allocate(size_t bytes) {
  const size_t page = bytes < HUGE_PAGE / 2 ? CACHE_LINE : HUGE_PAGE;
  const size_t size = (bytes + page - 1) / page * page;
  void *memory = aligned_alloc(page, size);
  if (memory && page == HUGE_PAGE) madvise(memory, size, MADV_HUGEPAGE);  // a wish
  return memory;
}

int fused_workspace_resize(fused_workspace *workspace, int32_t width, int32_t height) {
  const int32_t multiple = fused_network_multiple(workspace->network);
  if (width < 1 || height < 1 || width > FUSED_MAX_SIDE || height > FUSED_MAX_SIDE || width % multiple != 0 ||
      height % multiple != 0)
    return EINVAL;
  const int side = workspace->network->side;
  if (side != 0 && (width != side || height != side)) return EINVAL;
  if (workspace->team && fused_team_revive(workspace->team) != 0) return EAGAIN;
  if (width == workspace->width && height == workspace->height) return 0;
  const int old_width = workspace->width;
  const int old_height = workspace->height;
  workspace->width = width;
  workspace->height = height;
  const size_t needed = fused_lay_out(workspace, NULL);
  if (needed > workspace->memory_bytes) {
    void *memory = allocate(needed);
    if (!memory) {
      workspace->width = old_width;
      workspace->height = old_height;
      if (workspace->memory) fused_lay_out(workspace, workspace->memory);
      return ENOMEM;
    }
    free(workspace->memory);
    workspace->memory = memory;
    workspace->memory_bytes = needed;
  }
  fused_lay_out(workspace, workspace->memory);
  fused_write_zeros(workspace);
  return 0;
}

size_t fused_workspace_bytes(const fused_workspace *workspace) { return workspace->memory_bytes; }

/// One lane's share of the outputs: channel by channel as the caller wants them, out of maps with channels side by side.
static void write_outputs(const fused_workspace *workspace, int lane_index) {
  for (int i = 0; i < workspace->network->output_count; i++) {
    const fused_output *output = &workspace->network->outputs[i];
    const fused_map *map = &workspace->outputs[i];
    const fused_plan *plan = &workspace->plans[output->step];
    const int channels = workspace->network->layers[output->step].out_channels;
    const int begin = map->height * lane_index / workspace->lane_count;
    const int end = map->height * (lane_index + 1) / workspace->lane_count;
    for (int c = 0; c < output->channels; c++) {
      // Ours, if const to those who read it.
      float *const plane = (float *)map->values + (size_t)c * map->channel_stride;
      for (int y = begin; y < end; y++) {
        // After the column of zeros.
        const float *from = plan->map + (size_t)y * plan->row_stride + channels + output->first_channel + c;
        float *to = plane + (size_t)y * (size_t)map->width;
        for (int x = 0; x < map->width; x++) to[x] = from[(ptrdiff_t)x * channels];
      }
      if (output->sigmoid)
        workspace->network->kernels->sigmoid(
            plane + (size_t)begin * (size_t)map->width, (size_t)(end - begin) * (size_t)map->width);
    }
  }
}

static void meet(fused_workspace *workspace) {
  if (workspace->team) fused_team_meet(workspace->team);
}

static void run_lane(void *context, int lane_index) {
  fused_workspace *workspace = context;
  for (int i = 0; i < workspace->network->layer_count; i++) {
    if (!workspace->plans[i].is_root) continue;
    fused_run_root(workspace, &workspace->lanes[lane_index], lane_index, i);
    meet(workspace);
  }
  write_outputs(workspace, lane_index);
}

int fused_workspace_run(fused_workspace *workspace, const fused_image *image) {
  if (!workspace->memory || image->width < 1 || image->height < 1 || image->width > workspace->width ||
      image->height > workspace->height)
    return EINVAL;
  if (image->pixels ? image->bytes_per_pixel != 3 && image->bytes_per_pixel != 4
                    : !image->planes[0] || !image->planes[1] || !image->planes[2])
    return EINVAL;
  workspace->image = image;
  if (workspace->team) fused_team_run(workspace->team, run_lane, workspace);
  else run_lane(workspace, 0);
  workspace->image = NULL;
  return 0;
}

fused_map fused_workspace_output(const fused_workspace *workspace, size_t index) { return workspace->outputs[index]; }
