/// The kernels' results by their definitions: planes [channel][row][column], sums in double.
#pragma once

#include "network.h"

typedef struct {
  int channels, height, width;
  float *values;
} planes;

planes planes_make(int channels, int height, int width);
float *planes_at(const planes *map, int channel, int row, int column);

/// The value at a place, 0 outside.
float planes_value(const planes *map, int channel, int row, int column);

planes naive_pool(const planes *in);
/// One layer for an input and an addend, which may be NULL.
planes naive_layer(const planes *in, const planes *added, const fused_layer *layer, const float *values);
/// Every layer's output, in order.
void naive_network(const planes *image, const fused_layer_table *table, planes *outputs);
float naive_activation(double sum, fused_activation activation, float slope);
float naive_sigmoid(float value);
