/* Source of the declarations: libheif/heif.h, whose functions and values do not change within
   libheif.so.1. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct heif_context;
struct heif_image_handle;
struct heif_image;

struct heif_error {
  int code;
  int subcode;
  const char *message;
};

/* The beginning of heif_security_limits in heif_security.h, since 1.19; newer versions add to its end. */
struct security_limits {
  uint8_t version;
  uint64_t image_pixels, tiles;
  uint32_t bayer_pattern_pixels, items;
  uint32_t colour_profile;
  uint64_t memory_block;
  uint32_t components, extents, entity_group, children;
  uint64_t total_memory; /* since version 2 */
};

enum { UNSUPPORTED_FILETYPE = 3, UNSUPPORTED_FEATURE = 4, NO_MEMORY = 6, BEYOND_LIMITS = 1000 };
enum { COLOURSPACE_RGB = 1, CHROMA_RGBA = 11, CHANNEL_INTERLEAVED = 10 };

static struct heif_context *(*context_alloc)(void);
static void (*context_free)(struct heif_context *);
static void (*set_size_limit)(struct heif_context *, int);
static struct security_limits *(*get_limits)(const struct heif_context *);
static struct heif_error (*read_memory)(struct heif_context *, const void *, size_t, const void *);
static struct heif_error (*get_primary)(struct heif_context *, struct heif_image_handle **);
static void (*handle_release)(const struct heif_image_handle *);
static int (*handle_width)(const struct heif_image_handle *);
static int (*handle_height)(const struct heif_image_handle *);
static int (*is_premultiplied)(const struct heif_image_handle *);
static size_t (*profile_size)(const struct heif_image_handle *);
static struct heif_error (*get_profile)(const struct heif_image_handle *, void *);
static struct heif_error (*decode_image)(const struct heif_image_handle *, struct heif_image **, int, int,
                                         const void *);
static int (*image_width)(const struct heif_image *, int);
static int (*image_height)(const struct heif_image *, int);
static const uint8_t *(*get_plane)(const struct heif_image *, int, int *);
static void (*image_release)(const struct heif_image *);

static const struct symbol symbols[] = {
    {"heif_context_alloc", &context_alloc},
    {"heif_context_free", &context_free},
    {"heif_context_set_maximum_image_size_limit", &set_size_limit},
    {"heif_context_get_security_limits", &get_limits, .is_optional = 1},
    {"heif_context_read_from_memory_without_copy", &read_memory},
    {"heif_context_get_primary_image_handle", &get_primary},
    {"heif_image_handle_release", &handle_release},
    {"heif_image_handle_get_width", &handle_width},
    {"heif_image_handle_get_height", &handle_height},
    {"heif_image_handle_is_premultiplied_alpha", &is_premultiplied},
    {"heif_image_handle_get_raw_color_profile_size", &profile_size},
    {"heif_image_handle_get_raw_color_profile", &get_profile},
    {"heif_decode_image", &decode_image},
    {"heif_image_get_width", &image_width},
    {"heif_image_get_height", &image_height},
    {"heif_image_get_plane_readonly", &get_plane},
    {"heif_image_release", &image_release},
};
static struct library library = {.name = "libheif.so.1", .symbols = symbols, .count = SYMBOL_COUNT(symbols)};

/* The first context makes libheif load its plugins. */
static void warm_up(enum face_codec_kind kind)
{
  (void)kind;
  struct heif_context *context = context_alloc();
  if (context) context_free(context);
}

static enum face_codec_status failed(struct face_codec *codec, struct heif_error error)
{
  set_reason(codec->reason, error.message);
  if (error.code == NO_MEMORY && error.subcode != BEYOND_LIMITS) return FACE_CODEC_NO_MEMORY;
  return error.code == UNSUPPORTED_FILETYPE || error.code == UNSUPPORTED_FEATURE ? FACE_CODEC_NO_DECODER
                                                                                 : FACE_CODEC_DAMAGED;
}

/* Returns what a whole file is that has no still picture for libheif, which calls it damaged; else NULL. Walks the
   outer boxes: ISO/IEC 14496-12, 4.2. */
