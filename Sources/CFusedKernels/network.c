/// From the caller's table to a network: checks, vectors, packed weights.
#include "network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// What follows for a step from those above it, or false when it does not fit to them.
static bool connect(fused_layer *layers, int index, const fused_step *step) {
  fused_layer *layer = &layers[index];
  if (step->kind == FUSED_STEP_STEM) {
    layer->level = 1;
    return step->source == -1 && step->upsampled == -1 && !step->source_pooled && step->in_channels == IMAGE_CHANNELS;
  }
  if (step->kind != FUSED_STEP_UNIT || step->source < 0 || step->source >= index || !step->depthwise ||
      !step->depthwise_bias)
    return false;
  fused_layer *source = &layers[step->source];
  if (step->source_pooled && source->kind == FUSED_STEP_STEM) return false;
  layer->level = source->level + (step->source_pooled ? 1 : 0);
  if (step->source_pooled) source->pooled_taken = true;
  else source->rows_taken = true;
  if (step->upsampled != -1) {
    if (step->upsampled < 0 || step->upsampled >= index || step->source_pooled) return false;
    fused_layer *upsampled = &layers[step->upsampled];
    upsampled->rows_taken = true;
    if (upsampled->level != layer->level + 1 || upsampled->out_channels != source->out_channels) return false;
  }
  return layer->in_channels == source->out_channels && layer->level <= FUSED_MAX_LEVEL;
}

static int rounded_up(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

static bool describe(fused_network *network, const fused_step *steps) {
  const int vector = network->kernels->vector_length;
  for (int i = 0; i < network->layer_count; i++) {
    const fused_step *step = &steps[i];
    fused_layer *layer = &network->layers[i];
    if (step->in_channels < 1 || step->in_channels > FUSED_MAX_CHANNELS || step->out_channels < 1 ||
        step->out_channels > FUSED_MAX_CHANNELS || !step->weights || !step->bias)
      return false;
    if (step->activation != FUSED_ACTIVATION_NONE && step->activation != FUSED_ACTIVATION_RELU) return false;
    *layer = (fused_layer){
        .kind = step->kind,
        .activation = step->activation,
        .source = step->source,
        .source_pooled = step->source_pooled != 0,
        .upsampled = step->upsampled,
        .in_channels = i == 0 ? IMAGE_CHANNELS : rounded_up(step->in_channels, vector),
        .out_channels = rounded_up(step->out_channels, vector),
    };
    // One stem, and it is first: everything else hangs on it.
    if ((step->kind == FUSED_STEP_STEM) != (i == 0) || !connect(network->layers, i, step)) return false;
    if (i > 0 && step->in_channels != steps[step->source].out_channels) return false;
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
  float *next;
} packer;

/// A stem's weights [out][3][3][3] are laid out as the pixels of a row lie: [row][column][channel].
static float weight_at(const fused_step *step, int out, int in) {
  if (step->kind != FUSED_STEP_STEM) return step->weights[(ptrdiff_t)out * step->in_channels + in];
  const int row = in / 9, column = in % 9 / 3, channel = in % 3;
  return step->weights[(ptrdiff_t)out * 27 + channel * 9 + row * 3 + column];
}

static const float *pack_multiply(
    packer *packer, const fused_kernels *kernels, const fused_step *step, int padded_in, int padded_out) {
  const float *start = packer->next;
  const int block = kernels->block_vectors * kernels->vector_length;
  const int real_in = step->kind == FUSED_STEP_STEM ? 27 : step->in_channels;
  for (int first = 0; first < padded_out; first += block) {
    const int end = first + block < padded_out ? first + block : padded_out;
    for (int in = 0; in < padded_in; in++)
      for (int out = first; out < end; out++)
        *packer->next++ = in < real_in && out < step->out_channels ? weight_at(step, out, in) : 0;
  }
  return start;
}

static const float *pack_bias(packer *packer, const float *bias, int count, int padded) {
  const float *start = packer->next;
  for (int i = 0; i < padded; i++) *packer->next++ = i < count ? bias[i] : 0;
  return start;
}

static const float *pack_depthwise(packer *packer, const fused_kernels *kernels, const fused_step *step, int padded) {
  const float *start = packer->next;
  const int vector = kernels->vector_length;
  for (int first = 0; first < padded; first += vector)
    for (int tap = 0; tap < 10; tap++)
      for (int c = first; c < first + vector; c++) {
        const bool real = c < step->out_channels;
        *packer->next++ = !real ? 0 : tap == 9 ? step->depthwise_bias[c] : step->depthwise[(ptrdiff_t)c * 9 + tap];
      }
  return start;
}

/// Inputs of a multiplication, as packed.
static size_t multiply_inputs(const fused_layer *layer) {
  return layer->kind == FUSED_STEP_STEM ? 27 : (size_t)layer->in_channels;
}

static bool pack(fused_network *network, const fused_step *steps) {
  size_t total = 0;
  for (int i = 0; i < network->layer_count; i++)
    total += (multiply_inputs(&network->layers[i]) + 1 + 10) * (size_t)network->layers[i].out_channels;
  // Each part is whole vectors, so that all begin aligned.
  network->weights = aligned_alloc(64, (total * sizeof(float) + 63) / 64 * 64);
  if (!network->weights) return false;
  packer packer = {network->weights};
  for (int i = 0; i < network->layer_count; i++) {
    fused_layer *layer = &network->layers[i];
    const fused_step *step = &steps[i];
    layer->weights =
        pack_multiply(&packer, network->kernels, step, (int)multiply_inputs(layer), layer->out_channels);
    layer->bias = pack_bias(&packer, step->bias, step->out_channels, layer->out_channels);
    if (step->kind == FUSED_STEP_UNIT)
      layer->depthwise = pack_depthwise(&packer, network->kernels, step, layer->out_channels);
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
