/* The C++ header: objects that own, exceptions that carry the status, listeners of std::function.
 * wrapper load MODEL_DIR PHOTO.jpg, or wrapper connect SOCKET PHOTO.jpg */
#include <face_engine.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

static int failures;

#define EXPECT(condition)                                                                   \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      failures++;                                                                           \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);         \
    }                                                                                       \
  } while (0)

template <typename Body> static face_status thrown(Body body)
{
  try {
    body();
  } catch (const face::error &error) {
    EXPECT(std::strlen(error.what()) > 0);
    return error.status();
  }
  return FACE_OK;
}

static void single_images(const face::engine &engine, const face::image &photo)
{
  const face::result found = engine.detect(photo);
  EXPECT(found.size() == 1 && found.width == 512 && found.height == 600);
  EXPECT(found[0].has_points() && !found[0].has_id() && !found[0].has_pose());
  EXPECT(found[0].landmarks.empty() && found[0].expressions.empty());

  face::options strict;
  strict.min_confidence = 1;
  EXPECT(engine.detect(photo, strict).empty());
  strict.min_confidence = 2;
  EXPECT(thrown([&] { engine.detect(photo, strict); }) == FACE_INVALID_ARGUMENT);
  EXPECT(thrown([&] { face::image().plane(4, nullptr, 0); }) == FACE_INVALID_ARGUMENT);

  const auto outcomes = engine.detect_batch({photo, face::image(), photo});
  EXPECT(outcomes.size() == 3 && outcomes[0].faces.size() == 1 && outcomes[2].faces.size() == 1);
  EXPECT(outcomes[1].status == FACE_INVALID_ARGUMENT && !outcomes[1].message.empty());

  face::canceller canceller;
  face::options cancelled;
  cancelled.canceller = canceller.get();
  canceller.cancel();
  EXPECT(thrown([&] { engine.detect(photo, cancelled); }) == FACE_CANCELLED);
}

static void shared_memory(const face::engine &engine, const face::image &photo)
{
  face::memory memory(photo.plane_sizes[0]);
  EXPECT(memory.size() == photo.plane_sizes[0]);
  std::memcpy(memory.data(), photo.planes[0], memory.size());
  face::image shared;
  shared.memory = memory.get();
  EXPECT(engine.detect(shared).size() == 1);
  EXPECT(thrown([] { face::memory::imported(-1); }) == FACE_INVALID_ARGUMENT);
}

static void sessions(const face::engine &engine, const face::image &photo)
{
  int faces = 0, failed = 0;
  std::uint64_t last = 0;
  face::listener told;
  told.on_faces = [&](const face_frame &frame, const face::result &found) {
    EXPECT(frame.number > last && found.size() == 1);
    last = frame.number;
    faces++;
  };
  told.on_failed = [&](const face_frame &, const face::error &error) {
    EXPECT(error.status() == FACE_INVALID_ARGUMENT);
    failed++;
  };
  face::session_options every;
  every.mode = FACE_SESSION_EVERY;
  face::session session = engine.open(told, every);
  for (std::uint64_t i = 1; i <= 5; i++) EXPECT(session.submit(photo) == i);
  face::image damaged = photo;
  damaged.plane_sizes[0] = 10;
  session.submit(damaged);
  EXPECT(session.flush());
  EXPECT(faces == 5 && failed == 1);
  face::session moved = std::move(session);
  moved.submit(photo);
  EXPECT(moved.flush(std::chrono::seconds(60)));
  moved.close();
  EXPECT(faces == 6);
  EXPECT(thrown([&] { moved.submit(photo); }) == FACE_INVALID_ARGUMENT);
  engine.open({}).submit(photo); /* ends with it */
}

/* The functions of face_engine.h are tested in abi/coordinates.c; here, that they are those that are called. */
static void conversions()
{
  face::space view;
  view.kind = FACE_SPACE_VIEW;
  view.view_width = 100;
  view.view_height = 200;
  view.fit = FACE_FIT_COVER;
  const face_circle mask{50, 100, 20};
  face_circle expected = mask;
  EXPECT(face_circle_from_space(&view, 640, 480, &expected) == FACE_OK);
  const face_circle circle = view.from(mask, 640, 480);
  EXPECT(circle.x == expected.x && circle.y == expected.y && circle.radius == expected.radius);
  const face_circle again = view.to(circle, 640, 480);
  EXPECT(std::fabs(again.x - mask.x) < 1e-3f && std::fabs(again.radius - mask.radius) < 1e-3f);
  const face_box box = view.to(view.from(face_box{10, 20, 30, 40}, 640, 480), 640, 480);
  EXPECT(std::fabs(box.x - 10) < 1e-3f && std::fabs(box.height - 40) < 1e-3f);
  EXPECT(thrown([&] { view.to(mask, 0, 480); }) == FACE_INVALID_ARGUMENT);

  const face_box place{100, 200, 50, 80};
  const auto inside = face::points_to_box(place, {{125, 240}, {100, 280}});
  EXPECT(inside.size() == 2 && inside[0].x == 0.5f && inside[0].y == 0.5f && inside[1].x == 0 && inside[1].y == 1);
  const auto outside = face::points_from_box(place, inside);
  EXPECT(outside[0].x == 125 && outside[0].y == 240 && outside[1].y == 280);
  EXPECT(thrown([&] { face::points_to_box(face_box{}, inside); }) == FACE_INVALID_ARGUMENT);

  face_orientation orientation = FACE_ORIENTATION_DEFAULT;
  EXPECT(face_orientation_of_camera(90, 90, 1, &orientation) == FACE_OK);
  EXPECT(face::orientation_of_camera(90, 90, true) == orientation);
  EXPECT(face::orientation_of_camera(90, 0, false) == FACE_ORIENTATION_RIGHT);
  EXPECT(thrown([] { face::orientation_of_camera(45, 0, false); }) == FACE_INVALID_ARGUMENT);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  std::ifstream file(argv[3], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const face::image photo = face::image::file(bytes.data(), bytes.size());

  EXPECT(thrown([] { face::engine::load("no such folder"); }) == FACE_NOT_FOUND);
  const face::engine engine = argv[1][0] == 'l' ? face::engine::load(argv[2]) : face::engine::connect(argv[2]);
  conversions();
  single_images(engine, photo);
  shared_memory(engine, photo);
  sessions(engine, photo);
  return failures == 0 ? 0 : 1;
}
