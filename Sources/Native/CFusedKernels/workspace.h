/// The memory of one run, and how a run proceeds.
///
/// Rows stream. A stage is a layer as one thread runs it: as soon as the rows that it reads exist, it
/// computes its own and lets its consumers compute theirs, so that most rows are read while they are still in
/// the cache. It keeps as many of its rows as are still needed, in a ring. Some layers cannot run like that
/// and are roots: the one whose input is the image; those with two inputs where neither is computed from
/// the other; with several threads all that halve, where the threads wait for each other; and layers with so
/// many weights that they run faster over a whole map. A root's input is kept whole, in a map. The roots run
/// one after the other, each with all stages that stream from it.
#pragma once

#include <stdatomic.h>

#include "network.h"
#include "thread_pool.h"

enum {
  IMAGE_ROWS = 4,
  /// Room in the image ring's row for a vector of floats that is written beyond its end, and for bytes that
  /// are read beyond the end of an int8 row.
  IMAGE_SLACK = 160,
};

/// The schedule of a layer at the workspace's size, and the place of its output.
///
/// A row of floats is [pixel][channel], with a column of zeros before the first and after the last pixel (two
/// after it if the width is odd); a row of 2×2 maxima has none. int8 rows are as in kernels.h; the columns
/// around them are the zero points.
typedef struct {
  /// All of its rows, and of their 2×2 maxima, if they are kept; else NULL. Shared by all threads.
  unsigned char *map;
  unsigned char *pooled_map;
  /// The size before pooling.
  int width;
  int height;
  /// Bytes from a row to the next.
  size_t row_stride;
  size_t pooled_stride;
  /// The padding above the first row and below the last: zeros or zero points.
  unsigned char *padding_row;
  bool is_root;
  bool keeps_rows;
  bool keeps_pooled;
  int ring_rows;
  int pooled_ring_rows;
  /// The layers that its rows stream into, as a list: its first, and the next one of the list that contains
  /// this layer; -1 ends it.
  int first_consumer;
  int next_consumer;
} fused_schedule;

typedef struct {
  /// Row y is at y % ring_rows.
  unsigned char *ring;
  unsigned char *pooled_ring;
  /// The rows that this thread computes, and those of them that it keeps; the others are also computed by its
  /// neighbours.
  int begin, end;
  int own_begin, own_end;
  /// Rows that are all the same, because the image has no pixels there.
  int alike_begin, alike_end;
  /// The next row to compute.
  int next;
} fused_stage;

typedef struct {
  fused_stage *stages;
  /// The last rows of the image, row y at y % IMAGE_ROWS, with a pixel of zeros before and after; three
  /// floats or 16-bit integers or four bytes a pixel.
  unsigned char *image_ring;
  int image_next;
  /// The range to prefetch next, in the memory from which the image's rows are made.
  const uint8_t *fetch_next;
  const uint8_t *fetch_end;
  /// A row for results that are not used.
  unsigned char *spare;
} fused_worker;

struct fused_workspace {
  const fused_network *network;
  int width;
  int height;
  fused_schedule *schedules;
  fused_worker workers[FUSED_MAX_THREADS];
  int worker_count;
  fused_stage *stages;
  fused_map *outputs;
  /// Zeros, as many bytes as the longest of all rows has.
  unsigned char *zeros;
  size_t longest_row;
  void *memory;
  size_t memory_bytes;
  fused_thread_pool *pool;
  const fused_image *image;
  /// The bytes that an int8 network reads for those of the image's channels, if they differ.
  uint8_t pixel_table[IMAGE_CHANNELS][256];
  bool uses_pixel_table;
  /// Asks the caller whether to continue; may be NULL.
  int (*keep_going)(void *caller);
  void *caller;
  /// Pixels since the caller was asked last.
  int64_t work;
  /// Whether the caller has ended the run.
  atomic_bool is_over;
};

static inline bool fused_is_over(fused_workspace *workspace)
{
  return atomic_load_explicit(&workspace->is_over, memory_order_relaxed);
}

/// Returns the bytes of one row of the image's ring.
size_t fused_image_row_stride(const fused_workspace *workspace);
/// Returns the bytes from a block of 16 channels to the next, in a row of `width` pixels.
size_t fused_plane_stride(int width);

/// Returns how many rows a layer computes together: two, or one.
int fused_rows_at_once(const fused_node *node);
/// Decides which rows are kept and which layers stream, for the workspace's size.
void fused_schedule_layers(fused_workspace *workspace);
/// Assigns memory for the workspace's size, beginning at `base`; with NULL only measures.
/// - Returns: the bytes needed.
size_t fused_lay_out(fused_workspace *workspace, unsigned char *base);
/// Writes the constant padding around rows: zeros and zero points.
void fused_write_padding(fused_workspace *workspace);

/// Runs `worker`'s share of a root and of all stages that stream from it.
void fused_run_root(fused_workspace *workspace, fused_worker *worker, int worker_index, int root);

/// Returns the byte nearest to a value; 0 for NaN.
static inline uint8_t fused_nearest_byte(float value)
{
  return value > 0 ? value < 255 ? (uint8_t)(value + 0.5f) : 255 : 0;
}
