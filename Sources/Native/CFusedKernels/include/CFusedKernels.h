/// Depthwise-separable networks, run by fused kernels in float32 or in eight bits, one image at a time, on one or several
/// threads.
///
/// A network is a table of layers. `fused_network` holds the packed weights and never changes, so any number of threads
/// may share it; a `fused_workspace` holds the memory of one run and belongs to one caller at a time. Nothing here prints,
/// traps on its arguments or keeps a pointer of the caller.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Where a set has nothing of its own for floats or for eight bits, the next smaller one's kernels run.
typedef enum {
  FUSED_INSTRUCTIONS_BEST = 0,      ///< the fastest that this processor has
  FUSED_INSTRUCTIONS_PORTABLE,      ///< vectors of 4 floats, whatever the compiler makes of them
  FUSED_INSTRUCTIONS_SSE41,         ///< eight bits with SSE4.1
  FUSED_INSTRUCTIONS_AVX2,          ///< AVX2 and FMA, vectors of 8 floats
  FUSED_INSTRUCTIONS_AVX_VNNI,      ///< eight bits with dot products of 256 bits
  FUSED_INSTRUCTIONS_AVX512,        ///< AVX-512 F, VL, BW and DQ, vectors of 16 floats
  FUSED_INSTRUCTIONS_AVX512_VNNI,   ///< eight bits with dot products of 512 bits
  FUSED_INSTRUCTIONS_NEON,          ///< vectors of 4 floats, with fused multiply-add and 32 registers
  FUSED_INSTRUCTIONS_NEON_DOTPROD,  ///< eight bits with dot products of 128 bits (SDOT)
} fused_instructions;

/// Whether this build has the instruction set and this processor runs it.
int fused_has_instructions(fused_instructions instructions);

typedef enum {
  /// Convolution of all channels. `weights` [out][in][row][column].
  FUSED_LAYER_CONVOLUTION = 0,
  /// 3×3 convolution of each channel by itself, stride 1 or 2. `weights` [channel][row][column].
  FUSED_LAYER_DEPTHWISE,
  /// 2×2 transposed convolution, stride 2: every pixel becomes 2×2. `weights` [out][in][row][column].
  FUSED_LAYER_TRANSPOSED,
  /// The sum of `source` and `added`, of which each pixel is doubled to 2×2. No weights.
  FUSED_LAYER_SUM,
} fused_layer_kind;

typedef enum {
  FUSED_ACTIVATION_NONE = 0,
  FUSED_ACTIVATION_RELU,
  /// Values below zero are multiplied by their channel's slope. Not of depthwise layers.
  FUSED_ACTIVATION_PRELU,
} fused_activation;

/// What the values of a layer's output are.
typedef enum {
  FUSED_FORMAT_F32 = 0,
  /// Bytes of 0…127. The layer's source has such values, too, or is the image, of which the bytes themselves come in.
  /// Weights are whole numbers of -127…127 (of the image ±64), biases whole numbers. A sum s, as s >> shift, becomes the byte
  /// (min(max(s, -32768), 32767) * multiplier + 16384) >> 15, limited to 0…127. What a convolution adds is added to that before
  /// it is limited, or with `added_last` after, and limited again. There are such layers of five kinds: convolutions (of the
  /// image 3×3 with stride 2, else 1×1 or 3×3 with stride 1, padded), depthwise and transposed convolutions, and sums.
  FUSED_FORMAT_I8,
} fused_format;

enum { FUSED_MAX_CHANNELS = 4096 };

/// A layer of a network: the one description of it, which the table's author fills in and the kernels run from.
typedef struct {
  fused_layer_kind kind;
  fused_activation activation;
  int32_t source;         ///< the layer whose output is the input, above this one; -1: the image (the first only)
  int32_t source_pooled;  ///< 1: the input is the 2×2 maximum of that output, stride 2 (1×1 convolutions only)
  int32_t kernel;         ///< 1, 2 or 3 rows and columns
  int32_t stride;         ///< 1 or 2; a 2×2 kernel always 2
  int32_t padding;        ///< zeros before the first row and column, 0 or 1; after the last, as many as are needed
  int32_t whole;          ///< 1: the kernel is as large as the input, which fixes the image's size
  int32_t added;          ///< -1, or a layer above whose output, of the same size, is added
  int32_t added_pooled;   ///< 1: its 2×2 maximum
  int32_t added_last;     ///< 1: after the activation
  int32_t in_channels;
  int32_t out_channels;   ///< `added` may have fewer: the rest is zero
  int32_t weights;        ///< index of the first one in the table's `values`; -1: none
  int32_t bias;           ///< [out], likewise
  int32_t slopes;         ///< [out], likewise, with FUSED_ACTIVATION_PRELU
  fused_format format;    ///< of the output; 1×1 and depthwise convolutions of bytes may give floats, for outputs only
  int32_t multipliers;    ///< [out], likewise, of layers with a source of bytes: 1…32767; of floats: what a sum is times
  int32_t zero_points;    ///< [out], likewise: the bytes that mean zero, which surround the rows; -1: all are 0
  int32_t shift;          ///< 0…8, of layers that give bytes; more than 0 not of depthwise ones, sums and of the image's
} fused_layer;

