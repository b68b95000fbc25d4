#include "internal.h"

#include <string.h>

void picture_say(struct picture_decoder *decoder, const char *reason) {
  if (decoder->reason[0] != 0) return;
  strncpy(decoder->reason, reason, PICTURE_REASON_SIZE - 1);
}

enum picture_status picture_open(
    struct picture_decoder *decoder, enum picture_kind kind, const void *data, size_t size, struct picture_caller caller) {
  memset(decoder, 0, sizeof *decoder);
  decoder->kind = kind;
  const struct picture_source source = {.data = data, .size = size, .caller = caller};
  return kind == PICTURE_JPEG ? jpeg_open(decoder, source) : png_open(decoder, source);
}

enum picture_status picture_decode(struct picture_decoder *decoder, struct picture_form form, uint8_t *bgra, size_t stride) {
  return decoder->kind == PICTURE_JPEG ? jpeg_decode(decoder, form.eighths, bgra, stride)
                                       : png_decode(decoder, form.keeps_alpha, bgra, stride);
}

void picture_close(struct picture_decoder *decoder) {
  if (decoder->state == NULL) return;
  if (decoder->kind == PICTURE_JPEG) jpeg_close(decoder);
  else png_close(decoder);
  decoder->state = NULL;
}
