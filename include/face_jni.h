/* The functions of an older mobile SDK on top of FaceEngine, for C++17: code that uses them compiles when it includes
 * this file.
 *
 *     global_listener *listener = new global_listener();
 *     listener->bindDrawPointsCallback([](Face face) { draw(face); });
 *     listener->bindClearPointsCallBack([] { clear(); });
 *     SmartDetector_bindListen(listener);
 *     if (!SmartDetector_loadModel("models")) return;          // the folder with yolov5n-0.5.param and .bin, or any of
 *                                                              ours
 *     FaceDetectCppMaskPoint circle {360, 560, 300};
 *     int status = SmartDetector_faceDetect(rgba, 720, 1280, circle);
 *     SmartDetector_release();                                 // deletes the listener, too
 *
 * As in that SDK, a program has one detector and one listener. Any thread may call the functions; one call runs at a
 * time, and callbacks run on the thread that called, before the function returns. A function that is called from a
 * callback only calls onFail.
 *
 * This header adds to that SDK: onFail for every failed call, a guided check in the circle (SmartDetector_startCheck),
 * and a choice of the order of the bytes (SmartDetector_setPixelFormat). There is no C form of this header.
 */
#ifndef FACE_JNI_H
#define FACE_JNI_H

#ifndef __cplusplus
#error "face_jni.h is for C++17; in C include face_engine.h and call face_load_model, face_detect and face_release"
#endif

#include "global_listener.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

/* That SDK's header does this, and its users rely on it. */
#ifndef FACE_JNI_NO_USING_NAMESPACE_STD
using namespace std;
#endif

namespace smart_detector {

/* An event of a guided check, copied from a face_check. */
struct CheckEvent {
  face_check_event event = 0;
  face_check_state state = 0;
  face_tip tip = 0;
  std::string text, code;
  FaceCheckResult result;
};

/* The face as that SDK describes it. */
inline Object object(const face_info &face)
{
  Object made;
  made.rect = cv::Rect_<float>(face.box.x, face.box.y, face.box.width, face.box.height);
  made.prob = face.confidence;
  if (face.valid & FACE_VALID_POINTS)
    for (const face_point &point : {face.left_eye, face.right_eye, face.nose_tip, face.mouth_left, face.mouth_right})
      made.pts.push_back(cv::Point2f(point.x, point.y));
  return made;
}

/* All faces of a result. */
inline Face faces(const face_result *found)
{
  Face all;
  const std::uint32_t count = face_result_count(found);
  for (std::uint32_t index = 0; index < count; index++) {
    face_info face;
    face_info_init(&face);
    if (face_result_get(found, index, &face) != FACE_OK) continue;
    FaceResult made;
    made.face = object(face);
    made.face_area = BoundingBox{face.box.x, face.box.y, face.box.x + face.box.width, face.box.y + face.box.height};
    all.fs.push_back(made);
  }
  if (all.fs.empty()) all.fs.push_back(FaceResult());
  return all;
}

/* A crop of BGRA pixels as RGBA. */
inline FaceCheckResult picture(const face_image &crop, const face_result *face)
{
  FaceCheckResult made;
  made.width = static_cast<int>(crop.width);
  made.height = static_cast<int>(crop.height);
  made.rgba.resize(static_cast<std::size_t>(crop.width) * crop.height * 4);
  const std::size_t stride = crop.strides[0] != 0 ? crop.strides[0] : static_cast<std::size_t>(crop.width) * 4;
  unsigned char *out = made.rgba.data();
  for (std::uint32_t row = 0; row < crop.height; row++) {
    const unsigned char *in = static_cast<const unsigned char *>(crop.planes[0]) + row * stride;
    for (std::uint32_t column = 0; column < crop.width; column++, in += 4, out += 4) {
      out[0] = in[2], out[1] = in[1], out[2] = in[0], out[3] = 255;
    }
  }
  made.face = faces(face).fs.front().face;
  return made;
}

/* The program's one detector. */
class Detector {
public:
  static Detector &shared()
  {
    static Detector detector;
    return detector;
  }
  Detector(const Detector &) = delete;
  Detector &operator=(const Detector &) = delete;
  /* Does not call the listener, which may be gone already. */
  ~Detector() { face_session_close(session_), face_release(engine_); }

