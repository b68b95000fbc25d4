/* Decodes PNG files of every bit depth and colour type through libpng, in sRGB. Source of the order of
 * transformations, and of the chunks that colours depend on: libpng-manual.txt, "Input transformations" and
 * "The simplified API", whose pixels these are. */
#include "internal.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct png_state {
  png_structp png;
  png_infop info;
  struct picture_decoder *decoder;
  struct picture_source source;
  size_t allowance; /* bytes that may still be read */
  enum picture_status failure;
  jmp_buf failed;
};

/* The most bytes by which a file may exceed the needs of its rows. libpng reads up to 8 KiB at a time, from
 * which 8 MiB may be inflated without a call of keep_going. */
enum { SLACK = 1 << 10 };

static void fail(png_structp png, png_const_charp reason)
{
  struct png_state *state = png_get_error_ptr(png);
  /* A critical chunk of a later standard, or of a program's own. */
  if (strstr(reason, "unhandled critical chunk")) state->failure = PICTURE_UNSUPPORTED;
  picture_say(state->decoder,
              state->failure == PICTURE_UNSUPPORTED ? "a PNG with a chunk that libpng does not know" : reason);
  longjmp(state->failed, 1);
}

static void ignore(png_structp png, png_const_charp warning) { (void)png, (void)warning; }

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
  void *memory = malloc(size);
  struct png_state *state = png_get_mem_ptr(png);
  if (memory == NULL) state->failure = PICTURE_NO_MEMORY;
  return memory;
}

static void release(png_structp png, png_voidp memory)
{
  (void)png;
  free(memory);
}

static void go_on(png_structp png, struct png_state *state, size_t work)
{
  if (picture_goes_on(&state->source, work)) return;
  state->failure = PICTURE_STOPPED;
  png_error(png, "stopped");
}

static void read_bytes(png_structp png, png_bytep target, size_t count)
{
  struct png_state *state = png_get_io_ptr(png);
  struct picture_source *source = &state->source;
  if (count > source->size - source->position) png_error(png, "read beyond end of data");
  if (count > state->allowance) png_error(png, "its data runs on beyond what its rows need");
  state->allowance -= count;
  memcpy(target, source->data + source->position, count);
  source->position += count;
  /* Eight times, because up to a thousand times as many bytes may be inflated from them. */
  go_on(png, state, 8 * count);
}

/* The first chunk of a file that Xcode has converted for an iPhone: its pixels are not those of a PNG. */
static bool is_of_apple(const struct picture_source *source)
{
  return source->size >= 16 && memcmp(source->data + 12, "CgBI", 4) == 0;
}

static void describe(png_structp png, png_infop info, struct picture_description *description)
{
  png_charp name = NULL;
  int compression = 0, unit = PNG_RESOLUTION_UNKNOWN;
  png_bytep profile = NULL;
  png_uint_32 size = 0, x = 0, y = 0;
  if (png_get_iCCP(png, info, &name, &compression, &profile, &size) != 0 && size > 0) {
    description->profile = malloc(size);
    if (description->profile) memcpy(description->profile, profile, description->profile_size = size);
  }
  if (png_get_pHYs(png, info, &x, &y, &unit) == 0 || unit != PNG_RESOLUTION_METER) return;
  description->x_per_metre = x;
  description->y_per_metre = y;
}

enum picture_status png_open(struct picture_decoder *decoder, struct picture_source source,
                             struct picture_description *description)
{
  struct png_state *state = calloc(1, sizeof *state);
  if (state == NULL) return PICTURE_NO_MEMORY;
  decoder->state = state;
  state->decoder = decoder;
  state->source = source;
  state->allowance = SIZE_MAX;
  state->failure = PICTURE_DAMAGED;
  if (is_of_apple(&source)) {
    picture_say(decoder, "a PNG in Apple's own form (CgBI)");
    return PICTURE_UNSUPPORTED;
  }
  if (setjmp(state->failed)) return state->failure;
  state->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, state, fail, ignore, state, allocate, release);
  if (state->png == NULL) return PICTURE_NO_MEMORY;
  state->info = png_create_info_struct(state->png);
  if (state->info == NULL) return PICTURE_NO_MEMORY;
  png_set_benign_errors(state->png, 1);
  /* Texts and the like are skipped: each could be inflated to megabytes. */
  static const png_byte colours[] = "bKGD\0cHRM\0gAMA\0iCCP\0pHYs\0sBIT\0sRGB";
  png_set_keep_unknown_chunks(state->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(state->png, PNG_HANDLE_CHUNK_AS_DEFAULT, colours, (int)(sizeof colours / 5));
  png_set_read_fn(state->png, state, read_bytes);
  png_read_info(state->png, state->info);
  decoder->width = png_get_image_width(state->png, state->info);
  decoder->height = png_get_image_height(state->png, state->info);
  if (description) describe(state->png, state->info, description);
  return PICTURE_DONE;
}

/* Converts to four bytes a pixel: blue, green, red and alpha. */
static void transform(png_structp png, png_infop info, struct picture_form form)
{
  const int colour_type = png_get_color_type(png, info);
  const bool keeps_alpha = form.keeps_alpha;
  const bool has_profile =
      form.keeps_profile && (colour_type & PNG_COLOR_MASK_COLOR) != 0 && png_get_valid(png, info, PNG_INFO_iCCP) != 0;
  const bool has_alpha = (colour_type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  png_set_expand(png);
  if ((colour_type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  /* Without a gamma chunk, 16 bits are sRGB, as in any other picture. */
  if (!has_profile) png_set_alpha_mode_fixed(png, PNG_ALPHA_PNG, PNG_DEFAULT_sRGB);
  png_set_scale_16(png);
  if (has_alpha && !keeps_alpha) {
    png_color_16 white = {.red = 255, .green = 255, .blue = 255, .gray = 255};
    png_set_background_fixed(png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, 0);
  }
  if (!has_profile) png_set_alpha_mode_fixed(png, PNG_ALPHA_PNG, PNG_DEFAULT_sRGB);
  png_set_bgr(png);
  if (!has_alpha || !keeps_alpha) png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
}

enum picture_status png_decode(struct picture_decoder *decoder, struct picture_form form, uint8_t *bgra, size_t stride)
{
  struct png_state *state = decoder->state;
  const png_structp png = state->png;
  const png_infop info = state->info;
  state->failure = PICTURE_DAMAGED;
  if (setjmp(state->failed)) return state->failure;
  /* A row has a byte for its filter; compressed it is hardly longer, and rows of the first passes are
   * shorter. */
  const size_t row_need = 2 * (png_get_rowbytes(png, info) + 8);
  transform(png, info, form);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != 4 * (size_t)decoder->width) png_error(png, "its pixels have no known form");
  state->allowance = 2 * row_need * decoder->height + SLACK;
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t row = 0; row < decoder->height; row++) {
      /* With its last row libpng reads the rest of the compressed data. */
      if (pass == passes - 1 && row == decoder->height - 1 && state->allowance > row_need + SLACK)
        state->allowance = row_need + SLACK;
      png_read_row(png, bgra + row * stride, NULL);
      go_on(png, state, decoder->width);
    }
  }
  return PICTURE_DONE;
}

void png_close(struct picture_decoder *decoder)
{
  struct png_state *state = decoder->state;
  png_destroy_read_struct(&state->png, &state->info, NULL);
  free(state);
}
