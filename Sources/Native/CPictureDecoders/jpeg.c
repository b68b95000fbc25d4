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
  unsigned scanned; /* bits: the components that a scan has begun */
  enum picture_status failure;
  jmp_buf failed;
};

/* The limit keeps a few bytes per scan from causing minutes of decoding. */
enum { MOST_SCANS = 500 };

/* Stores the reason. What a file lacks after its end makes no sense to libjpeg, so the end comes first. */
static void say(struct jpeg_state *state, const char *reason)
{
  picture_say(state->decoder, state->is_cut ? "Premature end of JPEG file" : reason);
}

_Noreturn static void fail(struct jpeg_state *state, enum picture_status failure, const char *reason)
{
  state->failure = failure;
  say(state, reason);
  longjmp(state->failed, 1);
}

/* Writes the name of a kind of JPEG that libjpeg cannot decode, if that is the error. Sources: ITU-T T.81, table B.1;
 * T.87, C.1.1 (the frame of JPEG-LS). */
static bool name_kind(struct jpeg_state *state, char name[JMSG_LENGTH_MAX])
{
  enum { HIERARCHICAL = 0xDE, JPEG_LS = 0xF7 };
  const int detail = state->errors.msg_parm.i[0];
  const char *kind = NULL;
  switch (state->errors.msg_code) {
  case JERR_BAD_PRECISION: snprintf(name, JMSG_LENGTH_MAX, "a JPEG of %d bits a sample", detail); return true;
  case JERR_SOF_UNSUPPORTED:
    kind = detail == 0xC3   ? "a lossless JPEG"
           : detail == 0xCB ? "a lossless JPEG in arithmetic coding"
                            : "a hierarchical JPEG";
    break;
  case JERR_UNKNOWN_MARKER:
    kind = detail == JPEG_LS ? "a JPEG-LS" : detail == HIERARCHICAL ? "a hierarchical JPEG" : NULL;
    break;
  case JERR_EMPTY_IMAGE:
    if (state->info.image_height == 0 && state->info.image_width > 0 && state->info.num_components > 0)
      kind = "a JPEG that states its height after its pixels (DNL)";
    break;
  case JERR_ARITH_NOTIMPL: kind = "a JPEG in arithmetic coding"; break;
  case JERR_CCIR601_NOTIMPL:
  case JERR_CONVERSION_NOTIMPL:
  case JERR_FRACT_SAMPLE_NOTIMPL:
  case JERR_NOTIMPL:
  case JERR_NOT_COMPILED: kind = "an unsupported kind of JPEG"; break;
  default: break;
  }
  if (kind) snprintf(name, JMSG_LENGTH_MAX, "%s", kind);
  return kind != NULL;
}

_Noreturn static void exit_with_error(j_common_ptr common)
{
  struct jpeg_state *state = common->client_data;
  char reason[JMSG_LENGTH_MAX];
  if (!state->is_cut && name_kind(state, reason)) fail(state, PICTURE_UNSUPPORTED, reason);
  state->errors.format_message(common, reason);
  fail(state, state->errors.msg_code == JERR_OUT_OF_MEMORY ? PICTURE_NO_MEMORY : PICTURE_DAMAGED, reason);
}

/* Cameras write files that cause a warning and decode in full; these warnings are about missing or wrong
 * data. */
static void hear_message(j_common_ptr common, int level)
{
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

static void go_on(struct jpeg_state *state, size_t work)
{
  if (!picture_goes_on(&state->source, work)) fail(state, PICTURE_STOPPED, "stopped");
}

static void start_source(j_decompress_ptr info) { (void)info; }

/* Piece by piece, so that skipped data also counts as work. */
static boolean next_piece(j_decompress_ptr info)
{
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

static void skip_bytes(j_decompress_ptr info, long count)
{
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
static void monitor_progress(j_common_ptr common)
{
  struct jpeg_state *state = common->client_data;
  if (state->info.input_scan_number > MOST_SCANS) fail(state, PICTURE_DAMAGED, "it has more than 500 scans");
  for (int i = 0; i < state->info.comps_in_scan; i++)
    state->scanned |= 1u << state->info.cur_comp_info[i]->component_index;
  go_on(state, (size_t)state->info.image_width * DCTSIZE);
}

static void describe(j_decompress_ptr info, struct picture_description *description)
{
  enum { PER_INCH = 1, PER_CENTIMETRE = 2 };
  JOCTET *profile = NULL;
  unsigned size = 0;
  if (jpeg_read_icc_profile(info, &profile, &size)) {
    description->profile = profile;
    description->profile_size = size;
  }
  if (!info->saw_JFIF_marker || (info->density_unit != PER_INCH && info->density_unit != PER_CENTIMETRE)) return;
  const double unit = info->density_unit == PER_INCH ? 0.0254 : 0.01;
  description->x_per_metre = info->X_density / unit;
  description->y_per_metre = info->Y_density / unit;
}

enum picture_status jpeg_open(struct picture_decoder *decoder, struct picture_source source,
                              struct picture_description *description)
{
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
  if (description) jpeg_save_markers(&state->info, JPEG_APP0 + 2, 0xFFFF);
  if (jpeg_read_header(&state->info, FALSE) != JPEG_HEADER_OK) fail(state, PICTURE_DAMAGED, "it has no picture");
  if (state->info.jpeg_color_space == JCS_UNKNOWN)
    fail(state, PICTURE_UNSUPPORTED, "a JPEG whose colours have no known meaning");
  decoder->width = state->info.image_width;
  decoder->height = state->info.image_height;
  decoder->is_for_print = state->info.jpeg_color_space == JCS_CMYK || state->info.jpeg_color_space == JCS_YCCK;
  if (description) describe(&state->info, description);
  for (int i = 0; jpeg_has_multiple_scans(&state->info) && i < state->info.num_components; i++) {
    const jpeg_component_info *component = &state->info.comp_info[i];
    decoder->kept_bytes += sizeof(JBLOCK) * component->width_in_blocks * component->height_in_blocks;
  }
  return PICTURE_DONE;
}

/* Returns whether a file without an end marker has all of its pixels. Within a scan libjpeg reports missing data;
 * this finds missing scans. Arithmetic coding may leave out the last bytes of a scan, so nothing shows whether some
 * are missing. Source: ITU-T T.81, D.1.8 and G.1.1.1; libjpeg.txt, `coef_bits`. */
static bool has_all_scans(const struct jpeg_state *state)
{
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

enum picture_status jpeg_decode(struct picture_decoder *decoder, int eighths, uint8_t *pixels, size_t stride)
{
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

void jpeg_close(struct picture_decoder *decoder)
{
  struct jpeg_state *state = decoder->state;
  jpeg_destroy_decompress(&state->info);
  free(state);
}
