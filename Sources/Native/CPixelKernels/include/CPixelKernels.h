/// Scales and samples 8-bit pixels: mixes rows into one row, narrows a row, and samples pixels at fractional
/// positions.
///
/// The results are bit-identical with every instruction set. Nothing here allocates or keeps a pointer; any
/// number of threads may call it at the same time.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum {
  PIXEL_INSTRUCTIONS_PORTABLE = 0, ///< whatever the compiler makes of plain C
  PIXEL_INSTRUCTIONS_SSE41,
  PIXEL_INSTRUCTIONS_AVX2,
  PIXEL_INSTRUCTIONS_AVX512, ///< AVX-512 F, BW, DQ and VL
  PIXEL_INSTRUCTIONS_NEON,
} pixel_instructions;

enum {
  /// Bytes that may be read after a row that is narrowed.
  PIXEL_ROOM = 64,
  /// The tables of a narrowed row are padded to a multiple of this number of pixels.
  PIXEL_GROUP = 16,
};

/// Rows of bytes that are mixed into one: out[i] = (128 + Σ of first[r * stride + i] * weights[r]) >> 8.
typedef struct {
  const uint8_t *first;
  ptrdiff_t stride;
  /// 1 or more, with weights that sum to 256.
  int rows;
  const uint16_t *weights;
  size_t bytes;
  uint8_t *out;
  /// The first of `next_rows` rows with the same stride and length that are prefetched meanwhile.
  const uint8_t *next;
  int next_rows;
} pixel_mix;

/// A row that is narrowed to one of four bytes a pixel. Each of its pixels is the sum of `taps` neighbouring
/// pixels times weights that sum to 256 or less: (rounding + Σ) >> 8 of each byte. If the row has no fourth
/// byte, it becomes 255.
typedef struct {
  /// Followed by PIXEL_ROOM bytes of any value.
  const uint8_t *row;
  /// 3 or 4
  int bytes_per_pixel;
  /// 1: the third byte of a pixel comes first.
  int reversed;
  /// 0…255
  int rounding;
  int width;
  /// 2 or a multiple of 4; unneeded ones have the weight 0. The last needed one is in the row, but up to 6
  /// others may not be.
  int taps;
  /// For each of `columns` pixels, the byte of the row where its first tap begins.
  const int32_t *firsts;
  /// [taps / 2][columns][2]
  const int16_t *weights;
  /// 1: all columns have the weights of the first, as with an integer scale, and only that one's are read.
  int alike;
  /// `width` rounded up to a multiple of PIXEL_GROUP.
  int columns;
  uint8_t *out;
} pixel_narrowing;

/// Pixels of four bytes sampled on a line, bilinearly between the four pixels around; beyond the edge its
/// pixels are repeated.
typedef struct {
  const uint8_t *source;
  ptrdiff_t stride;
  /// Both 2…16384.
  int32_t width;
  int32_t height;
  /// The first position and the step, in 65536ths of a pixel from the middle of the first pixel. At most
  /// 2^46.
  int64_t x;
  int64_t y;
  int64_t step_x;
  int64_t step_y;
  int count;
  uint8_t *out;
} pixel_sampling;

typedef struct {
  /// As in "AVX2".
  const char *name;
  void (*mix)(const pixel_mix *mix);
  void (*narrow)(const pixel_narrowing *narrowing);
  void (*sample)(const pixel_sampling *sampling);
} pixel_kernels;

/// Returns NULL when this build has no such kernels or this processor does not support them.
const pixel_kernels *pixel_kernels_for(pixel_instructions instructions);
/// Returns the fastest kernels that this processor supports.
pixel_kernels pixel_kernels_best(void);
