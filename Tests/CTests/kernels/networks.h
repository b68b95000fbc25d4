/// Networks of random weights on random images, whose kernels are of any format.
#pragma once

#include "naive.h"
#include "test.h"

/// The numbers of the layers that are made at random, one after the other.
extern struct numbers {
  float *values;
  size_t count;
} numbers;

/// Makes room for more numbers. Returns the place of the first.
int32_t add_numbers(int count);
void free_numbers(void);

typedef struct {
  const fused_kernels *floats, *i16;
  const fused_i8_kernels *i8;
} kernel_set;

/// Expects that no network is made of the table.
void expect_refused(kernel_set kernels, const fused_layer_table *table, const char *what);
/// The same of a function's `described` with a change, which is then undone, for the function's `set` of kernels.
#define REFUSED(change, restore)              \
  do {                                        \
    change;                                   \
    expect_refused(set, &described, #change); \
    restore;                                  \
  } while (0)
#define REFUSED_NUMBER(index, number)                                        \
  do {                                                                       \
    const float kept = numbers.values[index];                                \
    REFUSED(numbers.values[index] = (number), numbers.values[index] = kept); \
  } while (0)
/// Of a number or link that a layer has.
#define REFUSED_MEMBER(layer, member, value)                       \
  do {                                                             \
    const fused_layer kept = layers[layer];                        \
    REFUSED(layers[layer].member = (value), layers[layer] = kept); \
  } while (0)

typedef struct {
  kernel_set kernels;
  const fused_layer_table *table;
  const int (*sizes)[2];
  size_t size_count;
  /// How many kinds of images are tried in each size: noise, smooth ones, extremes.
  int kinds;
  /// Whether an image has the size of the network's input; otherwise it may be smaller.
  bool fills;
  /// Whether half of the images have no mean and no scale.
  bool may_be_plain;
  float mean[3], scale[3];
  /// The largest float of an image, and how many of its first ones are no numbers or infinite.
  float largest;
  int specials;
  /// What the network sees of a value.
  float (*seen)(float value, int shift);
  void (*naive)(const planes *image, const fused_layer_table *table, planes *outputs);
  /// How far the outputs may be off.
  double limit;
  /// Further tests of an image of four bytes a pixel; may be NULL.
  void (*more)(fused_workspace **workspaces, int count, const fused_image *image, const planes *expected);
} network_test;

void test_network(const network_test *test);

/// Compares the outputs of a run with those that are expected of each layer.
void compare(const fused_workspace *workspace, const planes *expected);
