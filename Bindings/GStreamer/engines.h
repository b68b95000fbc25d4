/* Engines that are shared by the elements of this process: a model is loaded once however many cameras there are. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

/* The longest wait for an engine process in any one call, and of a frame for its answer, in microseconds. */
#define GST_FACE_PATIENCE (5 * G_TIME_SPAN_SECOND)

/* Connects to `socket` (empty: the default one) if it is not NULL, else loads `model` (NULL: the installed one), unless
 * another element has done so. Returns NULL with the library's status and sentence if that fails. `canceller` ends the
 * connecting. */
face_engine *gst_face_engines_acquire(const gchar *socket, const gchar *model, face_canceller *canceller,
                                      face_status *out_status, gchar **out_sentence);

void gst_face_engines_release(face_engine *engine);

/* Asks the engine process at `socket` for a connection. Returns FACE_DEADLINE_EXCEEDED if it does not answer within 0.7
 * s, as one that is stopped or hangs; FACE_CANCELLED if `canceller` is cancelled; else FACE_OK, also if nothing listens
 * or it refuses, which gst_face_engines_acquire reports. */
face_status gst_face_engines_ask(const gchar *socket, face_canceller *canceller);
