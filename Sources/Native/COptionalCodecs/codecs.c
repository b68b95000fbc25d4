#include "internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "CPosixShims.h"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void set_reason(char reason[FACE_CODEC_REASON_SIZE], const char *text)
{
  strncpy(reason, text ? text : "no reason given", FACE_CODEC_REASON_SIZE - 1);
  reason[FACE_CODEC_REASON_SIZE - 1] = 0;
}

/* Loads a library and finds its functions. Returns FACE_CODEC_NO_LIBRARY if one that is not optional is missing. */
static enum face_codec_status load_library(struct library *library, char reason[FACE_CODEC_REASON_SIZE])
{
  enum face_codec_status status = FACE_CODEC_DONE;
  pthread_mutex_lock(&loading);
  if (library->state == 0 && library->needs_keys && !face_posix_has_keys()) {
    status = FACE_CODEC_NO_KEY;
  } else if (library->state == 0) {
    /* Stays loaded, because other threads may be using it. */
    void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    /* The loader fails without a descriptor as if the library were missing. */
    if (handle == NULL && !face_posix_can_open())
      status = FACE_CODEC_NO_DESCRIPTOR;
    else
      library->state = handle ? 1 : 2;
    for (size_t i = 0; i < library->count && library->state == 1; i++) {
      void *address = dlsym(handle, library->symbols[i].name);
      if (address == NULL && !library->symbols[i].is_optional) library->state = 2;
      memcpy(library->symbols[i].function, &address, sizeof address);
    }
  }
  if (library->state == 2) status = FACE_CODEC_NO_LIBRARY;
  pthread_mutex_unlock(&loading);
  if (status != FACE_CODEC_DONE) set_reason(reason, library->name);
  return status;
}

static const struct codec *codec_of(enum face_codec_kind kind)
{
  switch (kind) {
  case FACE_CODEC_HEIF: return &heif_codec;
  case FACE_CODEC_TIFF: return &tiff_codec;
  default: return &pixbuf_codec;
  }
}

void face_codec_load(enum face_codec_kind kind)
{
  char reason[FACE_CODEC_REASON_SIZE];
  const struct codec *codec = codec_of(kind);
  if (load_library(codec->library, reason) == FACE_CODEC_DONE && codec->warm_up) codec->warm_up(kind);
}

enum face_codec_status face_codec_open(struct face_codec *codec, enum face_codec_kind kind, const void *data,
                                       size_t size, uint32_t most_pixels)
{
  *codec = (struct face_codec){.kind = kind, .data = data, .size = size};
  const enum face_codec_status loaded = load_library(codec_of(kind)->library, codec->reason);
  return loaded == FACE_CODEC_DONE ? codec_of(kind)->open(codec, most_pixels) : loaded;
}

enum face_codec_status face_codec_decode(struct face_codec *codec, uint8_t *bgra)
{
  return codec_of(codec->kind)->decode(codec, bgra);
}

void face_codec_describe(struct face_codec *codec, struct face_codec_description *description)
{
  *description = (struct face_codec_description){0};
  if (codec_of(codec->kind)->describe) codec_of(codec->kind)->describe(codec, description);
}

void face_codec_close(struct face_codec *codec)
{
  if (codec_of(codec->kind)->close) codec_of(codec->kind)->close(codec);
}
