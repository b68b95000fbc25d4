#include "covers.h"

/* How much larger the box of a lost face is on each side, since it may have moved, in units of its size. */
#define GROWTH 0.15f

void gst_face_covers_init(GstFaceCovers *covers) { covers->held = g_array_new(FALSE, FALSE, sizeof(GstFaceHeld)); }

void gst_face_covers_clear(GstFaceCovers *covers) { g_clear_pointer(&covers->held, g_array_unref); }

void gst_face_covers_forget(GstFaceCovers *covers) { g_array_set_size(covers->held, 0); }

gboolean gst_face_covers_are_on(const GstFaceCovers *covers) { return covers->settings.kind != GST_FACE_COVER_NONE; }

static void see(GArray *held, const face_info *info, GstClockTime now)
{
  if ((info->valid & FACE_VALID_ID) == 0) return;
  GstFaceHeld seen = {info->id, info->box, now};
  for (guint index = 0; index < held->len; index++) {
    GstFaceHeld *known = &g_array_index(held, GstFaceHeld, index);
    if (known->id != info->id) continue;
    *known = seen;
    return;
  }
  g_array_append_val(held, seen);
}

void gst_face_covers_update(GstFaceCovers *covers, const GstFaceList *list, GstClockTime now)
{
  for (guint index = 0; list != NULL && index < list->count; index++) see(covers->held, &list->faces[index].info, now);
  for (guint index = covers->held->len; index-- > 0;) {
    GstClockTime time = g_array_index(covers->held, GstFaceHeld, index).time;
    /* A stream that begins anew has earlier times. */
    if (now < time || now - time > covers->settings.hold) g_array_remove_index_fast(covers->held, index);
  }
}

static gboolean is_in(const GstFaceList *list, guint64 id)
{
  for (guint index = 0; list != NULL && index < list->count; index++) {
    const face_info *info = &list->faces[index].info;
    if ((info->valid & FACE_VALID_ID) != 0 && info->id == id) return TRUE;
  }
  return FALSE;
}

GArray *gst_face_covers_boxes(const GstFaceCovers *covers, const GstFaceList *list)
{
  GArray *boxes = g_array_new(FALSE, FALSE, sizeof(face_info));
  if (!gst_face_covers_are_on(covers)) return boxes;
  for (guint index = 0; index < covers->held->len; index++) {
    const GstFaceHeld *held = &g_array_index(covers->held, GstFaceHeld, index);
    if (is_in(list, held->id)) continue;
    face_info info;
    face_info_init(&info);
    info.box = (face_box){held->box.x - GROWTH * held->box.width, held->box.y - GROWTH * held->box.height,
                          (1 + 2 * GROWTH) * held->box.width, (1 + 2 * GROWTH) * held->box.height};
    g_array_append_val(boxes, info);
  }
  for (guint index = 0; list != NULL && index < list->count; index++)
    g_array_append_val(boxes, list->faces[index].info);
  return boxes;
}
