/* Sessions and guided checks. Their events go to a Dispatcher of Java: the listener's user data is a weak reference to
   it. */
#include "jni_support.h"

#include <stdlib.h>

enum { EVENT_FACES, EVENT_DROPPED, EVENT_FAILED, EVENT_LEFT, EVENT_CHECK, EVENT_BEST }; /* as in Dispatcher.java */

static struct pack begin_event(uint32_t kind, const face_frame *frame)
{
  struct pack pack = {NULL, 0, 0, false, NULL};
  pack_u32(&pack, kind);
  pack_u64(&pack, frame->number);
  pack_u64(&pack, frame->timestamp_ns);
  return pack;
}

static void send_event(jweak known, struct pack *pack)
{
  JNIEnv *java = java_of_this_thread();
  /* A thread of the library's never returns to Java, which would free these references. */
  if (java == NULL || (*java)->PushLocalFrame(java, 8) != 0) {
    free(pack->bytes);
    return;
  }
  jobject dispatcher = (*java)->NewLocalRef(java, known);
  jbyteArray event = finish_pack(java, pack);
  if (dispatcher != NULL) deliver(java, dispatcher, event);
  (*java)->PopLocalFrame(java, NULL);
}

static void on_faces(const face_frame *frame, const face_result *result, void *known)
{
  struct pack pack = begin_event(EVENT_FACES, frame);
  pack_faces(&pack, result);
  send_event(known, &pack);
}

static void on_dropped(const face_frame *frame, uint64_t dropped_so_far, void *known)
{
  struct pack pack = begin_event(EVENT_DROPPED, frame);
  pack_u64(&pack, dropped_so_far);
  send_event(known, &pack);
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *known)
{
  struct pack pack = begin_event(EVENT_FAILED, frame);
  pack_u32(&pack, (uint32_t)status);
  pack_text(&pack, message);
  send_event(known, &pack);
}

static void on_left(const face_frame *frame, uint64_t face_id, void *known)
{
  struct pack pack = begin_event(EVENT_LEFT, frame);
  pack_u64(&pack, face_id);
  send_event(known, &pack);
}

static void on_check(const face_frame *frame, const face_check *check, void *known)
{
  struct pack pack = begin_event(EVENT_CHECK, frame);
  char has_face = check->faces != NULL;
  pack_bytes(&pack, check, sizeof *check);
  pack_text(&pack, check->text);
  pack_text(&pack, check->code);
  pack_text(&pack, check->message);
  pack_bytes(&pack, &has_face, 1);
  if (has_face) pack_faces(&pack, check->faces);
  pack_picture(&pack, check->picture);
  pack_picture(&pack, check->crop);
  send_event(known, &pack);
}

static void on_best(const face_frame *frame, const face_best *best, void *known)
{
  struct pack pack = begin_event(EVENT_BEST, frame);
  pack_u64(&pack, best->face_id);
  pack_u32(&pack, best->left);
  pack_bytes(&pack, &best->score, sizeof best->score);
  pack_bytes(&pack, &best->crop_box, sizeof best->crop_box);
  pack_faces(&pack, best->faces);
  pack_picture(&pack, best->crop);
  send_event(known, &pack);
}

static face_listener listener_of(jweak known)
{
  face_listener listener;
  face_listener_init(&listener);
  listener.user_data = known;
  listener.on_faces = on_faces;
  listener.on_dropped = on_dropped;
  listener.on_failed = on_failed;
  listener.on_left = on_left;
  listener.on_check = on_check;
  listener.on_best = on_best;
  return listener;
}

/* The options of a call, with the texts that they point to. */
struct wanted {
  face_options detection;
  face_check_options check;
  face_space view;
  char *model;
};

/* Fills `wanted`, whose model free() releases. `check` and `view` may be null. */
static bool take_wanted(JNIEnv *java, jbyteArray options, jbyteArray model, jbyteArray check, jbyteArray view,
                        struct wanted *wanted)
{
  wanted->model = NULL;
  take_struct(java, options, &wanted->detection, sizeof wanted->detection);
  if (check != NULL) take_struct(java, check, &wanted->check, sizeof wanted->check);
  if (view != NULL) take_struct(java, view, &wanted->view, sizeof wanted->view);
  wanted->check.view = view != NULL ? &wanted->view : NULL;
  wanted->model = take_bytes(java, model);
  wanted->detection.model = wanted->model;
  return !(*java)->ExceptionCheck(java);
}

