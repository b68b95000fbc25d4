#include "internal.h"

#include <string.h>

static enum picture_status open_file(struct picture_decoder *decoder, enum picture_kind kind,
                                     struct picture_source source, struct picture_description *description)
{
  memset(decoder, 0, sizeof *decoder);
  decoder->kind = kind;
  return kind == PICTURE_JPEG ? jpeg_open(decoder, source, description) : png_open(decoder, source, description);
}

enum picture_status picture_open(struct picture_decoder *decoder, enum picture_kind kind, const void *data, size_t size,
                                 struct picture_caller caller)
{
  const struct picture_source source = {.data = data, .size = size, .caller = caller};
  return open_file(decoder, kind, source, NULL);
}

enum picture_status picture_describe(struct picture_decoder *decoder, enum picture_kind kind, const void *data,
                                     size_t size, struct picture_caller caller, struct picture_description *description)
{
  const struct picture_source source = {.data = data, .size = size, .caller = caller};
  *description = (struct picture_description){0};
  return open_file(decoder, kind, source, description);
}

enum picture_status picture_decode(struct picture_decoder *decoder, struct picture_form form, uint8_t *bgra,
                                   size_t stride)
{
  return decoder->kind == PICTURE_JPEG ? jpeg_decode(decoder, form.eighths, bgra, stride)
                                       : png_decode(decoder, form, bgra, stride);
}

void picture_close(struct picture_decoder *decoder)
{
  if (decoder->state == NULL) return;
  if (decoder->kind == PICTURE_JPEG)
    jpeg_close(decoder);
  else
    png_close(decoder);
  decoder->state = NULL;
}
