/* Properties whose values are members of a struct: the library's own options and outputs, which it describes, and
   others. */
#pragma once

#include <face_engine.h>
#include <gst/gst.h>

/* The ids of all properties of the elements. */
enum { GST_FACE_PROP_MEMBER = 1, GST_FACE_PROP_ACTIONS, GST_FACE_PROP_MIN_ISO, GST_FACE_PROP_STATS };

/* Flags of a property that changes while the element runs, and of one that does not. */
#define GST_FACE_ANY_TIME (G_PARAM_READWRITE | G_PARAM_STATIC_NAME | GST_PARAM_MUTABLE_PLAYING)
#define GST_FACE_AT_REST (G_PARAM_READWRITE | G_PARAM_STATIC_NAME | GST_PARAM_MUTABLE_READY)

/* Installs a property for the member at `offset`: a string, float, guint64, or 32-bit number, enum or boolean. */
void gst_face_properties_add(GObjectClass *klass, gsize offset, GParamSpec *spec);
void gst_face_properties_add_switch(GObjectClass *klass, gsize offset, const gchar *name, const gchar *blurb,
                                    gboolean initially);

/* Only class initialisers call this, which run one at a time: it registers the type. */
void gst_face_properties_add_enum(GObjectClass *klass, gsize offset, const gchar *name, const gchar *blurb,
                                  GParamFlags flags, const gchar *type_name, const GEnumValue *values, gint initially);

/* Installs a property for each option of a group, whose struct of `size` bytes is at `offset`. */
void gst_face_properties_add_options(GObjectClass *klass, gsize offset, gsize size, face_option_group group);

/* Installs a switch for each flag of the outputs, whose bits are in the face_outputs at `offset`. */
void gst_face_properties_add_outputs(GObjectClass *klass, gsize offset);

/* Both read and write a property of `members`, the struct that the offsets count from. */
void gst_face_properties_set(gpointer members, GParamSpec *spec, const GValue *value);
void gst_face_properties_get(gconstpointer members, GParamSpec *spec, GValue *value);
