/* Reads the items of a HEIF file: their types, places, properties and references. What two readers could
 * understand in two ways is refused, so that libheif sees the items that were checked. */
#include "heif_items.h"

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

static enum face_codec_status damaged(const struct heif_items *items, const char *box) {
  snprintf(items->reason, FACE_CODEC_REASON_SIZE, "its box '%s' is missing, repeated or makes no sense", box);
  return FACE_CODEC_DAMAGED;
}

/* What the file has is right, but newer or rarer than libheif and this reader. */
static enum face_codec_status unsupported(const struct heif_items *items, const char *what) {
  set_reason(items->reason, what);
  return FACE_CODEC_UNSUPPORTED;
}

static enum face_codec_status too_many(const struct heif_items *items, size_t most, const char *what) {
  snprintf(items->reason, FACE_CODEC_REASON_SIZE, "it has more than %zu %s", most, what);
  return FACE_CODEC_OVER_LIMIT;
}

/* Reads the next box; returns 0 at the end, or at damage, which `from` remembers. ISO/IEC 14496-12, 4.2. */
static int take_box(struct bytes *from, struct heif_box *box) {
  if (from->size == 0) return 0;
  uint64_t size = take_number(from, 4), header = 8;
  box->type = (uint32_t)take_number(from, 4);
  if (size == 1) {
    size = take_number(from, 8);
    header = 16;
  }
  if (size < header) from->is_short = 1;
  if (from->is_short) return 0;
  box->content = take_bytes(from, size - header);
  return !from->is_short;
}

/* Version and flags of a full box. */
static unsigned take_version(struct bytes *box, unsigned *flags) {
  const uint64_t version = take_number(box, 1);
  const uint64_t read_flags = take_number(box, 3);
  if (flags) *flags = (unsigned)read_flags;
  return (unsigned)version;
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t a = ((const struct heif_item *)left)->id, b = ((const struct heif_item *)right)->id;
  return (a > b) - (a < b);
}

struct heif_item *heif_find_item(const struct heif_items *items, uint32_t id) {
  const struct heif_item key = {.id = id};
  return bsearch(&key, items->items, items->count, sizeof key, compare_ids);
}

/* ISO/IEC 14496-12, 8.11.6 "Item Information Box". */
static enum face_codec_status read_infos(struct heif_items *items, struct bytes box) {
  take_number(&box, take_version(&box, NULL) == 0 ? 2 : 4); /* libheif reads boxes to the end, whatever their count */
  struct heif_box info;
  while (take_box(&box, &info)) {
    if (info.type != HEIF_TYPE('i', 'n', 'f', 'e')) continue;
    if (items->count == HEIF_MOST_ITEMS) return too_many(items, HEIF_MOST_ITEMS, "items");
    struct heif_item *item = &items->items[items->count++];
    const unsigned version = take_version(&info.content, NULL);
    item->id = (uint32_t)take_number(&info.content, version > 2 ? 4 : 2);
    take_number(&info.content, 2); /* item_protection_index */
    item->type = version < 2 ? 0 : (uint32_t)take_number(&info.content, 4);
    if (info.content.is_short) return damaged(items, "infe");
    if (version > 3) return unsupported(items, "a HEIF of a newer version");
    if (item->type != HEIF_TYPE('m', 'i', 'm', 'e')) continue;
    /* Name, type and encoding. libheif inflates what is encoded while it reads the file, to any size. */
    for (int texts = 0; texts < 2; texts++)
      while (take_number(&info.content, 1) != 0) continue;
    if (info.content.size > 0 && take_number(&info.content, 1) != 0) {
      set_reason(items->reason, "it has compressed metadata");
      return FACE_CODEC_OVER_LIMIT;
    }
  }
  qsort(items->items, items->count, sizeof *items->items, compare_ids);
  for (size_t i = 1; i < items->count; i++)
    if (items->items[i - 1].id == items->items[i].id) return damaged(items, "infe");
  return box.is_short ? damaged(items, "iinf") : FACE_CODEC_DONE;
}

