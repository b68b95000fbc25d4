/* Source of the declarations: gdk-pixbuf.h and gerror.h, whose functions do not change within
 * libgdk_pixbuf-2.0.so.0. */
#include "internal.h"

#include <stdio.h>

struct loader;
struct pixbuf;

struct error {
  uint32_t domain;
  int code;
  char *message;
};

static struct loader *(*loader_new)(const char *, struct error **);
static int (*loader_write)(struct loader *, const uint8_t *, size_t, struct error **);
static int (*loader_close)(struct loader *, struct error **);
static struct pixbuf *(*get_pixbuf)(struct loader *);
static int (*get_width)(const struct pixbuf *);
static int (*get_height)(const struct pixbuf *);
static int (*get_stride)(const struct pixbuf *);
static int (*get_channels)(const struct pixbuf *);
static const uint8_t *(*read_pixels)(const struct pixbuf *);
static uint32_t (*pixbuf_error)(void);
/* A function of GLib, which GdkPixbuf is linked to. */
static void (*object_unref)(void *);
static void (*error_free)(struct error *);

static const struct symbol symbols[] = {
    {"gdk_pixbuf_loader_new_with_type", &loader_new},
    {"gdk_pixbuf_loader_write", &loader_write},
    {"gdk_pixbuf_loader_close", &loader_close},
    {"gdk_pixbuf_loader_get_pixbuf", &get_pixbuf},
    {"gdk_pixbuf_get_width", &get_width},
    {"gdk_pixbuf_get_height", &get_height},
    {"gdk_pixbuf_get_rowstride", &get_stride},
    {"gdk_pixbuf_get_n_channels", &get_channels},
    {"gdk_pixbuf_read_pixels", &read_pixels},
    {"gdk_pixbuf_error_quark", &pixbuf_error},
    {"g_object_unref", &object_unref},
    {"g_error_free", &error_free},
};
static struct library library = {.name = "libgdk_pixbuf-2.0.so.0",
                                 .symbols = symbols,
                                 .count = SYMBOL_COUNT(symbols),
                                 .needs_keys = 1};

static const char *type_of(enum face_codec_kind kind) { return kind == FACE_CODEC_GIF ? "gif" : "bmp"; }

/* The first loader of a type makes GdkPixbuf load its module. */
static void warm_up(enum face_codec_kind kind)
{
  struct loader *loader = loader_new(type_of(kind), NULL);
  if (loader == NULL) return;
  loader_close(loader, NULL);
  object_unref(loader);
}

