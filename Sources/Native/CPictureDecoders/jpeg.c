/* JPEG through libjpeg. Source: libjpeg.txt, "Error handling", "Compressed data handling (source and
 * destination managers)" and "Progress monitoring". */
#include "internal.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct jpeg_state {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr bytes;
  struct jpeg_progress_mgr progress;
  struct picture_decoder *decoder;
  struct picture_source source;
  bool is_wrong;    /* data is missing or makes no sense */
  bool is_cut;      /* the file ends before its end marker */
  unsigned scanned; /* the components of which a scan has begun, as bits */
  enum picture_status failure;
  jmp_buf failed;
};

/* The limit keeps a few bytes per scan from causing minutes of decoding. */
enum { MOST_SCANS = 500 };

/* Stores the reason. What a file lacks after its end makes no sense to libjpeg, so the end comes first. */
static void say(struct jpeg_state *state, const char *reason) {
  picture_say(state->decoder, state->is_cut ? "Premature end of JPEG file" : reason);
}

_Noreturn static void fail(struct jpeg_state *state, enum picture_status failure, const char *reason) {
  state->failure = failure;
  say(state, reason);
  longjmp(state->failed, 1);
}

_Noreturn static void exit_with_error(j_common_ptr common) {
  struct jpeg_state *state = common->client_data;
  char reason[JMSG_LENGTH_MAX];
  state->errors.format_message(common, reason);
  fail(state, state->errors.msg_code == JERR_OUT_OF_MEMORY ? PICTURE_NO_MEMORY : PICTURE_DAMAGED, reason);
}

/* Cameras write files that cause a warning and decode in full; these warnings are about missing or wrong
 * data. */
static void hear_message(j_common_ptr common, int level) {
  struct jpeg_state *state = common->client_data;
  if (level >= 0) return;
  switch (state->errors.msg_code) {
  case JWRN_HIT_MARKER:
  case JWRN_HUFF_BAD_CODE:
  case JWRN_MUST_RESYNC: break;
  default: return;
  }
  char reason[JMSG_LENGTH_MAX];
  state->errors.format_message(common, reason);
  say(state, reason);
  state->is_wrong = true;
}

static void print_nothing(j_common_ptr common) { (void)common; }

static void go_on(struct jpeg_state *state, size_t work) {
  if (!picture_goes_on(&state->source, work)) fail(state, PICTURE_STOPPED, "stopped");
}

static void start_source(j_decompress_ptr info) { (void)info; }

/* Piece by piece, so that skipped data also counts as work. */
static boolean next_piece(j_decompress_ptr info) {
  struct jpeg_state *state = info->client_data;
  struct picture_source *source = &state->source;
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  const size_t rest = source->size - source->position, piece = rest < PICTURE_STEP ? rest : PICTURE_STEP;
  if (piece == 0) {
    state->is_cut = true;
    state->bytes.next_input_byte = end;
    state->bytes.bytes_in_buffer = sizeof end;
    return TRUE;
  }
  go_on(state, PICTURE_STEP);
  state->bytes.next_input_byte = source->data + source->position;
  state->bytes.bytes_in_buffer = piece;
  source->position += piece;
  return TRUE;
}

static void skip_bytes(j_decompress_ptr info, long count) {
  struct jpeg_state *state = info->client_data;
  if (count <= 0) return;
  while ((size_t)count > state->bytes.bytes_in_buffer) {
    count -= (long)state->bytes.bytes_in_buffer;
    next_piece(info);
  }
  state->bytes.next_input_byte += count;
  state->bytes.bytes_in_buffer -= (size_t)count;
}

static void end_source(j_decompress_ptr info) { (void)info; }

/* libjpeg calls it for every row of blocks of every scan, and before every few rows of pixels. */
static void monitor_progress(j_common_ptr common) {
  struct jpeg_state *state = common->client_data;
  if (state->info.input_scan_number > MOST_SCANS) fail(state, PICTURE_DAMAGED, "it has more than 500 scans");
  for (int i = 0; i < state->info.comps_in_scan; i++) state->scanned |= 1u << state->info.cur_comp_info[i]->component_index;
  go_on(state, (size_t)state->info.image_width * DCTSIZE);
}

enum picture_status jpeg_open(struct picture_decoder *decoder, struct picture_source source) {
  struct jpeg_state *state = calloc(1, sizeof *state);
  if (state == NULL) return PICTURE_NO_MEMORY;
  decoder->state = state;
  state->decoder = decoder;
  state->source = source;
  state->info.err = jpeg_std_error(&state->errors);
  state->info.client_data = state;
  state->errors.error_exit = exit_with_error;
  state->errors.emit_message = hear_message;
  state->errors.output_message = print_nothing;
  if (setjmp(state->failed)) return state->failure;
  jpeg_create_decompress(&state->info);
  state->bytes = (struct jpeg_source_mgr){
      .init_source = start_source,
      .fill_input_buffer = next_piece,
      .skip_input_data = skip_bytes,
      .resync_to_restart = jpeg_resync_to_restart,
      .term_source = end_source,
  };
  state->info.src = &state->bytes;
  state->progress.progress_monitor = monitor_progress;
  state->info.progress = &state->progress;
  if (jpeg_read_header(&state->info, FALSE) != JPEG_HEADER_OK) fail(state, PICTURE_DAMAGED, "it has no picture");
  if (state->info.jpeg_color_space == JCS_UNKNOWN) fail(state, PICTURE_DAMAGED, "its colours have no known meaning");
  decoder->width = state->info.image_width;
  decoder->height = state->info.image_height;
  decoder->is_for_print = state->info.jpeg_color_space == JCS_CMYK || state->info.jpeg_color_space == JCS_YCCK;
  decoder->has_several_scans = jpeg_has_multiple_scans(&state->info);
  return PICTURE_DONE;
}

