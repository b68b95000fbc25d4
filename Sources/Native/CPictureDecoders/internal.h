#include "CPictureDecoders.h"

#include <string.h>

/* The bytes of a file, and the caller to ask while reading them. */
struct picture_source {
  const uint8_t *data;
  size_t size, position;
  struct picture_caller caller;
  size_t work; /* since the last question to the caller */
};

/* Returns whether to continue after `work` more pixels or bytes. */
static inline bool picture_goes_on(struct picture_source *source, size_t work)
{
  source->work += work;
  if (source->work < PICTURE_STEP) return true;
  source->work = 0;
  return source->caller.keep_going == NULL || source->caller.keep_going(source->caller.context);
}

/* Stores the reason, unless there is one already. */
static inline void picture_say(struct picture_decoder *decoder, const char *reason)
{
  if (decoder->reason[0] != 0) return;
  strncpy(decoder->reason, reason, PICTURE_REASON_SIZE - 1);
}

/* - description: of the file, if it is wanted; else NULL. */
enum picture_status jpeg_open(struct picture_decoder *decoder, struct picture_source source,
                              struct picture_description *description);
enum picture_status jpeg_decode(struct picture_decoder *decoder, int eighths, uint8_t *pixels, size_t stride);
void jpeg_close(struct picture_decoder *decoder);

enum picture_status png_open(struct picture_decoder *decoder, struct picture_source source,
                             struct picture_description *description);
enum picture_status png_decode(struct picture_decoder *decoder, struct picture_form form, uint8_t *bgra, size_t stride);
void png_close(struct picture_decoder *decoder);
