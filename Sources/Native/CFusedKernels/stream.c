/// Passes rows from stage to stage.
#include <string.h>

#include "stream.h"

static void run_layer(fused_stream *stream, int index);

/// Lets the consumers compute what the rows up to before `next` allow.
static void propagate(fused_stream *stream, int index, int next)
{
  stage_of(stream, index)->next = next;
  for (int i = schedule_of(stream, index)->first_consumer; i >= 0; i = schedule_of(stream, i)->next_consumer)
    run_layer(stream, i);
}

/// Returns how many rows a stage can compute next: two, one, or none while rows that it reads are missing.
static int rows_ready(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  const int left = stage->end - stage->next;
  const int most = fused_rows_at_once(node);
  const int count = left < most ? left : most;
  if (count <= 0 || schedule_of(stream, index)->is_root) return count;
  int last = stage->next + count - 1;
  if (node->layer.kind == FUSED_LAYER_TRANSPOSED)
    last /= 2;
  else if (node->layer.source_pooled)
    last = 2 * last + 1;
  else
    last = last * node->layer.stride - node->layer.padding + node->layer.kernel - 1;
  const int height = schedule_of(stream, node->layer.source)->height;
  if (last >= height) last = height - 1;
  return last < stage_of(stream, node->layer.source)->next ? count : 0;
}

/// Pixels of the image between two calls of `keep_going`, in each of the parts of a run: a few milliseconds.
enum { PIXELS_BETWEEN_QUESTIONS = 1 << 17 };

/// Returns whether the run was ended. The first worker, which is the caller's thread, asks.
static bool ends_here(fused_stream *stream, int root)
{
  fused_workspace *workspace = stream->workspace;
  if (workspace->keep_going && stream->worker == workspace->workers) {
    // A row of the root with all stages that stream from it.
    workspace->work += (int64_t)workspace->width << node_of(stream, root)->level;
    if (workspace->work >= PIXELS_BETWEEN_QUESTIONS) {
      workspace->work = 0;
      if (!workspace->keep_going(workspace->caller))
        atomic_store_explicit(&workspace->is_over, true, memory_order_relaxed);
    }
  }
  return fused_is_over(workspace);
}

/// Returns whether the next rows are the same as those computed before them.
static bool repeats_rows(const fused_stream *stream, int index, int count)
{
  const fused_stage *stage = stage_of(stream, index);
  const int before = stage->next - fused_rows_at_once(node_of(stream, index));
  return before >= stage->alike_begin && before >= stage->begin && stage->next + count <= stage->alike_end;
}

static void copy_row(unsigned char *to, const unsigned char *from, size_t size)
{
  if (to && to != from) memcpy(to, from, size);
}

static void repeat_rows(const fused_stream *stream, int index, int count)
{
  const fused_schedule *schedule = schedule_of(stream, index);
  const int y = stage_of(stream, index)->next;
  for (int i = 0; i < count; i++)
    copy_row(output_row(stream, index, y + i), output_row(stream, index, y - 1), schedule->row_stride);
  if (node_of(stream, index)->pooled_used)
    copy_row(output_pooled(stream, index, y / 2), output_pooled(stream, index, y / 2 - 1), schedule->pooled_stride);
}

static void run_layer(fused_stream *stream, int index)
{
  for (int count; (count = rows_ready(stream, index)) > 0;) {
    if (schedule_of(stream, index)->is_root && ends_here(stream, index)) return;
    const int y = stage_of(stream, index)->next;
    int partner = -1;
    if (repeats_rows(stream, index, count))
      repeat_rows(stream, index, count);
    else if (fused_is_i8(node_of(stream, index)))
      fused_compute_rows_i8(stream, index, count);
    else
      partner = fused_compute_rows(stream, index, count);
    if (partner < 0) {
      propagate(stream, index, y + count);
    } else {
      stage_of(stream, index)->next = y + 1;
      propagate(stream, partner, y);
      run_layer(stream, partner);
    }
  }
}