/// Channels of a layer's output that the caller reads.
typedef struct {
  int32_t layer;
  int32_t first_channel;
  int32_t channels;
  int32_t sigmoid;  ///< 1: through 1 / (1 + exp(-x))
} fused_output;

/// A network's layers, each below those it takes its input from. Only read while the network is created.
typedef struct {
  const fused_layer *layers;
  size_t layer_count;
  /// The weights of all layers.
  const float *values;
  size_t value_count;
  const fused_output *outputs;
  size_t output_count;
} fused_layer_table;

/// Whether there are kernels for a layer of this form, wherever it stands in a table.
int fused_layer_is_known(const fused_layer *layer);

typedef struct fused_network fused_network;
typedef struct fused_workspace fused_workspace;

/// - Returns: 0; EINVAL for a table that is not of the form above or an instruction set that is not available; ENOMEM.
int fused_network_create(
    fused_instructions instructions, const fused_layer_table *table, fused_network **network);
/// After the last workspace of the network is destroyed. NULL is ignored.
void fused_network_destroy(fused_network *network);

/// "AVX-512 VNNI", for example: the set whose kernels run, those for eight bits if there are such layers.
const char *fused_network_instructions(const fused_network *network);
/// Whether the network runs in eight bits.
int fused_network_is_quantised(const fused_network *network);
/// What both sides of an image must be divisible by.
int32_t fused_network_multiple(const fused_network *network);
/// The only side of an image, which is square, or 0 for any multiple.
int32_t fused_network_side(const fused_network *network);

/// The image of one run: `width` × `height` pixels in the top-left corner, zeros to the right of and below them.
typedef struct {
  int32_t width;
  int32_t height;
  /// Rows of 8-bit pixels, `stride` bytes apart; or NULL, then `planes` are read.
  const uint8_t *pixels;
  size_t stride;
  int32_t bytes_per_pixel;  ///< 3 or 4, of which the fourth is ignored
  int32_t reversed;         ///< 1: a pixel's third byte is the network's first channel
  float mean[3];            ///< by channel of the network, which sees (byte - mean) * scale
  float scale[3];
  /// Three planes of floats that the network sees as they are; rows are `plane_stride` floats apart. A network in eight bits
  /// sees the nearest byte.
  const float *planes[3];
  size_t plane_stride;
  /// Or NULL; writes the row `y`, four bytes a pixel. Called on the thread that runs the network, for each row once, from the first
  /// on, when the row is needed. 0: there is no such row, and the run ends. Networks in eight bits on one thread only. `pixels` are
  /// then what rows are made of, or NULL, `stride` bytes for each, and only fetched into the cache before.
  int (*read_row)(void *rows, int32_t y, uint8_t *row);
  void *rows;
} fused_image;

/// An output of the last run, valid until the next: [channels][height][width], channels `channel_stride` floats apart.
typedef struct {
  const float *values;
  int32_t channels;
  int32_t height;
  int32_t width;
  size_t channel_stride;
} fused_map;

/// - Parameter threads: that share the rows of one image, the caller among them; 1…16.
/// - Returns: 0; EINVAL; ENOMEM; EAGAIN when the threads could not be started.
int fused_workspace_create(const fused_network *network, int32_t threads, fused_workspace **workspace);
void fused_workspace_destroy(fused_workspace *workspace);

/// Prepares for images of `width` × `height`, in the child of a fork, too. Allocates only when it never had so large an image.
/// - Returns: 0; EINVAL for a side that the network does not take, below 1 or above 16384; ENOMEM, after which the old size
/// is kept; EAGAIN when the threads could not be started.
int fused_workspace_resize(fused_workspace *workspace, int32_t width, int32_t height);
/// Bytes that it holds.
size_t fused_workspace_bytes(const fused_workspace *workspace);

/// Runs the network on an image that fits in the workspace's size. Allocates nothing.
/// - Returns: 0; EINVAL for an image that does not fit.
int fused_workspace_run(fused_workspace *workspace, const fused_image *image);
/// The same, and asks between rows, every few milliseconds, whether to go on; on the calling thread.
/// - Parameter keep_going: given `context`; 0 ends the run. NULL: never asked.
/// - Returns: ECANCELED after such an end, or that of `read_row`: outputs are not valid, and the workspace is ready for the next
/// run.
int fused_workspace_run_while(
    fused_workspace *workspace, const fused_image *image, int (*keep_going)(void *context), void *context);
fused_map fused_workspace_output(const fused_workspace *workspace, size_t index);
