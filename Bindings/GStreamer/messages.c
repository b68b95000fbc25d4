#include "messages.h"

GstStructure *gst_face_stamped(const gchar *name, const GstFaceStamp *stamp)
{
  return gst_structure_new(name, "timestamp", G_TYPE_UINT64, stamp->pts, "stream-time", G_TYPE_UINT64,
                           stamp->stream_time, "running-time", G_TYPE_UINT64, stamp->running_time, "duration",
                           G_TYPE_UINT64, stamp->duration, NULL);
}

void gst_face_post(GstElement *element, GstStructure *structure)
{
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), structure));
}

void gst_face_post_faces(GstElement *element, const GstFaceList *list)
{
  GstStructure *structure = gst_face_stamped("faces", &list->stamp);
  GValue faces = G_VALUE_INIT;
  gst_structure_set(structure, "width", G_TYPE_UINT, list->width, "height", G_TYPE_UINT, list->height, NULL);
  g_value_init(&faces, GST_TYPE_ARRAY);
  for (guint index = 0; index < list->count; index++) {
    GstStructure *fields = gst_face_to_structure(&list->faces[index], "face");
    gst_face_add_expressions(&list->faces[index], fields);
    GValue face = G_VALUE_INIT;
    g_value_init(&face, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&face, fields);
    gst_value_array_append_and_take_value(&faces, &face);
  }
  gst_structure_take_value(structure, "faces", &faces);
  gst_face_post(element, structure);
}

void gst_face_post_left(GstElement *element, guint64 id, const GstFaceStamp *stamp)
{
  GstStructure *structure = gst_face_stamped("face-left", stamp);
  gst_structure_set(structure, "id", G_TYPE_UINT64, id, NULL);
  gst_face_post(element, structure);
}

static GstResourceError code_of(face_status status)
{
  switch (status) {
  case FACE_NOT_FOUND: return GST_RESOURCE_ERROR_NOT_FOUND;
  case FACE_PERMISSION_DENIED:
  case FACE_UNAUTHENTICATED: return GST_RESOURCE_ERROR_NOT_AUTHORIZED;
  case FACE_RESOURCE_EXHAUSTED: return GST_RESOURCE_ERROR_NO_SPACE_LEFT;
  case FACE_INVALID_ARGUMENT:
  case FACE_OUT_OF_RANGE: return GST_RESOURCE_ERROR_SETTINGS;
  case FACE_UNAVAILABLE: return GST_RESOURCE_ERROR_OPEN_READ_WRITE;
  default: return GST_RESOURCE_ERROR_FAILED;
  }
}

/* The library's sentences begin small and have no full stop; on a screen they stand alone. */
static gchar *as_sentence(const gchar *sentence)
{
  if (sentence == NULL || *sentence == '\0') return g_strdup("FaceEngine failed without saying why.");
  return g_strconcat(sentence, g_str_has_suffix(sentence, ".") ? "" : ".", NULL);
}

void gst_face_post_error(GstElement *element, face_status status, const gchar *sentence)
{
  gchar *text = as_sentence(sentence);
  gst_element_message_full(element, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR, code_of(status), text,
                           g_strdup(face_status_name(status)), __FILE__, G_STRFUNC, __LINE__);
}

void gst_face_post_warning(GstElement *element, face_status status, const gchar *sentence)
{
  gchar *text = as_sentence(sentence);
  gst_element_message_full(element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, code_of(status), text,
                           g_strdup(face_status_name(status)), __FILE__, G_STRFUNC, __LINE__);
}

void gst_face_refuse(GstElement *element, const gchar *sentence)
{
  GstBus *bus = gst_element_get_bus(element);
  if (bus != NULL) {
    gst_face_post_warning(element, FACE_INVALID_ARGUMENT, sentence);
    gst_object_unref(bus);
  } else {
    g_warning("%s: %s", GST_OBJECT_NAME(element), sentence);
  }
}