  /* Runs `work` while no other call runs. Returns `refused` to a caller that is inside a callback. */
  template <typename Result, typename Work> Result call(const char *name, Result refused, Work work)
  {
    if (owner_.load() == std::this_thread::get_id()) {
      fail(FACE_FAILED_PRECONDITION, std::string(name) + " was called from a callback; call it after that has returned");
      return refused;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const Ownership ownership(owner_);
    return work();
  }

  void bind(global_listener *listener, bool is_owned)
  {
    /* release(), not reset(): the old listener must not be deleted. It belongs to the program again, and `listener` may
     * be the same one. */
    owned_.release();
    if (is_owned) owned_.reset(listener);
    listener_ = listener;
  }

  bool load(const std::string &folder)
  {
    if (engine_ != nullptr) {
      fail(FACE_ALREADY_EXISTS, "a model is loaded already and stays; call SmartDetector_release to load another one");
      return true;
    }
    const face_status status = face_load_model(folder.c_str(), &engine_);
    if (status != FACE_OK) fail(status, face_last_error());
    return status == FACE_OK;
  }

  /* Finds the faces of a picture and calls the listener. */
  int detect(const face_image &image, FaceDetectCppMaskPoint circle)
  {
    if (engine_ == nullptr) return failed(FACE_FAILED_PRECONDITION, "no model is loaded; call SmartDetector_loadModel first");
    if (listener_ != nullptr) listener_->onClearPoints();
    if (is_checking_) return check(image, circle);
    face_result *found = nullptr;
    const face_status status = face_detect(engine_, &image, nullptr, &found);
    if (status != FACE_OK) return failed(status, face_last_error());
    const Face all = faces(found);
    face_result_destroy(found);
    if (listener_ != nullptr) listener_->onDrawPoint(all);
    return 0;
  }

  void start_check(const face_check_options *options)
  {
    stop_check();
    face_check_options_init(&check_options_);
    if (options != nullptr) check_options_ = *options;
    if (check_options_.view != nullptr) {
      view_ = *check_options_.view;
      check_options_.view = &view_;
    }
    is_checking_ = true;
  }

  void stop_check()
  {
    face_session_close(session_);
    session_ = nullptr;
    is_checking_ = false;
  }

  void release()
  {
    stop_check();
    face_release(engine_);
    engine_ = nullptr;
    listener_ = nullptr;
    owned_.reset();
  }

  std::atomic<face_format> format{FACE_FORMAT_RGBA};

private:
  /* Records which thread makes the current call. */
  struct Ownership {
    std::atomic<std::thread::id> &owner;
    explicit Ownership(std::atomic<std::thread::id> &holder) : owner(holder) { owner = std::this_thread::get_id(); }
    ~Ownership() { owner = std::thread::id(); }
  };

  Detector() = default;

  void fail(int code, const std::string &message)
  {
    if (listener_ == nullptr || is_failing_) return;
    is_failing_ = true;
    listener_->onFail(code, message);
    is_failing_ = false;
  }

  int failed(face_status status, const std::string &message)
  {
    fail(status, message);
    return -static_cast<int>(status);
  }

  /* The next frame of a guided check in the circle; with another circle the check begins anew. */
  int check(const face_image &image, FaceDetectCppMaskPoint circle)
  {
    const bool is_same =
        circle.centerX == circle_.centerX && circle.centerY == circle_.centerY && circle.radius == circle_.radius;
    if (session_ != nullptr && !is_same) {
      face_session_close(session_);
      session_ = nullptr;
    }
    if (session_ == nullptr) {
      circle_ = circle;
      if (circle.radius > 0) check_options_.mask = face_circle{circle.centerX, circle.centerY, circle.radius};
      const face_status status = face_check_open(engine_, nullptr, &check_options_, &session_);
      if (status != FACE_OK) return failed(status, face_last_error());
      face_listener listener;
      face_listener_init(&listener);
      listener.user_data = this;
      listener.on_faces = on_faces;
      listener.on_failed = on_failed;
      listener.on_check = on_check;
      face_session_bind_listener(session_, &listener);
    }
    found_ = Face();
    events_.clear();
    status_ = FACE_OK;
    face_status status = face_session_submit(session_, &image, nullptr);
    if (status == FACE_OK) status = face_session_flush(session_, 0);
    if (status != FACE_OK) return failed(status, face_last_error());
    if (status_ != FACE_OK) return failed(status_, message_);
    if (listener_ != nullptr) listener_->onDrawPoint(found_);
    for (const CheckEvent &event : events_) deliver(event);
    return 0;
  }

  void deliver(const CheckEvent &event)
  {
    if (listener_ == nullptr) return;
    switch (event.event) {
    case FACE_CHECK_EVENT_STATUS: return listener_->onState(static_cast<FaceCheckState>(event.state));
    case FACE_CHECK_EVENT_TIP: return listener_->onTip(event.tip, event.text);
    case FACE_CHECK_EVENT_RESULT: return listener_->onResult(event.result), listener_->onComplete();
    case FACE_CHECK_EVENT_FAILED: return fail(code(event.code), event.text);
    default: return;
    }
  }

  static int code(const std::string &code)
  {
    if (code == "time_out") return FACE_FAIL_TIME_OUT;
    if (code == "wait_time_out") return FACE_FAIL_WAIT_TIME_OUT;
    if (code == "face_lost") return FACE_FAIL_FACE_LOST;
    return code == "face_changed" ? FACE_FAIL_FACE_CHANGED : FACE_FAIL_OTHER;
  }

  /* These three run on the session's thread, while the caller's waits in check(). */
  static void on_faces(const face_frame *, const face_result *found, void *detector)
  {
    static_cast<Detector *>(detector)->found_ = faces(found);
  }

  static void on_failed(const face_frame *, face_status status, const char *message, void *detector)
  {
    static_cast<Detector *>(detector)->status_ = status;
    static_cast<Detector *>(detector)->message_ = message;
  }

  static void on_check(const face_frame *, const face_check *check, void *detector)
  {
    CheckEvent made;
    made.event = check->event;
    made.state = check->state;
    made.tip = check->tip;
    made.text = check->event == FACE_CHECK_EVENT_FAILED ? check->message : check->text;
    if (check->code != nullptr) made.code = check->code;
    if (check->crop != nullptr) made.result = picture(*check->crop, check->faces);
    static_cast<Detector *>(detector)->events_.push_back(std::move(made));
  }

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  face_engine *engine_ = nullptr;
  face_session *session_ = nullptr;
  face_check_options check_options_{};
  face_space view_{}; /* what check_options_.view points to */
  FaceDetectCppMaskPoint circle_{};
  bool is_checking_ = false;
  bool is_failing_ = false;
  global_listener *listener_ = nullptr;
  std::unique_ptr<global_listener> owned_;
  Face found_;
  std::vector<CheckEvent> events_;
  face_status status_ = FACE_OK;
  std::string message_;
};

} // namespace smart_detector

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* The detector of the program. */

/* Binds a listener made with `new`; SmartDetector_release deletes it. The program owns a replaced listener again. NULL
 * unbinds. */
inline void SmartDetector_bindListen(global_listener *listener)
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  detector.call("SmartDetector_bindListen", 0, [&] { return detector.bind(listener, true), 0; });
}

