/* A program written with the older SDK's names and types alone, and nothing of ours but the include line.
 * smart_detector MODEL_DIR PHOTO.ppm */
#ifdef WITH_OPENCV
#include <opencv2/core.hpp>
#endif
#include "face_jni.h"
#include "global_listener.h"

#include <cstdio>

static int failures;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      failures++;                                                              \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
    }                                                                          \
  } while (0)

/* The program draws these. */
struct Screen {
  vector<vector<cv::Point2f>> points;
  vector<BoundingBox> areas;
  int draws = 0, clears = 0;
  vector<string> errors;
};

static global_listener *listener_for(Screen &screen)
{
  DetectDrawPointsCallback draw = [&screen](Face face) {
    screen.draws++;
    int count = (int)face.fs.size();
    for (int i = 0; i < count; i++) {
      FaceResult fs = face.fs[i];
      if (fs.face.pts.size() == 0) continue;
      vector<cv::Point2f> five;
      for (size_t j = 0; j < fs.face.pts.size(); j++) {
        cv::Point2f point = fs.face.pts[j];
        five.push_back(cv::Point2f(point.x, point.y));
      }
      screen.points.push_back(five);
      BoundingBox boundingBox = fs.face_area;
      screen.areas.push_back(boundingBox);
    }
  };
  DetectClearPointsCallBack clear = [&screen] {
    screen.clears++;
    screen.points.clear();
    screen.areas.clear();
  };
  global_listener *listener = new global_listener();
  listener->bindDrawPointsCallback(draw);
  listener->bindClearPointsCallBack(clear);
  listener->bindFailCallback([&screen](int, const string &message) { screen.errors.push_back(message); });
  return listener;
}

static vector<unsigned char> read_rgba(const char *path, int &width, int &height)
{
  FILE *file = fopen(path, "rb");
  if (file == nullptr || fscanf(file, "P6 %d %d 255", &width, &height) != 2) exit(2);
  fgetc(file);
  vector<unsigned char> rgba((size_t)width * height * 4);
  for (size_t i = 0; i < rgba.size(); i++) rgba[i] = i % 4 == 3 ? 255 : (unsigned char)fgetc(file);
  fclose(file);
  return rgba;
}

int main(int argc, char **argv)
{
  if (argc != 3) return 2;
  int width = 0, height = 0;
  vector<unsigned char> rgba = read_rgba(argv[2], width, height);
  FaceDetectCppMaskPoint point{width / 2.0f, height / 2.0f, 200};
  EXPECT(point.centerX == width / 2.0f && point.x == point.centerX && point.y == point.centerY && point.radius == 200);

  /* Calls in the wrong order give a status and an error text each time. */
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, point) < 0);
  Screen screen;
  SmartDetector_bindListen(listener_for(screen));
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, point) < 0);
  EXPECT(screen.errors.size() == 1 && screen.errors.back().find("SmartDetector_loadModel") != string::npos);
  EXPECT(!SmartDetector_loadModel("no such folder") && screen.errors.size() == 2);
  EXPECT(screen.draws == 0 && screen.clears == 0);
  EXPECT(SmartDetector_loadModel(string(argv[1])) && screen.errors.size() == 2);
  EXPECT(SmartDetector_loadModel(argv[1]) && screen.errors.size() == 3);
  EXPECT(screen.errors.back().find("SmartDetector_release") != string::npos);

  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, point) == 0);
  EXPECT(screen.draws == 1 && screen.clears == 1 && screen.points.size() == 1);
  const vector<cv::Point2f> five = screen.points[0];
  const BoundingBox area = screen.areas[0];
  EXPECT(five.size() == 5 && five[0].x > five[1].x); /* the person's left eye is at the picture's right */
  EXPECT(five[2].y > five[0].y && five[3].y > five[2].y && five[3].x > five[4].x);
  EXPECT(area.left < five[1].x && area.right > five[0].x && area.top < five[0].y && area.bottom > five[3].y);

  /* Bytes as a camera delivers them, with red and blue swapped. */
  vector<unsigned char> bgra = rgba;
  for (size_t i = 0; i < bgra.size(); i += 4) swap(bgra[i], bgra[i + 2]);
  EXPECT(SmartDetector_faceDetectV2(bgra.data(), width, height, point) == 0 && screen.points.size() == 1);
  EXPECT(screen.areas[0].left - area.left < 12 && area.left - screen.areas[0].left < 12);

  /* Two faces, one in the circle: both are drawn. */
  vector<unsigned char> twice((size_t)width * 2 * height * 4);
  for (int y = 0; y < height; y++)
    for (int half = 0; half < 2; half++)
      copy_n(&rgba[(size_t)y * width * 4], (size_t)width * 4, &twice[((size_t)y * 2 + half) * width * 4]);
  EXPECT(SmartDetector_faceDetect(twice.data(), width * 2, height, point) == 0 && screen.points.size() == 2);

  /* No face is reported as a result without points. */
  vector<unsigned char> black(rgba.size());
  EXPECT(SmartDetector_faceDetect(black.data(), width, height, point) == 0);
  EXPECT(screen.points.empty() && screen.draws == 4 && screen.clears == 4);
  EXPECT(SmartDetector_faceDetect(nullptr, width, height, point) < 0 && screen.errors.size() == 4);
  EXPECT(SmartDetector_faceDetect(rgba.data(), -1, height, point) < 0 && screen.errors.size() == 5);

  /* Calls made inside a callback. */
  int inner = 0;
  global_listener *nested = listener_for(screen);
  nested->bindDrawPointsCallback([&](Face) {
    inner = SmartDetector_faceDetect(rgba.data(), width, height, point);
    SmartDetector_release();
    EXPECT(!SmartDetector_loadModel(argv[1]));
  });
  SmartDetector_bindListen(nested); /* the first listener belongs to us again and is no longer needed */
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, point) == 0);
  EXPECT(inner < 0 && screen.errors.size() == 8 && screen.errors.back().find("callback") != string::npos);

  GlobalListenerWillRelease();
  SmartDetector_release();
  SmartDetector_release();
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, point) < 0 && screen.errors.size() == 8);
  return failures == 0 ? 0 : 1;
}
