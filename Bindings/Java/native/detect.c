/* Detection in single images and batches, and what converts its results. */
#include "jni_support.h"

#include <stdlib.h>
#include <string.h>

/* Boxes as four numbers each; an exception if there is no memory for them. */
static face_box *take_boxes(JNIEnv *java, jfloatArray array, uint32_t *count)
{
  jsize length = (*java)->GetArrayLength(java, array);
  face_box *boxes = malloc((size_t)length * sizeof(float) + 1);
  if (boxes == NULL) {
    throw_out_of_memory(java);
    return NULL;
  }
  (*java)->GetFloatArrayRegion(java, array, 0, length, (jfloat *)boxes);
  *count = (uint32_t)length / 4;
  return boxes;
}

/* Sets what the options point to, which free_options releases. False with an exception. */
static bool take_options(JNIEnv *java, jbyteArray model, jfloatArray boxes, face_options *what)
{
  what->model = take_bytes(java, model);
  what->boxes = boxes == NULL || (*java)->ExceptionCheck(java) ? NULL : take_boxes(java, boxes, &what->box_count);
  return !(*java)->ExceptionCheck(java);
}

static void free_options(const face_options *what)
{
  free((void *)(uintptr_t)what->model);
  free((void *)(uintptr_t)what->boxes);
}

/* A search evicts Java from the processor's caches. Each function of JNI then takes microseconds, an array made by one
 * 10 µs: hence the structs arrive in memory of the thread, and the answer goes there. */
static jbyteArray JNICALL detect(JNIEnv *java, jclass class, jlong engine, jobject memory, jint size,
                                 jobjectArray planes, jbyteArray model, jfloatArray boxes)
{
  struct taken_image taken;
  face_options what;
  char *lent = (*java)->GetDirectBufferAddress(java, memory);
  memcpy(&what, lent, sizeof what);
  memcpy(&taken.image, lent + sizeof what, sizeof taken.image);
  if (!take_planes(java, planes, &taken)) return NULL;
  face_result *result = NULL;
  bool found = take_options(java, model, boxes, &what) &&
               succeeded(java, face_detect(HANDLE(face_engine, engine), &taken.image, &what, &result));
  free_options(&what);
  free_image(&taken);
  if (!found) return NULL;
  struct pack pack = {lent, 0, (size_t)size, false, lent};
  pack_faces(&pack, result);
  face_result_destroy(result);
  return finish_pack(java, &pack);
}

/* The images of a batch, with room for their results. */
struct batch {
  struct taken_image *images;
  const face_image **pointers;
  face_result **results;
  uint32_t count;
};

static bool take_batch(JNIEnv *java, jobjectArray images, jobjectArray planes, struct batch *batch)
{
  size_t count = (size_t)(*java)->GetArrayLength(java, images);
  batch->images = calloc(count, sizeof *batch->images);
  batch->pointers = calloc(count, sizeof *batch->pointers);
  batch->results = calloc(count, sizeof *batch->results);
  if (batch->images == NULL || batch->pointers == NULL || batch->results == NULL) {
    throw_out_of_memory(java);
    return false;
  }
  for (; batch->count < count; batch->count++) {
    struct taken_image *taken = batch->images + batch->count;
    if ((*java)->PushLocalFrame(java, 8) != 0) return false;
    jobject image = (*java)->GetObjectArrayElement(java, images, (jsize)batch->count);
    bool done = take_image(java, image, (*java)->GetObjectArrayElement(java, planes, (jsize)batch->count), taken);
    (*java)->PopLocalFrame(java, NULL);
    if (!done) return false;
    batch->pointers[batch->count] = &taken->image;
  }
  return true;
}

static void free_batch(struct batch *batch)
{
  for (uint32_t i = 0; i < batch->count; i++) {
    face_result_destroy(batch->results[i]);
    free_image(batch->images + i);
  }
  free(batch->images);
  free(batch->pointers);
  free(batch->results);
}

static jbyteArray JNICALL detect_batch(JNIEnv *java, jclass class, jlong engine, jobjectArray images,
                                       jobjectArray planes, jbyteArray options, jbyteArray model, jfloatArray boxes)
{
  struct batch batch = {NULL, NULL, NULL, 0};
  struct pack pack = {NULL, 0, 0, false, NULL};
  face_options what;
  take_struct(java, options, &what, sizeof what);
  bool found = take_options(java, model, boxes, &what) && take_batch(java, images, planes, &batch) &&
               succeeded(java, face_detect_batch(HANDLE(face_engine, engine), batch.pointers, batch.count, &what,
                                                 batch.results));
  free_options(&what);
  for (uint32_t i = 0; found && i < batch.count; i++) {
    const char *message = NULL;
    face_status status = face_result_status(batch.results[i], &message);
    pack_u32(&pack, (uint32_t)status);
    if (status != FACE_OK)
      pack_text(&pack, message);
    else
      pack_faces(&pack, batch.results[i]);
  }
  free_batch(&batch);
  return found ? finish_pack(java, &pack) : NULL;
}

/* Converts a point, of two numbers, a circle, of three, or a box, of four, in place. */
static void JNICALL convert(JNIEnv *java, jclass class, jbyteArray space, jint width, jint height, jboolean back,
                            jfloatArray numbers)
{
  face_space where;
  union {
    face_point point;
    face_circle circle;
    face_box box;
  } place;
  take_struct(java, space, &where, sizeof where);
  jsize count = (*java)->GetArrayLength(java, numbers);
  (*java)->GetFloatArrayRegion(java, numbers, 0, count, (jfloat *)&place);
  uint32_t columns = (uint32_t)width, rows = (uint32_t)height;
  face_status status;
  if (count == 2)
    status = back ? face_points_from_space(&where, columns, rows, &place.point, 1)
                  : face_points_to_space(&where, columns, rows, &place.point, 1);
  else if (count == 3)
    status = back ? face_circle_from_space(&where, columns, rows, &place.circle)
                  : face_circle_to_space(&where, columns, rows, &place.circle);
  else
    status = back ? face_box_from_space(&where, columns, rows, &place.box)
                  : face_box_to_space(&where, columns, rows, &place.box);
  if (succeeded(java, status)) (*java)->SetFloatArrayRegion(java, numbers, 0, count, (const jfloat *)&place);
}

const JNINativeMethod detect_methods[] = {
    METHOD("detect", "(JLjava/nio/ByteBuffer;I[Ljava/lang/Object;[B[F)[B", detect),
    METHOD("detectBatch", "(J[[B[[Ljava/lang/Object;[B[B[F)[B", detect_batch),
    METHOD("convert", "([BIIZ[F)V", convert),
};
const jint detect_method_count = sizeof detect_methods / sizeof *detect_methods;
