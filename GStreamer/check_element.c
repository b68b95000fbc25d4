#include "check_element.h"

#include "messages.h"

typedef struct {
  GstFaceEngine parent;
} GstFaceEngineCheck;

typedef struct {
  GstFaceEngineClass parent_class;
  void (*restart)(GstFaceEngine *self); /* the signal's own handler */
} GstFaceEngineCheckClass;

G_DEFINE_TYPE(GstFaceEngineCheck, gst_face_engine_check, GST_TYPE_FACE_ENGINE)

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstFaceEngine *self = GST_FACE_ENGINE(object);
  gchar *refusal = NULL;
  GST_OBJECT_LOCK(self);
  gboolean is_known = gst_face_check_settings_set(&self->settings.check, id, value, &refusal);
  if (is_known && refusal == NULL) gst_face_engine_apply(self, TRUE);
  GST_OBJECT_UNLOCK(self);
  if (refusal != NULL) gst_face_refuse(GST_ELEMENT(self), refusal);
  g_free(refusal);
  if (!is_known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstFaceEngine *self = GST_FACE_ENGINE(object);
  GST_OBJECT_LOCK(self);
  gboolean is_known = gst_face_check_settings_get(&self->settings.check, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!is_known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void restart(GstFaceEngine *self)
{
  GST_OBJECT_LOCK(self);
  if (self->analysis != NULL) gst_face_analysis_restart_check(self->analysis);
  GST_OBJECT_UNLOCK(self);
}

static void gst_face_engine_check_class_init(GstFaceEngineCheckClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  klass->restart = restart;
  gst_face_check_settings_install(object);
  g_signal_new("restart", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
               G_STRUCT_OFFSET(GstFaceEngineCheckClass, restart), NULL, NULL, NULL, G_TYPE_NONE, 0);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Guided face check", "Filter/Analyzer/Video",
      "Leads the person in front of a camera to a good picture: tips, actions such as blinking, and the best frame",
      "FaceEngine maintainers");
}

static void gst_face_engine_check_init(GstFaceEngineCheck *self)
{
  self->parent.settings.is_check = TRUE;
  gst_face_check_settings_init(&self->parent.settings.check);
}
