/* The guided check of a camera's frames, with an engine in this process or a running one that may go and come back. */
#pragma once

#include "camera.hpp"

#include <face_engine_draw.h>
#include <mutex>
#include <optional>

using picture = face::owned<face_picture, face_picture_destroy>;

/* Returns an upright copy; NULL if there is no memory for it. */
inline picture picture_of(const face_image &image)
{
  face_picture *made = nullptr;
  if (face_picture_create(&image, &made) != FACE_OK) std::fprintf(stderr, "kiosk: %s\n", face_draw_last_error());
  return picture(made);
}

/* The person's check at one moment. */
struct check_status {
  bool engine_gone = false, sees_anyone = false;
  face_check event{};           /* the last one: its state, tip, progress and actions */
  std::optional<face_box> face; /* in pixels of the view */
  std::string failure;          /* a code, as in "face_lost" */
};

class guided_check {
public:
  std::atomic<std::uint64_t> searched{0}; /* frames so far */

  /* Throws face::error if the model cannot be loaded. A running engine need not be there yet. */
  explicit guided_check(const settings &asked) : asked_(asked)
  {
    /* The only line that differs between an engine in this process and a running one, which `open` connects to. */
    if (asked.model != nullptr) engine_ = face::engine::load(asked.model);
  }

  /* Submits a frame; NULL: waits until all are searched. The camera's thread calls it, and alone has the session. */
  void submit(const camera_frame *frame)
  {
    try {
      if (is_over()) open();
      if (!session_) return;
      if (frame != nullptr) session_->submit(frame->image);
      if (frame == nullptr || asked_.every) session_->flush(5s);
    } catch (const face::error &error) {
      failed(error);
      /* Of an engine that is away it is known at once when it is back; what else is wrong needs time. */
      std::this_thread::sleep_for(error.status() == FACE_UNAVAILABLE ? 20ms : 500ms);
    }
  }

  /* Says how the preview shows frames, and where the circle is on it. This and the next three return at once. */
  void set_view(const face::space &view, face_circle circle)
  {
    const std::lock_guard lock(mutex_);
    if (view_.view_width == view.view_width && view_.view_height == view.view_height) return;
    view_ = view;
    circle_ = circle;
    begin_anew();
  }

  check_status status()
  {
    std::unique_lock lock(mutex_);
    if (!owed_ || steady::now() - *owed_ < 5s) return status_;
    lock.unlock();
    failed(face::error(FACE_DEADLINE_EXCEEDED, "the engine does not answer"));
    return status();
  }

  picture take_picture()
  {
    const std::lock_guard lock(mutex_);
    return std::move(taken_);
  }

  void restart()
  {
    const std::lock_guard lock(mutex_);
    begin_anew();
  }

private:
  /* Ends the attempt; the camera's thread begins a new one. The mutex is locked. */
  void begin_anew()
  {
    is_over_ = true;
    const bool engine_gone = std::exchange(status_, {}).engine_gone;
    status_.engine_gone = engine_gone;
    taken_.reset();
  }

  /* Whether the attempt is over; if not, a running engine owes an answer to the frame that follows. */
  bool is_over()
  {
    const std::lock_guard lock(mutex_);
    if (!owed_ && asked_.model == nullptr) owed_ = steady::now();
    return is_over_;
  }

  /* Opens a session for the view of the moment, connecting first if need be. */
  void open()
  {
    session_.reset();
    if (!engine_) engine_ = face::engine::connect(asked_.socket);
    face::check_options options;
    options.use_timestamps = std::uint32_t(asked_.every);
    options.hold_ns = std::uint64_t(asked_.hold * 1e9);
    options.timeout_ns = std::uint64_t(asked_.timeout * 1e9);
    options.crop_size = 768;
    options.shuffle_actions = 1;
    for (const face_action action : asked_.actions) options.actions[options.action_count++] = action;
    face::session_options stream;
    stream.mode = asked_.every ? FACE_SESSION_EVERY : FACE_SESSION_NEWEST;
    stream.max_missed_frames = 45;
    face::listener listener;
    listener.on_check = [this](const face_frame &, const face_check &event) { take_event(event); };
    listener.on_faces = [this](const face_frame &, const face::result &result) { answered(result); };
    listener.on_failed = [this](const face_frame &, const face::error &error) { failed(error); };
    std::unique_lock lock(mutex_);
    const face::space view = view_;
    options.view = &view;
    options.mask = circle_;
    is_over_ = false;
    lock.unlock();
    session_.emplace(engine_->open_check(listener, options, &stream));
  }

  /* ---- Events, on the session's own thread ----------------------------------------------------------------------- */

  void answered(const face::result &result)
  {
    const std::lock_guard lock(mutex_);
    owed_.reset();
    failure_ = FACE_OK;
    status_.engine_gone = false;
    status_.sees_anyone = !result.empty();
    searched++;
  }

  /* A frame, or the way to the engine, failed. On any thread. */
  void failed(const face::error &error)
  {
    if (error.status() == FACE_CANCELLED) return;
    const std::lock_guard lock(mutex_);
    owed_.reset();
    if (std::exchange(failure_, error.status()) != error.status()) std::fprintf(stderr, "kiosk: %s\n", error.what());
    if (asked_.model != nullptr) return;
    status_.engine_gone = true;
    begin_anew(); /* nothing of before meets the next visitor */
  }

  void take_event(const face_check &event)
  {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    status_.event = event;
    face::face found;
    if (event.event == FACE_CHECK_EVENT_CLEAR) status_.face.reset();
    if (event.event == FACE_CHECK_EVENT_DRAW && face_result_get_in(event.faces, 0, &view_, &found) == FACE_OK)
      status_.face = found.box;
    if (event.event == FACE_CHECK_EVENT_FAILED) status_.failure = event.code;
    if (event.event == FACE_CHECK_EVENT_RESULT) taken_ = picture_of(*event.crop);
    if (asked_.trace) trace(event);
  }

  static void trace(const face_check &event)
  {
    if (event.event == FACE_CHECK_EVENT_STATUS) std::printf("state %s\n", face_check_state_name(event.state));
    if (event.event == FACE_CHECK_EVENT_TIP) std::printf("tip %s\n", face_tip_name(event.tip));
    if (event.event == FACE_CHECK_EVENT_RESULT) std::printf("result %ux%u\n", event.crop->width, event.crop->height);
    if (event.event == FACE_CHECK_EVENT_FAILED) std::printf("failed %s\n", event.code);
  }

  const settings &asked_;
  std::optional<face::engine> engine_;
  std::mutex mutex_; /* of everything below, save the session */
  face::space view_;
  face_circle circle_{};
  bool is_over_ = false;                   /* the attempt: its events are ignored, and its session is to be closed */
  std::optional<steady::time_point> owed_; /* since when a running engine owes an answer */
  face_status failure_ = FACE_OK;          /* how the last frame failed; it is printed once */
  check_status status_;
  picture taken_;
  std::optional<face::check_session> session_;
};
