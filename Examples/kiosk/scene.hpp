/* Decides what the screen shows. */
#pragma once

#include "guided_check.hpp"

#include <cmath>

enum tone { calm, attention, good, bad };

class scene {
public:
  std::string kind = "idle", title = "idle", symbol = "idle"; /* of the screen; keys of its text and its symbol */
  int arrow_x = 0, arrow_y = 0;           /* where to move or to turn, as the screen shows it: -1, 0 or 1 */
  float progress = 0;                     /* of the countdown */
  int seconds = 0, done = 0, count = 0;   /* of the countdown, which has no symbol; actions */
  steady::time_point since = steady::now(); /* when the screen came */

  /* What does not change on a kind of screen. */
  struct traits {
    enum tone tone;
    bool is_live;                      /* shows the camera's picture */
    std::chrono::milliseconds limit;   /* how long it stays; 0: as long as its reason */
    std::vector<const char *> buttons; /* keys of texts, the more likely one first */
  };
  const traits &look() const
  {
    static const std::map<std::string, traits> all = {
      {"idle", {calm, true, 0s, {}}},
      {"searching", {calm, true, 0s, {}}},
      {"tip", {attention, true, 0s, {}}},
      {"action", {calm, true, 0s, {}}},
      {"countdown", {good, true, 0s, {}}},
      {"success", {good, false, 20s, {"accept", "retake"}}},
      {"saved", {good, false, 3500ms, {}}},
      {"failure", {bad, false, 9s, {"again"}}},
      {"time_out", {attention, false, 9s, {"again"}}},
      {"camera_gone", {bad, false, 0s, {}}},
      {"engine_gone", {attention, false, 0s, {}}},
    };
    return all.at(kind);
  }

  /* How much is left of the screen's time, 1 to 0: then comes the next person's turn. */
  float left() const
  {
    const std::chrono::duration<float> limit = look().limit, shown = steady::now() - since;
    return limit.count() == 0 ? 1 : std::max(0.0f, 1 - shown / limit);
  }

  /* Finds what to show. `has_picture`: one was taken and waits for the person's choice. */
  void update(const check_status &status, camera_state camera, bool has_picture, double hold)
  {
    const face_tip tip = status.tip < FACE_TIP_COUNT ? status.tip : face_tip(FACE_TIP_PROMPT);
    const std::string tip_key = std::string("tip.") + face_tip_name(tip);
    if (status.sees_anyone) seen_ = steady::now();
    progress = status.progress;
    seconds = int(std::ceil(hold * (1 - double(status.progress))));
    done = int(status.actions_done);
    count = int(status.action_count);
    if (has_picture) show("success", "success");
    else if (camera == camera_state::stalled) show("camera_gone", "camera_gone");
    else if (status.engine_gone) show("engine_gone", "engine_gone");
    else if (status.state == FACE_CHECK_TIME_OUT) show("time_out", "time_out");
    else if (!status.failure.empty()) show("failure", "failed." + status.failure);
    else if (status.state == FACE_CHECK_WAITING && steady::now() - seen_ > 3s) show("idle", "idle");
    else if (tip == FACE_TIP_PROMPT || tip == FACE_TIP_NO_FACE) show("searching", "searching");
    else if (tip >= FACE_TIP_BLINK && tip <= FACE_TIP_OPEN_MOUTH) show("action", tip_key);
    else if (tip == FACE_TIP_HOLD_STILL && status.progress > 0) show("countdown", tip_key);
    else show("tip", tip_key);
  }

  void show(const std::string &now, const std::string &text)
  {
    if (now != kind) since = steady::now();
    kind = now;
    title = text;
    symbol = kind == "countdown" ? "" : kind == "tip" || kind == "action" ? title : kind;
    /* The preview is a mirror: the person's own left, of LOOK and TURN, is the screen's left, of MOVE. */
    const auto says = [this](const char *way) { return title.find(way) != title.npos; };
    arrow_x = says("_right") - says("_left");
    arrow_y = says("_down") - says("_up");
  }

private:
  steady::time_point seen_ = steady::now() - 1h; /* when anybody was last seen */
};
