#define _DEFAULT_SOURCE // madvise
#include "workspace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

int fused_workspace_create(const fused_network *network, int32_t threads, fused_workspace **created)
{
  if (!network || threads < 1 || threads > FUSED_MAX_THREADS) return EINVAL;
  fused_workspace *workspace = calloc(1, sizeof *workspace);
  if (!workspace) return ENOMEM;
  const size_t layers = (size_t)network->node_count;
  workspace->network = network;
  workspace->worker_count = threads;
  workspace->schedules = calloc(layers, sizeof *workspace->schedules);
  workspace->stages = calloc(layers * (size_t)threads, sizeof *workspace->stages);
  workspace->outputs = calloc((size_t)network->output_count, sizeof *workspace->outputs);
  int result = workspace->schedules && workspace->stages && workspace->outputs ? 0 : ENOMEM;
  if (result == 0 && threads > 1) result = fused_thread_pool_create(threads, &workspace->pool);
  if (result != 0) {
    fused_workspace_destroy(workspace);
    return result;
  }
  for (int i = 0; i < threads; i++) workspace->workers[i].stages = workspace->stages + layers * (size_t)i;
  *created = workspace;
  return 0;
}

void fused_workspace_destroy(fused_workspace *workspace)
{
  if (!workspace) return;
  fused_thread_pool_destroy(workspace->pool);
  free(workspace->schedules);
  free(workspace->stages);
  free(workspace->outputs);
  free(workspace->memory);
  free(workspace);
}

/// Returns memory for free(). Every image writes all of it: huge pages, if the system has them, save most
/// page faults of the first one.
static void *allocate(size_t bytes)
{
  const size_t page = bytes < HUGE_PAGE / 2 ? CACHE_LINE : HUGE_PAGE;
  const size_t size = (bytes + page - 1) / page * page;
  void *memory = aligned_alloc(page, size);
  if (memory && page == HUGE_PAGE) madvise(memory, size, MADV_HUGEPAGE); // only a hint
  return memory;
}

int fused_workspace_resize(fused_workspace *workspace, int32_t width, int32_t height)
{
  const int32_t multiple = fused_network_multiple(workspace->network);
  if (width < 1 || height < 1 || width > FUSED_MAX_SIDE || height > FUSED_MAX_SIDE || width % multiple != 0 ||
      height % multiple != 0)
    return EINVAL;
  const int side = workspace->network->side;
  if (side != 0 && (width != side || height != side)) return EINVAL;
  if (workspace->pool && fused_thread_pool_restart_after_fork(workspace->pool) != 0) return EAGAIN;
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
    // int8 kernels read whole vectors, whose ends they multiply by zeros.
    if (fused_network_format(workspace->network) == FUSED_FORMAT_I8) memset(memory, 0, needed);
    free(workspace->memory);
    workspace->memory = memory;
    workspace->memory_bytes = needed;
  }
  // The kernels load and store whole vectors at the starts of rows.
  assert((uintptr_t)workspace->memory % CACHE_LINE == 0 && needed <= workspace->memory_bytes);
  fused_lay_out(workspace, workspace->memory);
  fused_write_padding(workspace);
  return 0;
}

size_t fused_workspace_bytes(const fused_workspace *workspace) { return workspace->memory_bytes; }

typedef float four_floats __attribute__((vector_size(16)));

/// Channels that `write_planes` writes together.
enum { PLANES = 4 };

/// Converts a row of pixels, four channels of each, to a row of each channel.
static void write_planes(const float *row, ptrdiff_t channels, int width, float *const to[PLANES])
{
  int x = 0;
  for (; x + 4 <= width; x += 4) {
    four_floats pixel[4];
    for (int i = 0; i < 4; i++) memcpy(&pixel[i], row + (x + i) * channels, sizeof *pixel);
    const four_floats low[2] = {__builtin_shufflevector(pixel[0], pixel[1], 0, 4, 1, 5),
                                __builtin_shufflevector(pixel[2], pixel[3], 0, 4, 1, 5)};
    const four_floats high[2] = {__builtin_shufflevector(pixel[0], pixel[1], 2, 6, 3, 7),
                                 __builtin_shufflevector(pixel[2], pixel[3], 2, 6, 3, 7)};
    const four_floats plane[PLANES] = {__builtin_shufflevector(low[0], low[1], 0, 1, 4, 5),
                                       __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7),
                                       __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5),
                                       __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7)};
    for (int c = 0; c < PLANES; c++) memcpy(to[c] + x, &plane[c], sizeof *plane);
  }
  for (; x < width; x++)
    for (int c = 0; c < PLANES; c++) to[c][x] = row[x * channels + c];
}

