/// All kernels for rows of 16-bit integers, for vectors of any length. An instruction set's file includes this
/// after it has defined
///   VECTOR_LENGTH   sums in a vector
///   REGISTERS       vector registers, 16 or 32
///   KERNELS, NAME   the table to define, and its instruction set's name
///   NARROWER        a table with shorter vectors, for layers with few channels; optional
///   PLANAR_PAIRS    1: a vector of pairs has the first number of all, then the second; 0: pair after pair
///   vector, integers, pairs    vectors of floats, of sums, and of pairs of 16-bit integers
///   ADD_PRODUCTS    see gemm.h
///   add_pairs       adds the products of two vectors of pairs to sums
///   pair_up         makes pairs of the integers at two places
///   nearest         the nearest integers; of two, the even one
///   store_narrow    stores sums within 16 bits
///   maximum         of two vectors of floats
///   rectified       multiplies floats below zero by others
/// Sums are exact, since fused_network_create refuses weights whose sums could leave 32 bits. Floats are
/// multiplied and added one after the other: so all instruction sets compute the same bits.
#include <string.h>

#include "kernels.h"

#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif

typedef int16_t narrow __attribute__((vector_size(VECTOR_LENGTH * 2)));
/// Pixels of three channels begin at any even address.
typedef int32_t element __attribute__((aligned(2), may_alias));
typedef integers accumulator;
#include "gemm.h"

INLINE vector load_floats(const float *from)
{
  vector value;
  memcpy(&value, from, sizeof value);
  return value;
}
INLINE vector to_floats(integers sum) { return __builtin_convertvector(sum, vector); }
INLINE narrow load_narrow(const int16_t *from)
{
  narrow value;
  memcpy(&value, from, sizeof value);
  return value;
}

INLINE vector activate(vector value, const fused_activation activation, vector slope)
{
  if (activation == FUSED_ACTIVATION_RELU) return maximum(value, (vector){0});
  return activation == FUSED_ACTIVATION_PRELU ? rectified(value, slope) : value;
}

INLINE void finish_tile(const int pixels, const int vectors, const fused_gemm *gemm, int x, int c, sums sum)
{
#pragma GCC unroll 4
  for (int v = 0; v < vectors; v++) {
    const int channel = c + v * VECTOR_LENGTH;
    const vector factor = load_floats(gemm->factors + channel);
    const ptrdiff_t at = (ptrdiff_t)x * gemm->out_channels + channel;
    vector value[MAX_MR];
#pragma GCC unroll 8
    for (int p = 0; p < pixels; p++) value[p] = to_floats(sum[p][v]) * factor;
    if (gemm->gives_floats) {
#pragma GCC unroll 8
      for (int p = 0; p < pixels; p++)
        memcpy((float *)gemm->out + at + (ptrdiff_t)p * gemm->out_channels, &value[p], sizeof *value);
      continue;
    }
    if (channel < gemm->added_channels) {
      const int16_t *added = (const int16_t *)gemm->added + (ptrdiff_t)x * gemm->added_channels + channel;
#pragma GCC unroll 8
      for (int p = 0; p < pixels; p++)
        value[p] +=
            to_floats(__builtin_convertvector(load_narrow(added + (ptrdiff_t)p * gemm->added_channels), integers));
    }
    int16_t *out = (int16_t *)gemm->out + at;
    const vector slope = gemm->activation == FUSED_ACTIVATION_PRELU ? load_floats(gemm->slopes + channel) : (vector){0};
    if (gemm->activation != FUSED_ACTIVATION_NONE) {
#pragma GCC unroll 8
      for (int p = 0; p < pixels; p++) value[p] = activate(value[p], FUSED_ACTIVATION_PRELU, slope);
    }
#pragma GCC unroll 8
    for (int p = 0; p < pixels; p++) store_narrow(out + (ptrdiff_t)p * gemm->out_channels, nearest(value[p]));
  }
}

/// The weights of a vector of channels.
typedef struct {
  /// For each column, pairs of the upper two rows and of the lower two, for both rows of the output.
  pairs tap[FUSED_I16_DEPTHWISE_PAIRS];
  integers bias;
  vector factor;
} depthwise_weights;

