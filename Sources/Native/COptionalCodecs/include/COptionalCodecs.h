/* Decodes rare kinds of pictures, through libraries that are loaded when the first such picture comes and
 * need not be installed: HEIF (HEIC, AVIF) through libheif, TIFF through libtiff, BMP and GIF through
 * GdkPixbuf. */
#ifndef FACE_ENGINE_COPTIONALCODECS_H
#define FACE_ENGINE_COPTIONALCODECS_H

#include <stddef.h>
#include <stdint.h>

enum face_codec_kind { FACE_CODEC_HEIF, FACE_CODEC_TIFF, FACE_CODEC_BMP, FACE_CODEC_GIF };

enum face_codec_status {
  FACE_CODEC_DONE,
  FACE_CODEC_NO_LIBRARY, /* the library is not installed, or lacks a function */
  FACE_CODEC_NO_DECODER, /* the library is installed, but not its decoder for this file */
  FACE_CODEC_DAMAGED,
  FACE_CODEC_UNSUPPORTED, /* the reason names the kind of file */
  FACE_CODEC_RAW_PHOTO,   /* the data of a camera's sensor; the reason is the format's name */
  FACE_CODEC_OVER_LIMIT,  /* to decode it takes far more work than a picture of its size needs */
  FACE_CODEC_NO_MEMORY,
  FACE_CODEC_NO_DESCRIPTOR, /* none is left to open the library with; a later call may succeed */
  FACE_CODEC_NO_KEY,        /* nor key of threads, as pthread_key_create makes them */
};

enum { FACE_CODEC_REASON_SIZE = 160 };

/* A file whose header was read. The file's bytes are borrowed until it is closed. */
struct face_codec {
  uint32_t width, height;              /* the decoded size */
  uint32_t orientation;                /* as in EXIF, still to be applied; 0: not known */
  char reason[FACE_CODEC_REASON_SIZE]; /* of a failure, as the library reports it */
  enum face_codec_kind kind;
  const uint8_t *data;
  size_t size, position;
  void *file, *picture;
};

/* Loads the library of `kind`, and what it loads itself at its first picture, unless that is missing. */
void face_codec_load(enum face_codec_kind kind);

/* Reads the header; no pixels are decoded. Call face_codec_close whatever it returns.
 * - most_pixels: the library rejects larger pictures if it can. */
enum face_codec_status face_codec_open(struct face_codec *codec, enum face_codec_kind kind, const void *data,
                                       size_t size, uint32_t most_pixels);

/* Decodes into width * height pixels of blue, green, red and 255; transparent pixels are blended with
 * white. */
enum face_codec_status face_codec_decode(struct face_codec *codec, uint8_t *bgra);

/* What a file says about its pixels. */
struct face_codec_description {
  uint8_t *profile; /* an ICC profile, to be passed to free(3); NULL: none */
  size_t profile_size;
  double x_per_metre, y_per_metre; /* pixels; 0: not known */
};

/* Call it after face_codec_open has succeeded, and before face_codec_decode. */
void face_codec_describe(struct face_codec *codec, struct face_codec_description *description);

void face_codec_close(struct face_codec *codec);

/* Returns how many full pictures a TIFF file has, the pages of a scan for example; 0 if it is none that can be decoded.
 * Loads no library. */
uint32_t face_codec_tiff_pages(const void *data, size_t size);

#endif
