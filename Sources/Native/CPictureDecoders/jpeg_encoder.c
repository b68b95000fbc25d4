/* Encodes JPEG files through libjpeg. Source: libjpeg.txt, "Error handling" and "Compressed data handling". */
#include "encoded_file.h"

#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

struct jpeg_encoder {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr target;
  struct encoded_file file;
};

_Noreturn static void exit_encoder(j_common_ptr common)
{
  struct jpeg_encoder *encoder = common->client_data;
  encoder->file.status = encoder->errors.msg_code == JERR_OUT_OF_MEMORY ? PICTURE_NO_MEMORY : PICTURE_DAMAGED;
  longjmp(encoder->file.failed, 1);
}

/* Called when the buffer is full, which it also is at the start. */
static boolean grow_target(j_compress_ptr info)
{
  struct jpeg_encoder *encoder = info->client_data;
  struct encoded_file *file = &encoder->file;
  file->size = file->room;
  if (!make_room(file, 1 << 15)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  encoder->target.next_output_byte = file->bytes + file->size;
  encoder->target.free_in_buffer = file->room - file->size;
  return TRUE;
}

static void start_target(j_compress_ptr info) { grow_target(info); }

static void print_nothing(j_common_ptr common) { (void)common; }

static void end_target(j_compress_ptr info) { (void)info; }

/* Source of the marker: libjpeg.txt, `density_unit`. */
static void set_density(j_compress_ptr info, const struct picture_description *description)
{
  const double x = description->x_per_metre * 0.0254 + 0.5, y = description->y_per_metre * 0.0254 + 0.5;
  if (!(x >= 1 && y >= 1 && x <= UINT16_MAX && y <= UINT16_MAX)) return;
  info->density_unit = 1; /* per inch */
  info->X_density = (UINT16)x;
  info->Y_density = (UINT16)y;
}

static void encode(struct jpeg_encoder *encoder, struct picture_pixels pixels,
                   const struct picture_description *description, int quality)
{
  const j_compress_ptr info = &encoder->info;
  jpeg_create_compress(info);
  encoder->target = (struct jpeg_destination_mgr){.init_destination = start_target,
                                                  .empty_output_buffer = grow_target,
                                                  .term_destination = end_target};
  info->dest = &encoder->target;
  info->image_width = pixels.width;
  info->image_height = pixels.height;
  info->input_components = 4;
  info->in_color_space = JCS_EXT_BGRX;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  set_density(info, description);
  info->dct_method = JDCT_FASTEST;
  for (int i = 0; i < info->num_components; i++)
    info->comp_info[i].h_samp_factor = info->comp_info[i].v_samp_factor = 1;
  jpeg_start_compress(info, TRUE);
  if (description->profile) jpeg_write_icc_profile(info, description->profile, (unsigned)description->profile_size);
  while (info->next_scanline < pixels.height) {
    JSAMPROW row = (JSAMPROW)(pixels.bgra + info->next_scanline * pixels.stride);
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
}

enum picture_status picture_encode_jpeg(struct picture_pixels pixels, const struct picture_description *description,
                                        int quality, uint8_t **file, size_t *size)
{
  *file = NULL;
  struct jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return PICTURE_NO_MEMORY;
  encoder->info.err = jpeg_std_error(&encoder->errors);
  encoder->info.client_data = encoder;
  encoder->errors.error_exit = exit_encoder;
  encoder->errors.output_message = print_nothing;
  if (setjmp(encoder->file.failed) == 0) {
    encode(encoder, pixels, description, quality);
    encoder->file.size = encoder->file.room - encoder->target.free_in_buffer;
    encoder->file.status = PICTURE_DONE;
  }
  jpeg_destroy_compress(&encoder->info);
  const enum picture_status status = finish(&encoder->file, file, size);
  free(encoder);
  return status;
}
