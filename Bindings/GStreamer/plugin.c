#include "check_element.h"

GST_DEBUG_CATEGORY(gst_face_debug);

static gboolean init(GstPlugin *plugin)
{
  GST_DEBUG_CATEGORY_INIT(gst_face_debug, "faceengine", 0, "FaceEngine");
  return gst_element_register(plugin, "faceengine", GST_RANK_NONE, GST_TYPE_FACE_ENGINE) &&
         gst_element_register(plugin, "faceenginecheck", GST_RANK_NONE, GST_TYPE_FACE_ENGINE_CHECK);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, faceengine, "Finds faces in video", init, VERSION, "Apache 2.0",
                  "faceengine", "https://face-engine.invalid")