/* Binds a listener that the program keeps until SmartDetector_release or until another one is bound. */
inline void SmartDetector_bindListen(global_listener &listener)
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  detector.call("SmartDetector_bindListen", 0, [&] { return detector.bind(&listener, false), 0; });
}

/* Loads the model in a folder. Returns false if there is no model or it is damaged, and onFail says what is wrong. A
 * model that is loaded already stays: the function returns true then, and calls onFail. */
inline bool SmartDetector_loadModel(std::string faceModelPath)
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  return detector.call("SmartDetector_loadModel", false, [&] { return detector.load(faceModelPath); });
}

/* Sets the order of the bytes that SmartDetector_faceDetect takes: FACE_FORMAT_RGBA, the default, or FACE_FORMAT_BGRA,
 * as cameras deliver it. In the wrong order faces are still found, with slightly less confidence. */
inline void SmartDetector_setPixelFormat(face_format format)
{
  smart_detector::Detector::shared().format = format;
}

/* Finds the faces of a picture: calls onClearPoints, then onDrawPoint with all faces, inside and outside the circle.
 *
 * rgbData  4 bytes a pixel, rows without padding, of an upright picture; borrowed until the call returns.
 * point    the circle of the guided check, if one was started.
 *
 * Returns 0, also if there is no face. A call that failed returns its face_status with a minus sign and calls
 * onFail. */
inline int SmartDetector_faceDetect(unsigned char *rgbData, int imageWidth, int imageHeight,
                                    FaceDetectCppMaskPoint point)
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  face_image image;
  face_image_init(&image);
  image.format = detector.format;
  image.width = imageWidth > 0 ? static_cast<std::uint32_t>(imageWidth) : 0;
  image.height = imageHeight > 0 ? static_cast<std::uint32_t>(imageHeight) : 0;
  image.planes[0] = rgbData;
  image.plane_sizes[0] = static_cast<std::size_t>(image.width) * image.height * 4;
  return detector.call("SmartDetector_faceDetect", -FACE_FAILED_PRECONDITION,
                       [&] { return detector.detect(image, point); });
}

/* Does the same as SmartDetector_faceDetect. */
inline int SmartDetector_faceDetectV2(unsigned char *rgbData, int imageWidth, int imageHeight,
                                      FaceDetectCppMaskPoint point)
{
  return SmartDetector_faceDetect(rgbData, imageWidth, imageHeight, point);
}

/* Starts a guided check: each SmartDetector_faceDetect is a frame of it, and also calls onState, onTip, onResult with
 * onComplete, and onFail. With another circle the check begins anew. The options, and the view in them, are copied.
 * NULL gives the default options; their mask is replaced by the circle. */
inline void SmartDetector_startCheck(const face_check_options *options = nullptr)
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  detector.call("SmartDetector_startCheck", 0, [&] { return detector.start_check(options), 0; });
}

/* Ends the guided check; SmartDetector_faceDetect finds and draws faces only. */
inline void SmartDetector_stopCheck()
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  detector.call("SmartDetector_stopCheck", 0, [&] { return detector.stop_check(), 0; });
}

/* Releases the model and deletes the listener. SmartDetector_loadModel starts again. */
inline void SmartDetector_release()
{
  smart_detector::Detector &detector = smart_detector::Detector::shared();
  detector.call("SmartDetector_release", 0, [&] { return detector.release(), 0; });
}

#endif /* FACE_JNI_H */
