/* Decides what the screen shows. */
#pragma once

#include "guided_check.hpp"

#include <cmath>
#include <map>

enum tone { calm, attention, good, bad };

/* A kind of screen. */
struct screen_kind {
  enum tone tone;
  bool is_live;                      /* shows the camera's picture */
  std::chrono::milliseconds limit;   /* how long it stays; 0: as long as its reason */
  std::vector<const char *> buttons; /* keys of texts, the more likely one first */
};
inline const std::map<std::string, screen_kind> screen_kinds = {{"idle", {calm, true, 0s, {}}},
                                                                {"searching", {calm, true, 0s, {}}},
                                                                {"tip", {attention, true, 0s, {}}},
                                                                {"steady", {calm, true, 0s, {}}},
                                                                {"action", {calm, true, 0s, {}}},
                                                                {"countdown", {good, true, 0s, {}}},
                                                                {"success", {good, false, 20s, {"accept", "retake"}}},
                                                                {"saved", {good, false, 3500ms, {}}},
                                                                {"failure", {bad, false, 9s, {"again"}}},
                                                                {"time_out", {attention, false, 9s, {"again"}}},
                                                                {"camera_gone", {bad, false, 0s, {}}},
                                                                {"engine_gone", {attention, false, 0s, {}}}};

/* Whether a tip requests an action, which has the same name. */
inline bool is_action(face_tip tip)
{
  const std::string name = face_tip_name(tip);
  face_action action = 1;
  while (face_action_name(action) != nullptr && name != face_action_name(action)) action++;
  return face_action_name(action) != nullptr;
}

class scene {
public:
  std::string name = "idle", title = "idle", symbol = "idle"; /* of the screen; keys of its text and its symbol */
  int arrow_x = 0, arrow_y = 0;             /* where to move or to turn, as the screen shows it: -1, 0 or 1 */
  double progress = 0;                      /* of the countdown */
  int seconds = 0, done = 0, count = 0;     /* of the countdown, which has no symbol; actions */
  steady::time_point since = steady::now(); /* when the screen came */
  int drawn = 0;                            /* how often it has been drawn */

  const screen_kind &kind() const { return screen_kinds.at(name); }

  /* How much is left of the screen's time, 1 to 0: then comes the next person's turn. */
  double left() const
  {
    const std::chrono::duration<double> limit = kind().limit, shown = steady::now() - since;
    return limit.count() == 0 ? 1 : std::max(0.0, 1 - shown / limit);
  }

  /* Finds what to show. `has_picture`: one was taken and waits for the person's choice. */
  void update(const check_status &status, camera_state camera, bool has_picture, double hold)
  {
    const face_tip tip = status.event.tip < FACE_TIP_COUNT ? status.event.tip : face_tip(FACE_TIP_PROMPT);
    const std::string tip_key = std::string("tip.") + face_tip_name(tip);
    if (status.sees_anyone) seen_ = steady::now();
    progress = double(status.event.progress);
    seconds = int(std::ceil(hold * (1 - progress)));
    done = int(status.event.actions_done);
    count = int(status.event.action_count);
    if (has_picture)
      show("success", "success");
    else if (camera == camera_state::stalled)
      show("camera_gone", "camera_gone");
    else if (status.engine_gone)
      show("engine_gone", "engine_gone");
    else if (status.event.state == FACE_CHECK_TIME_OUT)
      show("time_out", "time_out");
    else if (!status.failure.empty())
      show("failure", "failed." + status.failure);
    else if (status.event.state == FACE_CHECK_WAITING && steady::now() - seen_ > 3s)
      show("idle", "idle");
    else if (tip == FACE_TIP_PROMPT || tip == FACE_TIP_NO_FACE)
      show("searching", "searching");
    else if (is_action(tip))
      show("action", tip_key);
    else if (tip == FACE_TIP_HOLD_STILL && progress > 0)
      show("countdown", tip_key);
    else if (tip == FACE_TIP_HOLD_STILL || tip == FACE_TIP_DONE)
      show("steady", tip_key); /* asks for nothing new */
    else
      show("tip", tip_key);
  }

  void show(const std::string &screen, const std::string &text)
  {
    if (screen != name) {
      since = steady::now();
      drawn = 0;
    }
    name = screen;
    title = text;
    symbol = name == "countdown" ? "" : name == "tip" || name == "steady" || name == "action" ? title : name;
    /* The preview is a mirror: the person's own left, of LOOK and TURN, is the screen's left, of MOVE. */
    const auto says = [this](const char *way) { return title.find(way) != title.npos; };
    arrow_x = says("_right") - says("_left");
    arrow_y = says("_down") - says("_up");
  }

private:
  steady::time_point seen_ = steady::now() - 1h; /* when anybody was last seen */
};
