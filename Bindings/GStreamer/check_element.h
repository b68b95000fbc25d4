/* faceenginecheck: a faceengine that also leads the person in front of the camera to a good picture. */
#pragma once

#include "element.h"

#define GST_TYPE_FACE_ENGINE_CHECK (gst_face_engine_check_get_type())
GType gst_face_engine_check_get_type(void);
