/* Engines that are shared by the elements of this process: a model is loaded once however many cameras there are. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Connects to `socket` (empty: the default one) if it is not NULL, else loads `model` (NULL: the installed one), unless
 * another element has done so. Returns NULL with the library's status and sentence if that fails. */
face_engine *gst_face_engines_acquire(const gchar *socket, const gchar *model, face_status *out_status,
                                      gchar **out_sentence);

void gst_face_engines_release(face_engine *engine);

G_END_DECLS
