/// Scales and samples 8-bit pixels: rows become one row, a row becomes narrower, and pixels are read at places between pixels.
///
/// The results are the same bits with every instruction set. Nothing here allocates or keeps a pointer; any number of threads
/// may call it at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum {
  PIXEL_INSTRUCTIONS_PORTABLE = 0,  ///< whatever the compiler makes of plain C
  PIXEL_INSTRUCTIONS_SSE41,
  PIXEL_INSTRUCTIONS_AVX2,
  PIXEL_INSTRUCTIONS_AVX512,  ///< AVX-512 F and BW
  PIXEL_INSTRUCTIONS_NEON,
} pixel_instructions;

enum {
  /// Bytes that may be read after a row that is made narrower.
  PIXEL_ROOM = 64,
  /// Pixels by whose number the tables of a narrower row are filled up.
  PIXEL_GROUP = 16,
};

/// Rows of bytes that become one: out[i] = (128 + Σ of first[r * stride + i] * weights[r]) >> 8.
typedef struct {
  const uint8_t *first;
  ptrdiff_t stride;
  /// 1 or more, with weights that sum to 256.
  int rows;
  const uint16_t *weights;
  size_t bytes;
  uint8_t *out;
  /// The first of `next_rows` rows, as far apart and as long, that are fetched into the cache meanwhile.
  const uint8_t *next;
  int next_rows;
} pixel_mix;

/// A row that becomes a narrower one of four bytes a pixel. Each of its pixels is the sum of `taps` neighbours from one on,
/// times weights that sum to 256 or less: (rounding + Σ) >> 8 of each byte. A fourth byte that the row does not have is 255.
typedef struct {
  /// With PIXEL_ROOM bytes after its last pixel that may be anything.
  const uint8_t *row;
  /// 3 or 4
  int bytes_per_pixel;
  /// 1: the third byte of a pixel comes first.
  int reversed;
  /// 0…255
  int rounding;
  int width;
  /// 2 or a multiple of 4; those that are not needed have the weight 0. The last one needed is in the row, and up to 6 are not.
  int taps;
  /// Of each pixel the byte of the row where its first tap begins. As many as `columns`.
  const int32_t *firsts;
  /// [taps / 2][columns][2]
  const int16_t *weights;
  /// 1: all columns have the weights of the first, as with a whole scale, and only that one's are read.
  int alike;
  /// `width` filled up to a multiple of PIXEL_GROUP.
  int columns;
  uint8_t *out;
} pixel_narrowing;

/// Pixels of four bytes read at places on a line, between the four pixels around; beyond the edge its pixels repeat.
typedef struct {
  const uint8_t *source;
  ptrdiff_t stride;
  /// Both 2…16384.
  int32_t width;
  int32_t height;
  /// Of the first place and from one to the next, in 65536ths of a pixel from the middle of the first pixel. Of at most 2^46.
  int64_t x;
  int64_t y;
  int64_t step_x;
  int64_t step_y;
  int count;
  uint8_t *out;
} pixel_sampling;

typedef struct {
  /// "AVX2", for example.
  const char *name;
  void (*mix)(const pixel_mix *mix);
  void (*narrow)(const pixel_narrowing *narrowing);
  void (*sample)(const pixel_sampling *sampling);
} pixel_kernels;

/// NULL when this build has none of them or this processor does not run them.
const pixel_kernels *pixel_kernels_for(pixel_instructions instructions);
/// The fastest that this processor runs.
pixel_kernels pixel_kernels_best(void);