/* ISO/IEC 14496-12, 8.11.3 "Item Location Box". */
static enum face_codec_status read_places(struct heif_items *items, struct bytes box) {
  enum { IN_FILE = 0, IN_IDAT = 1, IN_ITEM = 2 };
  const unsigned version = take_version(&box, NULL);
  const unsigned sizes = (unsigned)take_number(&box, 2);
  const unsigned base_size = sizes >> 4 & 15;
  items->offset_size = sizes >> 12 & 15;
  items->length_size = sizes >> 8 & 15;
  /* Fields have none, four or eight bytes. An index is for items that are made of items, which libheif lacks. */
  const int is_usual = ((items->offset_size | items->length_size | base_size) & 3) == 0 && items->offset_size <= 8 &&
                       items->length_size <= 8 && base_size <= 8 && (version == 0 || (sizes & 15) == 0);
  if (version > 2) return unsupported(items, "a HEIF of a newer version");
  if (!is_usual) return damaged(items, "iloc");
  uint64_t most = HEIF_MOST_READS * (uint64_t)items->file.size + HEIF_SLACK;
  uint64_t places = take_number(&box, version < 2 ? 2 : 4);
  if (places > 2 * HEIF_MOST_ITEMS) return too_many(items, 2 * HEIF_MOST_ITEMS, "places of items");
  for (; places > 0 && !box.is_short; places--) {
    struct heif_item unknown = {0};
    struct heif_item *item = heif_find_item(items, (uint32_t)take_number(&box, version < 2 ? 2 : 4));
    if (item == NULL) item = &unknown;
    if (item->has_place) return damaged(items, "iloc");
    item->has_place = 1;
    const uint64_t method = version == 0 ? IN_FILE : take_number(&box, 2) & 15;
    if (method == IN_ITEM) return unsupported(items, "a HEIF with items inside of items");
    if (method > IN_ITEM) return damaged(items, "iloc");
    item->is_in_idat = method == IN_IDAT;
    take_number(&box, 2); /* data_reference_index */
    item->base = take_number(&box, base_size);
    const uint64_t extents = take_number(&box, 2);
    item->extents = take_bytes(&box, extents * (items->offset_size + items->length_size));
    struct bytes rest = item->extents;
    while (rest.size > 0 && !box.is_short) {
      const struct bytes extent = heif_take_extent(items, item, &rest);
      if (extent.is_short) return damaged(items, "iloc");
      item->size += extent.size;
    }
    /* libheif copies the data of every item while it reads the file. */
    if (item->size > most) {
      set_reason(items->reason, "its items share their data");
      return FACE_CODEC_OVER_LIMIT;
    }
    most -= item->size;
  }
  return box.is_short ? damaged(items, "iloc") : FACE_CODEC_DONE;
}

struct bytes heif_take_extent(const struct heif_items *items, const struct heif_item *item, struct bytes *extents) {
  const uint64_t offset = take_number(extents, items->offset_size);
  const uint64_t length = take_number(extents, items->length_size);
  struct bytes from = item->is_in_idat ? items->idat : items->file;
  if (offset > from.size || item->base > from.size) from.is_short = 1;
  if (!from.is_short) take_bytes(&from, item->base);
  if (!from.is_short) take_bytes(&from, offset);
  struct bytes extent = take_bytes(&from, length);
  extent.is_short = from.is_short;
  return extent;
}

/* ISO/IEC 14496-12, 8.11.14 "Item Properties Box": the properties, and which item has which. */
static enum face_codec_status read_associations(struct heif_items *items, struct bytes box) {
  unsigned flags = 0;
  const unsigned version = take_version(&box, &flags);
  const int is_wide = (int)(flags & 1);
  uint64_t entries = take_number(&box, 4);
  if (entries > 2 * HEIF_MOST_ITEMS) return too_many(items, 2 * HEIF_MOST_ITEMS, "entries of properties");
  for (; entries > 0 && !box.is_short; entries--) {
    struct heif_item unknown = {0};
    struct heif_item *item = heif_find_item(items, (uint32_t)take_number(&box, version == 0 ? 2 : 4));
    if (item == NULL) item = &unknown;
    if (item->has_properties) return damaged(items, "ipma");
    item->has_properties = 1;
    item->has_wide_properties = is_wide;
    item->properties = take_bytes(&box, take_number(&box, 1) * (is_wide ? 2 : 1));
  }
  return box.is_short ? damaged(items, "ipma") : FACE_CODEC_DONE;
}

static enum face_codec_status read_properties(struct heif_items *items, struct bytes box) {
  int has_container = 0;
  unsigned association_boxes = 0;
  struct heif_box part;
  while (take_box(&box, &part)) {
    if (part.type == HEIF_TYPE('i', 'p', 'c', 'o')) {
      if (has_container++) return damaged(items, "ipco");
      while (take_box(&part.content, &items->properties[items->property_count]))
        if (++items->property_count == HEIF_MOST_PROPERTIES) return too_many(items, HEIF_MOST_PROPERTIES - 1, "properties");
      if (part.content.is_short) return damaged(items, "ipco");
    } else if (part.type == HEIF_TYPE('i', 'p', 'm', 'a')) {
      /* One for each version and kind of flags. */
      if (++association_boxes > 4) return damaged(items, "ipma");
      const enum face_codec_status status = read_associations(items, part.content);
      if (status != FACE_CODEC_DONE) return status;
    }
  }
  return box.is_short ? damaged(items, "iprp") : FACE_CODEC_DONE;
}

struct heif_box heif_take_property(const struct heif_items *items, const struct heif_item *item, struct bytes *rest) {
  while (rest->size > 0) {
    const size_t number = item->has_wide_properties ? take_number(rest, 2) & 0x7FFF : take_number(rest, 1) & 0x7F;
    /* The first one is 1; 0 is none. */
    if (number > 0 && number <= items->property_count) return items->properties[number - 1];
  }
  return (struct heif_box){0};
}

