/* Encodes PNG files through libpng. Source: libpng-manual.txt, "Writing". */
#include "encoded_file.h"

#include <png.h>
#include <string.h>

struct png_encoder {
  png_structp png;
  png_infop info;
  struct encoded_file file;
};

static void fail(png_structp png, png_const_charp reason)
{
  (void)reason;
  struct png_encoder *encoder = png_get_error_ptr(png);
  longjmp(encoder->file.failed, 1);
}

static void ignore(png_structp png, png_const_charp warning) { (void)png, (void)warning; }

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
  struct encoded_file *file = png_get_io_ptr(png);
  if (!make_room(file, count)) png_error(png, "no memory");
  memcpy(file->bytes + file->size, bytes, count);
  file->size += count;
}

static void flush(png_structp png) { (void)png; }

static void encode(struct png_encoder *encoder, struct picture_pixels pixels,
                   const struct picture_description *description)
{
  const png_structp png = encoder->png;
  const double x = description->x_per_metre + 0.5, y = description->y_per_metre + 0.5;
  png_set_write_fn(png, &encoder->file, write_bytes, flush);
  /* So that a profile that libpng rejects is a warning. */
  png_set_benign_errors(png, 1);
  png_set_IHDR(png, encoder->info, pixels.width, pixels.height, 8,
               pixels.has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (description->profile)
    png_set_iCCP(png, encoder->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, description->profile,
                 (png_uint_32)description->profile_size);
  if (x >= 1 && y >= 1 && x <= INT32_MAX && y <= INT32_MAX)
    png_set_pHYs(png, encoder->info, (png_uint_32)x, (png_uint_32)y, PNG_RESOLUTION_METER);
  png_write_info(png, encoder->info);
  png_set_bgr(png);
  if (!pixels.has_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
  for (uint32_t row = 0; row < pixels.height; row++) png_write_row(png, pixels.bgra + row * pixels.stride);
  png_write_end(png, NULL);
}

enum picture_status picture_encode_png(struct picture_pixels pixels, const struct picture_description *description,
                                       uint8_t **file, size_t *size)
{
  *file = NULL;
  struct png_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return PICTURE_NO_MEMORY;
  encoder->file.status = PICTURE_NO_MEMORY;
  if (setjmp(encoder->file.failed) == 0) {
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, fail, ignore);
    encoder->info = encoder->png ? png_create_info_struct(encoder->png) : NULL;
    if (encoder->info) {
      encode(encoder, pixels, description);
      encoder->file.status = PICTURE_DONE;
    }
  }
  png_destroy_write_struct(&encoder->png, &encoder->info);
  const enum picture_status status = finish(&encoder->file, file, size);
  free(encoder);
  return status;
}
