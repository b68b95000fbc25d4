/// What the kernels compute, written as the definitions say: planes [channel][row][column], sums in double.
#pragma once

#include "network.h"

typedef struct {
  int channels, height, width;
  float *values;
} planes;

planes planes_make(int channels, int height, int width);
float *planes_at(const planes *map, int channel, int row, int column);

/// 0 outside.
float planes_value(const planes *map, int channel, int row, int column);

planes naive_stem(const planes *image, const fused_step *step);
planes naive_unit(const planes *in, const fused_step *step);
planes naive_pool(const planes *in);
planes naive_add_upsampled(const planes *in, const planes *half);
/// Every step's output, in order.
void naive_network(const planes *image, const fused_step *steps, int count, planes *outputs);
float naive_sigmoid(float value);