/* ISO/IEC 14496-12, 8.11.12 "Item Reference Box". */
static enum face_codec_status read_references(struct heif_items *items, struct bytes box) {
  const unsigned version = take_version(&box, NULL);
  const unsigned id_size = version == 0 ? 2 : 4;
  size_t references = 0;
  struct heif_box part;
  while (take_box(&box, &part)) {
    struct heif_item *from = heif_find_item(items, (uint32_t)take_number(&part.content, id_size));
    const uint64_t count = take_number(&part.content, 2);
    /* libheif goes by the count, and what follows would be the next box to it. */
    if (part.content.is_short || part.content.size != count * id_size) return damaged(items, "iref");
    references += 1 + (size_t)count;
    if (references > HEIF_MOST_REFERENCES) return too_many(items, HEIF_MOST_REFERENCES, "references between items");
    const int is_derived = part.type == HEIF_TYPE('d', 'i', 'm', 'g');
    if (from == NULL || !(is_derived || part.type == HEIF_TYPE('a', 'u', 'x', 'l'))) continue;
    for (uint64_t i = 0; i < count; i++) {
      struct heif_item *to = heif_find_item(items, (uint32_t)take_number(&part.content, id_size));
      /* libheif 1.15 ends the process when it comes to such an item. */
      if (to == NULL) return damaged(items, "iref");
      items->uses[items->use_count++] = is_derived ? (struct heif_use){.user = from, .used = to}
                                                   : (struct heif_use){.user = to, .used = from};
    }
  }
  return box.is_short || version > 1 ? damaged(items, "iref") : FACE_CODEC_DONE;
}

/* The boxes in 'meta' that matter here. */
enum part { PITM, IINF, ILOC, IPRP, IREF, IDAT, PARTS };
static const uint32_t part_types[PARTS] = {
    HEIF_TYPE('p', 'i', 't', 'm'), HEIF_TYPE('i', 'i', 'n', 'f'), HEIF_TYPE('i', 'l', 'o', 'c'),
    HEIF_TYPE('i', 'p', 'r', 'p'), HEIF_TYPE('i', 'r', 'e', 'f'), HEIF_TYPE('i', 'd', 'a', 't'),
};
static const char *const part_names[PARTS] = {"pitm", "iinf", "iloc", "iprp", "iref", "idat"};

/* ISO/IEC 14496-12, 8.11.1 "Meta box", and 8.11.4 "Primary Item Box". */
static enum face_codec_status read_meta(struct heif_items *items, struct bytes meta) {
  struct bytes parts[PARTS] = {{0}};
  take_version(&meta, NULL);
  struct heif_box box;
  while (take_box(&meta, &box)) {
    for (int part = 0; part < PARTS; part++) {
      if (box.type != part_types[part]) continue;
      if (parts[part].data) return damaged(items, part_names[part]);
      parts[part] = box.content;
    }
  }
  if (meta.is_short) return damaged(items, "meta");
  for (int part = PITM; part <= IPRP; part++)
    if (parts[part].data == NULL) return damaged(items, part_names[part]);
  const unsigned version = take_version(&parts[PITM], NULL);
  items->primary = (uint32_t)take_number(&parts[PITM], version == 0 ? 2 : 4);
  if (parts[IDAT].data) items->idat = parts[IDAT];
  enum face_codec_status status = read_infos(items, parts[IINF]);
  if (status == FACE_CODEC_DONE) status = read_places(items, parts[ILOC]);
  if (status == FACE_CODEC_DONE) status = read_properties(items, parts[IPRP]);
  if (status == FACE_CODEC_DONE && parts[IREF].data) status = read_references(items, parts[IREF]);
  return status;
}

enum face_codec_status heif_items_read(struct heif_items *items, const void *data, size_t size, char *reason) {
  *items = (struct heif_items){.file = {.data = data, .size = size}, .idat = {.data = data}, .reason = reason};
  items->items = calloc(HEIF_MOST_ITEMS, sizeof *items->items);
  items->uses = calloc(HEIF_MOST_REFERENCES, sizeof *items->uses);
  items->properties = calloc(HEIF_MOST_PROPERTIES, sizeof *items->properties);
  if (items->items == NULL || items->uses == NULL || items->properties == NULL) return FACE_CODEC_NO_MEMORY;
  struct bytes rest = items->file, meta = {0};
  struct heif_box box;
  int has_video = 0;
  /* The last box may be cut short, or be something else that a phone adds. */
  while (take_box(&rest, &box)) {
    if (box.type == HEIF_TYPE('m', 'i', 'n', 'i')) return unsupported(items, "an AVIF with a short header (mini)");
    if (box.type == HEIF_TYPE('m', 'o', 'o', 'v')) has_video = 1;
    if (box.type != HEIF_TYPE('m', 'e', 't', 'a')) continue;
    if (meta.data) return damaged(items, "meta");
    meta = box.content;
  }
  if (meta.data) return read_meta(items, meta);
  return has_video ? unsupported(items, "a HEIC or AVIF sequence without a still picture") : damaged(items, "meta");
}

void heif_items_free(struct heif_items *items) {
  free(items->items);
  free(items->uses);
  free(items->properties);
}
