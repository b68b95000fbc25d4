// Follows the faces of a raw video from a pipe: reads frames of RGB pixels from standard input.
//
//     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | watch load MODEL_DIR 1280 720
//     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | watch connect SOCKET 1280 720
#include <face_engine.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

// Runs `call`; while a running engine is away, waits until it is back.
template <typename Call> static auto patiently(Call call)
{
  for (;;) {
    try {
      return call();
    } catch (const face::error &error) {
      if (error.status() != FACE_UNAVAILABLE) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

int main(int argc, char **argv)
{
  const int width = argc == 5 ? std::atoi(argv[3]) : 0, height = argc == 5 ? std::atoi(argv[4]) : 0;
  if (width < 16 || width > 8192 || height < 16 || height > 8192) {
    std::fprintf(stderr, "usage: watch load MODEL_DIR WIDTH HEIGHT\n       watch connect SOCKET WIDTH HEIGHT\n");
    return 2;
  }
  // These run on the session's thread, one after the other.
  face::listener listener;
  listener.on_faces = [](const face_frame &frame, const face::result &faces) {
    for (const face::face &face : faces) {
      std::printf("%llu: %.0f %.0f, %.0f x %.0f", static_cast<unsigned long long>(frame.number), face.box.x, face.box.y,
                  face.box.width, face.box.height);
      if (face.has_id()) std::printf(", face %llu", static_cast<unsigned long long>(face.id));
      std::printf("\n");
    }
  };
  listener.on_left = [](const face_frame &frame, std::uint64_t id) {
    std::printf("%llu: face %llu left\n", static_cast<unsigned long long>(frame.number),
                static_cast<unsigned long long>(id));
  };
  listener.on_failed = [](const face_frame &frame, const face::error &error) {
    std::fprintf(stderr, "%llu: %s\n", static_cast<unsigned long long>(frame.number), error.what());
  };

  try {
    const face::engine engine =
        std::string(argv[1]) == "load" ? face::engine::load(argv[2]) : face::engine::connect(argv[2]);
    face::session_options options;
    options.mode = FACE_SESSION_EVERY; // every frame of a file is searched; use mode NEWEST for a camera
    face::session session = engine.open(listener, options);

    std::vector<unsigned char> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    while (std::fread(pixels.data(), 1, pixels.size(), stdin) == pixels.size())
      patiently([&] {
        return session.submit(face::image::pixels(FACE_FORMAT_RGB, static_cast<std::uint32_t>(width),
                                                  static_cast<std::uint32_t>(height), pixels.data(), pixels.size()));
      });
    session.flush();
  } catch (const face::error &error) {
    std::fprintf(stderr, "%s: %s\n", error.status_name(), error.what());
    return 1;
  }
  return 0;
}
