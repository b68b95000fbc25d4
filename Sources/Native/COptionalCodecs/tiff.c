/* Source of the declarations: tiffio.h of libtiff 4.5, whose functions do not change within libtiff.so.6. */
#include "internal.h"
#include "tiff_directories.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tiff;
struct tiff_options;
typedef ptrdiff_t (*transfer)(void *, void *, ptrdiff_t);
typedef uint64_t (*seeker)(void *, uint64_t, int);
typedef int (*closer)(void *);
typedef uint64_t (*sizer)(void *);
typedef int (*mapper)(void *, void **, uint64_t *);
typedef void (*unmapper)(void *, void *, uint64_t);
typedef int (*handler)(struct tiff *, void *, const char *, const char *, va_list);

enum {
  TAG_WIDTH = 256,
  TAG_HEIGHT = 257,
  TAG_BITS = 258,
  TAG_COMPRESSION = 259,
  TAG_ORIENTATION = 274,
  TAG_SAMPLES = 277,
  TAG_STRIP_SIZES = 279,
  TAG_X_RESOLUTION = 282,
  TAG_Y_RESOLUTION = 283,
  TAG_RESOLUTION_UNIT = 296,
  TAG_TILE_WIDTH = 322,
  TAG_TILE_HEIGHT = 323,
  TAG_TILE_SIZES = 325,
  TAG_PROFILE = 34675,
};
enum { UPRIGHT = 1 };

static struct tiff_options *(*options_alloc)(void);
static void (*options_free)(struct tiff_options *);
static void (*set_largest_allocation)(struct tiff_options *, ptrdiff_t);
static void (*set_error_handler)(struct tiff_options *, handler, void *);
static void (*set_warning_handler)(struct tiff_options *, handler, void *);
static struct tiff *(*client_open)(const char *, const char *, void *, transfer, transfer, seeker, closer, sizer,
                                   mapper, unmapper, struct tiff_options *);
static int (*set_directory)(struct tiff *, uint64_t);
static void (*tiff_close_file)(struct tiff *);
static int (*get_field)(struct tiff *, uint32_t, ...);
static int (*get_field_or_default)(struct tiff *, uint32_t, ...);
static int (*is_tiled)(struct tiff *);
static uint32_t (*number_of_strips)(struct tiff *);
static uint32_t (*number_of_tiles)(struct tiff *);
static int (*read_rgba)(struct tiff *, uint32_t, uint32_t, uint32_t *, int, int);

static const struct symbol symbols[] = {
    {"TIFFOpenOptionsAlloc", &options_alloc},
    {"TIFFOpenOptionsFree", &options_free},
    {"TIFFOpenOptionsSetMaxSingleMemAlloc", &set_largest_allocation},
    {"TIFFOpenOptionsSetErrorHandlerExtR", &set_error_handler},
    {"TIFFOpenOptionsSetWarningHandlerExtR", &set_warning_handler},
    {"TIFFClientOpenExt", &client_open},
    {"TIFFSetSubDirectory", &set_directory},
    {"TIFFClose", &tiff_close_file},
    {"TIFFGetField", &get_field},
    {"TIFFGetFieldDefaulted", &get_field_or_default},
    {"TIFFIsTiled", &is_tiled},
    {"TIFFNumberOfStrips", &number_of_strips},
    {"TIFFNumberOfTiles", &number_of_tiles},
    {"TIFFReadRGBAImageOriented", &read_rgba},
};
static struct library library = {.name = "libtiff.so.6", .symbols = symbols, .count = SYMBOL_COUNT(symbols)};

static ptrdiff_t read_bytes(void *codec_pointer, void *buffer, ptrdiff_t count)
{
  struct face_codec *codec = codec_pointer;
  const size_t rest = codec->position < codec->size ? codec->size - codec->position : 0;
  const size_t taken = count < 0 ? 0 : (size_t)count < rest ? (size_t)count : rest;
  if (taken > 0) memcpy(buffer, codec->data + codec->position, taken);
  codec->position += taken;
  return (ptrdiff_t)taken;
}

static ptrdiff_t write_bytes(void *codec, void *buffer, ptrdiff_t count)
{
  (void)codec, (void)buffer, (void)count;
  return 0;
}

static uint64_t seek_byte(void *codec_pointer, uint64_t offset, int from)
{
  struct face_codec *codec = codec_pointer;
  const uint64_t start = from == SEEK_SET ? 0 : from == SEEK_CUR ? codec->position : codec->size;
  codec->position = (size_t)(start + offset);
  return codec->position;
}

