/* faceengine: finds the faces of each frame, and passes the frame on. */
#pragma once

#include "transform.h"

#define GST_TYPE_FACE_ENGINE (gst_face_engine_get_type())
#define GST_FACE_ENGINE(object) (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_FACE_ENGINE, GstFaceEngine))

typedef struct {
  GstBaseTransformClass parent_class;
} GstFaceEngineClass;

GType gst_face_engine_get_type(void);