/// Returns the rows of its source, from `*begin` to before `*end`, from which a stage's rows are computed.
static void input_range(const fused_stream *stream, int index, int *begin, int *end)
{
  const fused_node *node = node_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (node->layer.kind == FUSED_LAYER_TRANSPOSED) {
    *begin = stage->begin / 2;
    *end = (stage->end + 1) / 2;
  } else if (node->layer.source_pooled) {
    *begin = 2 * stage->begin;
    *end = 2 * stage->end;
  } else {
    *begin = stage->begin * node->layer.stride - node->layer.padding;
    *end = (stage->end - 1) * node->layer.stride - node->layer.padding + node->layer.kernel;
  }
  const int height = schedule_of(stream, node->layer.source)->height;
  if (*begin < 0) *begin = 0;
  if (*end > height) *end = height;
}

/// Sets the rows of one image that this thread computes in a stage and in all that stream from it.
static void set_ranges(const fused_stream *stream, int worker_index, int index)
{
  const int workers = stream->workspace->worker_count;
  const fused_schedule *schedule = schedule_of(stream, index);
  fused_stage *stage = stage_of(stream, index);
  // Whole pairs of rows, because they are pooled.
  const int pairs = (schedule->height + 1) / 2;
  const int own_begin = 2 * (pairs * worker_index / workers);
  const int own_end = 2 * (pairs * (worker_index + 1) / workers);
  stage->own_begin = own_begin;
  stage->own_end = own_end < schedule->height ? own_end : schedule->height;
  const bool keeps = (schedule->map || schedule->pooled_map) && stage->own_begin < stage->own_end;
  int begin = keeps ? stage->own_begin : schedule->height;
  int end = keeps ? stage->own_end : 0;
  for (int next = schedule->first_consumer; next >= 0; next = schedule_of(stream, next)->next_consumer) {
    set_ranges(stream, worker_index, next);
    const fused_stage *consumer = stage_of(stream, next);
    if (consumer->begin >= consumer->end) continue;
    int first, last;
    input_range(stream, next, &first, &last);
    if (first < begin) begin = first;
    if (last > end) end = last;
  }
  if (node_of(stream, index)->pooled_used) {
    begin = begin / 2 * 2;
    end = (end + 1) / 2 * 2;
  }
  if (begin >= end) begin = end = 0;
  stage->begin = stage->next = begin;
  stage->end = end;
}

/// Finds the rows below the image that are the same as the ones above them, in a stage and in all that stream
/// from it. Few are after some layers, since each with a 3×3 kernel sees a row more of what is around.
static void find_alike_rows(const fused_stream *stream, int index)
{
  const fused_node *node = node_of(stream, index);
  fused_stage *stage = stage_of(stream, index);
  stage->alike_begin = stage->alike_end = 0;
  if (node->layer.source < 0) {
    if (fused_is_i8(node)) {
      stage->alike_begin = stream->workspace->image->height / 2 + 1;
      stage->alike_end = schedule_of(stream, index)->height;
    }
  } else if (!schedule_of(stream, index)->is_root && node->layer.stride == 1 && node->layer.added < 0) {
    const fused_stage *source = stage_of(stream, node->layer.source);
    stage->alike_begin = source->alike_begin + node->layer.padding;
    stage->alike_end = source->alike_end - node->layer.padding;
    if (node->layer.source_pooled) {
      stage->alike_begin = (source->alike_begin + 1) / 2;
      stage->alike_end = source->alike_end / 2;
    }
  }
  for (int i = schedule_of(stream, index)->first_consumer; i >= 0; i = schedule_of(stream, i)->next_consumer)
    find_alike_rows(stream, i);
}

void fused_run_root(fused_workspace *workspace, fused_worker *worker, int worker_index, int root)
{
  fused_stream stream = {workspace, worker};
  set_ranges(&stream, worker_index, root);
  find_alike_rows(&stream, root);
  const fused_node *node = &workspace->network->nodes[root];
  const int first = worker->stages[root].begin * node->layer.stride - node->layer.padding;
  if (node->layer.source < 0) worker->image_next = first > 0 ? first : 0;
  worker->fetch_next = worker->fetch_end = NULL;
  run_layer(&stream, root);
}