static int close_bytes(void *codec)
{
  (void)codec;
  return 0;
}

static uint64_t size_of_bytes(void *codec) { return ((struct face_codec *)codec)->size; }

static int keep_reason(struct tiff *file, void *codec, const char *module, const char *format, va_list arguments)
{
  (void)file, (void)module;
  struct face_codec *failed = codec;
  vsnprintf(failed->reason, sizeof failed->reason, format, arguments);
  return 1;
}

/* libtiff reports these only in its messages. */
static enum face_codec_status failed(struct face_codec *codec)
{
  static const struct {
    const char *part;
    enum face_codec_status status;
  } causes[] = {
      {"ut of memory", FACE_CODEC_NO_MEMORY},    {"No space for", FACE_CODEC_NO_MEMORY},
      {"not configured", FACE_CODEC_NO_DECODER}, {"not implemented", FACE_CODEC_UNSUPPORTED},
      {"an not handle", FACE_CODEC_UNSUPPORTED}, {"nsupported", FACE_CODEC_UNSUPPORTED},
      {"not supported", FACE_CODEC_UNSUPPORTED},
  };
  enum face_codec_status status = FACE_CODEC_DAMAGED;
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
    if (strstr(codec->reason, causes[i].part)) status = causes[i].status;
  if (status == FACE_CODEC_UNSUPPORTED) {
    char reason[FACE_CODEC_REASON_SIZE];
    const char *detail = strncmp(codec->reason, "Sorry, ", 7) == 0 ? codec->reason + 7 : codec->reason;
    snprintf(reason, sizeof reason, "a TIFF that libtiff does not decode (%.100s)", detail);
    set_reason(codec->reason, reason);
  }
  return status;
}

static int ignore(struct tiff *file, void *codec, const char *module, const char *format, va_list arguments)
{
  (void)file, (void)codec, (void)module, (void)format, (void)arguments;
  return 1;
}

static enum face_codec_status refuse(struct face_codec *codec, const char *what)
{
  set_reason(codec->reason, what);
  return FACE_CODEC_OVER_LIMIT;
}

/* Returns the pixels of all strips or tiles, which may reach beyond the picture; 0 if they make no sense. */
static uint64_t stored_pixels(const struct face_codec *codec)
{
  uint32_t width = 0, height = 0;
  if (!is_tiled(codec->file)) return (uint64_t)codec->width * codec->height;
  if (!get_field(codec->file, TAG_TILE_WIDTH, &width) || !get_field(codec->file, TAG_TILE_HEIGHT, &height)) return 0;
  /* So that nothing below overflows. */
  if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX) return 0;
  const uint64_t columns = (codec->width + UINT64_C(0) + width - 1) / width;
  const uint64_t rows = (codec->height + UINT64_C(0) + height - 1) / height;
  return columns * width * (rows * height);
}

/* Checks that what is decoded is in proportion to the picture and to the file: neither the samples of a pixel nor
 * the size of a tile is bounded by the format, and all tiles may be the same part of the file. */
static enum face_codec_status check_work(struct face_codec *codec, uint32_t most_pixels)
{
  enum {
    /* Four colours, or inks, and channels of an editor for masks and spot colours. */
    MOST_SAMPLES = 16,
    /* Tiles are usually 256 or 512 on a side, and the picture may be a corner of one. */
    PIXELS_FOR_EACH = 4,
    PIXELS_IN_ANY_CASE = 1 << 22,
    /* Of data that are decoded more than once, such as the same empty tile. */
    BYTES_IN_ANY_CASE = 1 << 20,
    /* As the largest picture with four colours of 16 bits. */
    BYTES_FOR_EACH = 8,
    /* Its data have a size of their own, which libtiff does not compare with the picture's. */
    JBIG = 34661,
  };
  const uint64_t pixels = (uint64_t)codec->width * codec->height;
  if (pixels == 0 || pixels > most_pixels) return FACE_CODEC_DONE; /* refused for its size by the caller */
  uint16_t samples = 0, bits = 0, compression = 0;
  get_field_or_default(codec->file, TAG_SAMPLES, &samples);
  get_field_or_default(codec->file, TAG_BITS, &bits);
  get_field_or_default(codec->file, TAG_COMPRESSION, &compression);
  if (compression == JBIG) {
    set_reason(codec->reason, "JBIG");
    return FACE_CODEC_NO_DECODER;
  }
  if (samples > MOST_SAMPLES) return refuse(codec, "a pixel has more than 16 samples");
  const uint64_t stored = stored_pixels(codec);
  if (stored == 0) return FACE_CODEC_DAMAGED;
  if (stored > PIXELS_FOR_EACH * pixels + PIXELS_IN_ANY_CASE)
    return refuse(codec, "its tiles are far larger than the picture");
  if (stored * samples * bits / 8 > (uint64_t)most_pixels * BYTES_FOR_EACH)
    return refuse(codec, "its pixels have too many bytes");
  const int has_tiles = is_tiled(codec->file);
  const uint64_t *sizes = NULL;
  if (!get_field(codec->file, has_tiles ? TAG_TILE_SIZES : TAG_STRIP_SIZES, &sizes) || sizes == NULL)
    return FACE_CODEC_DAMAGED;
  uint64_t left = 2 * (uint64_t)codec->size + BYTES_IN_ANY_CASE;
  for (uint32_t i = has_tiles ? number_of_tiles(codec->file) : number_of_strips(codec->file); i > 0; i--) {
    if (sizes[i - 1] > left) return refuse(codec, "its strips or tiles share their data");
    left -= sizes[i - 1];
  }
  return FACE_CODEC_DONE;
}

