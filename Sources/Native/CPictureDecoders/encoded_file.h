/* A file that an encoder writes to memory. */
#include "CPictureDecoders.h"

#include <setjmp.h>
#include <stdlib.h>

struct encoded_file {
  uint8_t *bytes;
  size_t size, room;
  enum picture_status status;
  jmp_buf failed; /* where the library's errors lead */
};

/* Makes room for `count` more bytes; returns false without memory. */
static inline bool make_room(struct encoded_file *file, size_t count)
{
  if (count <= file->room - file->size) return true;
  const size_t room = 2 * (file->room + count);
  uint8_t *larger = realloc(file->bytes, room);
  if (larger == NULL) return false;
  file->bytes = larger;
  file->room = room;
  return true;
}

/* Gives the bytes of a complete file to the caller, and frees those of another. */
static inline enum picture_status finish(const struct encoded_file *file, uint8_t **bytes, size_t *size)
{
  if (file->status == PICTURE_DONE) {
    *bytes = file->bytes;
    *size = file->size;
  } else {
    free(file->bytes);
  }
  return file->status;
}
