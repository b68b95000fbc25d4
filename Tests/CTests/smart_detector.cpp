/* A sample written against the older SDK's names, ported by its include line: an RGBA picture, a mask circle, callbacks.
 * smart_detector MODEL_DIR PHOTO.ppm */
#include <face_jni.h>

#include <cstdio>
#include <vector>

static int failures;

#define EXPECT(condition)                                                                   \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      failures++;                                                                           \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);         \
    }                                                                                       \
  } while (0)

int main(int argc, char **argv)
{
  std::FILE *file = argc == 3 ? std::fopen(argv[2], "rb") : nullptr;
  int width = 0, height = 0;
  if (file == nullptr || std::fscanf(file, "P6 %d %d 255", &width, &height) != 2) return 2;
  std::fgetc(file);
  std::vector<unsigned char> rgba(static_cast<std::size_t>(width) * height * 4);
  for (std::size_t i = 0; i < rgba.size(); i++) rgba[i] = i % 4 == 3 ? 255 : static_cast<unsigned char>(std::fgetc(file));
  std::fclose(file);

  int drawn = 0, cleared = 0;
  FaceResult last;
  global_listener listener;
  listener.bindDrawPointsCallback([&](const FaceResult &result) { last = result, drawn++; });
  listener.bindClearPointsCallBack([&] { cleared++; });

  EXPECT(!SmartDetector_loadModel("no such folder"));
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, {0, 0}, 0) == -FACE_INVALID_ARGUMENT); /* nothing loaded */
  EXPECT(SmartDetector_loadModel(argv[1]));
  SmartDetector_bindListen(listener);

  const MaskPoint middle = {268, 226}; /* of the face in the photo */
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, middle, 150) == SMART_DETECTOR_ONE_FACE);
  EXPECT(drawn == 1 && cleared == 0 && last.count == 1);
  EXPECT(last.face.points[0].x > last.face.points[1].x); /* the subject's left eye is at the picture's right */
  EXPECT(last.face.points[2].y > last.face.points[0].y && last.face.points[3].y > last.face.points[2].y);
  EXPECT(last.face.box.left < last.face.points[1].x && last.face.box.right > last.face.points[0].x);
  EXPECT(last.face.box.top < last.face.points[0].y && last.face.box.bottom > last.face.points[3].y);
  const Face upright = last.face;

  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, {50, 500}, 60) == SMART_DETECTOR_OUTSIDE_MASK);
  EXPECT(drawn == 1 && cleared == 1);
  const std::vector<unsigned char> black(rgba.size());
  EXPECT(SmartDetector_faceDetect(black.data(), width, height, middle, 0) == SMART_DETECTOR_NO_FACE);
  EXPECT(drawn == 1 && cleared == 2);
  EXPECT(SmartDetector_faceDetect(nullptr, width, height, middle, 0) == -FACE_INVALID_ARGUMENT);
  EXPECT(SmartDetector_faceDetect(rgba.data(), -1, height, middle, 0) < 0);
  EXPECT(cleared == 4);

  /* In a view half as large, mirrored: the circle and what is drawn are the view's, in x and in y. */
  const float w = width / 2.0f, h = height / 2.0f;
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, {w - middle.x / 2, middle.y / 2}, 75, 1, w, h, true) ==
         SMART_DETECTOR_ONE_FACE);
  const auto near = [](float a, float b) { return a - b < 0.01f && b - a < 0.01f; };
  EXPECT(near(last.face.points[0].x, w - upright.points[0].x / 2) && near(last.face.points[0].y, upright.points[0].y / 2));
  EXPECT(near(last.face.box.left, w - upright.box.right / 2) && near(last.face.box.bottom, upright.box.bottom / 2));

  SmartDetector_release();
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, middle, 0) == -FACE_INVALID_ARGUMENT);
  SmartDetector_release();
  return failures == 0 ? 0 : 1;
}