/// Loops over vectors of channels outside, columns inside. Each column's pairs are made once and stay in
/// registers for the three outputs that read them.
INLINE void dwconv3x3_any(const int16_t *const in[4], int channels, int width, const char *weights,
                          const fused_activation activation, int16_t *const out[2])
{
  for (int c = 0; c < channels; c += VECTOR_LENGTH) {
    depthwise_weights own;
    memcpy(&own, weights + (ptrdiff_t)c / VECTOR_LENGTH * (ptrdiff_t)sizeof own, sizeof own);
    pairs column[3][2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
#pragma GCC unroll 2
      for (int half = 0; half < 2; half++)
        column[i][half] = pair_up(in[2 * half] + i * channels + c, in[2 * half + 1] + i * channels + c);
    for (int x = 0; x < width; x++) {
      const ptrdiff_t at = (ptrdiff_t)x * channels + c;
      integers sum[2] = {own.bias, own.bias};
#pragma GCC unroll 2
      for (int half = 0; half < 2; half++) {
        column[2][half] = pair_up(in[2 * half] + at + 2 * channels, in[2 * half + 1] + at + 2 * channels);
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++)
#pragma GCC unroll 2
          for (int row = 0; row < 2; row++)
            sum[row] = add_pairs(sum[row], column[i][half], own.tap[(i * 2 + half) * 2 + row]);
        column[0][half] = column[1][half];
        column[1][half] = column[2][half];
      }
#pragma GCC unroll 2
      for (int row = 0; row < 2; row++)
        store_narrow(out[row] + at, nearest(activate(to_floats(sum[row]) * own.factor, activation, (vector){0})));
    }
  }
}

static void dwconv3x3(const void *const rows[4], int channels, int width, const void *weights,
                      fused_activation activation, void *const to[2], void *pooled)
{
  (void)pooled;
  const int16_t *const in[4] = {rows[0], rows[1], rows[2], rows[3]};
  int16_t *const out[2] = {to[0], to[1]};
  if (activation == FUSED_ACTIVATION_RELU)
    dwconv3x3_any(in, channels, width, weights, FUSED_ACTIVATION_RELU, out);
  else
    dwconv3x3_any(in, channels, width, weights, FUSED_ACTIVATION_NONE, out);
}

INLINE narrow greater(narrow a, narrow b)
{
  const narrow is_greater = a > b;
  return (a & is_greater) | (b & ~is_greater);
}

/// Loops over columns outside, channels inside.
static void maxpool2x2(const void *const rows[2], int channels, int width, void *to)
{
  const int16_t *const in[2] = {rows[0], rows[1]};
  for (int x = 0; x < width; x++)
    for (int c = 0; c < channels; c += VECTOR_LENGTH) {
      const ptrdiff_t at = (ptrdiff_t)2 * x * channels + c;
      const narrow above = greater(load_narrow(in[0] + at), load_narrow(in[0] + at + channels));
      const narrow below = greater(load_narrow(in[1] + at), load_narrow(in[1] + at + channels));
      const narrow most = greater(above, below);
      memcpy((int16_t *)to + (ptrdiff_t)x * channels + c, &most, sizeof most);
    }
}

/// Limits values to those of 16 bits; NaN becomes the least.
INLINE vector limited(vector value)
{
  const vector least = (vector){0} - 32768.f, most = (vector){0} + 32767.f;
  const integers is_above = value > least;
  value = (vector)(((integers)value & is_above) | ((integers)least & ~is_above));
  const integers is_below = value < most;
  return (vector)(((integers)value & is_below) | ((integers)most & ~is_below));
}

/// Rounds a vector at a time; the rest through a vector of its own.
static void round_values(const float *values, int count, float scale, int16_t *out)
{
  int i = 0;
  for (; i + VECTOR_LENGTH <= count; i += VECTOR_LENGTH)
    store_narrow(out + i, nearest(limited(load_floats(values + i) * scale)));
  const size_t left = (size_t)(count - i);
  vector value = {0};
  memcpy(&value, values + i, left * sizeof *values);
  int16_t rest[VECTOR_LENGTH];
  store_narrow(rest, nearest(limited(value * scale)));
  memcpy(out + i, rest, left * sizeof *rest);
}

#ifndef NARROWER
#define NARROWER NULL
#endif

const fused_kernels KERNELS = {
    .name = NAME,
    .narrower = NARROWER,
    .vector_length = VECTOR_LENGTH,
    .block_vectors = BLOCK_VECTORS,
    .has_planar_pairs = PLANAR_PAIRS,
    .gemm = gemm,
    .dwconv3x3 = dwconv3x3,
    .maxpool2x2 = maxpool2x2,
    .round_values = round_values,
};
