/* Finds how many pixels a decoder of AV1 or HEVC makes of a coded image item, from the headers inside the
 * coded data: the sizes that the file's boxes give are not what the decoders go by, and an item may have
 * pictures that are decoded and never shown. */
#include "heif_coded.h"

/* AV1 Bitstream and Decoding Process Specification, 6.2.2 "obu_type". */
enum { OBU_SEQUENCE_HEADER = 1, OBU_FRAME_HEADER = 3, OBU_FRAME = 6, OBU_REDUNDANT_FRAME_HEADER = 7 };

/* What is known of a sequence of AV1. */
struct sequence {
  int is_reduced;
  unsigned width_bits, height_bits;
  uint64_t pixels;
  unsigned frame_id_bits, presentation_time_bits;
  unsigned screen_content_tools, integer_motion;
};

enum { CHOSEN_BY_FRAME = 2 };

/* AV1, 5.5.1 "General sequence header OBU syntax". */
static struct sequence read_sequence(struct bits *bits) {
  struct sequence sequence = {.screen_content_tools = CHOSEN_BY_FRAME, .integer_motion = CHOSEN_BY_FRAME};
  skip_bits(bits, 4); /* seq_profile, still_picture */
  sequence.is_reduced = (int)take_bits(bits, 1);
  if (sequence.is_reduced) {
    skip_bits(bits, 5); /* seq_level_idx */
  } else {
    unsigned delay_bits = 0;
    int has_model = 0;
    if (take_bits(bits, 1)) { /* timing_info */
      skip_bits(bits, 64);
      const int is_equal = (int)take_bits(bits, 1);
      if (is_equal) take_exp_golomb(bits);
      has_model = (int)take_bits(bits, 1);
      if (has_model) {
        delay_bits = take_bits(bits, 5) + 1;
        skip_bits(bits, 32 + 5);
        const unsigned time_bits = take_bits(bits, 5) + 1;
        if (!is_equal) sequence.presentation_time_bits = time_bits;
      }
    }
    const int has_delays = (int)take_bits(bits, 1);
    for (unsigned points = take_bits(bits, 5) + 1; points > 0; points--) {
      skip_bits(bits, 12); /* operating_point_idc */
      if (take_bits(bits, 5) > 7) skip_bits(bits, 1);
      if (has_model && take_bits(bits, 1)) skip_bits(bits, 2 * delay_bits + 1);
      if (has_delays && take_bits(bits, 1)) skip_bits(bits, 4);
    }
  }
  sequence.width_bits = take_bits(bits, 4) + 1;
  sequence.height_bits = take_bits(bits, 4) + 1;
  const uint64_t width = take_bits(bits, sequence.width_bits) + UINT64_C(1);
  sequence.pixels = width * (take_bits(bits, sequence.height_bits) + UINT64_C(1));
  if (!sequence.is_reduced && take_bits(bits, 1)) { /* frame_id_numbers_present_flag */
    sequence.frame_id_bits = take_bits(bits, 4) + 2;
    sequence.frame_id_bits += take_bits(bits, 3) + 1;
  }
  skip_bits(bits, 3); /* use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter */
  if (sequence.is_reduced) return sequence;
  skip_bits(bits, 4);                         /* interintra to dual_filter */
  if (take_bits(bits, 1)) skip_bits(bits, 2); /* enable_order_hint */
  if (!take_bits(bits, 1)) sequence.screen_content_tools = take_bits(bits, 1);
  if (sequence.screen_content_tools > 0 && !take_bits(bits, 1)) sequence.integer_motion = take_bits(bits, 1);
  return sequence;
}

/* Returns the pixels of a frame. Source: AV1, 5.9.2 "Uncompressed header syntax", up to
 * frame_size_override_flag: such a frame has a size of its own, which decoders compare with nothing. */
static uint64_t pixels_of_frame(struct bits bits, const struct sequence *sequence) {
  enum { KEY_FRAME = 0, SWITCH_FRAME = 3 };
  if (sequence->is_reduced) return sequence->pixels;
  if (take_bits(&bits, 1)) return sequence->pixels; /* show_existing_frame */
  const unsigned type = take_bits(&bits, 2);
  const int is_shown = (int)take_bits(&bits, 1);
  if (is_shown) skip_bits(&bits, sequence->presentation_time_bits);
  else skip_bits(&bits, 1);                                                          /* showable_frame */
  if (type != SWITCH_FRAME && !(type == KEY_FRAME && is_shown)) skip_bits(&bits, 1); /* error_resilient_mode */
  skip_bits(&bits, 1);                                                               /* disable_cdf_update */
  unsigned has_screen_content = sequence->screen_content_tools;
  if (has_screen_content == CHOSEN_BY_FRAME) has_screen_content = take_bits(&bits, 1);
  if (has_screen_content && sequence->integer_motion == CHOSEN_BY_FRAME) skip_bits(&bits, 1);
  skip_bits(&bits, sequence->frame_id_bits);
  const int has_own_size = type == SWITCH_FRAME || take_bits(&bits, 1);
  return has_own_size ? UINT64_C(1) << (sequence->width_bits + sequence->height_bits) : sequence->pixels;
}

