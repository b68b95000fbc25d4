/// Chooses the order of the channels in the int8 rows of each layer.
///
/// Kernels that add products in 16 bits add those of up to eight channels, if their weights let the sum fit.
/// The order determines which channels these are, so large weights are best spread evenly. Results are the
/// same in any order.
#include <stdlib.h>
#include <string.h>

#include "network.h"

enum {
  /// The largest sum of weights of one sign that fits 16 bits when multiplied by FUSED_I8_MAX_VALUE.
  MAX_SUM = INT16_MAX / FUSED_I8_MAX_VALUE,
  /// The most weights that a search for an order reads: one or two milliseconds.
  MAX_WORK = 1 << 21,
};

/// Classes of layers whose rows have the same order: depthwise layers and their sources, and layers that are
/// added to each other.
typedef struct {
  int of[FUSED_MAX_LAYERS];
} order_classes;

static void join(order_classes *classes, int count, int one, int other)
{
  const int from = classes->of[one], to = classes->of[other];
  for (int i = 0; i < count; i++)
    if (classes->of[i] == from) classes->of[i] = to;
}

static void find_classes(const fused_network *network, order_classes *classes)
{
  for (int i = 0; i < network->node_count; i++) classes->of[i] = i;
  for (int i = 0; i < network->node_count; i++) {
    const fused_layer *layer = &network->nodes[i].layer;
    if (layer->kind == FUSED_LAYER_DEPTHWISE || layer->kind == FUSED_LAYER_SUM)
      join(classes, network->node_count, i, layer->source);
    if (layer->added >= 0) join(classes, network->node_count, i, layer->added);
  }
}

/// Returns whether a class keeps the table's order: its channels are those of an output, or some of its rows
/// have fewer.
static bool is_fixed(const fused_network *network, const order_classes *classes, int class)
{
  for (int i = 0; i < network->node_count; i++) {
    const fused_node *node = &network->nodes[i];
    if (classes->of[i] != class) continue;
    if (node->layer.format != FUSED_FORMAT_I8 || node->out_channels != network->nodes[class].out_channels) return true;
  }
  return false;
}

/// Returns whether a layer is a convolution to int8 whose source rows have the order of a class.
static bool reads(const fused_network *network, const order_classes *classes, int index, int class)
{
  const fused_layer *layer = &network->nodes[index].layer;
  return (layer->kind == FUSED_LAYER_CONVOLUTION || layer->kind == FUSED_LAYER_TRANSPOSED) && layer->source >= 0 &&
         classes->of[layer->source] == class && layer->format == FUSED_FORMAT_I8;
}

/// The state of a search for an order. Channels that are added together form a group.
typedef struct {
  int channels;
  /// The number of sums of a group: one for each output channel and kernel position.
  int rows;
  /// [channel][row]
  int16_t *weights;
  /// [position]
  uint16_t *order;
  /// Blocks of four channels whose products are added: groups are twice as large.
  int together;
  /// [group][row]: the sums of positive weights, and of negative ones.
  int16_t *sums[2];
  /// [group]: the amount by which its sums exceed the limit.
  int *excesses;
  int64_t work;
} order_search;

/// Returns the position of a group's member: the first or the last two channels of each of its fours.
static int position_of(const order_search *search, int group, int member)
{
  return group / 2 * 4 * search->together + group % 2 * 2 + member / 2 * 4 + member % 2;
}

static int16_t *sums_of(const order_search *search, int sign, int group)
{
  return search->sums[sign] + (ptrdiff_t)group * search->rows;
}
static const int16_t *weights_of(const order_search *search, int channel)
{
  return search->weights + (ptrdiff_t)channel * search->rows;
}

/// Returns the weight, or 0 if it is negative; in 16 bits, for which the compiler uses the longest vectors.
static int16_t positive(int16_t weight) { return weight > 0 ? weight : 0; }
static int16_t negated(int16_t weight) { return (int16_t)-weight; }
static int16_t beyond(int16_t sum) { return positive((int16_t)(sum - MAX_SUM)); }

/// Returns the amount by which a group's sums would exceed the limit if `out` were replaced by `in`; with
/// both the same, the current amount.
static int excess(order_search *search, int group, int out, int in)
{
  const int16_t *const left = weights_of(search, out), *const come = weights_of(search, in);
  const int16_t *const above = sums_of(search, 0, group), *const below = sums_of(search, 1, group);
  int sum = 0;
  for (int row = 0; row < search->rows; row++)
    sum += (int16_t)(beyond((int16_t)(above[row] + positive(come[row]) - positive(left[row]))) +
                     beyond((int16_t)(below[row] + positive(negated(come[row])) - positive(negated(left[row])))));
  search->work += search->rows;
  return sum;
}

static void add_weights(const order_search *search, int group, int channel, int sign)
{
  const int16_t *const weights = weights_of(search, channel);
  int16_t *const above = sums_of(search, 0, group), *const below = sums_of(search, 1, group);
  for (int row = 0; row < search->rows; row++) {
    above[row] = (int16_t)(above[row] + sign * positive(weights[row]));
    below[row] = (int16_t)(below[row] + sign * positive(negated(weights[row])));
  }
}

static void replace(order_search *search, int group, int out, int in)
{
  add_weights(search, group, out, -1);
  add_weights(search, group, in, 1);
  search->excesses[group] = excess(search, group, in, in);
}