static void JNICALL open_session(JNIEnv *java, jclass class, jlong engine, jbyteArray session, jbyteArray options,
                                 jbyteArray model, jbyteArray check, jbyteArray view, jobject dispatcher,
                                 jlongArray opened)
{
  struct wanted wanted;
  face_session_options how;
  take_struct(java, session, &how, sizeof how);
  if (!take_wanted(java, options, model, check, view, &wanted)) return;
  how.options = &wanted.detection;
  face_engine *on = HANDLE(face_engine, engine);
  face_session *made = NULL;
  jweak known = (*java)->NewWeakGlobalRef(java, dispatcher);
  if (known == NULL) {
    free(wanted.model);
    return;
  }
  face_status status =
      check != NULL ? face_check_open(on, &how, &wanted.check, &made) : face_session_open(on, &how, &made);
  if (status == FACE_OK) {
    face_listener listener = listener_of(known);
    status = face_session_bind_listener(made, &listener);
  }
  free(wanted.model);
  if (!succeeded(java, status)) {
    face_session_close(made);
    (*java)->DeleteWeakGlobalRef(java, known);
    return;
  }
  jlong numbers[] = {(jlong)(uintptr_t)made, (jlong)(uintptr_t)known};
  (*java)->SetLongArrayRegion(java, opened, 0, 2, numbers);
}

static jlong JNICALL submit(JNIEnv *java, jclass class, jlong session, jbyteArray image, jobjectArray planes)
{
  struct taken_image taken;
  uint64_t number = 0;
  if (!take_image(java, image, planes, &taken)) return 0;
  succeeded(java, face_session_submit(HANDLE(face_session, session), &taken.image, &number));
  free_image(&taken);
  return (jlong)number;
}

static void JNICALL flush(JNIEnv *java, jclass class, jlong session, jlong nanoseconds)
{
  succeeded(java, face_session_flush(HANDLE(face_session, session), (uint64_t)nanoseconds));
}

static jlong JNICALL follow(JNIEnv *java, jclass class, jlong session, jfloat x, jfloat y, jfloat width, jfloat height)
{
  face_box box = {x, y, width, height};
  uint64_t id = 0;
  succeeded(java, face_session_follow(HANDLE(face_session, session), &box, &id));
  return (jlong)id;
}

static void JNICALL best(JNIEnv *java, jclass class, jlong session, jlong id)
{
  succeeded(java, face_session_best(HANDLE(face_session, session), (uint64_t)id));
}

static void JNICALL restart(JNIEnv *java, jclass class, jlong session)
{
  succeeded(java, face_check_restart(HANDLE(face_session, session)));
}

static void JNICALL close_session(JNIEnv *java, jclass class, jlong session, jlong known)
{
  /* After a failure the session may still use the reference. */
  if (succeeded(java, face_session_close(HANDLE(face_session, session))))
    (*java)->DeleteWeakGlobalRef(java, (jweak)(uintptr_t)known);
}

static jint JNICALL check_image(JNIEnv *java, jclass class, jlong engine, jbyteArray image, jobjectArray planes,
                                jbyteArray options, jbyteArray model, jbyteArray check, jbyteArray view,
                                jobject dispatcher)
{
  struct wanted wanted;
  struct taken_image taken;
  face_tip tip = 0;
  if (!take_image(java, image, planes, &taken)) return 0;
  if (take_wanted(java, options, model, check, view, &wanted)) {
    jweak known = (*java)->NewWeakGlobalRef(java, dispatcher);
    if (known != NULL) {
      face_listener listener = listener_of(known);
      succeeded(java, face_check_image(HANDLE(face_engine, engine), &taken.image, &wanted.detection, &wanted.check,
                                       &listener, &tip));
      (*java)->DeleteWeakGlobalRef(java, known);
    }
  }
  free(wanted.model);
  free_image(&taken);
  return (jint)tip;
}

#define IMAGE "[B[Ljava/lang/Object;"
#define DISPATCHER "Lcom/faceengine/Dispatcher;"

const JNINativeMethod session_methods[] = {
    METHOD("openSession", "(J[B[B[B[B[B" DISPATCHER "[J)V", open_session),
    METHOD("submit", "(J" IMAGE ")J", submit),
    METHOD("flush", "(JJ)V", flush),
    METHOD("follow", "(JFFFF)J", follow),
    METHOD("best", "(JJ)V", best),
    METHOD("restart", "(J)V", restart),
    METHOD("closeSession", "(JJ)V", close_session),
    METHOD("checkImage", "(J" IMAGE "[B[B[B[B" DISPATCHER ")I", check_image),
};
const jint session_method_count = sizeof session_methods / sizeof *session_methods;