/* Returns whether a file without an end marker has all of its pixels. Within a scan libjpeg reports missing data;
 * this finds missing scans. Arithmetic coding may leave out the last bytes of a scan, so nothing shows whether some
 * are missing. Source: ITU-T T.81, D.1.8 and G.1.1.1; libjpeg.txt, `coef_bits`. */
static bool has_all_scans(const struct jpeg_state *state) {
  const struct jpeg_decompress_struct *info = &state->info;
  if (info->arith_code || state->scanned != (1u << info->num_components) - 1) return false;
  if (!info->progressive_mode) return true;
  for (int component = 0; component < info->num_components; component++) {
    for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++) {
      if (info->coef_bits[component][coefficient] != 0) return false;
    }
  }
  return true;
}

enum picture_status jpeg_decode(struct picture_decoder *decoder, int eighths, uint8_t *pixels, size_t stride) {
  struct jpeg_state *state = decoder->state;
  const j_decompress_ptr info = &state->info;
  if (setjmp(state->failed)) return state->failure;
  info->out_color_space = decoder->is_for_print ? JCS_CMYK : JCS_EXT_BGRA;
  info->scale_num = (unsigned)eighths;
  info->scale_denom = 8;
  jpeg_start_decompress(info);
  while (info->output_scanline < info->output_height) {
    JSAMPROW rows[DCTSIZE];
    for (size_t i = 0; i < DCTSIZE; i++) {
      const size_t row = info->output_scanline + i;
      rows[i] = pixels + (row < info->output_height ? row : info->output_height - 1) * stride;
    }
    const JDIMENSION rest = info->output_height - info->output_scanline;
    jpeg_read_scanlines(info, rows, rest < DCTSIZE ? rest : DCTSIZE);
  }
  /* Before the end, which frees coef_bits. A file with several scans has been read whole by now. */
  const bool is_whole = has_all_scans(state);
  jpeg_finish_decompress(info);
  if (!state->is_wrong && state->is_cut && !is_whole) fail(state, PICTURE_DAMAGED, "scans are missing");
  return state->is_wrong ? PICTURE_DAMAGED : PICTURE_DONE;
}

void jpeg_close(struct picture_decoder *decoder) {
  struct jpeg_state *state = decoder->state;
  jpeg_destroy_decompress(&state->info);
  free(state);
}

struct jpeg_encoder {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr target;
  uint8_t *file;
  size_t room;
  enum picture_status failure;
  jmp_buf failed;
};

_Noreturn static void exit_encoder(j_common_ptr common) {
  struct jpeg_encoder *encoder = common->client_data;
  encoder->failure = encoder->errors.msg_code == JERR_OUT_OF_MEMORY ? PICTURE_NO_MEMORY : PICTURE_DAMAGED;
  longjmp(encoder->failed, 1);
}

static void start_target(j_compress_ptr info) {
  struct jpeg_encoder *encoder = info->client_data;
  encoder->target.next_output_byte = encoder->file;
  encoder->target.free_in_buffer = encoder->room;
}

/* Called when the buffer is full. */
static boolean grow_target(j_compress_ptr info) {
  struct jpeg_encoder *encoder = info->client_data;
  uint8_t *larger = realloc(encoder->file, 2 * encoder->room);
  if (larger == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  encoder->target.next_output_byte = larger + encoder->room;
  encoder->target.free_in_buffer = encoder->room;
  encoder->file = larger;
  encoder->room *= 2;
  return TRUE;
}

static void end_target(j_compress_ptr info) { (void)info; }

static void encode(
    struct jpeg_encoder *encoder, const uint8_t *bgrx, uint32_t width, uint32_t height, size_t stride, int quality) {
  const j_compress_ptr info = &encoder->info;
  jpeg_create_compress(info);
  encoder->target = (struct jpeg_destination_mgr){
      .init_destination = start_target, .empty_output_buffer = grow_target, .term_destination = end_target};
  info->dest = &encoder->target;
  info->image_width = width;
  info->image_height = height;
  info->input_components = 4;
  info->in_color_space = JCS_EXT_BGRX;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  info->dct_method = JDCT_FASTEST;
  for (int i = 0; i < info->num_components; i++) info->comp_info[i].h_samp_factor = info->comp_info[i].v_samp_factor = 1;
  jpeg_start_compress(info, TRUE);
  while (info->next_scanline < height) {
    JSAMPROW row = (JSAMPROW)(bgrx + info->next_scanline * stride);
    jpeg_write_scanlines(info, &row, 1);
  }
  jpeg_finish_compress(info);
}

enum picture_status picture_encode_jpeg(
    const uint8_t *bgrx, uint32_t width, uint32_t height, size_t stride, int quality, uint8_t **file, size_t *size) {
  *file = NULL;
  struct jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return PICTURE_NO_MEMORY;
  encoder->room = 1 << 16;
  encoder->file = malloc(encoder->room);
  encoder->info.err = jpeg_std_error(&encoder->errors);
  encoder->info.client_data = encoder;
  encoder->errors.error_exit = exit_encoder;
  encoder->errors.output_message = print_nothing;
  encoder->failure = PICTURE_NO_MEMORY;
  if (encoder->file != NULL && setjmp(encoder->failed) == 0) {
    encode(encoder, bgrx, width, height, stride, quality);
    encoder->failure = PICTURE_DONE;
  }
  jpeg_destroy_compress(&encoder->info);
  const enum picture_status status = encoder->failure;
  if (status == PICTURE_DONE) {
    *file = encoder->file;
    *size = encoder->room - encoder->target.free_in_buffer;
  } else {
    free(encoder->file);
  }
  free(encoder);
  return status;
}