static enum face_codec_status open_tiff(struct face_codec *codec, uint32_t most_pixels)
{
  set_reason(codec->reason, "it cannot be read");
  struct tiff_picture picture;
  const enum face_codec_status found = tiff_find_picture(codec->data, codec->size, &picture, codec->reason);
  if (found != FACE_CODEC_DONE) return found;
  struct tiff_options *options = options_alloc();
  if (options == NULL) return FACE_CODEC_NO_MEMORY;
  set_largest_allocation(options, (ptrdiff_t)most_pixels * 8);
  set_error_handler(options, keep_reason, codec);
  set_warning_handler(options, ignore, codec);
  /* "m": not mapped, because the file is in memory already; "h": without the first directory. */
  codec->file = client_open("picture", "rmh", codec, read_bytes, write_bytes, seek_byte, close_bytes, size_of_bytes,
                            NULL, NULL, options);
  options_free(options);
  if (codec->file == NULL || !set_directory(codec->file, picture.place)) return failed(codec);
  uint16_t orientation = UPRIGHT;
  if (!get_field(codec->file, TAG_WIDTH, &codec->width) || !get_field(codec->file, TAG_HEIGHT, &codec->height))
    return FACE_CODEC_DAMAGED;
  get_field_or_default(codec->file, TAG_ORIENTATION, &orientation);
  codec->orientation = orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT;
  return check_work(codec, most_pixels);
}

static enum face_codec_status decode_tiff(struct face_codec *codec, uint8_t *bgra)
{
  const size_t count = (size_t)codec->width * codec->height;
  uint32_t *pixels = (uint32_t *)(void *)bgra;
  /* In the file's own orientation, so that nothing is rotated here; 1: damaged parts are errors. */
  if (!read_rgba(codec->file, codec->width, codec->height, pixels, (int)codec->orientation, 1)) return failed(codec);
  for (size_t i = 0; i < count; i++) {
    const uint32_t abgr = pixels[i];
    put_pixel(bgra + 4 * i, (uint8_t)abgr, (uint8_t)(abgr >> 8), (uint8_t)(abgr >> 16), (uint8_t)(abgr >> 24), 1);
  }
  return FACE_CODEC_DONE;
}

static void describe_tiff(struct face_codec *codec, struct face_codec_description *description)
{
  enum { CENTIMETRE = 3 };
  uint32_t size = 0;
  const void *profile = NULL;
  if (get_field(codec->file, TAG_PROFILE, &size, &profile) && size > 0) {
    description->profile = malloc(size);
    if (description->profile) memcpy(description->profile, profile, description->profile_size = size);
  }
  float x = 0, y = 0;
  uint16_t unit = 0;
  get_field_or_default(codec->file, TAG_RESOLUTION_UNIT, &unit);
  if (unit < 2 || !get_field(codec->file, TAG_X_RESOLUTION, &x) || !get_field(codec->file, TAG_Y_RESOLUTION, &y))
    return;
  description->x_per_metre = x / (unit == CENTIMETRE ? 0.01 : 0.0254);
  description->y_per_metre = y / (unit == CENTIMETRE ? 0.01 : 0.0254);
}

static void close_tiff(struct face_codec *codec)
{
  if (codec->file) tiff_close_file(codec->file);
}

const struct codec tiff_codec = {&library, NULL, open_tiff, decode_tiff, describe_tiff, close_tiff};
