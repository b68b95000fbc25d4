#ifndef FACE_ENGINE_COPTIONALCODECS_HEIF_ITEMS_H
#define FACE_ENGINE_COPTIONALCODECS_HEIF_ITEMS_H

#include "COptionalCodecs.h"
#include "bytes.h"

enum {
  /* As libheif since 1.19: a picture of 67 million pixels is 256 tiles of a phone, and has as many of alpha
   * and a quarter of that for its gain map. */
  HEIF_MOST_ITEMS = 1000,
  /* A reference names an item: each tile, and what each thumbnail and each piece of metadata belongs to. */
  HEIF_MOST_REFERENCES = 8 * HEIF_MOST_ITEMS,
  HEIF_MOST_PROPERTIES = 4 * HEIF_MOST_ITEMS,
  /* How often all data may be read: the items of a picture in four layers share theirs. And the bytes by which
   * they may exceed that. */
  HEIF_MOST_READS = 4,
  HEIF_SLACK = 1 << 16,
};

/* An item. */
struct heif_item {
  uint32_t id, type;
  int has_place, has_properties;
  int is_in_idat;
  uint64_t base; /* of the offsets in `extents` */
  struct bytes extents;
  uint64_t size;           /* of all extents, in bytes */
  int has_wide_properties; /* of two bytes each in `properties` */
  struct bytes properties; /* numbers of boxes in 'ipco' */
  unsigned level;          /* the longest way to it from an item that uses it */
  uint32_t uses;           /* how often it is decoded for the primary item */
};

/* An item that is decoded with another one. */
struct heif_use {
  struct heif_item *user, *used;
};

/* A box of ISO/IEC 14496-12, 4.2. */
struct heif_box {
  uint32_t type;
  struct bytes content;
};

/* The items of a file. */
struct heif_items {
  struct bytes file, idat;
  uint32_t primary;
  struct heif_item *items; /* by id */
  size_t count;
  struct heif_use *uses;
  size_t use_count;
  struct heif_box *properties;
  size_t property_count;
  unsigned offset_size, length_size; /* of extents, in bytes */
  char *reason;                      /* of a failure */
};

/* Reads the items of a file. Whatever it returns, heif_items_free releases them.
 * - reason: 160 characters, set after a failure. */
enum face_codec_status heif_items_read(struct heif_items *items, const void *data, size_t size, char *reason);
void heif_items_free(struct heif_items *items);

struct heif_item *heif_find_item(const struct heif_items *items, uint32_t id);

/* Returns the next property of an item, and removes it from `rest`; a type of 0 after the last. */
struct heif_box heif_take_property(const struct heif_items *items, const struct heif_item *item, struct bytes *rest);

/* Returns the next extent of an item, and removes it from `extents`. */
struct bytes heif_take_extent(const struct heif_items *items, const struct heif_item *item, struct bytes *extents);

/* Checks, before anything is decoded, that the primary item can be decoded with a bounded amount of work. */
enum face_codec_status heif_check(const void *data, size_t size, uint32_t most_pixels, char *reason);

#define HEIF_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

#endif
