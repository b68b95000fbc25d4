/// Networks in eight bits, computed as CFusedKernels.h defines them: planes of whole numbers, sums of 64 bits.
#pragma once

#include "naive.h"

/// Every layer's output, in order, of an image of whole bytes.
void naive_i8_network(const planes *image, const fused_layer_table *table, planes *outputs);
