/* The names of an older mobile SDK on top of FaceEngine, for C++17: to port code that uses them, include this file.
 *
 *     global_listener listener;
 *     listener.bindDrawPointsCallback([](const FaceResult &result) { draw(result.face.points, result.face.box); });
 *     listener.bindClearPointsCallBack([] { clear(); });
 *     SmartDetector_bindListen(listener);
 *     if (!SmartDetector_loadModel("models")) return;         // the folder with yolov5n-0.5.param and .bin, or any of ours
 *     int code = SmartDetector_faceDetect(rgba, 720, 1280, MaskPoint{360, 560}, 300);
 *     SmartDetector_release();
 *
 * As in that SDK, a program has one detector. Any thread may call the functions; one call runs at a time, and callbacks run
 * on the thread that called SmartDetector_faceDetect, before it returns. A callback must not call any of these functions.
 *
 * Coordinates are pixels from the top-left corner, x to the right, y down: of the upright picture, or of the view, if one is
 * given. Left and right are the subject's own.
 */
#ifndef FACE_JNI_H
#define FACE_JNI_H

#include "face_engine.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

/* ---- Types ------------------------------------------------------------------------------------------------------- */

/* What the functions take and return. */

/* A point in pixels. */
struct MaskPoint {
  float x = 0, y = 0;
};

/* The circle that a face has to be in; with a radius of 0 or less it may be anywhere. */
struct MaskCircle {
  MaskPoint center;
  float radius = 0;
};

/* A face's box in pixels. */
struct BoundingBox {
  float left = 0, top = 0, right = 0, bottom = 0;
};

/* One face. */
struct Face {
  BoundingBox box;
  float confidence = 0; /* 0 to 1 */
  MaskPoint points[5];  /* left eye, right eye, tip of the nose, left and right corner of the mouth */
};

/* The argument of the draw callback: the most confident face in the circle. */
struct FaceResult {
  Face face;
  int count = 0; /* faces in the circle */
};

/* The return values of SmartDetector_faceDetect. A failed call returns its face_status with a minus sign. */
enum SmartDetectorCode {
  SMART_DETECTOR_ONE_FACE = 0,
  SMART_DETECTOR_NO_FACE = 1,
  SMART_DETECTOR_OUTSIDE_MASK = 2, /* there are faces, none of them in the circle */
  SMART_DETECTOR_SEVERAL_FACES = 3 /* more than one in the circle */
};

/* Receives the face to draw, and the request to remove what was drawn when there is no face. */
class global_listener {
public:
  /* Sets the function that draws a face. */
  void bindDrawPointsCallback(std::function<void(const FaceResult &)> callback) { draw_ = std::move(callback); }
  /* Sets the function that removes what was drawn. */
  void bindClearPointsCallBack(std::function<void()> callback) { clear_ = std::move(callback); }
  /* Calls the draw callback, if there is one. */
  void draw(const FaceResult &result) const { if (draw_) draw_(result); }
  /* Calls the clear callback, if there is one. */
  void clear() const { if (clear_) clear_(); }

private:
  std::function<void(const FaceResult &)> draw_;
  std::function<void()> clear_;
};

namespace smart_detector {

/* The program's one detector. */
struct State {
  std::mutex mutex;
  face_engine *engine = nullptr;
  global_listener listener;

