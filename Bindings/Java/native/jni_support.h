/* What the parts of libfaceengine-jni share. Failed calls leave a Java exception pending, which Java throws on
   return. */
#ifndef JNI_SUPPORT_H
#define JNI_SUPPORT_H

#include <face_engine.h>

#include <jni.h>
#include <stdbool.h>

/* Java's handles are those of the library, as numbers. */
#define HANDLE(type, number) ((type *)(uintptr_t)(number))

#define METHOD(name, types, function)                              \
  {                                                                \
    (char *)(name), (char *)(types), (void *)(uintptr_t)(function) \
  }

/* ---- support.c */

/* The environment of the calling thread, which is made a daemon of Java if it is none. NULL if Java has ended. */
JNIEnv *java_of_this_thread(void);
bool prepare_support(JavaVM *machine, JNIEnv *java, jclass native);
/* Throws the failure of the last call of this thread, unless `status` is FACE_OK. True if it is. */
bool succeeded(JNIEnv *java, face_status status);
void throw_out_of_memory(JNIEnv *java);
/* Says that the jar has structs of other sizes. */
void throw_linkage_error(JNIEnv *java);
/* Copies an array to a struct of the same size, which Native.initialise has filled. */
void take_struct(JNIEnv *java, jbyteArray array, void *out, size_t size);
/* The bytes of an array, which free() releases; NULL for null, or with an exception. */
void *take_bytes(JNIEnv *java, jbyteArray array);
/* Calls Native.deliver. */
void deliver(JNIEnv *java, jobject dispatcher, jbyteArray event);

/* An image whose planes may be copies of Java's arrays. */
struct taken_image {
  face_image image;
  void *copies[4];
};
bool take_image(JNIEnv *java, jbyteArray image, jobjectArray planes, struct taken_image *out);
/* The same for an image whose struct `out` has already. */
bool take_planes(JNIEnv *java, jobjectArray planes, struct taken_image *out);
void free_image(struct taken_image *image);

/* ---- pack.c: values as bytes in the processor's order, which Java's read methods read */

struct pack {
  char *bytes;
  size_t size, capacity;
  bool failed;
  char *lent; /* memory of Java's that `bytes` began as, or NULL */
};
void pack_bytes(struct pack *pack, const void *bytes, size_t size);
void pack_u32(struct pack *pack, uint32_t value);
void pack_u64(struct pack *pack, uint64_t value);
void pack_text(struct pack *pack, const char *text);
void pack_faces(struct pack *pack, const face_result *result);
void pack_picture(struct pack *pack, const face_image *picture);
/* The array, and the end of the pack. NULL if what was lent has it all, or with an exception. */
jbyteArray finish_pack(JNIEnv *java, struct pack *pack);

/* ---- detect.c and session.c: the methods of Native that they have */

extern const JNINativeMethod detect_methods[];
extern const jint detect_method_count;
extern const JNINativeMethod session_methods[];
extern const jint session_method_count;

#endif
