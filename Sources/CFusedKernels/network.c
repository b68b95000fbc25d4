/// From the caller's table to a network: checks, vectors, packed weights.
#include "network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

/// Whether there are kernels for a step of this form.
static bool is_known(const fused_step *step) {
  const bool weighted = step->weights && step->bias;
  const int form = step->kernel * 100 + step->stride * 10 + step->padding;
  switch (step->kind) {
    case FUSED_STEP_CONVOLUTION:
      if (step->whole && form != 220) return false;
      if (step->source < 0) return weighted && !step->whole && (form == 320 || form == 321);
      return weighted && (form == 110 || form == 220 || form == 311 || form == 320 || form == 321);
    case FUSED_STEP_DEPTHWISE:
      return weighted && (form == 311 || form == 321) && step->in_channels == step->out_channels &&
          step->activation != FUSED_ACTIVATION_PRELU && step->added == -1 && !step->whole;
    case FUSED_STEP_TRANSPOSED: return weighted && form == 220 && !step->whole;
    case FUSED_STEP_SUM:
      return step->added >= 0 && !step->added_pooled && step->in_channels == step->out_channels && !step->whole &&
          step->activation == FUSED_ACTIVATION_NONE;
  }
  return false;
}

/// How many times it halves what comes in.
static int halvings(const fused_step *step) {
  if (step->kind == FUSED_STEP_TRANSPOSED) return -1;
  if (step->kind == FUSED_STEP_SUM) return 0;
  return (step->source_pooled ? 1 : 0) + (step->stride == 2 ? 1 : 0);
}

/// What follows for a step from those above it, or false when it does not fit to them.
static bool connect(fused_network *network, int index, const fused_step *steps) {
  const fused_step *step = &steps[index];
  fused_layer *layers = network->layers;
  fused_layer *layer = &layers[index];
  // One step takes the image, and it is first: everything else hangs on it.
  if ((step->source < 0) != (index == 0) || step->source < -1 || step->source >= index) return false;
  if (step->source_pooled &&
      (index == 0 || step->kind != FUSED_STEP_CONVOLUTION || step->kernel != 1))
    return false;
  layer->level = halvings(step);
  if (index == 0) {
    if (step->in_channels != IMAGE_CHANNELS) return false;
  } else {
    fused_layer *source = &layers[step->source];
    if (step->in_channels != steps[step->source].out_channels) return false;
    layer->level += source->level;
    if (step->source_pooled) source->pooled_taken = true;
    else source->rows_taken = true;
    // The map that comes in is of as many pixels as the kernel when the image is.
    if (step->whole) {
      const int side = step->kernel << source->level;
      if (network->side != 0 && network->side != side) return false;
      network->side = side;
    }
  }
  if (layer->level < 0 || layer->level > FUSED_MAX_LEVEL) return false;
  if (step->added == -1) return true;
  if (step->added < 0 || step->added >= index) return false;
  fused_layer *added = &layers[step->added];
  const bool all_channels = step->kind == FUSED_STEP_TRANSPOSED || step->kind == FUSED_STEP_SUM;
  if (steps[step->added].out_channels > step->out_channels ||
      (all_channels && steps[step->added].out_channels != step->out_channels))
    return false;
  if (step->added_pooled) added->pooled_taken = true;
  else added->rows_taken = true;
  const int level = step->kind == FUSED_STEP_SUM ? layer->level + 1 : layer->level;
  return level == added->level + (step->added_pooled ? 1 : 0);
}

static bool describe(fused_network *network, const fused_step *steps) {
  const int vector = network->kernels->vector_length;
  for (int i = 0; i < network->layer_count; i++) {
    const fused_step *step = &steps[i];
    fused_layer *layer = &network->layers[i];
    if (step->in_channels < 1 || step->in_channels > FUSED_MAX_CHANNELS || step->out_channels < 1 ||
        step->out_channels > FUSED_MAX_CHANNELS || !is_known(step))
      return false;
    switch (step->activation) {
      case FUSED_ACTIVATION_NONE:
      case FUSED_ACTIVATION_RELU: break;
      case FUSED_ACTIVATION_PRELU:
        if (!step->slopes) return false;
        break;
      default: return false;
    }
    *layer = (fused_layer){
        .kind = step->kind,
        .activation = step->activation,
        .source = step->source,
        .source_pooled = step->source_pooled != 0,
        .kernel = step->kernel,
        .stride = step->stride,
        .padding = step->padding,
        .added = step->added,
        .added_pooled = step->added_pooled != 0,
        .added_last = step->added_last != 0,
        .in_channels = i == 0 ? IMAGE_CHANNELS : rounded_up(step->in_channels, vector),
        .out_channels = rounded_up(step->out_channels, vector),
    };
    if (!connect(network, i, steps)) return false;
    if (layer->level > network->deepest_level) network->deepest_level = layer->level;
  }
  return true;
}

static bool check_outputs(fused_network *network, const fused_step *steps, const fused_output *outputs) {
  for (int i = 0; i < network->output_count; i++) {
    const fused_output *output = &outputs[i];
    if (output->step < 0 || output->step >= network->layer_count || output->first_channel < 0 ||
        output->channels < 1 || output->channels > FUSED_MAX_CHANNELS ||
        output->first_channel > steps[output->step].out_channels - output->channels)
      return false;
    network->layers[output->step].rows_taken = true;
    network->outputs[i] = *output;
  }
  return true;
}

/// Where the next packed weights go.
typedef struct {
  const fused_kernels *kernels;
  float *next;
} packer;

/// The inputs of one output as the pixels of rows lie: [row][column][channel], channels rounded up.
typedef struct {
  int kernel;
  int channels;
} window;

