/// Declarations shared by the tests of all kernels.
#pragma once

#include "kernels/kernels.h"

extern int failures;
/// The name of the current test, for messages.
extern const char *subject;

/// Counts and prints a failure.
void expect(int condition, const char *what);
void expect_near(double worst, double limit, const char *what);
/// The larger error; NaN counts as the largest.
double worse(double worst, double difference);

// For the rows of tables of layers: kind, activation, source, kernel with stride and padding, channels, what is added.
#define CONVOLUTION FUSED_LAYER_CONVOLUTION
#define DEPTHWISE FUSED_LAYER_DEPTHWISE
#define TRANSPOSED FUSED_LAYER_TRANSPOSED
#define SUM FUSED_LAYER_SUM
#define RELU FUSED_ACTIVATION_RELU
#define PRELU FUSED_ACTIVATION_PRELU
#define NONE FUSED_ACTIVATION_NONE
#define THE_IMAGE (-1)
#define ONE_BY_ONE .kernel = 1, .stride = 1
#define TWO_BY_TWO .kernel = 2, .stride = 2
#define SAME .kernel = 3, .stride = 1, .padding = 1
#define HALVING .kernel = 3, .stride = 2, .padding = 1
#define HALVING_UNPADDED .kernel = 3, .stride = 2
#define CHANNELS(in, out) .in_channels = in, .out_channels = out
#define ALONE .added = -1
#define ADDS(layer) .added = layer
#define I8 .format = FUSED_FORMAT_I8
#define I16 .format = FUSED_FORMAT_I16
#define F32 .format = FUSED_FORMAT_F32

/// Compares the int16 kernels with their definition, bit by bit.
void test_i16(const fused_kernels *kernels);

/// Compares the int8 kernels with their definition, bit by bit.
void test_i8(const fused_i8_kernels *kernels);

/// Compares the kernels of matrices, and networks of them, with their definitions.
void test_matrices(const fused_kernels *kernels);

/// Compares the kernels that scale and sample pixels with their definition.
void test_pixels(void);
