#include "check_element.h"

typedef struct {
  GstFaceEngine parent;
} GstFaceEngineCheck;

typedef struct {
  GstFaceEngineClass parent_class;
  void (*restart)(GstFaceEngine *self); /* the signal's own handler */
} GstFaceEngineCheckClass;

G_DEFINE_TYPE(GstFaceEngineCheck, gst_face_engine_check, GST_TYPE_FACE_ENGINE)

static void restart(GstFaceEngine *self)
{
  GST_OBJECT_LOCK(self);
  if (self->analysis != NULL) gst_face_analysis_restart_check(self->analysis);
  /* The frame that waits shows the person of the attempt before. */
  if (self->worker != NULL) gst_face_worker_clear(self->worker);
  GST_OBJECT_UNLOCK(self);
}

static void gst_face_engine_check_class_init(GstFaceEngineCheckClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GObjectClass *parent = G_OBJECT_CLASS(gst_face_engine_check_parent_class);
  /* A derived class has none at first. */
  object->set_property = parent->set_property;
  object->get_property = parent->get_property;
  klass->restart = restart;
  gst_face_check_settings_install(object, G_STRUCT_OFFSET(GstFaceSettings, check));
  g_signal_new("restart", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
               G_STRUCT_OFFSET(GstFaceEngineCheckClass, restart), NULL, NULL, NULL, G_TYPE_NONE, 0);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Guided face check", "Filter/Analyzer/Video",
      "Guides the person in front of a camera to a good picture: tips, actions such as blinking, and the best frame",
      "FaceEngine maintainers");
}

static void gst_face_engine_check_init(GstFaceEngineCheck *self)
{
  gst_face_settings_init_check(&self->parent.settings);
}
