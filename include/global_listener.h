/* The listener of an older mobile SDK, for C++17: it receives what SmartDetector_faceDetect of face_jni.h reports.
 *
 *     global_listener *listener = new global_listener();
 *     listener->bindDrawPointsCallback([](Face face) { for (const FaceResult &found : face.fs) draw(found.face.pts);
 *     }); listener->bindClearPointsCallBack([] { clear(); });
 *     SmartDetector_bindListen(listener);
 *
 * A callback is a function, a lambda or a function object; where that SDK has an Objective-C block, write a lambda.
 * Instead of binding callbacks, a class may derive from global_listener and override its functions.
 *
 * Callbacks run on the thread that called the function of face_jni.h, before it returns.
 *
 * Points have OpenCV's type cv::Point2f if its headers (or ncnn's simpleocv.h) were included first, otherwise a type
 * with the same name and members. Include the same headers first in all files of a program.
 */
#ifndef GLOBAL_LISTENER_H
#define GLOBAL_LISTENER_H

#ifndef __cplusplus
#error "global_listener.h is for C++17; in C include face_engine.h and bind a face_listener"
#endif

#include "face_engine.h"

#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

/* ---- Types ------------------------------------------------------------------------------------------------------- */

/* What callbacks receive. Coordinates are pixels of the upright picture, from its top-left corner, x to the right, y
   down. */

#if !defined(OPENCV_CORE_TYPES_HPP) && !defined(NCNN_SIMPLEOCV_H)
namespace cv {

/* A point in pixels. */
struct Point2f {
  float x, y;
  Point2f() : x(0), y(0) {}
  Point2f(float left, float top) : x(left), y(top) {}
};

/* A rectangle in pixels; a template, as OpenCV's. */
template <typename Value> struct Rect_ {
  Value x, y, width, height;
  Rect_() : x(0), y(0), width(0), height(0) {}
  Rect_(Value left, Value top, Value wide, Value high) : x(left), y(top), width(wide), height(high) {}
};

} // namespace cv
#endif

/* A face's box in pixels. */
struct BoundingBox {
  float left, top, right, bottom;
};

/* The circle that the checked face has to be in; with a radius of 0 or less, a circle in the middle of the picture. */
struct FaceDetectCppMaskPoint {
  union { float centerX, x; }; /* two names of one number */
  union { float centerY, y; };
  float radius;
  FaceDetectCppMaskPoint() : centerX(0), centerY(0), radius(0) {}
  FaceDetectCppMaskPoint(float left, float top, float size) : centerX(left), centerY(top), radius(size) {}
};

/* A face as the network finds it. */
struct Object {
  cv::Rect_<float> rect;
  int label = 0;                /* 0 */
  float prob = 0;               /* 0 to 1 */
  std::vector<cv::Point2f> pts; /* left eye, right eye, tip of the nose, left and right corner of the mouth; left is the
                                   person's own. Empty if there is no face, or if the model has no points */
};

/* A face and its box. */
struct FaceResult {
  Object face;
  BoundingBox face_area{};
};

/* All faces of a picture, the most confident first. As in that SDK, a picture without a face has one result without
   points. */
struct Face {
  std::vector<FaceResult> fs;
};

/* The state of a guided check: see face_check_state. */
enum class FaceCheckState {
  Waiting = FACE_CHECK_WAITING,
  Start = FACE_CHECK_START,
  Checking = FACE_CHECK_CHECKING,
  Finish = FACE_CHECK_FINISH,
  TimeOut = FACE_CHECK_TIME_OUT,
  Failed = FACE_CHECK_FAILED
};

/* The picture of a guided check: the square around the face, rows without padding, 4 bytes a pixel: red, green, blue,
   255. */
struct FaceCheckResult {
  std::vector<unsigned char> rgba;
  int width = 0, height = 0;
  Object face; /* in pixels of the upright picture */
};

/* Codes of onFail: the face_status of a call that failed, or why a guided check ended. */
enum FaceFailCode {
  FACE_FAIL_TIME_OUT = 1001,      /* the person did not finish in time */
  FACE_FAIL_WAIT_TIME_OUT = 1002, /* nobody came in time */
  FACE_FAIL_FACE_LOST = 1003,
  FACE_FAIL_FACE_CHANGED = 1004,  /* another face took its place */
  FACE_FAIL_OTHER = 1005          /* any other reason, which the message gives */
};

/* ---- Listener ---------------------------------------------------------------------------------------------------- */

/* Who receives what. */

typedef std::function<void(Face)> DetectDrawPointsCallback;
typedef std::function<void()> DetectClearPointsCallBack;
typedef std::function<void()> DetectCompleteCallback;
typedef std::function<void(int code, const std::string &message)> DetectFailCallback;
typedef std::function<void(const FaceCheckResult &)> DetectResultCallback;
typedef std::function<void(FaceCheckState)> DetectStateCallback;
typedef std::function<void(face_tip tip, const std::string &text)> DetectTipCallback;

/* Receives what the detector finds. */
class global_listener {
public:
  DetectDrawPointsCallback drawPointsCallBack;
  DetectClearPointsCallBack clearPointsCallBack;
  DetectCompleteCallback completeCallBack;
  DetectFailCallback failCallBack;
  DetectResultCallback resultCallBack;
  DetectStateCallback stateCallBack;
  DetectTipCallback tipCallBack;

  global_listener() = default;
  global_listener(const global_listener &) = default;
  global_listener &operator=(const global_listener &) = default;
  virtual ~global_listener() = default;

  /* Receives all faces of the picture, to be drawn. */
  virtual void onDrawPoint(Face face) { if (drawPointsCallBack) drawPointsCallBack(std::move(face)); }
  /* Called before each picture: remove what was drawn. */
  virtual void onClearPoints() { if (clearPointsCallBack) clearPointsCallBack(); }
  /* Called after onResult: a guided check has finished. */
  virtual void onComplete() { if (completeCallBack) completeCallBack(); }
  /* A call failed, or a guided check ended without a result. `code` is a face_status or a FaceFailCode. */
  virtual void onFail(int code, const std::string &message) { if (failCallBack) failCallBack(code, message); }
  /* A guided check has taken its picture. */
  virtual void onResult(const FaceCheckResult &result) { if (resultCallBack) resultCallBack(result); }
  /* The state of a guided check has changed. */
  virtual void onState(FaceCheckState state) { if (stateCallBack) stateCallBack(state); }
  /* What the person should do now; the text is English. */
  virtual void onTip(face_tip tip, const std::string &text) { if (tipCallBack) tipCallBack(tip, text); }

  /* Set the callbacks that the functions above call. */
  void bindDrawPointsCallback(DetectDrawPointsCallback callback) { drawPointsCallBack = std::move(callback); }
  void bindClearPointsCallBack(DetectClearPointsCallBack callback) { clearPointsCallBack = std::move(callback); }
  void bindCompleteCallback(DetectCompleteCallback callback) { completeCallBack = std::move(callback); }
  void bindFailCallback(DetectFailCallback callback) { failCallBack = std::move(callback); }
  void bindResultCallback(DetectResultCallback callback) { resultCallBack = std::move(callback); }
  void bindStateCallback(DetectStateCallback callback) { stateCallBack = std::move(callback); }
  void bindTipCallback(DetectTipCallback callback) { tipCallBack = std::move(callback); }
};

/* Does nothing; that SDK's programs call it. */
inline void GlobalListenerWillRelease() {}

#endif /* GLOBAL_LISTENER_H */
