/// The rows that a computation reads and writes. The rest of a run is in stream.c; the rows themselves are
/// computed in rows.c and rows_i8.c, and those of the image are read in image_rows.c.
#pragma once

#include "workspace.h"

/// Rows of the image that are prefetched ahead of the one being read.
enum { PREFETCHED_ROWS = 4 };

/// One thread's part of a run.
typedef struct {
  fused_workspace *workspace;
  fused_worker *worker;
} fused_stream;

static inline const fused_node *node_of(const fused_stream *stream, int index)
{
  return &stream->workspace->network->nodes[index];
}
static inline const fused_schedule *schedule_of(const fused_stream *stream, int index)
{
  return &stream->workspace->schedules[index];
}
static inline fused_stage *stage_of(const fused_stream *stream, int index) { return &stream->worker->stages[index]; }

/// Returns where a stage writes the row `y`: in its map if the row is this thread's own, else in the ring.
static inline unsigned char *output_row(const fused_stream *stream, int index, int y)
{
  const fused_schedule *schedule = schedule_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (schedule->map && y >= stage->own_begin && y < stage->own_end)
    return schedule->map + (size_t)y * schedule->row_stride;
  return stage->ring ? stage->ring + (size_t)(y % schedule->ring_rows) * schedule->row_stride : NULL;
}

static inline unsigned char *output_pooled(const fused_stream *stream, int index, int y)
{
  const fused_schedule *schedule = schedule_of(stream, index);
  const fused_stage *stage = stage_of(stream, index);
  if (schedule->pooled_map && 2 * y >= stage->own_begin && 2 * y < stage->own_end)
    return schedule->pooled_map + (size_t)y * schedule->pooled_stride;
  return stage->pooled_ring + (size_t)(y % schedule->pooled_ring_rows) * schedule->pooled_stride;
}

/// Returns the row `y` of `source` as the stage `reader` reads it: a root reads the rows of all threads. Rows
/// outside the map are all padding.
static inline const unsigned char *input_row(const fused_stream *stream, int reader, int source, int y)
{
  const fused_schedule *schedule = schedule_of(stream, source);
  if (y < 0 || y >= schedule->height) return schedule->padding_row;
  if (schedule_of(stream, reader)->is_root) return schedule->map + (size_t)y * schedule->row_stride;
  return output_row(stream, source, y);
}

static inline const unsigned char *input_pooled(const fused_stream *stream, int reader, int source, int y)
{
  const fused_schedule *schedule = schedule_of(stream, source);
  if (schedule_of(stream, reader)->is_root) return schedule->pooled_map + (size_t)y * schedule->pooled_stride;
  return output_pooled(stream, source, y);
}

static inline unsigned char *image_row(const fused_stream *stream, int y)
{
  return stream->worker->image_ring + (size_t)(y % IMAGE_ROWS) * fused_image_row_stride(stream->workspace);
}

/// Returns the row `y` of the image, which is read when it is first needed.
const unsigned char *fused_input_image_row(const fused_stream *stream, int y);

/// Computes the next `count` rows of a layer, one or two.
/// - Returns: -1, or the consumer whose two rows were also computed.
int fused_compute_rows(const fused_stream *stream, int index, int count);
void fused_compute_rows_i8(const fused_stream *stream, int index, int count);
