/// The memory of one run, and how a run goes.
///
/// Rows stream. A stage is a layer as one thread runs it: as soon as there are the rows that it takes, it makes its own
/// and lets those who follow it make theirs, so that most rows are used while they are still in the cache. Of its rows
/// it keeps as many as somebody may still ask for, in a ring. Some layers cannot be fed like that and are roots: the
/// one that takes the image, what takes two maps of which none follows from the other, with several threads whatever
/// halves, as there the threads meet, and layers with so many weights that they are better used for a whole map at once.
/// What a root takes is kept whole, in a map. The roots run one after the other, each with all stages that follow.
#pragma once

#include "network.h"
#include "team.h"

enum {
  IMAGE_ROWS = 4,
  /// The image ring's row has room for a vector that is written beyond its end.
  IMAGE_SLACK = 16,
};

/// Rows lie with a column of zeros before the first and one after the last, with an odd width two. 2×2 maxima lie without.
typedef struct {
  /// Where its rows, and their 2×2 maxima, are kept whole; else NULL. Shared by all threads.
  float *map;
  float *pooled_map;
  /// Of its rows, before any pooling.
  int width;
  int height;
  /// Floats from a row to the next.
  size_t row_stride;
  size_t pooled_stride;
  bool is_root;
  bool keeps_rows;
  bool keeps_pooled;
  /// Rows that are kept where there is no map.
  int ring_rows;
  int pooled_ring_rows;
  /// Layers that its rows stream into: the first, and for each of those the next; -1 ends.
  int first_follower;
  int next_follower;
} fused_plan;

typedef struct {
  /// Row y is at y % ring_rows.
  float *ring;
  float *pooled_ring;
  /// The rows that this thread makes, and of those the ones it keeps; the others are its neighbours' as well.
  int begin, end;
  int own_begin, own_end;
  /// The next row to be made.
  int next;
} fused_stage;

/// What each thread has for itself.
typedef struct {
  fused_stage *stages;
  /// The last rows of the image as floats, row y at y % IMAGE_ROWS, with a pixel of zeros before and after.
  float *image_ring;
  int image_next;
  /// For a row that nobody wants.
  float *spare;
} fused_lane;

struct fused_workspace {
  const fused_network *network;
  int width;
  int height;
  fused_plan *plans;
  fused_lane lanes[FUSED_MAX_THREADS];
  int lane_count;
  fused_stage *stages;
  fused_map *outputs;
  /// As long as the longest row of anything.
  float *zeros;
  size_t zero_count;
  void *memory;
  size_t memory_bytes;
  fused_team *team;
  const fused_image *image;
};

/// Floats of one row of the image's ring.
size_t fused_image_row_stride(const fused_workspace *workspace);

/// Rows that a layer makes together: two, or one.
int fused_rows_at_once(const fused_layer *layer);
/// Decides what is kept and what follows what, for the workspace's size.
void fused_plan_streams(fused_workspace *workspace);
/// Hands out memory to everything for the workspace's size, beginning at `base`; with NULL only measures.
/// - Returns: the bytes needed.
size_t fused_lay_out(fused_workspace *workspace, unsigned char *base);
/// Writes the zeros that stay: around rows, and where there are none.
void fused_write_zeros(fused_workspace *workspace);

/// Runs `lane`'s part of all that follows from one root.
void fused_run_root(fused_workspace *workspace, fused_lane *lane, int lane_index, int root);