/// Exchanges a member of each of two groups if that reduces the excess. Returns whether it did.
static bool exchange(order_search *search, int a, int b)
{
  const int before = search->excesses[a] + search->excesses[b];
  for (int i = 0; before > 0 && i < 2 * search->together; i++)
    for (int j = 0; j < 2 * search->together && search->work < MAX_WORK; j++) {
      uint16_t *const at[2] = {&search->order[position_of(search, a, i)], &search->order[position_of(search, b, j)]};
      const uint16_t one = *at[0], other = *at[1];
      if (excess(search, a, one, other) + excess(search, b, other, one) >= before) continue;
      replace(search, a, one, other);
      replace(search, b, other, one);
      *at[0] = other;
      *at[1] = one;
      return true;
    }
  return false;
}

/// Initialises the search with the table's order.
static void begin_search(order_search *search, int together)
{
  search->together = together;
  search->work = 0;
  const int groups = search->channels / (2 * together);
  for (int i = 0; i < search->channels; i++) search->order[i] = (uint16_t)i;
  for (int sign = 0; sign < 2; sign++)
    memset(search->sums[sign], 0, (size_t)groups * (size_t)search->rows * sizeof *search->sums[sign]);
  for (int group = 0; group < groups; group++) {
    for (int i = 0; i < 2 * together; i++) add_weights(search, group, search->order[position_of(search, group, i)], 1);
    search->excesses[group] = excess(search, group, 0, 0);
  }
}

/// Returns whether every row has a sum that would fit if it were spread evenly.
static bool may_fit(const order_search *search, int groups)
{
  for (int sign = 0; sign < 2; sign++)
    for (int row = 0; row < search->rows; row++) {
      int sum = 0;
      for (int group = 0; group < groups; group++) sum += sums_of(search, sign, group)[row];
      if (sum > groups * MAX_SUM) return false;
    }
  return true;
}

/// Searches until all sums fit or no exchange helps. - Returns: whether they fit.
static bool find_order(order_search *search, int together)
{
  begin_search(search, together);
  const int groups = search->channels / (2 * together);
  for (bool again = may_fit(search, groups); again;) {
    again = false;
    for (int a = 0; a < groups; a++)
      for (int b = a + 1; b < groups; b++)
        while (exchange(search, a, b)) again = true;
  }
  for (int group = 0; group < groups; group++)
    if (search->excesses[group] > 0) return false;
  return true;
}

/// Copies all weights of each channel from the layers that read a class. Those of padding are 0.
static void copy_weights(const fused_network *network, const float *values, const order_classes *classes, int class,
                         order_search *search)
{
  int row = 0;
  for (int i = 0; i < network->node_count; i++) {
    const fused_layer *layer = &network->nodes[i].layer;
    if (!reads(network, classes, i, class)) continue;
    const int taps = layer->kernel * layer->kernel;
    for (int out = 0; out < layer->out_channels; out++)
      for (int tap = 0; tap < taps; tap++, row++)
        for (int in = 0; in < layer->in_channels; in++)
          search->weights[(ptrdiff_t)in * search->rows + row] =
              (int16_t)values[layer->weights + ((ptrdiff_t)out * layer->in_channels + in) * taps + tap];
  }
}

static int rows_of(const fused_network *network, const order_classes *classes, int class)
{
  int rows = 0;
  for (int i = 0; i < network->node_count; i++) {
    const fused_layer *layer = &network->nodes[i].layer;
    if (reads(network, classes, i, class)) rows += layer->out_channels * layer->kernel * layer->kernel;
  }
  return rows;
}

/// Writes a class's order to `order`. - Returns: whether there was memory.
static bool order_class(const fused_network *network, const float *values, const order_classes *classes, int class,
                        uint16_t *order)
{
  order_search search = {.channels = network->nodes[class].out_channels,
                         .rows = rows_of(network, classes, class),
                         .order = order};
  const size_t weights = (size_t)search.channels * (size_t)search.rows;
  if (weights == 0) return true;
  // Groups have four channels or more.
  const size_t most_groups = (size_t)search.channels / 4, sums = most_groups * (size_t)search.rows;
  search.weights = calloc(weights + 2 * sums, sizeof *search.weights);
  search.excesses = calloc(most_groups, sizeof *search.excesses);
  const bool has_memory = search.weights && search.excesses;
  if (has_memory) {
    search.sums[0] = search.weights + weights;
    search.sums[1] = search.sums[0] + sums;
    copy_weights(network, values, classes, class, &search);
    if (!find_order(&search, 4)) find_order(&search, 2);
  }
  free(search.weights);
  free(search.excesses);
  return has_memory;
}

bool fused_order_channels(fused_network *network, const float *values)
{
  if (!network->i8_kernels || !network->i8_kernels->adds_16_bits || !fused_is_i8(&network->nodes[0])) return true;
  size_t channels = 0;
  for (int i = 0; i < network->node_count; i++) channels += (size_t)network->nodes[i].out_channels;
  network->orders = malloc(channels * sizeof *network->orders);
  if (!network->orders) return false;
  order_classes classes;
  find_classes(network, &classes);
  uint16_t *order = network->orders;
  for (int class = 0; class < network->node_count; class ++) {
    if (classes.of[class] != class || is_fixed(network, &classes, class)) continue;
    for (int i = 0; i < network->nodes[class].out_channels; i++) order[i] = (uint16_t)i;
    if (!order_class(network, values, &classes, class, order)) return false;
    for (int i = 0; i < network->node_count; i++)
      if (classes.of[i] == class) network->nodes[i].order = order;
    order += network->nodes[class].out_channels;
  }
  return true;
}
