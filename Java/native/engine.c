/* Engines, cancellers and detection; and what Java loads. */
#include "jni_support.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* Java's handles are those of the library, as numbers. */
#define HANDLE(type, number) ((type *)(uintptr_t)(number))

static jbyteArray JNICALL version(JNIEnv *java, jclass class)
{
  (void)class;
  struct pack pack = {NULL, 0, 0, false, NULL};
  pack_bytes(&pack, face_version_string(), strlen(face_version_string()));
  return finish_pack(java, &pack);
}

#define INITIALISER(name) \
  static void set_##name(void *options, size_t size) { face_##name##_init_sized(options, size); }
INITIALISER(load_options)
INITIALISER(connect_options)
INITIALISER(options)
INITIALISER(session_options)
INITIALISER(check_options)
INITIALISER(space)
INITIALISER(image)

/* In the order of OPTIONS in Tools/generate-java.py; the image is last. */
static const struct {
  void (*set)(void *, size_t);
  size_t size;
} initialisers[] = {
    {set_load_options, sizeof(face_load_options)},
    {set_connect_options, sizeof(face_connect_options)},
    {set_options, sizeof(face_options)},
    {set_session_options, sizeof(face_session_options)},
    {set_check_options, sizeof(face_check_options)},
    {set_space, sizeof(face_space)},
    {set_image, sizeof(face_image)},
};

static void JNICALL initialise(JNIEnv *java, jclass class, jint kind, jbyteArray options)
{
  (void)class;
  union {
    face_check_options largest;
    face_image image;
  } made;
  jsize size = (*java)->GetArrayLength(java, options);
  if ((size_t)size != initialisers[kind].size) {
    throw_linkage_error(java);
    return;
  }
  memset(&made, 0, sizeof made);
  initialisers[kind].set(&made, (size_t)size);
  (*java)->SetByteArrayRegion(java, options, 0, size, (const jbyte *)&made);
}

static jintArray JNICALL region_points(JNIEnv *java, jclass class, jint region)
{
  (void)class;
  uint32_t points[512], count = 0;
  face_status status = face_constellation_indices(FACE_CONSTELLATION_MESH, (face_region)region, points, 512, &count);
  if (!succeeded(java, status)) return NULL;
  jintArray array = (*java)->NewIntArray(java, (jsize)count);
  if (array != NULL) (*java)->SetIntArrayRegion(java, array, 0, (jsize)count, (const jint *)points);
  return array;
}

static jlong JNICALL load(JNIEnv *java, jclass class, jobjectArray models, jbyteArray options, jbyteArray runtime)
{
  (void)class;
  face_load_options taken;
  take_struct(java, options, &taken, sizeof taken);
  uint32_t count = (uint32_t)(*java)->GetArrayLength(java, models);
  char **names = calloc(count, sizeof *names), *engine_name = take_bytes(java, runtime);
  if (names == NULL) throw_out_of_memory(java);
  for (uint32_t i = 0; names != NULL && i < count && !(*java)->ExceptionCheck(java); i++) {
    jobject name = (*java)->GetObjectArrayElement(java, models, (jsize)i);
    names[i] = take_bytes(java, name);
    (*java)->DeleteLocalRef(java, name);
  }
  face_engine *engine = NULL;
  taken.engine = engine_name;
  if (names != NULL && !(*java)->ExceptionCheck(java))
    succeeded(java, face_load_models((const char *const *)names, count, &taken, &engine));
  for (uint32_t i = 0; names != NULL && i < count; i++) free(names[i]);
  free(names);
  free(engine_name);
  return (jlong)(uintptr_t)engine;
}

static jlong JNICALL connect_to(JNIEnv *java, jclass class, jbyteArray socket, jbyteArray options)
{
  (void)class;
  face_connect_options taken;
  take_struct(java, options, &taken, sizeof taken);
  char *path = take_bytes(java, socket);
  face_engine *engine = NULL;
  if (!(*java)->ExceptionCheck(java)) succeeded(java, face_connect_with(path, &taken, &engine));
  free(path);
  return (jlong)(uintptr_t)engine;
}

static void JNICALL release(JNIEnv *java, jclass class, jlong engine)
{
  (void)class;
  succeeded(java, face_release(HANDLE(face_engine, engine)));
}

static jlong JNICALL create_canceller(JNIEnv *java, jclass class)
{
  (void)class;
  face_canceller *canceller = NULL;
  succeeded(java, face_canceller_create(&canceller));
  return (jlong)(uintptr_t)canceller;
}

static void JNICALL cancel(JNIEnv *java, jclass class, jlong canceller)
{
  (void)class;
  succeeded(java, face_canceller_cancel(HANDLE(face_canceller, canceller)));
}

static void JNICALL destroy_canceller(JNIEnv *java, jclass class, jlong canceller)
{
  (void)java, (void)class;
  face_canceller_destroy(HANDLE(face_canceller, canceller));
}

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

/* A search evicts Java from the processor's caches. Each function of JNI then takes microseconds, an array made by one 10 µs: hence
 * the structs arrive in memory of the thread, and the answer goes there. */
static jbyteArray JNICALL detect(JNIEnv *java, jclass class, jlong engine, jobject memory, jint size,
                                 jobjectArray planes, jbyteArray model, jfloatArray boxes)
{
  (void)class;
  struct taken_image taken;
  face_options what;
  char *lent = (*java)->GetDirectBufferAddress(java, memory);
  memcpy(&what, lent, sizeof what);
  memcpy(&taken.image, lent + sizeof what, sizeof taken.image);
  if (!take_planes(java, planes, &taken)) return NULL;
  char *name = take_bytes(java, model);
  face_box *given = boxes == NULL ? NULL : take_boxes(java, boxes, &what.box_count);
  what.model = name;
  what.boxes = given;
  face_result *result = NULL;
  bool found = !(*java)->ExceptionCheck(java) &&
               succeeded(java, face_detect(HANDLE(face_engine, engine), &taken.image, &what, &result));
  free(given);
  free(name);
  free_image(&taken);
  if (!found) return NULL;
  struct pack pack = {lent, 0, (size_t)size, false, lent};
  pack_faces(&pack, result);
  face_result_destroy(result);
  return finish_pack(java, &pack);
}

#define METHOD(name, types, function)                              \
  {                                                                \
    (char *)(name), (char *)(types), (void *)(uintptr_t)(function) \
  }

static const JNINativeMethod methods[] = {
    METHOD("version", "()[B", version),
    METHOD("initialise", "(I[B)V", initialise),
    METHOD("regionPoints", "(I)[I", region_points),
    METHOD("load", "([[B[B[B)J", load),
    METHOD("connect", "([B[B)J", connect_to),
    METHOD("release", "(J)V", release),
    METHOD("createCanceller", "()J", create_canceller),
    METHOD("cancel", "(J)V", cancel),
    METHOD("destroyCanceller", "(J)V", destroy_canceller),
    METHOD("detect", "(JLjava/nio/ByteBuffer;I[Ljava/lang/Object;[B[F)[B", detect),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *reserved)
{
  (void)reserved;
  void *environment = NULL;
  if ((*machine)->GetEnv(machine, &environment, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  JNIEnv *java = environment;
  jclass native = (*java)->FindClass(java, "com/faceengine/Native");
  if (native == NULL || !prepare_support(machine, java, native)) return JNI_ERR;
  if ((*java)->RegisterNatives(java, native, methods, sizeof methods / sizeof *methods) != 0) return JNI_ERR;
  if ((*java)->RegisterNatives(java, native, session_methods, session_method_count) != 0) return JNI_ERR;
  return JNI_VERSION_10;
}
