#include "faces.h"

static void copy_face(GstFace *face, const face_result *result, guint index, guint64 id_offset)
{
  face_info_init(&face->info);
  face_result_get(result, index, &face->info);
  if ((face->info.valid & FACE_VALID_ID) != 0) face->info.id += id_offset;
  if ((face->info.valid & FACE_VALID_LANDMARKS) != 0) {
    uint32_t count = 0;
    face->landmarks = g_new(face_landmark, GST_FACE_LANDMARKS);
    if (face_result_landmarks(result, index, FACE_REGION_ALL_POINTS, face->landmarks, GST_FACE_LANDMARKS, &count) !=
            FACE_OK ||
        count != GST_FACE_LANDMARKS)
      g_clear_pointer(&face->landmarks, g_free);
  }
  if ((face->info.valid & FACE_VALID_EXPRESSIONS) != 0) {
    face->expressions = g_new(gfloat, FACE_EXPRESSION_COUNT);
    if (face_result_expressions(result, index, face->expressions, FACE_EXPRESSION_COUNT) != FACE_OK)
      g_clear_pointer(&face->expressions, g_free);
  }
}

GstClockTime gst_face_stamp_time(const GstFaceStamp *stamp)
{
  return GST_CLOCK_TIME_IS_VALID(stamp->running_time) ? stamp->running_time : gst_util_get_timestamp();
}

GstFaceList *gst_face_list_new(const face_result *result, const GstFaceStamp *stamp, guint64 id_offset)
{
  GstFaceList *list = g_atomic_rc_box_new0(GstFaceList);
  uint32_t width = 0, height = 0;
  face_result_image_size(result, &width, &height);
  list->stamp = *stamp;
  list->width = width;
  list->height = height;
  list->count = face_result_count(result);
  list->faces = g_new0(GstFace, list->count);
  list->is_predicted = list->count > 0;
  for (guint index = 0; index < list->count; index++) {
    copy_face(&list->faces[index], result, index, id_offset);
    if (!list->faces[index].info.predicted) list->is_predicted = FALSE;
  }
  return list;
}

GstFaceList *gst_face_list_ref(GstFaceList *list)
{
  return list != NULL ? g_atomic_rc_box_acquire(list) : NULL;
}

static void clear(gpointer data)
{
  GstFaceList *list = data;
  for (guint index = 0; index < list->count; index++) {
    g_free(list->faces[index].landmarks);
    g_free(list->faces[index].expressions);
  }
  g_free(list->faces);
}

void gst_face_list_unref(GstFaceList *list)
{
  if (list != NULL) g_atomic_rc_box_release_full(list, clear);
}

static void set_number(GstStructure *structure, const gchar *name, gdouble value)
{
  gst_structure_set(structure, name, G_TYPE_DOUBLE, value, NULL);
}

static void set_points(GstStructure *structure, const face_info *info)
{
  const struct {
    const gchar *x, *y;
    face_point point;
  } points[] = {{"left-eye-x", "left-eye-y", info->left_eye},
                {"right-eye-x", "right-eye-y", info->right_eye},
                {"nose-tip-x", "nose-tip-y", info->nose_tip},
                {"mouth-left-x", "mouth-left-y", info->mouth_left},
                {"mouth-right-x", "mouth-right-y", info->mouth_right}};
  for (guint index = 0; index < G_N_ELEMENTS(points); index++) {
    set_number(structure, points[index].x, points[index].point.x);
    set_number(structure, points[index].y, points[index].point.y);
  }
}

static void set_quality(GstStructure *structure, const face_info *info)
{
  set_number(structure, "quality", info->quality);
  set_number(structure, "sharpness", info->sharpness);
  set_number(structure, "exposure", info->exposure);
  set_number(structure, "size", info->size);
  set_number(structure, "frontality", info->frontality);
  set_number(structure, "framing", info->framing);
}

GstStructure *gst_face_to_structure(const GstFace *face, const gchar *name)
{
  const face_info *info = &face->info;
  GstStructure *structure = gst_structure_new(
      name, "confidence", G_TYPE_DOUBLE, (gdouble)info->confidence, "x", G_TYPE_DOUBLE, (gdouble)info->box.x, "y",
      G_TYPE_DOUBLE, (gdouble)info->box.y, "width", G_TYPE_DOUBLE, (gdouble)info->box.width, "height", G_TYPE_DOUBLE,
      (gdouble)info->box.height, "predicted", G_TYPE_BOOLEAN, info->predicted != 0, NULL);
  if ((info->valid & FACE_VALID_ID) != 0)
    gst_structure_set(structure, "id", G_TYPE_UINT64, info->id, "frame-count", G_TYPE_UINT, info->frame_count, NULL);
  if ((info->valid & FACE_VALID_POINTS) != 0) set_points(structure, info);
  if ((info->valid & FACE_VALID_POSE) != 0) {
    set_number(structure, "yaw", info->yaw);
    set_number(structure, "pitch", info->pitch);
    set_number(structure, "roll", info->roll);
  }
  if ((info->valid & FACE_VALID_EYES) != 0) {
    set_number(structure, "left-eye-open", info->left_eye_open);
    set_number(structure, "right-eye-open", info->right_eye_open);
  }
  if ((info->valid & FACE_VALID_MOUTH) != 0) {
    set_number(structure, "smile", info->smile);
    set_number(structure, "mouth-open", info->mouth_open);
  }
  if ((info->valid & FACE_VALID_QUALITY) != 0) set_quality(structure, info);
  return structure;
}

GstStructure *gst_face_landmarks_to_structure(const GstFace *face)
{
  if (face->landmarks == NULL) return NULL;
  GBytes *bytes = g_bytes_new(face->landmarks, GST_FACE_LANDMARKS * sizeof *face->landmarks);
  GstStructure *structure = gst_structure_new("landmarks", "points", G_TYPE_BYTES, bytes, NULL);
  g_bytes_unref(bytes);
  return structure;
}

GstStructure *gst_face_expressions_to_structure(const GstFace *face)
{
  if (face->expressions == NULL) return NULL;
  GstStructure *structure = gst_structure_new_empty("expressions");
  for (guint index = 0; index < FACE_EXPRESSION_COUNT; index++) {
    const char *name = face_expression_name(index);
    if (g_ascii_isalpha(*name)) set_number(structure, name, face->expressions[index]);
  }
  return structure;
}