static window window_of(const fused_layer *layer) {
  const int kernel = layer->kind == FUSED_STEP_TRANSPOSED ? 1 : layer->kernel;
  return (window){kernel, layer->in_channels};
}

static int window_size(window window) { return window.kernel * window.kernel * window.channels; }

/// Outputs of one multiplication: a transposed step's are the two pixels of a row, side by side.
static int products(const fused_layer *layer) {
  return layer->kind == FUSED_STEP_TRANSPOSED ? 2 * layer->out_channels : layer->out_channels;
}

/// - Parameter row: of a transposed step's pair.
static float weight_at(const fused_step *step, const fused_layer *layer, window window, int row, int out, int in) {
  const int channel = in % window.channels;
  const int channel_out = out % layer->out_channels;
  if (channel >= step->in_channels || channel_out >= step->out_channels) return 0;
  const int tap = layer->kind == FUSED_STEP_TRANSPOSED ? row * 2 + out / layer->out_channels : in / window.channels;
  const int taps = step->kernel * step->kernel;
  return step->weights[((ptrdiff_t)channel_out * step->in_channels + channel) * taps + tap];
}

static void pack_multiply(packer *packer, const fused_step *step, const fused_layer *layer, int row) {
  const window window = window_of(layer);
  const int block = packer->kernels->block_vectors * packer->kernels->vector_length;
  for (int first = 0; first < products(layer); first += block) {
    const int end = first + block < products(layer) ? first + block : products(layer);
    for (int in = 0; in < window_size(window); in++)
      for (int out = first; out < end; out++) *packer->next++ = weight_at(step, layer, window, row, out, in);
  }
}

static const float *pack_channels(packer *packer, const fused_step *step, const fused_layer *layer, const float *values) {
  const float *start = packer->next;
  for (int i = 0; i < products(layer); i++) {
    const int channel = i % layer->out_channels;
    *packer->next++ = channel < step->out_channels ? values[channel] : 0;
  }
  return start;
}

static void pack_depthwise(packer *packer, const fused_step *step, const fused_layer *layer) {
  const int vector = packer->kernels->vector_length;
  for (int first = 0; first < layer->out_channels; first += vector)
    for (int tap = 0; tap < 10; tap++)
      for (int c = first; c < first + vector; c++)
        *packer->next++ = c >= step->out_channels ? 0
            : tap == 9                            ? step->bias[c]
                                                  : step->weights[(ptrdiff_t)c * 9 + tap];
}

static size_t packed_size(const fused_layer *layer) {
  switch (layer->kind) {
    case FUSED_STEP_SUM: return 0;
    case FUSED_STEP_DEPTHWISE: return 10 * (size_t)layer->out_channels;
    default: {
      const size_t rows = layer->kind == FUSED_STEP_TRANSPOSED ? 2 : 1;
      return (rows * (size_t)window_size(window_of(layer)) + 2) * (size_t)products(layer);
    }
  }
}

static bool pack(fused_network *network, const fused_step *steps) {
  size_t total = 0;
  for (int i = 0; i < network->layer_count; i++) total += packed_size(&network->layers[i]);
  // Each part is whole vectors, so that all begin aligned.
  network->weights = aligned_alloc(64, (total * sizeof(float) + 63) / 64 * 64);
  if (!network->weights) return false;
  packer packer = {network->kernels, network->weights};
  for (int i = 0; i < network->layer_count; i++) {
    fused_layer *layer = &network->layers[i];
    const fused_step *step = &steps[i];
    layer->weights = packer.next;
    if (layer->kind == FUSED_STEP_SUM) continue;
    if (layer->kind == FUSED_STEP_DEPTHWISE) {
      pack_depthwise(&packer, step, layer);
      continue;
    }
    pack_multiply(&packer, step, layer, 0);
    if (layer->kind == FUSED_STEP_TRANSPOSED) pack_multiply(&packer, step, layer, 1);
    layer->bias = pack_channels(&packer, step, layer, step->bias);
    if (layer->activation == FUSED_ACTIVATION_PRELU) layer->slopes = pack_channels(&packer, step, layer, step->slopes);
  }
  return true;
}

int fused_network_create(
    fused_instructions instructions, const fused_step *steps, size_t step_count, const fused_output *outputs,
    size_t output_count, fused_network **created) {
  return fused_network_create_with(
      fused_kernels_for(instructions), steps, step_count, outputs, output_count, created);
}

int fused_network_create_with(
    const fused_kernels *kernels, const fused_step *steps, size_t step_count, const fused_output *outputs,
    size_t output_count, fused_network **created) {
  if (!kernels || !steps || !outputs || step_count < 1 || step_count > FUSED_MAX_STEPS || output_count < 1 ||
      output_count > FUSED_MAX_OUTPUTS)
    return EINVAL;
  fused_network *network = calloc(1, sizeof *network);
  if (!network) return ENOMEM;
  network->kernels = kernels;
  network->layer_count = (int)step_count;
  network->output_count = (int)output_count;
  network->layers = calloc(step_count, sizeof *network->layers);
  network->outputs = calloc(output_count, sizeof *network->outputs);
  int result = 0;
  if (!network->layers || !network->outputs) result = ENOMEM;
  else if (!describe(network, steps) || !check_outputs(network, steps, outputs)) result = EINVAL;
  else if (!pack(network, steps)) result = ENOMEM;
  if (result != 0) {
    fused_network_destroy(network);
    return result;
  }
  *created = network;
  return 0;
}

void fused_network_destroy(fused_network *network) {
  if (!network) return;
  free(network->layers);
  free(network->outputs);
  free(network->weights);
  free(network);
}

const char *fused_network_instructions(const fused_network *network) { return network->kernels->name; }

int32_t fused_network_multiple(const fused_network *network) { return 1 << network->deepest_level; }

int32_t fused_network_side(const fused_network *network) { return network->side; }
