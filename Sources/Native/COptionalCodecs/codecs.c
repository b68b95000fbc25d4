#define _GNU_SOURCE /* O_PATH */
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void say(char reason[FACE_CODEC_REASON_SIZE], const char *text)
{
  strncpy(reason, text ? text : "no reason given", FACE_CODEC_REASON_SIZE - 1);
  reason[FACE_CODEC_REASON_SIZE - 1] = 0;
}

/* Whether nothing more can be opened: the loader then fails as if the library were missing. plugins.c has the same. */
static int is_exhausted(void)
{
  const int descriptor = open("/", O_PATH | O_CLOEXEC);
  if (descriptor < 0) return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
  close(descriptor);
  return 0;
}

enum face_codec_status load_library(
    struct library *library, const struct symbol *symbols, size_t count, char reason[FACE_CODEC_REASON_SIZE])
{
  enum face_codec_status status = FACE_CODEC_DONE;
  pthread_mutex_lock(&loading);
  if (library->state == 0) {
    /* Stays loaded, because other threads may be using it. */
    void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL && is_exhausted()) status = FACE_CODEC_NO_DESCRIPTOR;
    else library->state = handle ? 1 : 2;
    for (size_t i = 0; i < count && library->state == 1; i++) {
      void *address = dlsym(handle, symbols[i].name);
      if (address == NULL && !symbols[i].is_optional) library->state = 2;
      memcpy(symbols[i].function, &address, sizeof address);
    }
  }
  if (library->state == 2) status = FACE_CODEC_NO_LIBRARY;
  pthread_mutex_unlock(&loading);
  if (status != FACE_CODEC_DONE) say(reason, library->name);
  return status;
}

void face_codec_load(enum face_codec_kind kind)
{
  switch (kind) {
  case FACE_CODEC_HEIF: heif_load(); break;
  case FACE_CODEC_TIFF: tiff_load(); break;
  default: pixbuf_load(kind);
  }
}

enum face_codec_status face_codec_open(
    struct face_codec *codec, enum face_codec_kind kind, const void *data, size_t size, uint32_t most_pixels)
{
  memset(codec, 0, sizeof *codec);
  codec->kind = kind;
  codec->data = data;
  codec->size = size;
  switch (kind) {
  case FACE_CODEC_HEIF: return heif_open(codec, most_pixels);
  case FACE_CODEC_TIFF: return tiff_open(codec, most_pixels);
  default: return pixbuf_open(codec);
  }
}

enum face_codec_status face_codec_decode(struct face_codec *codec, uint8_t *bgra)
{
  switch (codec->kind) {
  case FACE_CODEC_HEIF: return heif_decode(codec, bgra);
  case FACE_CODEC_TIFF: return tiff_decode(codec, bgra);
  default: return pixbuf_decode(codec, bgra);
  }
}

void face_codec_close(struct face_codec *codec)
{
  if (codec->kind == FACE_CODEC_HEIF) heif_close(codec);
  if (codec->kind == FACE_CODEC_TIFF) tiff_close(codec);
}
