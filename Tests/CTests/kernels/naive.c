#include "naive.h"

#include <math.h>
#include <stdlib.h>

planes planes_make(int channels, int height, int width) {
  return (planes){channels, height, width, calloc((size_t)channels * (size_t)height * (size_t)width, sizeof(float))};
}

float *planes_at(const planes *map, int channel, int row, int column) {
  return &map->values[((ptrdiff_t)channel * map->height + row) * map->width + column];
}

float planes_value(const planes *map, int channel, int row, int column) {
  if (row < 0 || column < 0 || row >= map->height || column >= map->width) return 0;
  return *planes_at(map, channel, row, column);
}

static float activated(double sum, fused_activation activation) {
  return (float)(activation == FUSED_ACTIVATION_RELU && sum < 0 ? 0 : sum);
}

planes naive_stem(const planes *image, const fused_step *step) {
  planes out = planes_make(step->out_channels, image->height / 2, image->width / 2);
  for (int o = 0; o < out.channels; o++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        double sum = step->bias[o];
        for (int i = 0; i < 27; i++)
          sum += (double)step->weights[o * 27 + i] *
              planes_value(image, i / 9, 2 * y - 1 + i % 9 / 3, 2 * x - 1 + i % 3);
        *planes_at(&out, o, y, x) = activated(sum, step->activation);
      }
  return out;
}

static planes naive_pointwise(const planes *in, const fused_step *step) {
  planes out = planes_make(step->out_channels, in->height, in->width);
  for (int o = 0; o < out.channels; o++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        double sum = step->bias[o];
        for (int i = 0; i < in->channels; i++)
          sum += (double)step->weights[o * in->channels + i] * *planes_at(in, i, y, x);
        *planes_at(&out, o, y, x) = (float)sum;
      }
  return out;
}

planes naive_unit(const planes *in, const fused_step *step) {
  planes middle = naive_pointwise(in, step);
  planes out = planes_make(middle.channels, middle.height, middle.width);
  for (int c = 0; c < out.channels; c++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        double sum = step->depthwise_bias[c];
        for (int t = 0; t < 9; t++)
          sum += (double)step->depthwise[c * 9 + t] * planes_value(&middle, c, y - 1 + t / 3, x - 1 + t % 3);
        *planes_at(&out, c, y, x) = activated(sum, step->activation);
      }
  free(middle.values);
  return out;
}

planes naive_pool(const planes *in) {
  planes out = planes_make(in->channels, in->height / 2, in->width / 2);
  for (int c = 0; c < out.channels; c++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) {
        float most = *planes_at(in, c, 2 * y, 2 * x);
        for (int i = 1; i < 4; i++) most = fmaxf(most, *planes_at(in, c, 2 * y + i / 2, 2 * x + i % 2));
        *planes_at(&out, c, y, x) = most;
      }
  return out;
}

planes naive_add_upsampled(const planes *in, const planes *half) {
  planes out = planes_make(in->channels, in->height, in->width);
  for (int c = 0; c < out.channels; c++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++)
        *planes_at(&out, c, y, x) = *planes_at(in, c, y, x) + *planes_at(half, c, y / 2, x / 2);
  return out;
}

void naive_network(const planes *image, const fused_step *steps, int count, planes *outputs) {
  for (int i = 0; i < count; i++) {
    const fused_step *step = &steps[i];
    if (step->kind == FUSED_STEP_STEM) {
      outputs[i] = naive_stem(image, step);
      continue;
    }
    const planes *source = &outputs[step->source];
    planes made = {0};
    if (step->source_pooled) made = naive_pool(source);
    else if (step->upsampled >= 0) made = naive_add_upsampled(source, &outputs[step->upsampled]);
    outputs[i] = naive_unit(made.values ? &made : source, step);
    free(made.values);
  }
}

float naive_sigmoid(float value) { return (float)(1 / (1 + exp(-(double)value))); }
