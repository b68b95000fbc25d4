/// Decides which layers are roots, whose rows are kept, and which rows stream into which layer.
#include "workspace.h"

/// A layer streams as long as its weights are at most this many times a row of its input and output.
enum { MAX_WEIGHTS_PER_ROW = 2 };
/// int8 weights up to this number stay in the first-level cache from row to row in any case.
enum { CACHED_I8_WEIGHTS = 16384 };

int fused_rows_at_once(const fused_node *node)
{
  return node->layer.kind == FUSED_LAYER_DEPTHWISE && node->layer.stride == 1 ? 2 : 1;
}

/// Returns the rows of its source that a layer reads to compute the next.
static int receptive_rows(const fused_node *node)
{
  if (node->layer.kind == FUSED_LAYER_SUM || node->layer.kind == FUSED_LAYER_TRANSPOSED) return 1;
  return node->layer.kernel + fused_rows_at_once(node) - 1;
}

/// Returns whether the layer `index`, if it is not a root, computes its rows from those of `ancestor`,
/// directly or through others.
static bool streams_from(const fused_workspace *workspace, int index, int ancestor)
{
  const fused_node *nodes = workspace->network->nodes;
  int i = nodes[index].layer.source;
  for (; i > ancestor; i = nodes[i].layer.source)
    if (workspace->schedules[i].is_root) return false;
  return i == ancestor;
}

/// Returns how many rows `ancestor`, from which a layer streams, may be ahead of the row that the layer
/// computes.
static int rows_ahead(const fused_workspace *workspace, int index, int ancestor)
{
  const fused_node *nodes = workspace->network->nodes;
  int ahead = 0;
  for (int i = index; i != ancestor; i = nodes[i].layer.source) {
    const fused_node *node = &nodes[i];
    if (node->layer.kind == FUSED_LAYER_TRANSPOSED)
      ahead = ahead / 2 + 1;
    else if (node->layer.source_pooled)
      ahead = 2 * ahead + 1;
    else
      ahead = node->layer.stride * ahead + receptive_rows(node) - 1 - node->layer.padding;
    ahead += fused_rows_at_once(&nodes[node->layer.source]) - 1;
  }
  return ahead;
}

static void raise_to(int *count, int least)
{
  if (*count < least) *count = least;
}

static void keep(fused_schedule *schedule, bool pooled)
{
  if (pooled)
    schedule->keeps_pooled = true;
  else
    schedule->keeps_rows = true;
}

/// Row by row, many weights would be read from an outer cache for each row. A layer that runs over the whole
/// map reads them once, but the map is written and read instead.
static bool has_more_weights_than_pixels(const fused_workspace *workspace, int index)
{
  const fused_node *node = &workspace->network->nodes[index];
  if (node->layer.kind != FUSED_LAYER_CONVOLUTION) return false;
  const int64_t weights = (int64_t)node->layer.kernel * node->layer.kernel * node->in_channels * node->out_channels;
  const int64_t row = (int64_t)workspace->schedules[index].width * (node->in_channels + node->out_channels);
  return weights > MAX_WEIGHTS_PER_ROW * row && (!fused_is_i8(node) || weights > CACHED_I8_WEIGHTS);
}

static bool is_root(const fused_workspace *workspace, int index)
{
  const fused_node *node = &workspace->network->nodes[index];
  if (node->layer.source < 0 || node->layer.kind == FUSED_LAYER_SUM) return true;
  if (has_more_weights_than_pixels(workspace, index)) return true;
  if (node->layer.added >= 0 && !streams_from(workspace, index, node->layer.added)) return true;
  return workspace->worker_count > 1 &&
         (node->layer.source_pooled || (node->layer.stride == 2 && node->layer.kind != FUSED_LAYER_TRANSPOSED));
}

void fused_schedule_layers(fused_workspace *workspace)
{
  const fused_network *network = workspace->network;
  for (int i = 0; i < network->node_count; i++) {
    const fused_node *node = &network->nodes[i];
    // 2×2 maxima need two rows.
    workspace->schedules[i] = (fused_schedule){
        .width = workspace->width >> node->level,
        .height = workspace->height >> node->level,
        .ring_rows = node->rows_used || fused_rows_at_once(node) == 1 ? 2 : 0,
        .pooled_ring_rows = node->pooled_used ? 1 : 0,
        .first_consumer = -1,
        .next_consumer = -1,
    };
  }
  for (int i = 0; i < network->node_count; i++) {
    const fused_node *node = &network->nodes[i];
    fused_schedule *schedule = &workspace->schedules[i];
    schedule->is_root = is_root(workspace, i);
    if (node->layer.source >= 0) {
      fused_schedule *source = &workspace->schedules[node->layer.source];
      if (schedule->is_root) {
        keep(source, node->layer.source_pooled);
      } else {
        schedule->next_consumer = source->first_consumer;
        source->first_consumer = i;
        if (!node->layer.source_pooled)
          raise_to(&source->ring_rows,
                   receptive_rows(node) + fused_rows_at_once(&network->nodes[node->layer.source]) - 1);
      }
    }
    if (node->layer.added >= 0) {
      fused_schedule *added = &workspace->schedules[node->layer.added];
      if (schedule->is_root)
        keep(added, node->layer.added_pooled);
      else if (node->layer.added_pooled)
        raise_to(&added->pooled_ring_rows, (rows_ahead(workspace, i, node->layer.added) + 1) / 2 + 1);
      else
        raise_to(&added->ring_rows, rows_ahead(workspace, i, node->layer.added) + 1);
    }
  }
  for (int i = 0; i < network->output_count; i++) workspace->schedules[network->outputs[i].layer].keeps_rows = true;
}
