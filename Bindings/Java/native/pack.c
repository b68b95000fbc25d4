/* Packs results and events into byte arrays: one call of JNI for each, whatever they have. */
#include "jni_support.h"

#include <stdlib.h>
#include <string.h>

/* Room for `size` more bytes; NULL if there is no memory. */
static void *room(struct pack *pack, size_t size)
{
  if (pack->failed) return NULL;
  if (pack->capacity - pack->size < size) {
    size_t capacity = 2 * pack->capacity + size + 1024;
    bool lent = pack->bytes == pack->lent;
    char *bytes = realloc(lent ? NULL : pack->bytes, capacity);
    if (bytes == NULL) {
      pack->failed = true;
      return NULL;
    }
    if (lent && pack->size > 0) memcpy(bytes, pack->lent, pack->size);
    pack->bytes = bytes;
    pack->capacity = capacity;
  }
  pack->size += size;
  return pack->bytes + pack->size - size;
}

void pack_bytes(struct pack *pack, const void *bytes, size_t size)
{
  void *to = room(pack, size);
  if (to != NULL && size > 0) memcpy(to, bytes, size);
}

void pack_u32(struct pack *pack, uint32_t value) { pack_bytes(pack, &value, sizeof value); }

void pack_u64(struct pack *pack, uint64_t value) { pack_bytes(pack, &value, sizeof value); }

void pack_text(struct pack *pack, const char *text)
{
  if (text == NULL) {
    pack_u32(pack, UINT32_MAX);
    return;
  }
  size_t length = strlen(text);
  pack_u32(pack, (uint32_t)length);
  pack_bytes(pack, text, length);
}

/* The numbers of one output of a face behind their count. Room for the most is taken first: to count them the library
   makes them. */
static void pack_output(struct pack *pack, const face_result *result, uint32_t index, face_outputs output)
{
  enum { MOST_POINTS = 512, MOST = 3 * MOST_POINTS };
  uint32_t count = 0;
  char *to = room(pack, sizeof count + MOST * sizeof(float));
  if (to == NULL) return;
  void *numbers = to + sizeof count;
  if (output == FACE_OUTPUT_LANDMARKS) {
    face_result_landmarks(result, index, FACE_REGION_ALL_POINTS, numbers, MOST_POINTS, &count);
    count *= 3;
  } else {
    face_result_values(result, index, output, numbers, MOST, &count);
  }
  memcpy(to, &count, sizeof count);
  pack->size -= (MOST - count) * sizeof(float);
}

static void pack_models(struct pack *pack, const face_result *result)
{
  uint32_t count = face_result_model_count(result);
  pack_u32(pack, count);
  for (uint32_t i = 0; i < count; i++) {
    face_model model;
    face_model_init(&model);
    face_result_model(result, i, &model);
    pack_text(pack, model.name);
    pack_u32(pack, model.revision);
    pack_bytes(pack, model.weights_sha256, sizeof model.weights_sha256);
  }
}

void pack_faces(struct pack *pack, const face_result *result)
{
  uint32_t width = 0, height = 0, count = face_result_count(result);
  face_result_image_size(result, &width, &height);
  pack_u32(pack, width);
  pack_u32(pack, height);
  pack_u32(pack, face_result_unanalysed_count(result));
  pack_models(pack, result);
  pack_u32(pack, count);
  for (uint32_t i = 0; i < count; i++) {
    face_info info;
    face_info_init(&info);
    face_result_get(result, i, &info);
    pack_bytes(pack, &info, sizeof info);
    /* FACE_VALID_ of an output is its FACE_OUTPUT_. */
    for (face_outputs bit = 1; bit <= FACE_OUTPUT_ALL; bit <<= 1)
      if (info.valid & bit) pack_output(pack, result, i, bit);
  }
}

void pack_picture(struct pack *pack, const face_image *picture)
{
  if (picture == NULL) {
    pack_u32(pack, 0);
    return;
  }
  size_t row = (size_t)picture->width * 4, stride = picture->strides[0] != 0 ? picture->strides[0] : row;
  pack_u32(pack, picture->width);
  pack_u32(pack, picture->height);
  const char *pixels = picture->planes[0];
  for (uint32_t y = 0; y < picture->height; y++) pack_bytes(pack, pixels + y * stride, row);
}

jbyteArray finish_pack(JNIEnv *java, struct pack *pack)
{
  jbyteArray array = NULL;
  bool lent = pack->lent != NULL && pack->bytes == pack->lent;
  if (pack->failed) {
    throw_out_of_memory(java);
  } else if (!lent) {
    array = (*java)->NewByteArray(java, (jsize)pack->size);
    if (array != NULL) (*java)->SetByteArrayRegion(java, array, 0, (jsize)pack->size, (const jbyte *)pack->bytes);
  }
  if (!lent) free(pack->bytes);
  return array;
}