  static State &shared()
  {
    static State state;
    return state;
  }
  ~State() { face_release(engine); }
};

/* Whether all points of the face are in the circle, or, if it has no points, the centre of its box. */
inline bool has(const MaskCircle &mask, const face_info &face)
{
  if (mask.radius <= 0) return true;
  const auto inside = [&mask](float x, float y) {
    const float dx = x - mask.center.x, dy = y - mask.center.y;
    return dx * dx + dy * dy <= mask.radius * mask.radius;
  };
  if ((face.valid & FACE_VALID_POINTS) == 0)
    return inside(face.box.x + face.box.width / 2, face.box.y + face.box.height / 2);
  for (const face_point &point : {face.left_eye, face.right_eye, face.nose_tip, face.mouth_left, face.mouth_right})
    if (!inside(point.x, point.y)) return false;
  return true;
}

/* The face as the older SDK describes it. */
inline Face older(const face_info &face)
{
  Face made;
  made.box = {face.box.x, face.box.y, face.box.x + face.box.width, face.box.y + face.box.height};
  made.confidence = face.confidence;
  const face_point points[5] = {face.left_eye, face.right_eye, face.nose_tip, face.mouth_left, face.mouth_right};
  for (int i = 0; i < 5; i++) made.points[i] = {points[i].x, points[i].y};
  return made;
}

/* Finds the faces in the circle and calls the listener; `space` is that of the circle and of what the listener receives. */
inline int detect(const face_image &image, const face_space &space, const MaskCircle &mask)
{
  State &state = State::shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  face_result *found = nullptr;
  const face_status status = face_detect(state.engine, &image, nullptr, &found);
  FaceResult result;
  const uint32_t count = face_result_count(found);
  for (uint32_t i = 0; i < count; i++) {
    face_info face;
    face_info_init(&face);
    if (face_result_get_in(found, i, &space, &face) != FACE_OK || !has(mask, face)) continue;
    if (result.count++ == 0) result.face = older(face);
  }
  face_result_destroy(found);
  if (result.count > 0) state.listener.draw(result);
  else state.listener.clear();
  if (status != FACE_OK) return -status;
  if (result.count > 1) return SMART_DETECTOR_SEVERAL_FACES;
  if (result.count == 1) return SMART_DETECTOR_ONE_FACE;
  return count > 0 ? SMART_DETECTOR_OUTSIDE_MASK : SMART_DETECTOR_NO_FACE;
}

/* Describes RGBA pixels as a face_image. */
inline face_image rgba(const unsigned char *pixels, int width, int height, int orientation)
{
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGBA;
  image.width = width > 0 ? static_cast<uint32_t>(width) : 0;
  image.height = height > 0 ? static_cast<uint32_t>(height) : 0;
  image.orientation = orientation > 0 ? static_cast<face_orientation>(orientation) : 0;
  image.planes[0] = pixels;
  image.plane_sizes[0] = static_cast<size_t>(image.width) * image.height * 4;
  return image;
}

} // namespace smart_detector

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* The detector of the program. */

/* Loads the model in a folder and replaces the previous one. Returns false, and changes nothing, if there is no model or it
 * is damaged; face_last_error() says what is wrong. */
inline bool SmartDetector_loadModel(const char *model_dir)
{
  face_engine *engine = nullptr;
  if (face_load_model(model_dir, &engine) != FACE_OK) return false;
  smart_detector::State &state = smart_detector::State::shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  face_release(state.engine);
  state.engine = engine;
  return true;
}

/* Binds a copy of a listener and replaces the previous one. */
inline void SmartDetector_bindListen(const global_listener &listener)
{
  smart_detector::State &state = smart_detector::State::shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.listener = listener;
}

/* Finds the faces in a circle of the upright picture and calls the listener.
 *
 * rgba         4 bytes a pixel, rows without padding, borrowed until the call returns.
 * orientation  EXIF's value, 1 for an upright picture.
 *
 * Returns a SmartDetectorCode. A call that failed returns its face_status with a minus sign and calls the listener's clear
 * callback. */
inline int SmartDetector_faceDetect(const unsigned char *rgba, int width, int height, MaskPoint center, float radius,
                                    int orientation = FACE_ORIENTATION_UP)
{
  face_space pixels;
  face_space_init(&pixels);
  return smart_detector::detect(smart_detector::rgba(rgba, width, height, orientation), pixels, {center, radius});
}

/* Does the same with the circle in coordinates of a view that the picture fills: its middle is visible, two sides are cut
 * off. `mirrored` is for a mirrored view, such as a front camera's preview. The draw callback also receives coordinates of
 * the view. */
inline int SmartDetector_faceDetect(const unsigned char *rgba, int width, int height, MaskPoint center, float radius,
                                    int orientation, float view_width, float view_height, bool mirrored)
{
  face_space view;
  face_space_init(&view);
  view.kind = FACE_SPACE_VIEW;
  view.view_width = view_width;
  view.view_height = view_height;
  view.fit = FACE_FIT_COVER;
  view.mirrored = mirrored ? 1 : 0;
  return smart_detector::detect(smart_detector::rgba(rgba, width, height, orientation), view, {center, radius});
}

/* Releases the model and the listener. SmartDetector_loadModel starts again. */
inline void SmartDetector_release()
{
  smart_detector::State &state = smart_detector::State::shared();
  const std::lock_guard<std::mutex> lock(state.mutex);
  face_release(state.engine);
  state.engine = nullptr;
  state.listener = global_listener();
}

#endif /* FACE_JNI_H */
