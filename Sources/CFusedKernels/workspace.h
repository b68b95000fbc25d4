/// The memory of one run, and how a run proceeds.
///
/// Rows stream. A stage is a layer as one thread runs it: as soon as the rows that it reads exist, it computes its own and
/// lets its consumers compute theirs, so that most rows are read while they are still in the cache. It keeps as many of its
/// rows as are still needed, in a ring. Some layers cannot run like that and are roots: the one whose input is the image;
/// those with two inputs of which neither is computed from the other; with several threads all that halve, where the threads
/// wait for each other; and layers with so many weights that they run faster over a whole map. A root's input is kept whole,
/// in a map. The roots run one after the other, each with all stages that stream from it.
#pragma once

#include "network.h"
#include "thread_pool.h"

enum {
  IMAGE_ROWS = 4,
  /// The image ring's row has room for a vector that is written beyond its end.
  IMAGE_SLACK = 16,
};

/// How a layer runs at the workspace's size, and where its output is. A row has a column of zeros before its first and after
/// its last (two after it if the width is odd); a row of 2×2 maxima has none.
typedef struct {
  /// All of its rows, and of their 2×2 maxima, if they are kept; else NULL. Shared by all threads.
  float *map;
  float *pooled_map;
  /// Before pooling.
  int width;
  int height;
  /// Floats from a row to the next.
  size_t row_stride;
  size_t pooled_stride;
  bool is_root;
  bool keeps_rows;
  bool keeps_pooled;
  /// Rows of the rings, which are used where there is no map.
  int ring_rows;
  int pooled_ring_rows;
  /// Layers that its rows stream into, as a list: its first, and the next one of the list that this layer is in; -1 ends.
  int first_consumer;
  int next_consumer;
} fused_schedule;

typedef struct {
  /// Row y is at y % ring_rows.
  float *ring;
  float *pooled_ring;
  /// The rows that this thread computes, and those of them that it keeps; the others its neighbours compute as well.
  int begin, end;
  int own_begin, own_end;
  /// The next row to compute.
  int next;
} fused_stage;

/// The state of one thread.
typedef struct {
  fused_stage *stages;
  /// The last rows of the image as floats, row y at y % IMAGE_ROWS, with a pixel of zeros before and after.
  float *image_ring;
  int image_next;
  /// For a row that is computed but not used.
  float *spare;
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
  /// As long as the longest row of anything.
  float *zeros;
  size_t zero_count;
  void *memory;
  size_t memory_bytes;
  fused_thread_pool *pool;
  const fused_image *image;
};

/// Floats of one row of the image's ring.
size_t fused_image_row_stride(const fused_workspace *workspace);

/// Rows that a layer computes together: two, or one.
int fused_rows_at_once(const fused_node *node);
/// Decides which rows are kept and which layers stream, for the workspace's size.
void fused_schedule_layers(fused_workspace *workspace);
/// Assigns memory for the workspace's size, beginning at `base`; with NULL only measures.
/// - Returns: the bytes needed.
size_t fused_lay_out(fused_workspace *workspace, unsigned char *base);
/// Writes the zeros around rows, which stay, and the row of zeros.
void fused_write_zeros(fused_workspace *workspace);

/// Runs `worker`'s share of a root and of all stages that stream from it.
void fused_run_root(fused_workspace *workspace, fused_worker *worker, int worker_index, int root);
