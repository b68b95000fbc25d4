/* Checks that the primary item of a HEIF file can be decoded with a bounded amount of work. A derived item
 * (ISO/IEC 23008-12, 6.6.2: 'iden', 'iovl', 'grid') names others, each as often as it likes, and libheif decodes them
 * each time: the work follows the references, not the pixels of the picture, and cannot be interrupted. */
#include "heif_coded.h"
#include "heif_items.h"
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* An overlay of copies of grids of tiles is 3 deep, and 2 more with alpha. */
  MOST_LEVELS = 8,
  /* Each costs a decoder, with its threads, however few its pixels are. */
  MOST_USES = HEIF_MOST_ITEMS,
  /* Pixels for each pixel of the picture: a grid and its tiles, the same again as alpha; that includes
   * matting and gain maps of phones, which are a quarter of the picture each. */
  PIXELS_FOR_EACH = 4,
  /* And in any case, as tiles and pictures that are cropped are larger than what is left of them. */
  PIXELS_IN_ANY_CASE = 1 << 25,
  /* Bytes of coded data that may be read more than once. */
  BYTES_IN_ANY_CASE = 1 << 20,
  /* ISO/IEC 23000-22 (MIAF), 7.3.6.7: 'clap', 'irot' and 'imir' once each. Each is a copy of the picture. */
  MOST_TRANSFORMATIONS = 4,
};

enum {
  AV01 = HEIF_TYPE('a', 'v', '0', '1'),
  HVC1 = HEIF_TYPE('h', 'v', 'c', '1'),
  GRID = HEIF_TYPE('g', 'r', 'i', 'd'),
  IOVL = HEIF_TYPE('i', 'o', 'v', 'l'),
  IDEN = HEIF_TYPE('i', 'd', 'e', 'n'),
};

static enum face_codec_status refuse(const struct heif_items *items, const char *what) {
  set_reason(items->reason, what);
  return FACE_CODEC_OVER_LIMIT;
}

static enum face_codec_status refuse_kind(const struct heif_items *items, uint32_t type) {
  char name[5] = {(char)(type >> 24), (char)(type >> 16), (char)(type >> 8), (char)type, 0};
  for (char *letter = name; *letter; letter++)
    if (*letter < ' ' || *letter > '~') *letter = '?';
  snprintf(items->reason, FACE_CODEC_REASON_SIZE, "a HEIF whose items are neither HEVC nor AV1, but '%s'", name);
  return FACE_CODEC_UNSUPPORTED;
}

/* Finds how deep items are nested, and how often each is decoded for the primary item. Items that contain
 * themselves are nested without end. */
static enum face_codec_status count_uses(struct heif_items *items, struct heif_item *primary) {
  for (unsigned round = 0; round <= MOST_LEVELS; round++) {
    for (size_t i = 0; i < items->use_count; i++) {
      const struct heif_use *use = &items->uses[i];
      if (use->used->level > use->user->level) continue;
      use->used->level = use->user->level + 1;
      if (use->used->level > MOST_LEVELS) return refuse(items, "its items are nested too deeply");
    }
  }
  /* A user is on a lower level than what it uses, so that its own uses are known. */
  uint32_t all = primary->uses = 1;
  for (unsigned level = 0; level < MOST_LEVELS; level++) {
    for (size_t i = 0; i < items->use_count; i++) {
      const struct heif_use *use = &items->uses[i];
      if (use->user->level != level) continue;
      all += use->user->uses; /* neither is more than MOST_USES */
      if (all > MOST_USES) return refuse(items, "its items are used too often");
      use->used->uses += use->user->uses;
    }
  }
  return FACE_CODEC_DONE;
}

/* What the properties of an item say. */
struct description {
  uint64_t pixels; /* 'ispe' */
  struct bytes av1, hevc;
  unsigned transformations;
};

/* Sources: ISO/IEC 23008-12, 6.5.3 "Image spatial extents"; ISO/IEC 14496-12, 12.1.4 "Clean aperture"; 23008-12,
 * 6.5.10 and 6.5.12 "Image rotation", "Image mirroring". */
static struct description describe(const struct heif_items *items, const struct heif_item *item) {
  struct description description = {.av1 = {.data = items->file.data}, .hevc = {.data = items->file.data}};
  struct bytes rest = item->properties;
  for (struct heif_box box; (box = heif_take_property(items, item, &rest)).type != 0;) {
    switch (box.type) {
    case HEIF_TYPE('i', 's', 'p', 'e'): {
      take_number(&box.content, 4);
      const uint64_t width = take_number(&box.content, 4), pixels = width * take_number(&box.content, 4);
      if (pixels > description.pixels) description.pixels = pixels;
      break;
    }
    case HEIF_TYPE('a', 'v', '1', 'C'): description.av1 = box.content; break;
    case HEIF_TYPE('h', 'v', 'c', 'C'): description.hevc = box.content; break;
    case HEIF_TYPE('c', 'l', 'a', 'p'):
    case HEIF_TYPE('i', 'r', 'o', 't'):
    case HEIF_TYPE('i', 'm', 'i', 'r'): description.transformations++; break;
    default: break;
    }
  }
  return description;
}

