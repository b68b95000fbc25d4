#include "faces.h"

#include <math.h>

#include "members.h"

/* Outputs for which face_info or GstFace has members. */
#define OUTPUTS_WITH_MEMBERS (FACE_OUTPUT_LANDMARKS | FACE_OUTPUT_EXPRESSIONS | OUTPUTS_OF_FIELDS)

/* The next output after `*number` that is known of the face and has no members; NULL if there is none. */
static const face_output *next_other(const GstFace *face, guint *number)
{
  const face_output *output;
  while ((output = face_output_at((*number)++)) != NULL)
    if ((face->info.valid & output->bit & ~OUTPUTS_WITH_MEMBERS) != 0) break;
  return output;
}

static void copy_others(GstFace *face, const face_result *result, guint index)
{
  const face_output *output;
  face->others = g_array_new(FALSE, FALSE, sizeof(gfloat));
  for (guint number = 0; (output = next_other(face, &number)) != NULL;) {
    guint begin = face->others->len;
    g_array_set_size(face->others, begin + output->count);
    if (face_result_values(result, index, output->bit, &g_array_index(face->others, gfloat, begin), output->count,
                           NULL) == FACE_OK)
      continue;
    g_array_set_size(face->others, begin);
    face->info.valid &= ~output->bit;
  }
}

static void look(GstFace *face, const face_result *result, guint index, const GstFaceScreen *screen)
{
  gfloat half = screen->width / 2, top = -screen->gap, bottom = top - screen->height;
  const face_screen corners = {{half, top, 0}, {-half, top, 0}, {half, bottom, 0}};
  face->is_looking = screen->width > 0 && screen->height > 0 && (face->info.valid & FACE_VALID_GAZE) != 0 &&
                     face_result_look_at(result, index, &corners, &face->look_at) == FACE_OK;
}

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
  copy_others(face, result, index);
}

GstClockTime gst_face_stamp_time(const GstFaceStamp *stamp)
{
  return GST_CLOCK_TIME_IS_VALID(stamp->running_time) ? stamp->running_time : gst_util_get_timestamp();
}

GstFaceList *gst_face_list_new(const face_result *result, const GstFaceStamp *stamp, const GstFaceScreen *screen,
                               guint64 id_offset)
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
    look(&list->faces[index], result, index, screen);
    if (!list->faces[index].info.predicted) list->is_predicted = FALSE;
  }
  return list;
}

GstFaceList *gst_face_list_ref(GstFaceList *list) { return list != NULL ? g_atomic_rc_box_acquire(list) : NULL; }

static void clear(gpointer data)
{
  GstFaceList *list = data;
  for (guint index = 0; index < list->count; index++) {
    g_free(list->faces[index].landmarks);
    g_free(list->faces[index].expressions);
    g_array_unref(list->faces[index].others);
  }
  g_free(list->faces);
}

void gst_face_list_unref(GstFaceList *list)
{
  if (list != NULL) g_atomic_rc_box_release_full(list, clear);
}

gboolean gst_face_pixels(const GstFace *face, gint width, gint height, gint *x, gint *y, gint *box_width,
                         gint *box_height)
{
  const face_box *box = &face->info.box;
  gint left = (gint)lroundf(CLAMP(box->x, 0, (gfloat)width));
  gint top = (gint)lroundf(CLAMP(box->y, 0, (gfloat)height));
  gint right = (gint)lroundf(CLAMP(box->x + box->width, 0, (gfloat)width));
  gint bottom = (gint)lroundf(CLAMP(box->y + box->height, 0, (gfloat)height));
  *x = left;
  *y = top;
  *box_width = right - left;
  *box_height = bottom - top;
  return right > left && bottom > top;
}

static void set_number(GstStructure *structure, const gchar *name, gdouble value)
{
  gst_structure_set(structure, name, G_TYPE_DOUBLE, value, NULL);
}

#define FIELD(name, member, known) {name, G_STRUCT_OFFSET(face_info, member), known},

/* The numbers of face_info, and the bits of `valid` that say whether they are known. */
static const struct {
  const gchar *name;
  glong offset;
  guint32 known;
} fields[] = {FIELDS(FIELD)};

/* Arrays of numbers, by the library's names with hyphens. */
static void set_others(GstStructure *structure, const GstFace *face)
{
  const face_output *output;
  const gfloat *values = (const gfloat *)(void *)face->others->data;
  for (guint number = 0; (output = next_other(face, &number)) != NULL; values += output->count) {
    gchar *name = g_strdelimit(g_strdup(output->name), "_", '-');
    GValue array = G_VALUE_INIT;
    g_value_init(&array, GST_TYPE_ARRAY);
    for (guint index = 0; index < output->count; index++) {
      GValue value = G_VALUE_INIT;
      g_value_init(&value, G_TYPE_DOUBLE);
      g_value_set_double(&value, values[index]);
      gst_value_array_append_and_take_value(&array, &value);
    }
    gst_structure_take_value(structure, name, &array);
    g_free(name);
  }
}

GstStructure *gst_face_to_structure(const GstFace *face, const gchar *name)
{
  const face_info *info = &face->info;
  GstStructure *structure = gst_structure_new(name, "predicted", G_TYPE_BOOLEAN, info->predicted != 0, NULL);
  for (guint index = 0; index < G_N_ELEMENTS(fields); index++)
    if ((info->valid & fields[index].known) == fields[index].known)
      set_number(structure, fields[index].name, G_STRUCT_MEMBER(gfloat, info, fields[index].offset));
  if ((info->valid & FACE_VALID_ID) != 0)
    gst_structure_set(structure, "id", G_TYPE_UINT64, info->id, "frame-count", G_TYPE_UINT, info->frame_count, NULL);
  if (face->is_looking)
    gst_structure_set(structure, "look-at-x", G_TYPE_DOUBLE, (gdouble)face->look_at.x, "look-at-y", G_TYPE_DOUBLE,
                      (gdouble)face->look_at.y, NULL);
  set_others(structure, face);
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

void gst_face_add_expressions(const GstFace *face, GstStructure *structure)
{
  for (guint index = 0; face->expressions != NULL && index < FACE_EXPRESSION_COUNT; index++) {
    const char *name = face_expression_name(index);
    if (g_ascii_isalpha(*name)) set_number(structure, name, face->expressions[index]);
  }
}
