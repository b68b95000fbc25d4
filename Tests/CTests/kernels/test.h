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

// For the rows of tables of layers.
#define CONVOLUTION FUSED_LAYER_CONVOLUTION
#define DEPTHWISE FUSED_LAYER_DEPTHWISE
#define RELU FUSED_ACTIVATION_RELU
#define PRELU FUSED_ACTIVATION_PRELU
#define NONE FUSED_ACTIVATION_NONE

/// Compares the int16 kernels with their definition, bit by bit.
void test_i16(const fused_kernels *kernels);

/// Compares the int8 kernels with their definition, bit by bit.
void test_i8(const fused_i8_kernels *kernels);

/// Compares the kernels of matrices, and networks of them, with their definitions.
void test_matrices(const fused_kernels *kernels);

/// Compares the kernels that scale and sample pixels with their definition.
void test_pixels(void);
