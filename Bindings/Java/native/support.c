/* What every call needs: threads, failures, arguments. */
#include "jni_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static JavaVM *machine;
static jclass native_class, exception_class;
static jmethodID deliver_method, exception_of;
static pthread_key_t attached;

static void detach(void *unused) { (*machine)->DetachCurrentThread(machine); }

bool prepare_support(JavaVM *vm, JNIEnv *java, jclass native)
{
  machine = vm;
  native_class = (*java)->NewGlobalRef(java, native);
  jclass found = (*java)->FindClass(java, "com/faceengine/FaceEngineException");
  if (native_class == NULL || found == NULL) return false;
  exception_class = (*java)->NewGlobalRef(java, found);
  if (exception_class == NULL) return false;
  deliver_method = (*java)->GetStaticMethodID(java, native, "deliver", "(Lcom/faceengine/Dispatcher;[B)V");
  if (deliver_method == NULL) return false;
  exception_of = (*java)->GetStaticMethodID(java, found, "of", "(I[B)Lcom/faceengine/FaceEngineException;");
  return exception_of != NULL && pthread_key_create(&attached, detach) == 0;
}

JNIEnv *java_of_this_thread(void)
{
  void *java = NULL;
  if ((*machine)->GetEnv(machine, &java, JNI_VERSION_10) == JNI_OK) return java;
  char name[] = "faceengine-session";
  JavaVMAttachArgs arguments = {JNI_VERSION_10, name, NULL};
  if ((*machine)->AttachCurrentThreadAsDaemon(machine, &java, &arguments) != JNI_OK) return NULL;
  pthread_setspecific(attached, java);
  return java;
}

bool succeeded(JNIEnv *java, face_status status)
{
  if (status == FACE_OK) return true;
  const char *message = face_last_error();
  jsize length = (jsize)strlen(message);
  jbyteArray text = (*java)->NewByteArray(java, length);
  if (text == NULL) return false;
  (*java)->SetByteArrayRegion(java, text, 0, length, (const jbyte *)message);
  jobject exception = (*java)->CallStaticObjectMethod(java, exception_class, exception_of, (jint)status, text);
  if (!(*java)->ExceptionCheck(java)) (*java)->Throw(java, exception);
  return false;
}

static void throw_new(JNIEnv *java, const char *class_name, const char *message)
{
  jclass found = (*java)->FindClass(java, class_name);
  if (found != NULL) (*java)->ThrowNew(java, found, message);
}

void throw_linkage_error(JNIEnv *java)
{
  throw_new(java, "java/lang/LinkageError",
            "faceengine.jar and libfaceengine-jni are of different versions; install both from one package");
}

void take_struct(JNIEnv *java, jbyteArray array, void *out, size_t size)
{
  (*java)->GetByteArrayRegion(java, array, 0, (jsize)size, out);
}

void throw_out_of_memory(JNIEnv *java)
{
  throw_new(java, "java/lang/OutOfMemoryError", "no native memory; close what is not used");
}

/* Part of an array. Copied, since a search takes longer than a garbage collector may be held up. */
static void *copied(JNIEnv *java, jbyteArray array, jsize start, jsize size)
{
  void *bytes = malloc(size > 0 ? (size_t)size : 1);
  if (bytes == NULL) {
    throw_out_of_memory(java);
    return NULL;
  }
  (*java)->GetByteArrayRegion(java, array, start, size, bytes);
  if (!(*java)->ExceptionCheck(java)) return bytes;
  free(bytes);
  return NULL;
}

void *take_bytes(JNIEnv *java, jbyteArray array)
{
  return array == NULL ? NULL : copied(java, array, 0, (*java)->GetArrayLength(java, array));
}

bool take_image(JNIEnv *java, jbyteArray image, jobjectArray planes, struct taken_image *out)
{
  take_struct(java, image, &out->image, sizeof out->image);
  return take_planes(java, planes, out);
}

bool take_planes(JNIEnv *java, jobjectArray planes, struct taken_image *out)
{
  memset(out->copies, 0, sizeof out->copies);
  jsize count = (*java)->GetArrayLength(java, planes);
  for (jsize i = 0; i < count && i < 4; i++) {
    jobject plane = (*java)->GetObjectArrayElement(java, planes, i);
    /* Java has the start in a buffer or an array where C has one in shared memory. */
    jsize start = (jsize)out->image.offsets[i];
    out->image.offsets[i] = 0;
    char *direct = (*java)->GetDirectBufferAddress(java, plane);
    if (direct == NULL) out->copies[i] = copied(java, plane, start, (jsize)out->image.plane_sizes[i]);
    out->image.planes[i] = direct != NULL ? direct + start : out->copies[i];
    if (out->image.planes[i] == NULL) {
      free_image(out);
      return false;
    }
  }
  return true;
}

void free_image(struct taken_image *image)
{
  for (int i = 0; i < 4; i++) free(image->copies[i]);
}

void deliver(JNIEnv *java, jobject dispatcher, jbyteArray event)
{
  if (event != NULL) (*java)->CallStaticVoidMethod(java, native_class, deliver_method, dispatcher, event);
  /* Only for lack of memory, or of stack. */
  if ((*java)->ExceptionCheck(java)) (*java)->ExceptionDescribe(java);
  (*java)->ExceptionClear(java);
}
