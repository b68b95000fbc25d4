#ifndef FACE_ENGINE_COPTIONALCODECS_INTERNAL_H
#define FACE_ENGINE_COPTIONALCODECS_INTERNAL_H

#include "COptionalCodecs.h"

/* A function of a library: its name, and a pointer of its type to be set. */
struct symbol {
  const char *name;
  void *function;
  int is_optional; /* newer versions have it: NULL if it is missing */
};

/* Loads `library`, once, and finds its functions. Returns FACE_CODEC_NO_LIBRARY if one that is not optional is missing.
   Thread-safe through `state`. */
struct library {
  const char *name;
  int state; /* 0: not tried, 1: loaded, 2: missing */
};
enum face_codec_status load_library(
    struct library *library, const struct symbol *symbols, size_t count, char reason[FACE_CODEC_REASON_SIZE]);

void say(char reason[FACE_CODEC_REASON_SIZE], const char *text);

/* Writes one pixel, blended with white. */
static inline void put_pixel(
    uint8_t *bgra, uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha, int is_multiplied)
{
  const unsigned rest = 255u - alpha;
  const uint8_t rgb[3] = {red, green, blue};
  for (int part = 0; part < 3; part++) {
    const unsigned colour = is_multiplied ? rgb[part] : (rgb[part] * alpha + 127u) / 255u;
    bgra[2 - part] = (uint8_t)(colour + rest > 255u ? 255u : colour + rest);
  }
  bgra[3] = 255;
}

void heif_load(void);
void tiff_load(void);
void pixbuf_load(enum face_codec_kind kind);

enum face_codec_status heif_open(struct face_codec *codec, uint32_t most_pixels);
enum face_codec_status heif_decode(struct face_codec *codec, uint8_t *bgra);
void heif_close(struct face_codec *codec);

enum face_codec_status tiff_open(struct face_codec *codec, uint32_t most_pixels);
enum face_codec_status tiff_decode(struct face_codec *codec, uint8_t *bgra);
void tiff_close(struct face_codec *codec);

enum face_codec_status pixbuf_open(struct face_codec *codec);
enum face_codec_status pixbuf_decode(struct face_codec *codec, uint8_t *bgra);

#endif
