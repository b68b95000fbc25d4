/* Source of the declarations: tiffio.h of libtiff 4.5, whose functions do not change within libtiff.so.6. */
#include "internal.h"

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

enum { TAG_WIDTH = 256, TAG_HEIGHT = 257, TAG_ORIENTATION = 274, UPRIGHT = 1 };

static struct tiff_options *(*options_alloc)(void);
static void (*options_free)(struct tiff_options *);
static void (*set_largest_allocation)(struct tiff_options *, ptrdiff_t);
static void (*set_error_handler)(struct tiff_options *, handler, void *);
static void (*set_warning_handler)(struct tiff_options *, handler, void *);
static struct tiff *(*client_open)(
    const char *, const char *, void *, transfer, transfer, seeker, closer, sizer, mapper, unmapper,
    struct tiff_options *);
static void (*tiff_close_file)(struct tiff *);
static int (*get_field)(struct tiff *, uint32_t, ...);
static int (*get_field_or_default)(struct tiff *, uint32_t, ...);
static int (*read_rgba)(struct tiff *, uint32_t, uint32_t, uint32_t *, int, int);

static const struct symbol symbols[] = {
  {"TIFFOpenOptionsAlloc", &options_alloc},
  {"TIFFOpenOptionsFree", &options_free},
  {"TIFFOpenOptionsSetMaxSingleMemAlloc", &set_largest_allocation},
  {"TIFFOpenOptionsSetErrorHandlerExtR", &set_error_handler},
  {"TIFFOpenOptionsSetWarningHandlerExtR", &set_warning_handler},
  {"TIFFClientOpenExt", &client_open},
  {"TIFFClose", &tiff_close_file},
  {"TIFFGetField", &get_field},
  {"TIFFGetFieldDefaulted", &get_field_or_default},
  {"TIFFReadRGBAImageOriented", &read_rgba},
};
static struct library library = {.name = "libtiff.so.6"};

static int is_loaded(char reason[160])
{
  return load_library(&library, symbols, sizeof symbols / sizeof *symbols, reason);
}

void tiff_load(void)
{
  char reason[160];
  is_loaded(reason);
}

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

/* libtiff reports this only in its message. */
static enum face_codec_status failed(const struct face_codec *codec)
{
  return strstr(codec->reason, "ut of memory") || strstr(codec->reason, "No space for") ? FACE_CODEC_NO_MEMORY
                                                                                       : FACE_CODEC_DAMAGED;
}

static int ignore(struct tiff *file, void *codec, const char *module, const char *format, va_list arguments)
{
  (void)file, (void)codec, (void)module, (void)format, (void)arguments;
  return 1;
}

enum face_codec_status tiff_open(struct face_codec *codec, uint32_t most_pixels)
{
  if (!is_loaded(codec->reason)) return FACE_CODEC_NO_LIBRARY;
  say(codec->reason, "it cannot be read");
  struct tiff_options *options = options_alloc();
  if (options == NULL) return FACE_CODEC_NO_MEMORY;
  set_largest_allocation(options, (ptrdiff_t)most_pixels * 8);
  set_error_handler(options, keep_reason, codec);
  set_warning_handler(options, ignore, codec);
  /* The first picture. "m": not mapped, because the file is in memory already. */
  codec->file = client_open(
      "picture", "rm", codec, read_bytes, write_bytes, seek_byte, close_bytes, size_of_bytes, NULL, NULL, options);
  options_free(options);
  if (codec->file == NULL) return failed(codec);
  uint16_t orientation = UPRIGHT;
  if (!get_field(codec->file, TAG_WIDTH, &codec->width) || !get_field(codec->file, TAG_HEIGHT, &codec->height))
    return FACE_CODEC_DAMAGED;
  get_field_or_default(codec->file, TAG_ORIENTATION, &orientation);
  codec->orientation = orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT;
  return FACE_CODEC_DONE;
}

enum face_codec_status tiff_decode(struct face_codec *codec, uint8_t *bgra)
{
  const size_t count = (size_t)codec->width * codec->height;
  uint32_t *pixels = (uint32_t *)(void *)bgra;
  /* In the file's own orientation, so that nothing is rotated here; 1: damaged parts are errors. */
  if (!read_rgba(codec->file, codec->width, codec->height, pixels, (int)codec->orientation, 1))
    return failed(codec);
  for (size_t i = 0; i < count; i++) {
    const uint32_t abgr = pixels[i];
    put_pixel(
        bgra + 4 * i, (uint8_t)abgr, (uint8_t)(abgr >> 8), (uint8_t)(abgr >> 16), (uint8_t)(abgr >> 24), 1);
  }
  return FACE_CODEC_DONE;
}

void tiff_close(struct face_codec *codec)
{
  if (codec->file) tiff_close_file(codec->file);
}