static const char *kind_without_picture(const uint8_t *data, size_t size)
{
  int has_video = 0;
  while (size >= 8 && memcmp(data + 4, "meta", 4) != 0) {
    if (memcmp(data + 4, "mini", 4) == 0) return "an AVIF with a short header (mini)";
    if (memcmp(data + 4, "moov", 4) == 0) has_video = 1;
    const size_t length = (size_t)data[0] << 24 | (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
    if (length < 8 || length > size) break;
    data += length;
    size -= length;
  }
  return has_video && size == 0 ? "a HEIC or AVIF sequence without a still picture" : NULL;
}

static enum face_codec_status open_heif(struct face_codec *codec, uint32_t most_pixels)
{
  const char *kind = kind_without_picture(codec->data, codec->size);
  if (kind) {
    set_reason(codec->reason, kind);
    return FACE_CODEC_UNSUPPORTED;
  }
  codec->file = context_alloc();
  if (codec->file == NULL) return FACE_CODEC_NO_MEMORY;
  int side = 1;
  while ((uint64_t)side * side < most_pixels) side *= 2;
  set_size_limit(codec->file, side); /* the limit is in pixels, its square */
  struct security_limits *limits = get_limits ? get_limits(codec->file) : NULL;
  if (limits) {
    /* Up to 16 bits for each of four colours, and as much again for what they are converted from. */
    limits->memory_block = (uint64_t)most_pixels * 16;
    limits->items = 1000;
    if (limits->version >= 2) limits->total_memory = (uint64_t)most_pixels * 32;
  }
  struct heif_error error = read_memory(codec->file, codec->data, codec->size, NULL);
  if (error.code != 0) return failed(codec, error);
  struct heif_image_handle *handle = NULL;
  error = get_primary(codec->file, &handle);
  if (error.code != 0) return failed(codec, error);
  codec->picture = handle;
  /* The size of the upright picture: libheif itself crops, mirrors and rotates as the file specifies, and
     EXIF repeats that. */
  const int width = handle_width(handle), height = handle_height(handle);
  codec->width = width > 0 ? (uint32_t)width : 0;
  codec->height = height > 0 ? (uint32_t)height : 0;
  codec->orientation = 1;
  return FACE_CODEC_DONE;
}

static enum face_codec_status decode_heif(struct face_codec *codec, uint8_t *bgra)
{
  struct heif_image *image = NULL;
  const struct heif_error error = decode_image(codec->picture, &image, COLOURSPACE_RGB, CHROMA_RGBA, NULL);
  if (error.code != 0) return failed(codec, error);
  int stride = 0;
  const uint8_t *rgba = get_plane(image, CHANNEL_INTERLEAVED, &stride);
  const int is_whole = rgba != NULL && image_width(image, CHANNEL_INTERLEAVED) == (int)codec->width &&
                       image_height(image, CHANNEL_INTERLEAVED) == (int)codec->height;
  if (is_whole) {
    const int is_multiplied = is_premultiplied(codec->picture);
    for (size_t y = 0; y < codec->height; y++) {
      const uint8_t *row = rgba + y * (size_t)stride;
      for (size_t x = 0; x < codec->width; x++, bgra += 4, row += 4)
        put_pixel(bgra, row[0], row[1], row[2], row[3], is_multiplied);
    }
  } else {
    set_reason(codec->reason, "its pixels have another size than its header says");
  }
  image_release(image);
  return is_whole ? FACE_CODEC_DONE : FACE_CODEC_DAMAGED;
}

static void describe_heif(struct face_codec *codec, struct face_codec_description *description)
{
  const size_t size = profile_size(codec->picture);
  uint8_t *profile = size > 0 ? malloc(size) : NULL;
  if (profile == NULL) return;
  if (get_profile(codec->picture, profile).code != 0) {
    free(profile);
    return;
  }
  description->profile = profile;
  description->profile_size = size;
}

static void close_heif(struct face_codec *codec)
{
  if (codec->picture) handle_release(codec->picture);
  if (codec->file) context_free(codec->file);
}

const struct codec heif_codec = {&library, warm_up, open_heif, decode_heif, describe_heif, close_heif};
