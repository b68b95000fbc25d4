// Finds the faces of a photo, in this process or with a running engine.
//
//     detect load MODEL_DIR PHOTO.jpg
//     detect connect SOCKET PHOTO.jpg
#include <face_engine.hpp>

#include <cstdio>
#include <string>

int main(int argc, char **argv)
{
  if (argc != 4 || (std::string(argv[1]) != "load" && std::string(argv[1]) != "connect")) {
    std::fprintf(stderr, "usage: detect load MODEL_DIR PHOTO\n       detect connect SOCKET PHOTO\n");
    return 2;
  }
  try {
    const face::engine engine =
        std::string(argv[1]) == "load" ? face::engine::load(argv[2]) : face::engine::connect(argv[2]);
    for (const face::face &found : engine.detect(face::file_image(argv[3])))
      std::printf("%.3f at %.1f %.1f, %.1f x %.1f, left eye %.1f %.1f\n", found.confidence, found.box.x, found.box.y,
                  found.box.width, found.box.height, found.left_eye.x, found.left_eye.y);
  } catch (const face::error &error) {
    std::fprintf(stderr, "%s: %s: %s\n", argv[3], error.status_name(), error.what());
    return 1;
  }
  return 0;
}
