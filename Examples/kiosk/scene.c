#include "kiosk.h"

#include <stdio.h>
#include <string.h>

enum { SEEN_MS = 3000 };

static const struct {
  const char *name;
  enum tone tone;
  const char *buttons[2];
} of_screen[] = {
  [SCREEN_IDLE] = {"idle", TONE_CALM, {NULL, NULL}},
  [SCREEN_SEARCHING] = {"searching", TONE_CALM, {NULL, NULL}},
  [SCREEN_TIP] = {"tip", TONE_ATTENTION, {NULL, NULL}},
  [SCREEN_ACTION] = {"action", TONE_CALM, {NULL, NULL}},
  [SCREEN_COUNTDOWN] = {"countdown", TONE_GOOD, {NULL, NULL}},
  [SCREEN_SUCCESS] = {"success", TONE_GOOD, {"retake", "accept"}},
  [SCREEN_SAVED] = {"saved", TONE_GOOD, {NULL, NULL}},
  [SCREEN_FAILURE] = {"failure", TONE_BAD, {NULL, "again"}},
  [SCREEN_TIME_OUT] = {"time_out", TONE_ATTENTION, {NULL, "again"}},
  [SCREEN_CAMERA_GONE] = {"camera_gone", TONE_BAD, {NULL, NULL}},
  [SCREEN_ENGINE_GONE] = {"engine_gone", TONE_ATTENTION, {NULL, NULL}},
};

static void show(struct scene *scene, enum screen screen, const char *title)
{
  if (screen != scene->screen || scene->name == NULL) scene->since = SDL_GetTicks64();
  scene->screen = screen;
  scene->name = scene->symbol = of_screen[screen].name;
  scene->tone = of_screen[screen].tone;
  scene->arrow_x = scene->arrow_y = 0;
  memcpy(scene->buttons, of_screen[screen].buttons, sizeof scene->buttons);
  snprintf(scene->title, sizeof scene->title, "%s", title);
  snprintf(scene->detail, sizeof scene->detail, "%s.detail", scene->title);
}

/* The preview is a mirror: the person's own left, of LOOK and TURN, is the screen's left, of MOVE. */
static void show_tip(struct scene *scene, enum screen screen, face_tip tip)
{
  char title[40];
  snprintf(title, sizeof title, "tip.%s", face_tip_name(tip));
  show(scene, screen, title);
  scene->symbol = scene->title;
  if (strstr(title, "_left") != NULL) scene->arrow_x = -1;
  if (strstr(title, "_right") != NULL) scene->arrow_x = 1;
  if (strstr(title, "_up") != NULL) scene->arrow_y = -1;
  if (strstr(title, "_down") != NULL) scene->arrow_y = 1;
}

/* While the check waits for a person or looks at one. */
static void show_check(struct scene *scene, const struct check_status *status, double hold)
{
  const face_tip tip = status->tip < FACE_TIP_COUNT ? status->tip : FACE_TIP_PROMPT;
  if (status->sees_anyone) scene->seen = SDL_GetTicks64();
  int alone = scene->seen == 0 || SDL_GetTicks64() - scene->seen > SEEN_MS;
  if (status->state == FACE_CHECK_WAITING && alone) show(scene, SCREEN_IDLE, "idle");
  else if (tip == FACE_TIP_PROMPT || tip == FACE_TIP_NO_FACE) show(scene, SCREEN_SEARCHING, "searching");
  else if (tip >= FACE_TIP_BLINK && tip <= FACE_TIP_OPEN_MOUTH) show_tip(scene, SCREEN_ACTION, tip);
  else if (tip == FACE_TIP_HOLD_STILL && status->progress > 0) show_tip(scene, SCREEN_COUNTDOWN, tip);
  else show_tip(scene, SCREEN_TIP, tip);
  scene->progress = status->progress;
  scene->seconds = (int)(hold * (1 - (double)status->progress) + 0.999);
  scene->done = (int)status->actions_done;
  scene->count = (int)status->action_count;
  if (scene->screen == SCREEN_COUNTDOWN) scene->symbol = NULL; /* a number */
}

void scene_update(struct scene *scene, const struct check_status *status, enum frames_state camera, int has_picture,
                  double hold)
{
  char failure[48];
  snprintf(failure, sizeof failure, "failed.%s", status->failure);
  if (has_picture) show(scene, SCREEN_SUCCESS, "success");
  else if (camera == FRAMES_STALLED) show(scene, SCREEN_CAMERA_GONE, "camera_gone");
  else if (status->engine_gone) show(scene, SCREEN_ENGINE_GONE, "engine_gone");
  else if (status->state == FACE_CHECK_TIME_OUT) show(scene, SCREEN_TIME_OUT, "time_out");
  else if (status->failure[0] != 0) show(scene, SCREEN_FAILURE, failure);
  else show_check(scene, status, hold);
}

void scene_saved(struct scene *scene) { show(scene, SCREEN_SAVED, "saved"); }

float scene_left(const struct scene *scene)
{
  static const float limits[SCREEN_ENGINE_GONE + 1] = {
    [SCREEN_SUCCESS] = 20000, [SCREEN_SAVED] = 3500, [SCREEN_FAILURE] = 9000, [SCREEN_TIME_OUT] = 9000};
  const float limit = limits[scene->screen], shown = (float)(SDL_GetTicks64() - scene->since);
  return limit == 0 ? 1 : shown > limit ? 0 : 1 - shown / limit;
}