/* The canvas of a derived item. Sources: ISO/IEC 23008-12, 6.6.2.2.2 (overlay) and 6.6.2.3.2 (grid). */
static uint64_t pixels_of_canvas(const struct heif_item *item, struct bytes data) {
  take_number(&data, 1);
  const unsigned side = take_number(&data, 1) & 1 ? 4 : 2;
  take_bytes(&data, item->type == GRID ? 2 : 8); /* rows and columns, or the colour of the background */
  const uint64_t width = take_number(&data, side);
  return width * take_number(&data, side);
}

/* Returns the data of an item in one piece; the caller frees `copy`. */
static struct bytes gather(const struct heif_items *items, const struct heif_item *item, uint8_t **copy) {
  struct bytes rest = item->extents, data = {.data = items->file.data};
  *copy = NULL;
  if (rest.size == 0) return data;
  data = heif_take_extent(items, item, &rest);
  if (data.size == item->size) return data;
  *copy = malloc(item->size);
  if (*copy == NULL) return (struct bytes){.data = items->file.data, .is_short = 1};
  size_t size = 0;
  for (rest = item->extents; rest.size > 0;) {
    const struct bytes extent = heif_take_extent(items, item, &rest);
    memcpy(*copy + size, extent.data, extent.size);
    size += extent.size;
  }
  return (struct bytes){.data = *copy, .size = size};
}

/* Finds the pixels that are made when an item is decoded once, without those of the items that it uses. */
static enum face_codec_status measure(
    const struct heif_items *items, const struct heif_item *item, const struct description *description,
    struct coded_pixels *pixels) {
  uint8_t *copy = NULL;
  const struct bytes data = gather(items, item, &copy);
  if (data.is_short) return FACE_CODEC_NO_MEMORY;
  *pixels = (struct coded_pixels){0};
  switch (item->type) {
  case AV01: *pixels = pixels_of_av1(description->av1, data); break;
  case HVC1: *pixels = pixels_of_hevc(description->hevc, data); break;
  case GRID:
  case IOVL: pixels->largest = pixels->all = pixels_of_canvas(item, data); break;
  default: break;
  }
  free(copy);
  if (description->pixels > pixels->all) pixels->all = description->pixels;
  return FACE_CODEC_DONE;
}

static enum face_codec_status check_work(const struct heif_items *items, const struct heif_item *primary, uint32_t most_pixels) {
  /* Coded pictures and canvases may exceed the picture a little, up to a block at the right and bottom. */
  const uint64_t largest = most_pixels + (UINT64_C(1) << 20);
  uint64_t of_picture = describe(items, primary).pixels;
  if (of_picture > most_pixels) of_picture = most_pixels;
  uint64_t pixels_left = PIXELS_FOR_EACH * of_picture + PIXELS_IN_ANY_CASE;
  uint64_t bytes_left = 2 * (uint64_t)items->file.size + BYTES_IN_ANY_CASE;
  for (const struct heif_item *item = items->items; item < items->items + items->count; item++) {
    if (item->uses == 0) continue;
    const struct description description = describe(items, item);
    switch (item->type) {
    case AV01:
    case HVC1:
    case GRID:
    case IOVL:
    case IDEN: break;
    default: return refuse_kind(items, item->type);
    }
    if (description.transformations > MOST_TRANSFORMATIONS) return refuse(items, "an item is turned again and again");
    const uint64_t bytes = (item->size + description.av1.size + description.hevc.size) * item->uses;
    if (bytes > bytes_left) return refuse(items, "its data are decoded again and again");
    bytes_left -= bytes;
    struct coded_pixels pixels;
    const enum face_codec_status status = measure(items, item, &description, &pixels);
    if (status != FACE_CODEC_DONE) return status;
    if (pixels.largest > largest || pixels.all > pixels_left / item->uses)
      return refuse(items, "its items have far more pixels than the picture");
    pixels_left -= pixels.all * item->uses;
  }
  return FACE_CODEC_DONE;
}

enum face_codec_status heif_check(const void *data, size_t size, uint32_t most_pixels, char *reason) {
  struct heif_items items;
  enum face_codec_status status = heif_items_read(&items, data, size, reason);
  if (status == FACE_CODEC_DONE) {
    struct heif_item *primary = heif_find_item(&items, items.primary);
    if (primary) {
      status = count_uses(&items, primary);
    } else {
      set_reason(reason, "its primary item is missing");
      status = FACE_CODEC_DAMAGED;
    }
    if (status == FACE_CODEC_DONE) status = check_work(&items, primary, most_pixels);
  }
  heif_items_free(&items);
  return status;
}
