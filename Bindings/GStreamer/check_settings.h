/* The settings of faceenginecheck: the person's actions, the circle and the limits. */
#pragma once

#include "properties.h"

/* Of an element that checks; zeros in one that does not. */
typedef struct {
  face_check_options options; /* without `view`: its pointer would not survive a copy */
  face_space view;            /* FACE_SPACE_VIEW, of the frame's size while `view_width` is 0 */
  face_check_preset preset;   /* was applied to the options last */
  guint64 restart_delay;      /* nanoseconds after the end of an attempt; GST_CLOCK_TIME_NONE: never */
} GstFaceCheckSettings;

/* Installs the properties of an element that has these settings at `offset` of its own. */
void gst_face_check_settings_install(GObjectClass *klass, gsize offset);

void gst_face_check_settings_init(GstFaceCheckSettings *settings);

/* Sets the actions by their names, with commas between them. If one is not possible, it changes nothing and returns a
 * sentence, which the caller frees; else NULL. */
gchar *gst_face_check_set_actions(face_check_options *options, const gchar *text);

/* The names of the actions, with commas between them; the caller frees them. */
gchar *gst_face_check_get_actions(const face_check_options *options);

/* Sets the least quality components by the names of their measures, as in "eyesOpen=50,luminanceMean=40"; those that
 * are not named may be any. If one is not possible, it changes nothing and returns a sentence, which the caller frees;
 * else NULL. */
gchar *gst_face_check_set_min_iso(face_check_options *options, const gchar *text);

/* The limits of measures that have one, as they are set; the caller frees them. */
gchar *gst_face_check_get_min_iso(const face_check_options *options);
