#include "check.h"

#include <string.h>

#include "messages.h"

face_status gst_face_check_open(face_engine *engine, const face_session_options *session,
                                const GstFaceCheckSettings *settings, gint width, gint height,
                                face_session **out_session)
{
  face_check_options check = settings->options;
  face_space view = settings->view;
  /* The frame's own pixels are the view, unless it is a mirror. Its size is known with the first frame. */
  gboolean has_size = view.view_width > 0 || view.view_height > 0;
  if (!has_size) {
    view.view_width = (gfloat)width;
    view.view_height = (gfloat)height;
  }
  if (has_size || (view.mirrored && width > 0)) check.view = &view;
  return face_check_open(engine, session, &check, out_session);
}

void gst_face_check_forget(GstFaceCheckState *state)
{
  state->ended = GST_CLOCK_TIME_NONE;
  state->is_marked = FALSE;
  state->progress = 0;
  state->actions_done = 0;
}

gboolean gst_face_check_resize(GstFaceCheckState *state, const GstFaceCheckSettings *settings, const GstVideoInfo *info)
{
  gint width = GST_VIDEO_INFO_WIDTH(info), height = GST_VIDEO_INFO_HEIGHT(info);
  gboolean is_new = width != state->width || height != state->height;
  state->width = width;
  state->height = height;
  return is_new && settings->view.mirrored && settings->view.view_width <= 0;
}

gboolean gst_face_check_take_restart(GstFaceCheckState *state, const GstFaceCheckSettings *settings,
                                     GstClockTime running_time)
{
  gboolean is_over = GST_CLOCK_TIME_IS_VALID(state->ended) && GST_CLOCK_TIME_IS_VALID(settings->restart_delay) &&
                     running_time >= state->ended && running_time - state->ended >= settings->restart_delay;
  if (is_over) state->ended = GST_CLOCK_TIME_NONE;
  return is_over;
}

gboolean gst_face_check_note(GstFaceCheckState *state, const face_check *check, GstClockTime running_time)
{
  gboolean is_new = check->progress != state->progress || check->actions_done != state->actions_done;
  state->mark = (GstFaceCheckMark){check->circle, check->text};
  state->is_marked = TRUE;
  switch (check->event) {
  case FACE_CHECK_EVENT_RESULT:
  case FACE_CHECK_EVENT_FAILED: state->ended = running_time; return TRUE;
  case FACE_CHECK_EVENT_STATUS:
  case FACE_CHECK_EVENT_TIP: return TRUE;
  default:
    state->progress = check->progress;
    state->actions_done = check->actions_done;
    return is_new;
  }
}

static void add_result(GstStructure *structure, const face_check *check, const GstFaceStamp *stamp,
                       const GstFaceScreen *screen, guint64 id_offset)
{
  GstFaceList *list = gst_face_list_new(check->faces, stamp, screen, id_offset);
  GstStructure *face = list->count > 0 ? gst_face_to_structure(&list->faces[0], "face") : NULL;
  if (face != NULL) {
    gst_face_add_expressions(&list->faces[0], face);
    gst_structure_set(structure, "face", GST_TYPE_STRUCTURE, face, NULL);
    gst_structure_free(face);
  }
  gst_face_list_unref(list);
  gst_face_take_sample(structure, "picture", check->picture);
  gst_face_take_sample(structure, "crop", check->crop);
  gst_structure_set(structure, "crop-x", G_TYPE_FLOAT, check->crop_box.x, "crop-y", G_TYPE_FLOAT, check->crop_box.y,
                    "crop-width", G_TYPE_FLOAT, check->crop_box.width, "crop-height", G_TYPE_FLOAT,
                    check->crop_box.height, NULL);
}

void gst_face_check_post(GstElement *element, const face_check *check, const GstFaceStamp *stamp,
                         const GstFaceScreen *screen, guint64 id_offset)
{
  static const gchar *const names[] = {
      [FACE_CHECK_EVENT_STATUS] = "check-status", [FACE_CHECK_EVENT_TIP] = "check-tip",
      [FACE_CHECK_EVENT_DRAW] = "check-progress", [FACE_CHECK_EVENT_CLEAR] = "check-progress",
      [FACE_CHECK_EVENT_RESULT] = "check-result", [FACE_CHECK_EVENT_FAILED] = "check-failed"};
  if (check->event == 0 || check->event >= G_N_ELEMENTS(names)) return;
  const char *tip = face_tip_name(check->tip);
  GstStructure *structure = gst_face_stamped(names[check->event], stamp);
  gst_structure_set(structure, "state", G_TYPE_STRING, face_check_state_name(check->state), "tip", G_TYPE_STRING,
                    tip != NULL ? tip : "unknown", "text", G_TYPE_STRING, check->text, "progress", G_TYPE_FLOAT,
                    check->progress, "actions-done", G_TYPE_UINT, check->actions_done, "action-count", G_TYPE_UINT,
                    check->action_count, "attempt", G_TYPE_UINT, check->attempt, "circle-x", G_TYPE_FLOAT,
                    check->circle.x, "circle-y", G_TYPE_FLOAT, check->circle.y, "circle-radius", G_TYPE_FLOAT,
                    check->circle.radius, NULL);
  if (check->event == FACE_CHECK_EVENT_RESULT) add_result(structure, check, stamp, screen, id_offset);
  if (check->event == FACE_CHECK_EVENT_FAILED)
    gst_structure_set(structure, "code", G_TYPE_STRING, check->code, "message", G_TYPE_STRING, check->message, NULL);
  gst_face_post(element, structure);
}
