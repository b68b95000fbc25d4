/* Decodes JPEG and PNG files through their libraries. Between rows, and between pieces of the file, a decoder
 * asks whether to continue, so that no file holds a thread longer than its caller waits for it. */
#ifndef FACE_ENGINE_CPICTUREDECODERS_H
#define FACE_ENGINE_CPICTUREDECODERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum picture_kind { PICTURE_JPEG, PICTURE_PNG };

enum picture_status {
  PICTURE_DONE,
  PICTURE_STOPPED, /* keep_going returned false */
  PICTURE_DAMAGED,
  PICTURE_UNSUPPORTED, /* the reason names the kind of file */
  PICTURE_NO_MEMORY,
};

enum { PICTURE_REASON_SIZE = 200 };

/* Pixels, or bytes of a file, between two calls of keep_going: a few milliseconds. */
enum { PICTURE_STEP = 1 << 18 };

/* A file whose header was read. One thread at a time. */
struct picture_decoder {
  enum picture_kind kind;
  uint32_t width, height; /* pixels, as stored */
  bool is_for_print;      /* a JPEG's colours are inks: they are decoded as C, M, Y, K */
  size_t kept_bytes;      /* coefficients of a JPEG with several scans, all kept while it is decoded; else 0 */
  char reason[PICTURE_REASON_SIZE]; /* of a failure, as the library reports it */
  void *state;
};

/* The code that works on a call, and can tell whether the call still waits. */
struct picture_caller {
  bool (*keep_going)(void *context); /* NULL: never asked */
  void *context;
};

/* Reads the header; no pixels are decoded. Call picture_close whatever it returns.
 * - data: borrowed until picture_close; must not change. */
enum picture_status picture_open(struct picture_decoder *decoder, enum picture_kind kind, const void *data, size_t size,
                                 struct picture_caller caller);

/* What a file says about its pixels. */
struct picture_description {
  uint8_t *profile; /* an ICC profile, to be passed to free(3); NULL: none */
  size_t profile_size;
  double x_per_metre, y_per_metre; /* pixels; 0: not known */
};

/* Reads a file's header for what it says about its pixels. `decoder` is as after picture_open, and must be closed as
 * well; it decodes nothing. */
enum picture_status picture_describe(struct picture_decoder *decoder, enum picture_kind kind, const void *data,
                                     size_t size, struct picture_caller caller,
                                     struct picture_description *description);

/* The form in which picture_decode returns the pixels. */
struct picture_form {
  int eighths;        /* the scale of a JPEG: 1, 2, 4 or 8, sides rounded up; 8 for other kinds */
  bool keeps_alpha;   /* colours are not multiplied by it; else transparent pixels are blended with white */
  bool keeps_profile; /* colours stay as the file's ICC profile means them; else they become sRGB by the file's gamma */
};

/* Decodes into rows of blue, green, red and alpha, which is 255 unless it is kept. Once after picture_open;
 * rows written before a failure stay.
 * - stride: bytes from row to row. */
enum picture_status picture_decode(struct picture_decoder *decoder, struct picture_form form, uint8_t *bgra,
                                   size_t stride);

void picture_close(struct picture_decoder *decoder);

/* Work of a library that cannot be interrupted. */
struct picture_work {
  void (*run)(void *context);
  void (*release)(void *context);
  void *context;
};

/* Runs `work` on a thread of its own, and asks the caller every few milliseconds. PICTURE_STOPPED: the
 * caller has gone, and `release` is called once the work is over, which may be later and on the other thread;
 * else it is not called. PICTURE_NO_MEMORY: the thread could not be started, and nothing ran.
 * - most_abandoned: while so many threads are at work whose callers have gone, this one waits, so that callers
 *   that come and go do not pile up work. */
enum picture_status picture_run_detached(struct picture_caller caller, struct picture_work work, int most_abandoned);

/* Returns how many threads are at work whose callers have gone. */
int picture_abandoned_count(void);

/* Pixels to encode: rows of blue, green, red and a fourth byte. */
struct picture_pixels {
  const uint8_t *bgra;
  uint32_t width, height;
  size_t stride;
  bool has_alpha; /* the fourth byte is alpha, by which colours are not multiplied; a JPEG has none */
};

/* Encodes a JPEG without chroma subsampling.
 * - description: written to the file; its profile may be NULL.
 * - file: to be passed to free(3); NULL after a failure. */
enum picture_status picture_encode_jpeg(struct picture_pixels pixels, const struct picture_description *description,
                                        int quality, uint8_t **file, size_t *size);

/* Encodes a PNG, as picture_encode_jpeg a JPEG. A profile that libpng rejects is left out. */
enum picture_status picture_encode_png(struct picture_pixels pixels, const struct picture_description *description,
                                       uint8_t **file, size_t *size);

#endif
