/// Depthwise-separable networks, run by fused kernels in float32, int16 or int8, one image at a time, on one or
/// several threads.
///
/// A network is a table of layers. `fused_network` holds the packed weights and never changes, so any number
/// of threads may share it; a `fused_workspace` holds the memory of one run and belongs to one caller at a
/// time. Nothing here prints, traps on its arguments or keeps a pointer of the caller.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// An instruction set. If it has no kernels of its own for float32, int16 or int8, those of the next smaller
/// one run.
typedef enum {
  FUSED_INSTRUCTIONS_BEST = 0,     ///< the fastest that this processor has
  FUSED_INSTRUCTIONS_PORTABLE,     ///< vectors of 4 floats, whatever the compiler makes of them
  FUSED_INSTRUCTIONS_SSE41,        ///< int8 with SSE4.1
  FUSED_INSTRUCTIONS_AVX2,         ///< AVX2 and FMA, vectors of 8 floats
  FUSED_INSTRUCTIONS_AVX_VNNI,     ///< int8 with dot products of 256 bits
  FUSED_INSTRUCTIONS_AVX512,       ///< AVX-512 F, VL, BW and DQ, vectors of 16 floats
  FUSED_INSTRUCTIONS_AVX512_VNNI,  ///< int8 with dot products of 512 bits
  FUSED_INSTRUCTIONS_NEON,         ///< vectors of 4 floats, with fused multiply-add and 32 registers
  FUSED_INSTRUCTIONS_NEON_DOTPROD, ///< int8 with dot products of 128 bits (SDOT)
} fused_instructions;

/// Returns whether this build has the instruction set and this processor supports it.
int fused_has_instructions(fused_instructions instructions);

typedef enum {
  /// Convolution of all channels. `weights` [out][in][row][column].
  FUSED_LAYER_CONVOLUTION = 0,
  /// 3×3 convolution of each channel by itself, stride 1 or 2. `weights` [channel][row][column].
  FUSED_LAYER_DEPTHWISE,
  /// 2×2 transposed convolution, stride 2: every pixel becomes 2×2. `weights` [out][in][row][column].
  FUSED_LAYER_TRANSPOSED,
  /// The sum of `source` and `added`, with each pixel of `added` repeated 2×2. No weights.
  FUSED_LAYER_SUM,
} fused_layer_kind;

typedef enum {
  FUSED_ACTIVATION_NONE = 0,
  FUSED_ACTIVATION_RELU,
  /// Values below zero are multiplied by their channel's slope. Not for depthwise layers.
  FUSED_ACTIVATION_PRELU,
} fused_activation;

/// The format of a layer's output.
typedef enum {
  FUSED_FORMAT_F32 = 0,
  /// Bytes of 0…127. The layer's source has this format, too, or is the image, whose bytes are read directly.
  /// Weights are integers of -127…127 (±64 for the image), biases integers. A sum s, as s >> shift, becomes
  /// the byte (min(max(s, -32768), 32767) * multiplier + 16384) >> 15, clamped to 0…127. The row that a
  /// convolution adds is added before the clamp, or with `added_last` after it, and clamped again. There are
  /// five kinds of such layers: convolutions (3×3 with stride 2 for the image, else 1×1 or 3×3 with stride 1,
  /// padded), depthwise and transposed convolutions, and sums.
  FUSED_FORMAT_I8,
  /// Integers of 16 bits. The layer's source has this format, too, or is the image, whose values are multiplied
  /// by two to the power of `shift` and rounded. Weights are integers of -32767…32767, biases integers. A sum,
  /// which fits 32 bits for any source, is converted to a float and multiplied by the channel's `multipliers`.
  /// Then comes the row that is added, then the activation; the result is rounded to the nearest integer,
  /// halves to even ones, and limited to 16 bits. All in floats, one operation after the other. There are
  /// convolutions and, without 2×2 maxima of their own, depthwise convolutions with stride 1. On ARM, where
  /// floats are faster, FUSED_INSTRUCTIONS_BEST has no kernels for it.
  FUSED_FORMAT_I16,
} fused_format;

enum { FUSED_MAX_CHANNELS = 4096 };

/// A layer of a network: its only description, written by the table's author and read by the kernels.
typedef struct {
  fused_layer_kind kind;
  fused_activation activation;
  int32_t source;        ///< the preceding layer that is the input; -1: the image (only for the first layer)
  int32_t source_pooled; ///< 1: the input is its 2×2 maximum, stride 2 (only for 1×1 convolutions)
  int32_t kernel;        ///< 1, 2 or 3 rows and columns
  int32_t stride;        ///< 1 or 2; 2 for a 2×2 kernel
  int32_t padding;       ///< zeros before the first row and column, 0 or 1; after the last, as needed
  int32_t whole;         ///< 1: the kernel is as large as the input, which fixes the image's size
  int32_t added;         ///< -1, or a preceding layer whose output, of the same size, is added
  int32_t added_pooled;  ///< 1: its 2×2 maximum is added
  int32_t added_last;    ///< 1: it is added after the activation
  int32_t in_channels;
  int32_t out_channels; ///< `added` may have fewer: the rest is zero
  int32_t weights;      ///< index of the first one in `values` of the table; -1: none
  int32_t bias;         ///< [out], an index
  int32_t slopes;       ///< [out], an index, with FUSED_ACTIVATION_PRELU
  fused_format format;  ///< of the output; some convolutions of integers may give floats for outputs: of int8
                        ///< 1×1 and depthwise ones, of int16 those of all channels, without activation
  int32_t multipliers;  ///< [out], an index, for int8 sources: 1…32767; for others and float outputs: factors
  int32_t zero_points;  ///< [out], an index: the bytes that mean zero, used as padding; -1: all are 0
  int32_t shift;        ///< 0…8, for int8 outputs; 0 for depthwise layers, sums and the image's; of int16 for
                        ///< the image's alone: 0…14
} fused_layer;

