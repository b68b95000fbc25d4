/* The properties of faceenginecheck: what a person in front of the camera is asked to do. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Of an element that checks; zeros in one that does not. */
typedef struct {
  face_check_options options; /* without `view`: its pointer would not survive a copy */
  face_space view;            /* FACE_SPACE_VIEW, of the frame's size while `view_width` is 0 */
  guint64 restart_delay;      /* nanoseconds after the end of an attempt; GST_CLOCK_TIME_NONE: never */
} GstFaceCheckSettings;

void gst_face_check_settings_install(GObjectClass *klass);

void gst_face_check_settings_init(GstFaceCheckSettings *settings);

/* Both return whether there is such a property. A value that is not possible changes nothing: `out_refusal` receives a sentence,
 * which the caller frees. */
gboolean gst_face_check_settings_set(GstFaceCheckSettings *settings, guint id, const GValue *value,
                                     gchar **out_refusal);
gboolean gst_face_check_settings_get(const GstFaceCheckSettings *settings, guint id, GValue *value);

G_END_DECLS
