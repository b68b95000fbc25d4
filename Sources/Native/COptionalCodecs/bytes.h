/* Reads numbers and bits from a range of bytes, the highest first. */
#ifndef FACE_ENGINE_COPTIONALCODECS_BYTES_H
#define FACE_ENGINE_COPTIONALCODECS_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that were not read yet. Reading beyond their end gives zeros, and is remembered. */
struct bytes {
  const uint8_t *data;
  size_t size;
  int is_short;
};

/* Returns the next bytes, or those that are left. */
static inline struct bytes take_bytes(struct bytes *from, uint64_t count) {
  struct bytes taken = {.data = from->data, .size = (size_t)count};
  if (count > from->size) {
    from->is_short = taken.is_short = 1;
    taken.size = from->size;
  }
  from->data += taken.size;
  from->size -= taken.size;
  return taken;
}

/* Returns the number that the next bytes contain, at most eight of them. */
static inline uint64_t take_number(struct bytes *from, unsigned count) {
  const struct bytes taken = take_bytes(from, count);
  uint64_t value = 0;
  for (size_t i = 0; i < taken.size; i++) value = value << 8 | taken.data[i];
  return taken.is_short ? 0 : value;
}

/* Bits that were not read yet. */
struct bits {
  struct bytes bytes;
  int is_escaped; /* a byte of 3 after two of zero is no content: ITU-T H.265, 7.3.1.1 */
  int zeros;      /* bytes of zero before the next one */
  unsigned current, left;
};

/* Returns the number that the next bits contain, at most 32 of them. */
static inline uint32_t take_bits(struct bits *from, unsigned count) {
  uint32_t value = 0;
  for (; count > 0; count--) {
    if (from->left == 0) {
      from->current = (unsigned)take_number(&from->bytes, 1);
      if (from->is_escaped && from->zeros >= 2 && from->current == 3) {
        from->current = (unsigned)take_number(&from->bytes, 1);
        from->zeros = 0;
      }
      from->zeros = from->current == 0 ? from->zeros + 1 : 0;
      from->left = 8;
    }
    from->left--;
    value = value << 1 | (from->current >> from->left & 1u);
  }
  return value;
}

static inline void skip_bits(struct bits *from, unsigned count) {
  for (; count > 0; count--) take_bits(from, 1);
}

/* Returns an unsigned Exp-Golomb code. Sources: ITU-T H.265, 9.2; AV1, 4.10.3 "uvlc". */
static inline uint32_t take_exp_golomb(struct bits *from) {
  unsigned zeros = 0;
  while (zeros < 32 && !from->bytes.is_short && take_bits(from, 1) == 0) zeros++;
  return zeros < 32 ? (uint32_t)((UINT64_C(1) << zeros) - 1 + take_bits(from, zeros)) : UINT32_MAX;
}

#endif
