// Sends frames to a running engine without copying them: reads them from standard input directly into memory that is
// shared with the engine.
//
//     ffmpeg -v error -i video.mp4 -f rawvideo -pix_fmt rgb24 - | share connect SOCKET 1280 720
#include <face_engine.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

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
    std::fprintf(stderr, "usage: share connect SOCKET WIDTH HEIGHT\n       share load MODEL_DIR WIDTH HEIGHT\n");
    return 2;
  }
  try {
    const face::engine engine =
        std::string(argv[1]) == "load" ? face::engine::load(argv[2]) : face::engine::connect(argv[2]);
    const face::memory memory(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    unsigned char *const pixels = memory.data();

    face::image image;
    image.format = FACE_FORMAT_RGB;
    image.width = static_cast<std::uint32_t>(width);
    image.height = static_cast<std::uint32_t>(height);
    image.memory = memory.get(); // instead of pointers: offsets into it, 0 here
    for (int number = 1; std::fread(pixels, 1, memory.size(), stdin) == memory.size(); number++) {
      // The memory is ours again when this returns.
      const std::size_t count = patiently([&] { return engine.detect(image).size(); });
      std::printf("%d: %zu\n", number, count);
    }
  } catch (const face::error &error) {
    std::fprintf(stderr, "%s: %s\n", error.status_name(), error.what());
    return 1;
  }
  return 0;
}