/// Writes one worker's share of an output, channel by channel, from a map whose channels are side by side.
static void write_output(const fused_workspace *workspace, int index, int begin, int end)
{
  const fused_output *output = &workspace->network->outputs[index];
  const fused_map *map = &workspace->outputs[index];
  const fused_schedule *schedule = &workspace->schedules[output->layer];
  const ptrdiff_t channels = workspace->network->nodes[output->layer].out_channels;
  for (int y = begin; y < end; y++) {
    // After the column of zeros.
    const float *row = (const float *)(const void *)(schedule->map + (size_t)y * schedule->row_stride) + channels +
                       output->first_channel;
    // Const only for the caller.
    float *to = (float *)map->values + (size_t)y * (size_t)map->width;
    int c = 0;
    for (; c + PLANES <= output->channels; c += PLANES, to += PLANES * map->channel_stride)
      write_planes(row + c, channels, map->width,
                   (float *const[PLANES]){to, to + map->channel_stride, to + 2 * map->channel_stride,
                                          to + 3 * map->channel_stride});
    for (; c < output->channels; c++, to += map->channel_stride)
      for (int x = 0; x < map->width; x++) to[x] = row[x * channels + c];
  }
}

static void write_outputs(const fused_workspace *workspace, int worker_index)
{
  for (int i = 0; i < workspace->network->output_count; i++) {
    const fused_map *map = &workspace->outputs[i];
    const int begin = map->height * worker_index / workspace->worker_count;
    const int end = map->height * (worker_index + 1) / workspace->worker_count;
    write_output(workspace, i, begin, end);
    for (int c = 0; workspace->network->outputs[i].sigmoid && c < map->channels; c++)
      workspace->network->kernels->sigmoid((float *)map->values + (size_t)c * map->channel_stride +
                                               (size_t)begin * (size_t)map->width,
                                           (size_t)(end - begin) * (size_t)map->width);
  }
}

static void wait_for_all(fused_workspace *workspace)
{
  if (workspace->pool) fused_thread_pool_barrier(workspace->pool);
}

static void run_worker(void *context, int worker_index)
{
  fused_workspace *workspace = context;
  for (int i = 0; i < workspace->network->node_count; i++) {
    if (!workspace->schedules[i].is_root) continue;
    // Also after the run was ended: all workers must pass the same number of barriers.
    if (!fused_is_over(workspace)) fused_run_root(workspace, &workspace->workers[worker_index], worker_index, i);
    wait_for_all(workspace);
  }
  if (!fused_is_over(workspace)) write_outputs(workspace, worker_index);
}

/// An int8 network reads the byte nearest to the value that a float network would read.
static void set_pixel_table(fused_workspace *workspace)
{
  const fused_image *image = workspace->image;
  workspace->uses_pixel_table = false;
  if ((!image->pixels && !image->read_row) || !fused_is_i8(&workspace->network->nodes[0])) return;
  for (int c = 0; c < IMAGE_CHANNELS; c++) {
    if (image->mean[c] == 0 && image->scale[c] == 1) continue;
    workspace->uses_pixel_table = true;
  }
  for (int c = 0; c < IMAGE_CHANNELS && workspace->uses_pixel_table; c++)
    for (int byte = 0; byte < 256; byte++)
      workspace->pixel_table[c][byte] = fused_nearest_byte(((float)byte - image->mean[c]) * image->scale[c]);
}

/// Returns whether the workspace can read the image's pixels in the given form.
static bool has_pixels(const fused_workspace *workspace, const fused_image *image)
{
  if (image->read_row)
    return fused_network_format(workspace->network) == FUSED_FORMAT_I8 && workspace->worker_count == 1;
  if (image->pixels) return image->bytes_per_pixel == 3 || image->bytes_per_pixel == 4;
  return image->planes[0] && image->planes[1] && image->planes[2];
}

int fused_workspace_run(fused_workspace *workspace, const fused_image *image)
{
  return fused_workspace_run_while(workspace, image, NULL, NULL);
}

int fused_workspace_run_while(fused_workspace *workspace, const fused_image *image, int (*keep_going)(void *context),
                              void *context)
{
  if (!workspace->memory || image->width < 1 || image->height < 1 || image->width > workspace->width ||
      image->height > workspace->height || !has_pixels(workspace, image))
    return EINVAL;
  workspace->image = image;
  workspace->keep_going = keep_going;
  workspace->caller = context;
  workspace->work = 0;
  atomic_store_explicit(&workspace->is_over, false, memory_order_relaxed);
  set_pixel_table(workspace);
  if (workspace->pool)
    fused_thread_pool_run(workspace->pool, run_worker, workspace);
  else
    run_worker(workspace, 0);
  workspace->image = NULL;
  return fused_is_over(workspace) ? ECANCELED : 0;
}

fused_map fused_workspace_output(const fused_workspace *workspace, size_t index) { return workspace->outputs[index]; }
