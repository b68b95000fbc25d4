/* The C++ header: objects that own, exceptions that carry the status, listeners of std::function.
 * wrapper load MODEL_DIR PHOTO.jpg, or wrapper connect SOCKET PHOTO.jpg */
#include <face_engine.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "host.h"

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

static void files(const face::engine &engine, const char *path)
{
  const face::result found = engine.detect(face::file_image(path));
  EXPECT(found.size() == 1 && found.width == 512);
  face::file_image first(path);
  const face::file_image second = std::move(first);
  EXPECT(engine.detect(second).size() == 1);
  EXPECT(thrown([] { face::file_image("/no/such/photo.jpg"); }) == FACE_NOT_FOUND);
  face::session session = engine.open({});
  session.submit(second); /* copied: the bytes stay this object's */
  session.close();

  /* Copies share the bytes, also as plain images, whatever becomes of the object that has read them. */
  std::vector<face::image> batch{face::file_image(path), second};
  batch[0] = face::file_image(path);
  batch.push_back(std::move(batch[0]));
  for (const face::engine::outcome &outcome : engine.detect_batch(batch)) EXPECT(outcome.faces.size() == 1);
}

static void single_images(const face::engine &engine, const face::image &photo)
{
  const face::result found = engine.detect(photo);
  EXPECT(found.size() == 1 && found.width == 512 && found.height == 600);
  EXPECT(found[0].has_points() && !found[0].has_id() && !found[0].has_pose());
  EXPECT(found[0].points(FACE_CONSTELLATION_76_POINTS, FACE_REGION_NOSE).empty());
  EXPECT(found[0].contour(FACE_CONTOUR_FACE).empty());
  EXPECT(found[0].landmarks.empty() && found[0].expressions.empty() && found[0].values.empty());

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
  /* A session that is assigned another one ends first, with its listener. */
  int ended = 0;
  face::listener counting;
  counting.on_faces = [&](const face_frame &, const face::result &) { ended++; };
  counting.on_failed = [&](const face_frame &, const face::error &) { ended++; };
  face::session replaced = engine.open(counting, every);
  for (int i = 1; i <= 3; i++) replaced.submit(photo);
  replaced = engine.open({});
  EXPECT(ended == 3);
  engine.open({}).submit(photo); /* ends with the session */
}

/* abi/feature_check.c tests the guided check; this tests that the wrapper reaches all of it. */
static face::check_options around_the_face()
{
  face::check_options options;
  options.mask = {268, 227, 160};
  options.use_timestamps = 1;
  options.tip_ns = 0;
  options.crop_size = 128;
  return options;
}

/* Records the events of a check, and inspects its picture. */
static face::listener writing_to(std::string &said)
{
  face::listener told;
  told.on_check = [&said](const face_frame &, const face_check &check) {
    switch (check.event) {
    case FACE_CHECK_EVENT_STATUS: said += std::string(face_check_state_name(check.state)) + ' '; break;
    case FACE_CHECK_EVENT_TIP: said += std::string(face_tip_name(check.tip)) + ' '; break;
    case FACE_CHECK_EVENT_FAILED: said += std::string(check.code) + ' '; break;
    case FACE_CHECK_EVENT_RESULT: {
      said += "result ";
      const face::result face(check.faces);
      EXPECT(face.size() == 1 && face.width == 512 && face.height == 600 && face[0].has_quality());
      EXPECT(check.picture->width == 512 && check.crop->width == 128 && check.crop->height == 128);
    }
    }
  };
  return told;
}

static void checks(const face::engine &engine, face::image photo)
{
  std::string said;
  int faces = 0;
  face::listener told = writing_to(said);
  told.on_faces = [&](const face_frame &, const face::result &) { faces++; };
  face::session_options every;
  every.mode = FACE_SESSION_EVERY;
  face::check_session session = engine.open_check(std::move(told), around_the_face(), &every);
  const auto two_seconds = [&](face::check_session &check) {
    for (int i = 0; i < 20; i++, photo.timestamp_ns += 100000000) check.submit(photo);
    EXPECT(check.flush());
  };
  two_seconds(session);
  EXPECT(said == "waiting start hold_still checking finish done result ");
  said.clear();
  face::check_session moved = std::move(session);
  moved.restart();
  two_seconds(moved);
  EXPECT(said == "waiting start hold_still checking finish done result ");
  if (failures > 0) std::fprintf(stderr, "said: %s\n", said.c_str());
  moved.close();
  EXPECT(faces == 40);
  EXPECT(thrown([&] { moved.restart(); }) == FACE_INVALID_ARGUMENT);
  engine.open_check({}).submit(photo);

  said.clear();
  EXPECT(engine.check_image(photo, around_the_face(), writing_to(said)) == FACE_TIP_DONE);
  EXPECT(said == "finish done result ");
  said.clear();
  /* An exception of the listener reaches the caller, and ends the callbacks. */
  int events = 0;
  std::string caught;
  face::listener throwing;
  throwing.on_check = [&](const face_frame &, const face_check &) {
    events++;
    throw std::runtime_error("enough");
  };
  try {
    engine.check_image(photo, around_the_face(), throwing);
  } catch (const std::runtime_error &error) {
    caught = error.what();
  }
  EXPECT(caught == "enough" && events == 1);
  face::check_options corner = around_the_face();
  corner.mask = {80, 500, 300};
  EXPECT(engine.check_image(photo, corner, writing_to(said)) == FACE_TIP_MOVE_DOWN);
  EXPECT(said == "failed move_down come_closer not_right ");
  face::options strict;
  strict.min_confidence = 1;
  EXPECT(engine.check_image(photo, face::check_options(), {}, strict) == FACE_TIP_NO_FACE);
  corner.max_yaw = 91;
  EXPECT(thrown([&] { engine.check_image(photo, corner); }) == FACE_INVALID_ARGUMENT);
  EXPECT(thrown([&] { engine.open_check({}, corner); }) == FACE_INVALID_ARGUMENT);
  every.track = 0;
  EXPECT(thrown([&] { engine.open_check({}, face::check_options(), &every); }) == FACE_INVALID_ARGUMENT);
}

/* abi/coordinates.c tests the functions of face_engine.h; this tests that the wrapper calls them. */
static void conversions()
{
  const auto view = face::space::view(100, 200, FACE_FIT_COVER);
  EXPECT(view.kind == FACE_SPACE_VIEW && view.view_height == 200 && view.fit == FACE_FIT_COVER && view.mirrored == 0);
  EXPECT(face::space::view(1, 1, FACE_FIT_CONTAIN, true).mirrored == 1);
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
  EXPECT(thrown([] { face::engine::load_models({"no such folder"}); }) == FACE_NOT_FOUND);
  EXPECT(thrown([] {
           face::load_options options;
           options.precision = 9;
           face::engine::load_models({"no such folder"}, options);
         }) == FACE_INVALID_ARGUMENT);
  const face::engine engine = argv[1][0] == 'l' ? face::engine::load(argv[2]) : face::engine::connect(argv[2]);
  conversions();
  files(engine, argv[3]);
  single_images(engine, photo);
  shared_memory(engine, photo);
  sessions(engine, photo);
  checks(engine, photo);
  return failures == 0 ? 0 : 1;
}
