/// The memory of one run, and how a run goes.
///
/// Rows stream. A stage is a layer as one thread runs it: it takes rows, keeps the last four in a ring, and hands each
/// row it makes to the stages that follow, so that most rows are used while they are still in the cache and no whole map
/// of them is ever written. Some layers cannot be fed like that and are roots: the stem (fed from the image), a sum of
/// two maps, and, with several threads, whatever takes a pooled map, as there the threads meet. What a root takes is
/// kept whole. The roots run one after the other, each with all stages that follow from it.
#pragma once

#include "network.h"
#include "team.h"

enum { RING_ROWS = 4 };

typedef struct {
  /// Where its rows, and their 2×2 maxima, are kept whole; else NULL. Shared by all threads.
  float *map;
  float *pooled_map;
  /// Of its rows, before any pooling.
  int width;
  int height;
  /// Floats from a row to the next, with room for one column more where the width is odd.
  size_t row_stride;
  bool is_root;
  bool keeps_rows;
  bool keeps_pooled;
  /// Layers that its rows stream into: the first, and for each of those the next; -1 ends.
  int first_follower;
  int next_follower;
} fused_plan;

typedef struct {
  /// Units: rows of the 1×1 convolution, row y at y % 4, with a column of zeros before and two after.
  float *ring;
  /// Two rows and a pooled one, for what is not kept.
  float *scratch;
  float *pooled_scratch;
  /// Of an upsampled sum.
  float *sum;
  /// The rows that this thread makes, and of those the ones it keeps; the others are its neighbours' as well.
  int begin, end;
  int own_begin, own_end;
  /// The next row to come in, the end of those, and the next to be made.
  int next_in, in_end, next_out;
} fused_stage;

/// What each thread has for itself.
typedef struct {
  fused_stage *stages;
  /// The last four rows of the image as floats, row y at y % 4, with a pixel of zeros before.
  float *image_ring;
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

/// Hands out memory to everything for the workspace's size, beginning at `base`; with NULL only measures.
/// - Returns: the bytes needed.
size_t fused_lay_out(fused_workspace *workspace, unsigned char *base);
/// Writes the zeros that stay: around rows, and where there are none.
void fused_write_zeros(fused_workspace *workspace);

/// Runs `lane`'s part of all that follows from one root.
void fused_run_root(fused_workspace *workspace, fused_lane *lane, int lane_index, int root);
