#include "messages.h"

#include <gst/video/video.h>
#include <string.h>

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

/* The memory of a picture. */
typedef struct {
  gsize size;
  guint8 bytes[];
} Picture;

/* Overwrites the picture, since malloc keeps freed memory. */
static void free_picture(gpointer data)
{
  Picture *picture = data;
  explicit_bzero(picture->bytes, picture->size);
  g_free(picture);
}

/* A picture of the library as a sample of its own. */
static GstSample *sample_of(const face_image *image)
{
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGRA, image->width, image->height);
  gsize stride = (gsize)GST_VIDEO_INFO_PLANE_STRIDE(&info, 0);
  gsize theirs = image->strides[0] != 0 ? image->strides[0] : stride;
  gsize size = GST_VIDEO_INFO_SIZE(&info);
  Picture *picture = g_malloc(sizeof *picture + size);
  picture->size = size;
  for (guint row = 0; row < image->height; row++)
    memcpy(picture->bytes + row * stride, (const guint8 *)image->planes[0] + row * theirs, image->width * (gsize)4);
  GstBuffer *buffer = gst_buffer_new_wrapped_full(0, picture->bytes, size, 0, size, picture, free_picture);
  GstCaps *caps = gst_video_info_to_caps(&info);
  GstSample *sample = gst_sample_new(buffer, caps, NULL, NULL);
  gst_caps_unref(caps);
  gst_buffer_unref(buffer);
  return sample;
}

void gst_face_take_sample(GstStructure *structure, const gchar *name, const face_image *image)
{
  GstSample *sample = sample_of(image);
  gst_structure_set(structure, name, GST_TYPE_SAMPLE, sample, NULL);
  gst_sample_unref(sample);
}

static void add_crop(GstStructure *structure, const face_best *best)
{
  gst_face_take_sample(structure, "crop", best->crop);
  gst_structure_set(structure, "crop-x", G_TYPE_FLOAT, best->crop_box.x, "crop-y", G_TYPE_FLOAT, best->crop_box.y,
                    "crop-width", G_TYPE_FLOAT, best->crop_box.width, "crop-height", G_TYPE_FLOAT,
                    best->crop_box.height, NULL);
}

void gst_face_post_best(GstElement *element, const face_best *best, GstClockTime running_time,
                        const GstFaceScreen *screen, guint64 id_offset)
{
  GstFaceStamp stamp = {GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, running_time, GST_CLOCK_TIME_NONE};
  GstFaceList *list = gst_face_list_new(best->faces, &stamp, screen, id_offset);
  GstStructure *structure = gst_structure_new("face-best", "running-time", G_TYPE_UINT64, running_time, "id",
                                              G_TYPE_UINT64, best->face_id + id_offset, "left", G_TYPE_BOOLEAN,
                                              best->left != 0, "score", G_TYPE_FLOAT, best->score, NULL);
  GstStructure *face = gst_face_to_structure(&list->faces[0], "face");
  gst_face_add_expressions(&list->faces[0], face);
  gst_structure_set(structure, "face", GST_TYPE_STRUCTURE, face, NULL);
  gst_structure_free(face);
  gst_face_list_unref(list);
  add_crop(structure, best);
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