static uint32_t little(const uint8_t *bytes, int count)
{
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* Returns the place behind a chain of blocks, each a length byte and that many bytes; 0 if the file ends
 * before.
 * Source: GIF89a, "Data Sub-blocks". */
static size_t behind_blocks(const struct face_codec *codec, size_t place)
{
  while (place < codec->size && codec->data[place] != 0) place += 1u + codec->data[place];
  return place < codec->size ? place + 1 : 0;
}

/* Returns where the first picture of a GIF ends, if it lies inside the screen, whose size is known, and has no
 * more data than its pixels can need; else 0. The pictures behind it need not be decoded, and may be larger.
 * Sources: GIF89a, "Image Descriptor", and appendix F: a code is of 12 bits or less. */
static size_t end_of_first(const struct face_codec *codec)
{
  const uint8_t *data = codec->data;
  if (codec->size < 13) return 0;
  size_t place = 13 + (data[10] & 0x80 ? (size_t)3 << ((data[10] & 7) + 1) : 0);
  while (place + 10 < codec->size && data[place] == 0x21) {
    place = behind_blocks(codec, place + 2);
    if (place == 0) return 0;
  }
  if (place + 10 >= codec->size || data[place] != 0x2C) return 0;
  if (little(data + place + 1, 2) + little(data + place + 5, 2) > codec->width ||
      little(data + place + 3, 2) + little(data + place + 7, 2) > codec->height)
    return 0;
  enum { BYTES_FOR_EACH = 2, BYTES_IN_ANY_CASE = 1 << 16 };
  const uint8_t flags = data[place + 9];
  const size_t start = place + 10 + (flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0) + 1;
  const size_t end = behind_blocks(codec, start);
  const size_t most = (size_t)codec->width * codec->height * BYTES_FOR_EACH + BYTES_IN_ANY_CASE;
  return end != 0 && end - start > most ? 0 : end;
}

/* Returns the bytes that a BMP file must have: all rows, if they are not compressed. Rows are multiples of
 * four bytes. */
static uint64_t bytes_of_bmp(const struct face_codec *codec)
{
  enum { PLAIN = 0, BIT_FIELDS = 3, ALPHA_BIT_FIELDS = 6 };
  const uint8_t *data = codec->data;
  const int is_core = little(data + 14, 4) == 12;
  if (!is_core && codec->size < 34) return UINT64_MAX;
  const uint32_t compression = is_core ? PLAIN : little(data + 30, 4);
  if (compression != PLAIN && compression != BIT_FIELDS && compression != ALPHA_BIT_FIELDS) return 0;
  const uint64_t bits = (uint64_t)codec->width * little(data + (is_core ? 24 : 28), 2);
  return little(data + 10, 4) + (bits + 31) / 32 * 4 * codec->height;
}

/* Refuses what GdkPixbuf reports as damage. Sources: Microsoft, BITMAPINFOHEADER, "biCompression"; io-bmp.c. */
static enum face_codec_status check_kind_of_bmp(struct face_codec *codec)
{
  const uint32_t header = little(codec->data + 14, 4);
  if (header != 12 && codec->size < 34) return FACE_CODEC_DAMAGED;
  const uint32_t bits = little(codec->data + (header == 12 ? 24 : 28), 2);
  const uint32_t compression = header == 12 ? 0 : little(codec->data + 30, 4);
  if (header == 16) {
    snprintf(codec->reason, sizeof codec->reason, "a BMP with a header of 16 bytes");
  } else if (compression == 4 || compression == 5) {
    snprintf(codec->reason, sizeof codec->reason, "a BMP with a %s inside", compression == 4 ? "JPEG" : "PNG");
  } else if (compression > 3 && compression <= 13) {
    snprintf(codec->reason, sizeof codec->reason, "a BMP of compression %u", compression);
  } else if (bits == 2 || bits == 64) {
    snprintf(codec->reason, sizeof codec->reason, "a BMP of %u bits a pixel", bits);
  } else {
    return FACE_CODEC_DONE;
  }
  return FACE_CODEC_UNSUPPORTED;
}

static enum face_codec_status open_pixbuf(struct face_codec *codec, uint32_t most_pixels)
{
  (void)most_pixels;
  /* The size is read here, so that nothing is decoded before it is known. Sources: GIF89a, "Logical Screen
   * Descriptor"; Microsoft, BITMAPCOREHEADER (12 bytes) and BITMAPINFOHEADER (40 or more, a negative
   * height where the first row is on top). */
  set_reason(codec->reason, "its header is cut short");
  const uint8_t *data = codec->data;
  codec->orientation = 1;
  if (codec->kind == FACE_CODEC_GIF) {
    if (codec->size < 10) return FACE_CODEC_DAMAGED;
    codec->width = little(data + 6, 2);
    codec->height = little(data + 8, 2);
    return FACE_CODEC_DONE;
  }
  if (codec->size < 26) return FACE_CODEC_DAMAGED;
  if (little(data + 14, 4) == 12) {
    codec->width = little(data + 18, 2);
    codec->height = little(data + 20, 2);
  } else {
    codec->width = little(data + 18, 4);
    const int32_t height = (int32_t)little(data + 22, 4);
    codec->height = height < 0 ? 0u - (uint32_t)height : (uint32_t)height;
  }
  return check_kind_of_bmp(codec);
}

/* Returns whether the loader has taken all bytes. In pieces: for each block of 255 bytes the loader of GIF moves all
 * that is left of a piece, and after each piece it looks at all pixels. Both take about the same time with pieces
 * of 256 bytes for each pixel of a side. */
static int write_all(struct loader *loader, const struct face_codec *codec, size_t size, struct error **error)
{
  size_t side = 1;
  while (side * side < (size_t)codec->width * codec->height) side *= 2;
  const size_t piece = side * 256;
  for (size_t place = 0; place < size; place += piece)
    if (!loader_write(loader, codec->data + place, size - place < piece ? size - place : piece, error)) return 0;
  return 1;
}

static enum face_codec_status decode_pixbuf(struct face_codec *codec, uint8_t *bgra)
{
  static const uint8_t trailer = 0x3B;
  struct error *error = NULL;
  size_t size = codec->size;
  if (codec->kind == FACE_CODEC_BMP && codec->size < bytes_of_bmp(codec)) {
    set_reason(codec->reason, "rows are missing");
    return FACE_CODEC_DAMAGED;
  }
  if (codec->kind == FACE_CODEC_GIF) {
    size = end_of_first(codec);
    if (size == 0) {
      set_reason(codec->reason, "its first picture is cut short, leaves the screen, or continues beyond its pixels");
      return FACE_CODEC_DAMAGED;
    }
  }
  struct loader *loader = loader_new(type_of(codec->kind), &error);
  if (loader == NULL) {
    set_reason(codec->reason, error ? error->message : NULL);
    if (error) error_free(error);
    return FACE_CODEC_NO_DECODER;
  }
  const int is_written =
      write_all(loader, codec, size, &error) && (size == codec->size || loader_write(loader, &trailer, 1, &error));
  const int is_closed = loader_close(loader, is_written ? &error : NULL);
  const struct pixbuf *picture = is_written && is_closed ? get_pixbuf(loader) : NULL;
  const int channels = picture ? get_channels(picture) : 0;
  const int is_whole = picture && (channels == 3 || channels == 4) && get_width(picture) == (int)codec->width &&
                       get_height(picture) == (int)codec->height;
  if (is_whole) {
    const uint8_t *pixels = read_pixels(picture);
    const size_t stride = (size_t)get_stride(picture);
    for (size_t y = 0; y < codec->height; y++) {
      const uint8_t *row = pixels + y * stride;
      for (size_t x = 0; x < codec->width; x++, bgra += 4, row += channels)
        put_pixel(bgra, row[0], row[1], row[2], channels == 4 ? row[3] : 255, 0);
    }
  } else {
    set_reason(codec->reason, error ? error->message : "it has no picture of the size that its header says");
  }
  enum { INSUFFICIENT_MEMORY = 1 };
  const int is_memory = error && error->domain == pixbuf_error() && error->code == INSUFFICIENT_MEMORY;
  if (error) error_free(error);
  object_unref(loader);
  return is_whole ? FACE_CODEC_DONE : is_memory ? FACE_CODEC_NO_MEMORY : FACE_CODEC_DAMAGED;
}

const struct codec pixbuf_codec = {&library, warm_up, open_pixbuf, decode_pixbuf, NULL, NULL};