static void add_picture(struct coded_pixels *coded, uint64_t pixels) {
  if (pixels > coded->largest) coded->largest = pixels;
  coded->all += pixels; /* at most 2^32, once for each byte of the file */
}

/* AV1, 5.3 "OBU syntax". */
static void read_obus(struct bytes data, struct sequence *sequence, struct coded_pixels *coded) {
  while (data.size > 0 && !data.is_short) {
    const unsigned header = (unsigned)take_number(&data, 1);
    if (header & 4) take_number(&data, 1); /* obu_extension_flag */
    uint64_t size = data.size;
    if (header & 2) { /* obu_has_size_field: leb128, 4.10.5 */
      size = 0;
      unsigned byte = 0x80;
      for (unsigned shift = 0; shift < 56 && byte & 0x80; shift += 7) {
        byte = (unsigned)take_number(&data, 1);
        size |= (uint64_t)(byte & 0x7F) << shift;
      }
    }
    struct bits bits = {.bytes = take_bytes(&data, size)};
    switch (header >> 3 & 15) {
    case OBU_SEQUENCE_HEADER: *sequence = read_sequence(&bits); break;
    case OBU_FRAME_HEADER:
    case OBU_FRAME:
    case OBU_REDUNDANT_FRAME_HEADER: add_picture(coded, pixels_of_frame(bits, sequence)); break;
    default: break;
    }
  }
}

/* ITU-T H.265, 7.3.2.2.1 "General sequence parameter set RBSP syntax", and 7.3.3 "Profile, tier and level
 * syntax". */
static uint64_t pixels_of_parameters(struct bits *bits) {
  skip_bits(bits, 4);
  const unsigned sub_layers = take_bits(bits, 3);
  skip_bits(bits, 1 + 88 + 8);
  unsigned has_profile = 0, has_level = 0;
  for (unsigned i = 0; i < (sub_layers > 0 ? 8 : 0); i++) {
    has_profile |= take_bits(bits, 1) << i;
    has_level |= take_bits(bits, 1) << i;
  }
  for (unsigned i = 0; i < sub_layers; i++) skip_bits(bits, (has_profile >> i & 1) * 88 + (has_level >> i & 1) * 8);
  take_exp_golomb(bits);
  enum { YUV_444 = 3 };
  if (take_exp_golomb(bits) == YUV_444) skip_bits(bits, 1);
  const uint64_t width = take_exp_golomb(bits), height = take_exp_golomb(bits);
  return height != 0 && width > UINT32_MAX / height ? UINT32_MAX : width * height;
}

/* One unit of HEVC. Sources: ITU-T H.265, 7.3.1.2 "NAL unit header syntax", 7.3.6.1 "General slice segment
 * header syntax". */
static void read_unit(struct bytes unit, uint64_t *pixels, struct coded_pixels *coded) {
  enum { FIRST_NON_SLICE = 32, SEQUENCE_PARAMETERS = 33 };
  struct bits bits = {.bytes = unit, .is_escaped = 1};
  skip_bits(&bits, 1);
  const unsigned type = take_bits(&bits, 6), layer = take_bits(&bits, 6);
  skip_bits(&bits, 3);
  if (layer != 0) return; /* decoders skip it */
  if (type == SEQUENCE_PARAMETERS) {
    const uint64_t found = pixels_of_parameters(&bits);
    if (found > *pixels) *pixels = found;
  } else if (type < FIRST_NON_SLICE) {
    /* A further slice of a picture has a part of it, though nothing keeps it from having all of it again. */
    add_picture(coded, take_bits(&bits, 1) ? *pixels : *pixels / 4);
  }
}

static void read_units(struct bytes data, uint64_t *pixels, struct coded_pixels *coded) {
  /* libheif takes four bytes for a length, whatever the configuration says. */
  while (data.size > 0 && !data.is_short) {
    const uint64_t size = take_number(&data, 4);
    read_unit(take_bytes(&data, size), pixels, coded);
  }
}

/* ISO/IEC 14496-15, 8.3.3.1.2 "HEVCDecoderConfigurationRecord". */
static void read_hevc_configuration(struct bytes data, uint64_t *pixels, struct coded_pixels *coded) {
  take_bytes(&data, 22);
  for (uint64_t arrays = take_number(&data, 1); arrays > 0; arrays--) {
    take_number(&data, 1);
    for (uint64_t units = take_number(&data, 2); units > 0 && !data.is_short; units--) {
      const uint64_t size = take_number(&data, 2);
      read_unit(take_bytes(&data, size), pixels, coded);
    }
  }
}

struct coded_pixels pixels_of_av1(struct bytes configuration, struct bytes data) {
  struct coded_pixels coded = {0};
  struct sequence sequence = {0};
  take_bytes(&configuration, 4); /* AV1 Codec ISO Media File Format Binding, 2.3.3: what follows is OBUs */
  read_obus(configuration, &sequence, &coded);
  read_obus(data, &sequence, &coded);
  return coded;
}

struct coded_pixels pixels_of_hevc(struct bytes configuration, struct bytes data) {
  struct coded_pixels coded = {0};
  uint64_t pixels = 0;
  read_hevc_configuration(configuration, &pixels, &coded);
  read_units(data, &pixels, &coded);
  return coded;
}
