/* The guided check through the older SDK's listener: in a circle, over frames of one photo.
 * smart_detector_check MODEL_DIR PHOTO.ppm */
#define FACE_JNI_NO_USING_NAMESPACE_STD
#include <face_jni.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

static int failures;

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      failures++;                                                                   \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
    }                                                                               \
  } while (0)

/* Overrides methods, while the other test binds callbacks. */
class Visitor : public global_listener {
public:
  std::vector<FaceCheckState> states;
  std::vector<std::string> tips;
  std::vector<int> codes;
  FaceCheckResult result;
  int drawn = 0, completed = 0;

  void onDrawPoint(Face) override { drawn++; }
  void onState(FaceCheckState state) override { states.push_back(state); }
  void onTip(face_tip, const std::string &text) override { tips.push_back(text); }
  void onFail(int code, const std::string &) override { codes.push_back(code); }
  void onResult(const FaceCheckResult &taken) override { result = taken; }
  void onComplete() override { completed += result.width > 0 ? 1 : 100; }
};

/* Shows a picture until `done`, or for ten seconds. */
template <typename Done>
static void show(std::vector<unsigned char> &rgba, int width, int height, FaceDetectCppMaskPoint circle, Done done)
{
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done() && std::chrono::steady_clock::now() < end) {
    EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, circle) == 0);
  }
  EXPECT(done());
}

/* Says when it is deleted. */
class Deleted : public global_listener {
public:
  explicit Deleted(int &count) : count_(count) {}
  ~Deleted() override { count_++; }

private:
  int &count_;
};

int main(int argc, char **argv)
{
  std::FILE *file = argc == 3 ? std::fopen(argv[2], "rb") : nullptr;
  int width = 0, height = 0;
  if (file == nullptr || std::fscanf(file, "P6 %d %d 255", &width, &height) != 2) return 2;
  std::fgetc(file);
  std::vector<unsigned char> rgba(static_cast<std::size_t>(width) * height * 4), black(rgba.size());
  for (std::size_t i = 0; i < rgba.size(); i++)
    rgba[i] = i % 4 == 3 ? 255 : static_cast<unsigned char>(std::fgetc(file));
  std::fclose(file);
  const FaceDetectCppMaskPoint circle(268, 226, 150); /* around the face in the photo */

  Visitor visitor;
  SmartDetector_bindListen(visitor);
  EXPECT(SmartDetector_loadModel(argv[1]));
  face_check_options options;
  face_check_options_init(&options);
  options.start_delay_ns = 0;
  options.hold_ns = 100000000;
  options.tip_ns = 0;
  SmartDetector_startCheck(&options);

  show(black, width, height, circle, [&] { return !visitor.tips.empty(); });
  EXPECT(visitor.states.front() == FaceCheckState::Waiting && visitor.completed == 0);
  show(rgba, width, height, circle, [&] { return visitor.completed > 0; });
  EXPECT(visitor.completed == 1 && visitor.codes.empty() && visitor.drawn > 0);
  EXPECT(visitor.states.back() == FaceCheckState::Finish);
  EXPECT(visitor.result.width == 512 && visitor.result.height == 512 && visitor.result.rgba.size() == 512u * 512 * 4);
  EXPECT(visitor.result.rgba[3] == 255 && visitor.result.face.pts.size() == 5);
  EXPECT(visitor.result.face.rect.x > 150 && visitor.result.face.rect.x < 268);

  /* Another circle restarts the check; without a face in it, the time runs out. */
  options.wait_timeout_ns = 50000000;
  SmartDetector_startCheck(&options);
  show(rgba, width, height, FaceDetectCppMaskPoint(60, 540, 50), [&] { return !visitor.codes.empty(); });
  EXPECT(visitor.codes.front() == FACE_FAIL_WAIT_TIME_OUT && visitor.completed == 1);
  EXPECT(visitor.states.back() == FaceCheckState::TimeOut);

  /* Options and view may end before the first picture. */
  const std::size_t codes = visitor.codes.size();
  {
    auto local = std::make_unique<face_check_options>(options);
    auto view = std::make_unique<face_space>();
    face_space_init(view.get());
    local->view = view.get();
    SmartDetector_startCheck(local.get());
    std::memset(view.get(), 0xff, sizeof *view);
    std::memset(local.get(), 0xff, sizeof *local);
  }
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, circle) == 0 && visitor.codes.size() == codes);

  options.max_yaw = 91;
  SmartDetector_startCheck(&options);
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, circle) == -FACE_INVALID_ARGUMENT);
  EXPECT(visitor.codes.back() == FACE_INVALID_ARGUMENT);
  SmartDetector_stopCheck();
  const int drawn = visitor.drawn;
  EXPECT(SmartDetector_faceDetect(rgba.data(), width, height, circle) == 0 && visitor.drawn == drawn + 1);
  SmartDetector_release();

  /* One that is bound twice is deleted once, at the end. */
  int deleted = 0;
  global_listener *owned = new Deleted(deleted);
  SmartDetector_bindListen(owned);
  SmartDetector_bindListen(owned);
  EXPECT(deleted == 0);
  SmartDetector_release();
  EXPECT(deleted == 1);
  return failures == 0 ? 0 : 1;
}
