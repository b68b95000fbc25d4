/* The listener of an engine, and the log. */
#include "abi.h"
#include <sched.h>

struct seen {
  int calls, failures, again;
  uint32_t faces;
  uint64_t number, timestamp;
  face_status rebound, unbound, released;
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct seen *seen = user_data;
  face_listener other;
  face_listener_init(&other);
  seen->calls++;
  seen->faces += face_result_count(result);
  EXPECT(frame->number > seen->number);
  seen->number = frame->number;
  seen->timestamp = frame->timestamp_ns;
  seen->rebound = face_bind_listener(engine, &other);
  seen->unbound = face_unbind_listener(engine);
  seen->released = face_release(engine);
  if (seen->again-- > 0) EXPECT(detect_with(empty_picture()) == FACE_OK); /* calls this function recursively */
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  struct seen *seen = user_data;
  EXPECT(frame->number > seen->number);
  EXPECT(status == FACE_INVALID_ARGUMENT);
  EXPECT(strlen(message) > 0);
  seen->failures++;
}

static void one_event_for_each_image(void)
{
  face_image empty = empty_picture(), image = photo();
  struct seen seen;
  memset(&seen, 0, sizeof seen);
  face_listener listener = listener_of(&seen);
  listener.on_faces = on_faces;
  listener.on_failed = on_failed;
  EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  empty.timestamp_ns = 77;
  EXPECT(face_detect(engine, &empty, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 1 && seen.faces == 0); /* frames without faces have an event, too */
  EXPECT(seen.timestamp == 77);
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 2 && seen.faces == 1);
  EXPECT(seen.rebound == FACE_FAILED_PRECONDITION);
  EXPECT(seen.unbound == FACE_FAILED_PRECONDITION);
  EXPECT(seen.released == FACE_FAILED_PRECONDITION);
  seen.again = 2;
  EXPECT(face_detect(engine, &empty, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 5);
  image.plane_sizes[0] = 10;
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(seen.calls == 5 && seen.failures == 1);
  image.orientation = 99; /* is refused before the search */
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(seen.failures == 1);
  listener.reserved = 1;
  EXPECT(face_bind_listener(engine, &listener) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_detect(engine, &empty, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 5);
}

static void detect_often(void *unused)
{
  (void)unused;
  for (int i = 0; i < 5; i++) EXPECT(detect_with(photo()) == FACE_OK);
}

static void count_call(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  int *calls = user_data;
  EXPECT(face_result_count(result) == 1);
  ++*calls; /* needs no lock, since callbacks are serialised */
}

/* Eight threads detect while this one binds and unbinds; no callback comes after unbind returned. */
static void threads(void)
{
  int calls = 0;
  face_listener listener = listener_of(&calls);
  listener.on_faces = count_call;
  EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  task *all[8];
  for (int i = 0; i < 8; i++) all[i] = start(detect_often, NULL);
  for (int i = 0; i < 20; i++) {
    EXPECT(face_unbind_listener(engine) == FACE_OK);
    int before = calls;
    sched_yield();
    EXPECT(calls == before);
    EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  }
  for (int i = 0; i < 8; i++) join(all[i]);
  EXPECT(calls <= 40);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
}

void listeners(void)
{
  one_event_for_each_image();
  threads();
}

static void on_line(face_log_level level, const char *line, void *user_data)
{
  int *lines = user_data;
  EXPECT(level >= FACE_LOG_ERROR && level <= FACE_LOG_DEBUG);
  EXPECT(strlen(line) > 0);
  for (const char *at = line; *at != 0; at++) EXPECT((unsigned char)*at >= ' ');
  if (level == FACE_LOG_DEBUG) EXPECT(strncmp(line, "face_load_model ended with ", 27) == 0);
  lines[level]++;
  /* This is not allowed, and harmless. */
  face_set_log_callback(NULL, FACE_LOG_DEBUG, NULL);
  EXPECT(face_release((face_engine *)8) == FACE_INVALID_ARGUMENT);
}

void logs(void)
{
  int lines[5] = {0};
  face_engine *none = NULL;
  face_set_log_callback(on_line, FACE_LOG_DEBUG, lines);
  EXPECT(face_load_model("no such folder", &none) == FACE_NOT_FOUND);
  EXPECT(lines[FACE_LOG_DEBUG] == 1);
  EXPECT(face_load_model("no such\nfolder\x1b[1m", &none) == FACE_NOT_FOUND);
  EXPECT(lines[FACE_LOG_DEBUG] == 2);
  face_set_log_callback(on_line, FACE_LOG_INFO, lines);
  EXPECT(face_load_model("no such folder", &none) == FACE_NOT_FOUND);
  EXPECT(lines[FACE_LOG_DEBUG] == 2);
  face_set_log_callback(NULL, FACE_LOG_DEBUG, NULL);
  EXPECT(face_load_model("no such folder", &none) == FACE_NOT_FOUND);
  EXPECT(lines[FACE_LOG_DEBUG] == 2);
}
