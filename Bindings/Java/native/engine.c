/* Engines and cancellers; and what Java loads. */
#include "jni_support.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

static jbyteArray as_bytes(JNIEnv *java, const char *text)
{
  struct pack pack = {NULL, 0, 0, false, NULL};
  pack_bytes(&pack, text, strlen(text));
  return finish_pack(java, &pack);
}

static jbyteArray JNICALL version(JNIEnv *java, jclass class) { return as_bytes(java, face_version_string()); }

static jbyteArray JNICALL package_version(JNIEnv *java, jclass class) { return as_bytes(java, PACKAGE_VERSION); }

#define INITIALISER(name) \
  static void set_##name(void *options, size_t size) { face_##name##_init_sized(options, size); }
INITIALISER(load_options)
INITIALISER(connect_options)
INITIALISER(options)
INITIALISER(session_options)
INITIALISER(check_options)
INITIALISER(space)
INITIALISER(image)

/* In the order of OPTIONS in Tools/contract/java.py; the image is last. */
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
  uint32_t points[512], count = 0;
  face_status status = face_constellation_indices(FACE_CONSTELLATION_MESH, (face_region)region, points, 512, &count);
  if (!succeeded(java, status)) return NULL;
  jintArray array = (*java)->NewIntArray(java, (jsize)count);
  if (array != NULL) (*java)->SetIntArrayRegion(java, array, 0, (jsize)count, (const jint *)points);
  return array;
}

static jintArray numbers(JNIEnv *java, const uint16_t *table, uint32_t count)
{
  jintArray array = (*java)->NewIntArray(java, (jsize)count);
  jint *values = array != NULL ? (*java)->GetIntArrayElements(java, array, NULL) : NULL;
  if (values == NULL) return NULL;
  for (uint32_t i = 0; i < count; i++) values[i] = table[i];
  (*java)->ReleaseIntArrayElements(java, array, values, 0);
  return array;
}

static jintArray JNICALL contour_points(JNIEnv *java, jclass class, jint contour)
{
  uint32_t count = 0;
  const uint16_t *table = face_contour_indices((face_contour)contour, &count);
  return numbers(java, table, count);
}

static jboolean JNICALL is_closed(JNIEnv *java, jclass class, jint contour)
{
  return face_contour_path((face_contour)contour) == FACE_PATH_CLOSED;
}

static jintArray JNICALL mesh_edges(JNIEnv *java, jclass class)
{
  uint32_t count = 0;
  const uint16_t *table = face_mesh_edges(&count);
  return numbers(java, table, 2 * count);
}

static jintArray JNICALL mesh_triangles(JNIEnv *java, jclass class)
{
  uint32_t count = 0;
  const uint16_t *table = face_mesh_triangles(&count);
  return numbers(java, table, 3 * count);
}

static void JNICALL apply_preset(JNIEnv *java, jclass class, jbyteArray check, jint preset)
{
  face_check_options options;
  take_struct(java, check, &options, sizeof options);
  if (succeeded(java, face_check_options_apply(&options, (face_check_preset)preset)))
    (*java)->SetByteArrayRegion(java, check, 0, sizeof options, (const jbyte *)&options);
}

static jint JNICALL orientation_of_camera(JNIEnv *java, jclass class, jint sensor, jint device, jboolean faces_user)
{
  face_orientation found = FACE_ORIENTATION_DEFAULT;
  succeeded(java, face_orientation_of_camera((uint32_t)sensor, (uint32_t)device, faces_user, &found));
  return (jint)found;
}

static jlong JNICALL load(JNIEnv *java, jclass class, jobjectArray models, jbyteArray options, jbyteArray runtime)
{
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
  succeeded(java, face_release(HANDLE(face_engine, engine)));
}

static jlong JNICALL create_canceller(JNIEnv *java, jclass class)
{
  face_canceller *canceller = NULL;
  succeeded(java, face_canceller_create(&canceller));
  return (jlong)(uintptr_t)canceller;
}

static void JNICALL cancel(JNIEnv *java, jclass class, jlong canceller)
{
  succeeded(java, face_canceller_cancel(HANDLE(face_canceller, canceller)));
}

static void JNICALL destroy_canceller(JNIEnv *java, jclass class, jlong canceller)
{
  face_canceller_destroy(HANDLE(face_canceller, canceller));
}

static const JNINativeMethod methods[] = {
    METHOD("version", "()[B", version),
    METHOD("packageVersion", "()[B", package_version),
    METHOD("initialise", "(I[B)V", initialise),
    METHOD("regionPoints", "(I)[I", region_points),
    METHOD("contourPoints", "(I)[I", contour_points),
    METHOD("isClosed", "(I)Z", is_closed),
    METHOD("meshEdges", "()[I", mesh_edges),
    METHOD("meshTriangles", "()[I", mesh_triangles),
    METHOD("applyPreset", "([BI)V", apply_preset),
    METHOD("orientationOfCamera", "(IIZ)I", orientation_of_camera),
    METHOD("load", "([[B[B[B)J", load),
    METHOD("connect", "([B[B)J", connect_to),
    METHOD("release", "(J)V", release),
    METHOD("createCanceller", "()J", create_canceller),
    METHOD("cancel", "(J)V", cancel),
    METHOD("destroyCanceller", "(J)V", destroy_canceller),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *reserved)
{
  void *environment = NULL;
  if ((*machine)->GetEnv(machine, &environment, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  JNIEnv *java = environment;
  jclass native = (*java)->FindClass(java, "com/faceengine/Native");
  if (native == NULL || !prepare_support(machine, java, native)) return JNI_ERR;
  if ((*java)->RegisterNatives(java, native, methods, sizeof methods / sizeof *methods) != 0) return JNI_ERR;
  if ((*java)->RegisterNatives(java, native, detect_methods, detect_method_count) != 0) return JNI_ERR;
  if ((*java)->RegisterNatives(java, native, session_methods, session_method_count) != 0) return JNI_ERR;
  return JNI_VERSION_10;
}
