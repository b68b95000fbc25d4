/* After face_check_restart nothing of a guided check is left: no event, no picture, and nowhere in this process's
 * memory its pixels or its file, though no other frame comes.
 *     forgotten_check load MODEL_DIR PHOTO.jpg
 *     forgotten_check connect SOCKET PHOTO.jpg */
#define _GNU_SOURCE
#include "scan.h"

#include <face_engine.h>
#include <semaphore.h>

#include "../host.h"

/* Set by the listener. */
struct told {
  face_session *session;
  int results, late, restarts_inside, waits;
  sem_t is_called, may_return;
  uint32_t attempt;
  face_check_state state;
  scan_marker pixels;
};

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  struct told *told = user_data;
  (void)frame;
  told->late += check->attempt < told->attempt;
  told->attempt = check->attempt;
  if (told->waits) {
    told->waits = 0;
    sem_post(&told->is_called);
    sem_wait(&told->may_return);
  }
  told->state = check->state;
  if (check->event != FACE_CHECK_EVENT_RESULT) return;
  told->results++;
  told->pixels = scan_mark((const unsigned char *)check->picture->planes[0] + check->picture->plane_sizes[0] / 2);
  if (told->restarts_inside) EXPECT(face_check_restart(told->session) == FACE_OK);
}

/* A check without requirements but that the face stays for `hold` seconds of the frames. */
static face_session *open_check(face_engine *engine, unsigned hold, struct told *told)
{
  face_session_options session_options;
  face_session_options_init(&session_options);
  session_options.mode = FACE_SESSION_EVERY;
  face_check_options options;
  face_check_options_init(&options);
  options.use_timestamps = 1;
  options.start_delay_ns = 0;
  options.hold_ns = hold * 1000000000ull;
  options.min_face = options.min_eyes_open = options.min_brightness = options.min_sharpness = 0;
  options.max_face = 2;
  options.max_offset = options.max_other_face = options.max_brightness = 1;
  options.max_yaw = options.max_pitch = options.max_roll = 90;
  options.max_motion = 10;
  face_listener listener;
  face_listener_init(&listener);
  listener.user_data = told;
  listener.on_check = on_check;
  EXPECT(face_check_open(engine, &session_options, &options, &told->session) == FACE_OK);
  EXPECT(face_session_bind_listener(told->session, &listener) == FACE_OK);
  return told->session;
}

/* Submits frames of the photo, and waits for their events. */
static void show(face_session *session, const char *path, int count, scan_marker *file)
{
  static uint64_t number;
  face_image image;
  face_image_init(&image);
  EXPECT(face_image_from_file(path, &image) == FACE_OK);
  *file = scan_mark((const unsigned char *)image.planes[0] + image.plane_sizes[0] / 2);
  for (int i = 0; i < count; i++) {
    image.timestamp_ns = ++number * 100000000;
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  }
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  face_image_release(&image);
}

static void forgets_a_result(face_engine *engine, const char *path, int restarts_inside, scan_marker *pixels)
{
  struct told told = {.restarts_inside = restarts_inside};
  scan_marker file;
  face_session *session = open_check(engine, 0, &told);
  show(session, path, 4, &file);
  EXPECT(told.results >= 1);
  if (!restarts_inside) EXPECT(face_check_restart(session) == FACE_OK);
  EXPECT(scan_vanishes(&told.pixels) && scan_vanishes(&file));
  *pixels = told.pixels;
  EXPECT(face_session_close(session) == FACE_OK);
}

static void forgets_a_running_check(face_engine *engine, const char *path, const scan_marker *pixels)
{
  struct told told = {0};
  scan_marker file;
  face_session *session = open_check(engine, 60, &told);
  show(session, path, 4, &file);
  EXPECT(told.state == FACE_CHECK_CHECKING);
  /* The best frame so far: its pixels, or its file where the engine is another process. */
  EXPECT(scan(pixels) + scan(&file) > 0);
  EXPECT(face_check_restart(session) == FACE_OK);
  EXPECT(scan_vanishes(pixels) && scan_vanishes(&file));
  EXPECT(face_session_close(session) == FACE_OK);
}

/* Frames that wait when the check restarts are searched, but report nothing of it: not the result that they would
   have. */
static void forgets_waiting_frames(face_engine *engine, const char *path)
{
  struct told told = {.waits = 1};
  sem_init(&told.is_called, 0, 0);
  sem_init(&told.may_return, 0, 0);
  face_session *session = open_check(engine, 0, &told);
  face_image image;
  face_image_init(&image);
  EXPECT(face_image_from_file(path, &image) == FACE_OK);
  for (unsigned i = 1; i <= 4; i++) {
    image.timestamp_ns = i * 100000000;
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  }
  sem_wait(&told.is_called);
  EXPECT(face_check_restart(session) == FACE_OK);
  sem_post(&told.may_return);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(told.results == 0);
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK && face_session_flush(session, 0) == FACE_OK);
  EXPECT(told.attempt == 2 && told.late == 0);
  face_image_release(&image);
  EXPECT(face_session_close(session) == FACE_OK);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  face_engine *engine = NULL;
  scan_marker pixels;
  EXPECT((strcmp(argv[1], "connect") == 0 ? face_connect(argv[2], &engine) : face_load_model(argv[2], &engine)) ==
         FACE_OK);
  if (engine == NULL) return 1;
  forgets_a_result(engine, argv[3], 0, &pixels);
  forgets_a_result(engine, argv[3], 1, &pixels);
  forgets_a_running_check(engine, argv[3], &pixels);
  forgets_waiting_frames(engine, argv[3]);
  EXPECT(face_release(engine) == FACE_OK);
  return failures != 0;
}
