/// Networks in eight and 16 bits, computed as CFusedKernels.h defines them: planes of whole numbers, sums of 64 bits.
#pragma once

#include "naive.h"

/// Every layer's output, in order, of an image of whole numbers.
void naive_integer_network(const planes *image, const fused_layer_table *table, planes *outputs);
