#ifndef FACE_ENGINE_COPTIONALCODECS_INTERNAL_H
#define FACE_ENGINE_COPTIONALCODECS_INTERNAL_H

#include "COptionalCodecs.h"

/* A function of a library: its name, and a pointer of its type to be set. */
struct symbol {
  const char *name;
  void *function;
  int is_optional; /* newer versions have it: NULL if it is missing */
};

/* A library that is loaded once, when the first picture of its kinds comes. */
struct library {
  const char *name;
  const struct symbol *symbols;
  size_t count;
  int needs_keys; /* whether it uses GLib */
  int state;      /* 0: not tried, 1: loaded, 2: missing */
};

/* How the kinds of a library are decoded; the library is loaded before any of these is called. */
struct codec {
  struct library *library;
  void (*warm_up)(enum face_codec_kind kind); /* has it load what it loads at its first picture; may be NULL */
  enum face_codec_status (*open)(struct face_codec *codec, uint32_t most_pixels);
  enum face_codec_status (*decode)(struct face_codec *codec, uint8_t *bgra);
  void (*describe)(struct face_codec *codec, struct face_codec_description *description); /* may be NULL */
  void (*close)(struct face_codec *codec);                                                /* may be NULL */
};
extern const struct codec heif_codec, tiff_codec, pixbuf_codec;

#define SYMBOL_COUNT(symbols) (sizeof(symbols) / sizeof *(symbols))

void set_reason(char reason[FACE_CODEC_REASON_SIZE], const char *text);

/* Writes one pixel, blended with white. */
static inline void put_pixel(uint8_t *bgra, uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha, int is_multiplied)
{
  const unsigned rest = 255u - alpha;
  const uint8_t rgb[3] = {red, green, blue};
  for (int part = 0; part < 3; part++) {
    const unsigned colour = is_multiplied ? rgb[part] : (rgb[part] * alpha + 127u) / 255u;
    bgra[2 - part] = (uint8_t)(colour + rest > 255u ? 255u : colour + rest);
  }
  bgra[3] = 255;
}

#endif