/// The channels of a layer's output that the caller reads.
typedef struct {
  int32_t layer;
  int32_t first_channel;
  int32_t channels;
  int32_t sigmoid; ///< 1: 1 / (1 + exp(-x)) of each value
} fused_output;

/// A network's layers, each after its inputs. Only read while the network is created.
typedef struct {
  const fused_layer *layers;
  size_t layer_count;
  /// The weights of all layers.
  const float *values;
  size_t value_count;
  const fused_output *outputs;
  size_t output_count;
} fused_layer_table;

/// Returns whether there are kernels for a layer of this form, at any place in a table.
int fused_layer_is_known(const fused_layer *layer);

typedef struct fused_network fused_network;
typedef struct fused_workspace fused_workspace;

/// - Returns: 0; EINVAL for an invalid table or an instruction set that is not available; ENOMEM.
int fused_network_create(fused_instructions instructions, const fused_layer_table *table, fused_network **network);
/// Destroys the network; call after the last workspace of it is destroyed. NULL is ignored.
void fused_network_destroy(fused_network *network);

/// Returns the instruction set whose kernels run, as in "AVX-512 VNNI": the one of the kernels for integers
/// if there are such layers.
const char *fused_network_instructions(const fused_network *network);
/// Returns the format in which the network runs: that of its first layer.
fused_format fused_network_format(const fused_network *network);
/// Returns the divisor of both sides of an image.
int32_t fused_network_multiple(const fused_network *network);
/// Returns the only possible side of an image, which is square, or 0 for any multiple.
int32_t fused_network_side(const fused_network *network);

/// The image of one run: `width` × `height` pixels in the top-left corner, zeros to the right of and below
/// them.
typedef struct {
  int32_t width;
  int32_t height;
  /// Rows of 8-bit pixels, `stride` bytes apart; if NULL, `planes` are read.
  const uint8_t *pixels;
  size_t stride;
  int32_t bytes_per_pixel; ///< 3 or 4; the fourth byte is ignored
  int32_t reversed;        ///< 1: a pixel's third byte is the network's first channel
  float mean[3];           ///< by channel of the network, whose input is (byte - mean) * scale
  float scale[3];
  /// Three planes of floats that are the network's input; rows are `plane_stride` floats apart. An int8
  /// network reads the nearest byte.
  const float *planes[3];
  size_t plane_stride;
  /// Writes the row `y`, four bytes a pixel; may be NULL. Called on the thread that runs the network, for
  /// each row once, from the first on, when the row is needed. Returning 0 means that the row cannot be made,
  /// and ends the run. For int8 networks on one thread only. `pixels` is then the memory from which rows are
  /// made, or NULL, with `stride` bytes for each row; it is only prefetched into the cache.
  int (*read_row)(void *rows, int32_t y, uint8_t *row);
  void *rows;
} fused_image;

/// An output of the last run, valid until the next: [channels][height][width], channels `channel_stride`
/// floats apart.
typedef struct {
  const float *values;
  int32_t channels;
  int32_t height;
  int32_t width;
  size_t channel_stride;
} fused_map;

/// - Parameter threads: the number of threads that share the rows of one image, including the caller; 1…16.
/// - Returns: 0; EINVAL; ENOMEM; EAGAIN when the threads could not be started.
int fused_workspace_create(const fused_network *network, int32_t threads, fused_workspace **workspace);
void fused_workspace_destroy(fused_workspace *workspace);

/// Prepares for images of `width` × `height`, also in the child of a fork. Allocates only if the image is
/// larger than any before.
/// - Returns: 0; EINVAL for a side that the network does not support, below 1 or above 16384; ENOMEM, after
///   which the old size is kept; EAGAIN when the threads could not be started.
int fused_workspace_resize(fused_workspace *workspace, int32_t width, int32_t height);
size_t fused_workspace_bytes(const fused_workspace *workspace);

/// Runs the network on an image that fits in the workspace's size. Allocates nothing.
/// - Returns: 0; EINVAL for an image that does not fit.
int fused_workspace_run(fused_workspace *workspace, const fused_image *image);
/// Runs the network, and asks between rows, every few milliseconds, on the calling thread, whether to
/// continue.
/// - Parameter keep_going: receives `context`; 0 ends the run. NULL: never asked.
/// - Returns: ECANCELED if `keep_going` or `read_row` ended the run: outputs are then invalid, and the
///   workspace is ready for the next run.
int fused_workspace_run_while(fused_workspace *workspace, const fused_image *image, int (*keep_going)(void *context),
                              void *context);
fused_map fused_workspace_output(const fused_workspace *workspace, size_t index);

#include "fused_mixer.h"
