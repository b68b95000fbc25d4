/// Which layers are roots, what is kept, and which rows stream into which layer.
#include "workspace.h"

/// Times its input and output that a row's weights may be for rows to stream.
enum { WEIGHTS_OF_A_ROW = 2 };

int fused_rows_at_once(const fused_layer *layer) {
  return layer->kind == FUSED_STEP_DEPTHWISE && layer->stride == 1 ? 2 : 1;
}

/// Rows of its source that a layer looks at to make the next.
static int window(const fused_layer *layer) {
  if (layer->kind == FUSED_STEP_SUM || layer->kind == FUSED_STEP_TRANSPOSED) return 1;
  return layer->kernel + fused_rows_at_once(layer) - 1;
}

/// Whether the layer `index`, if it is no root, is fed from rows of `ancestor`, through others or not.
static bool streams_from(const fused_workspace *workspace, int index, int ancestor) {
  const fused_layer *layers = workspace->network->layers;
  int i = layers[index].source;
  for (; i > ancestor; i = layers[i].source)
    if (workspace->plans[i].is_root) return false;
  return i == ancestor;
}

/// How many rows `ancestor`, which a layer streams from, may have made beyond the one that has the place of the row that
/// the layer makes.
static int rows_ahead(const fused_workspace *workspace, int index, int ancestor) {
  const fused_layer *layers = workspace->network->layers;
  int ahead = 0;
  for (int i = index; i != ancestor; i = layers[i].source) {
    const fused_layer *layer = &layers[i];
    if (layer->kind == FUSED_STEP_TRANSPOSED) ahead = ahead / 2 + 1;
    else if (layer->source_pooled) ahead = 2 * ahead + 1;
    else ahead = layer->stride * ahead + window(layer) - 1 - layer->padding;
    ahead += fused_rows_at_once(&layers[layer->source]) - 1;
  }
  return ahead;
}

static void raise(int *count, int least) {
  if (*count < least) *count = least;
}

static void keep(fused_plan *plan, bool pooled) {
  if (pooled) plan->keeps_pooled = true;
  else plan->keeps_rows = true;
}

/// Row by row, a layer's weights come from farther away each time than those of a map that is made whole; the map then goes
/// there and back itself.
static bool has_more_weights_than_pixels(const fused_workspace *workspace, int index) {
  const fused_layer *layer = &workspace->network->layers[index];
  if (layer->kind != FUSED_STEP_CONVOLUTION) return false;
  const int64_t weights = (int64_t)layer->kernel * layer->kernel * layer->in_channels * layer->out_channels;
  const int64_t row = (int64_t)workspace->plans[index].width * (layer->in_channels + layer->out_channels);
  return weights > WEIGHTS_OF_A_ROW * row;
}

static bool is_root(const fused_workspace *workspace, int index) {
  const fused_layer *layer = &workspace->network->layers[index];
  if (layer->source < 0 || layer->kind == FUSED_STEP_SUM) return true;
  if (has_more_weights_than_pixels(workspace, index)) return true;
  if (layer->added >= 0 && !streams_from(workspace, index, layer->added)) return true;
  return workspace->lane_count > 1 &&
      (layer->source_pooled || (layer->stride == 2 && layer->kind != FUSED_STEP_TRANSPOSED));
}

void fused_plan_streams(fused_workspace *workspace) {
  const fused_network *network = workspace->network;
  for (int i = 0; i < network->layer_count; i++) {
    const fused_layer *layer = &network->layers[i];
    // Two rows are what 2×2 maxima are taken of.
    workspace->plans[i] = (fused_plan){
        .width = workspace->width >> layer->level,
        .height = workspace->height >> layer->level,
        .ring_rows = layer->rows_taken || fused_rows_at_once(layer) == 1 ? 2 : 0,
        .pooled_ring_rows = layer->pooled_taken ? 1 : 0,
        .first_follower = -1,
        .next_follower = -1,
    };
  }
  for (int i = 0; i < network->layer_count; i++) {
    const fused_layer *layer = &network->layers[i];
    fused_plan *plan = &workspace->plans[i];
    plan->is_root = is_root(workspace, i);
    if (layer->source >= 0) {
      fused_plan *source = &workspace->plans[layer->source];
      if (plan->is_root) {
        keep(source, layer->source_pooled);
      } else {
        plan->next_follower = source->first_follower;
        source->first_follower = i;
        if (!layer->source_pooled)
          raise(&source->ring_rows, window(layer) + fused_rows_at_once(&network->layers[layer->source]) - 1);
      }
    }
    if (layer->added >= 0) {
      fused_plan *added = &workspace->plans[layer->added];
      if (plan->is_root) keep(added, layer->added_pooled);
      else if (layer->added_pooled)
        raise(&added->pooled_ring_rows, (rows_ahead(workspace, i, layer->added) + 1) / 2 + 1);
      else raise(&added->ring_rows, rows_ahead(workspace, i, layer->added) + 1);
    }
  }
  for (int i = 0; i < network->output_count; i++) workspace->plans[network->outputs[i].step].keeps_rows = true;
}
