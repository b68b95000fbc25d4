/* The contract of sessions: one event a frame, in order, on one thread; none after unbind; refused from inside. */
#define _POSIX_C_SOURCE 200809L
#include "abi.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct events {
  face_session *session;
  volatile int count, faces, dropped, failed, hold;
  uint64_t last_number;
  pthread_t thread;
  face_status from_inside[5]; /* bind, unbind, flush, close, submit */
  face_status last_failure;
  int asks;
};

static void next(struct events *events, const face_frame *frame)
{
  EXPECT(frame->number > events->last_number);
  EXPECT(frame->timestamp_ns == frame->number * 10);
  if (events->count > 0) EXPECT(pthread_equal(events->thread, pthread_self()));
  events->thread = pthread_self();
  events->last_number = frame->number;
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct events *events = user_data;
  next(events, frame);
  EXPECT(face_result_count(result) <= 1);
  if (events->asks) {
    face_listener other;
    face_listener_init(&other);
    face_image image = empty_picture();
    image.timestamp_ns = (frame->number + 1) * 10;
    events->asks = 0;
    events->from_inside[0] = face_session_bind_listener(events->session, &other);
    events->from_inside[1] = face_session_unbind_listener(events->session);
    events->from_inside[2] = face_session_flush(events->session, 1);
    events->from_inside[3] = face_session_close(events->session);
    events->from_inside[4] = face_session_submit(events->session, &image, NULL);
  }
  while (events->hold) rest(1);
  events->faces++;
  events->count++;
}

static void on_dropped(const face_frame *frame, uint64_t so_far, void *user_data)
{
  struct events *events = user_data;
  next(events, frame);
  EXPECT(so_far == (uint64_t)events->dropped + 1);
  events->dropped++;
  events->count++;
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  struct events *events = user_data;
  next(events, frame);
  EXPECT(strlen(message) > 0);
  events->last_failure = status;
  events->failed++;
  events->count++;
}

static face_listener listener_of_all(struct events *events)
{
  memset(events, 0, sizeof *events);
  face_listener listener = listener_of(events);
  listener.on_faces = on_faces;
  listener.on_dropped = on_dropped;
  listener.on_failed = on_failed;
  return listener;
}

/* `search` may be NULL. */
static face_session *open_searching(face_session_mode mode, struct events *events, const face_options *search)
{
  face_session_options options = options_of(mode);
  options.options = search;
  return events->session = open_with(&options, listener_of_all(events));
}

static face_session *open_session(face_session_mode mode, struct events *events)
{
  return open_searching(mode, events, NULL);
}

static void submit(face_session *session, face_image image, uint64_t number)
{
  uint64_t given = 0;
  image.timestamp_ns = number * 10;
  EXPECT(face_session_submit(session, &image, &given) == FACE_OK);
  EXPECT(given == number);
}

static void every_frame_in_order(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_EVERY, &events);
  events.asks = 1;
  for (uint64_t i = 1; i <= 40; i++) submit(session, i % 4 ? empty_picture() : photo(), i);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.faces == 40 && events.count == 40);
  for (int i = 0; i < 5; i++) EXPECT(events.from_inside[i] == FACE_FAILED_PRECONDITION);
  EXPECT(!pthread_equal(events.thread, pthread_self()));
  EXPECT(face_session_close(session) == FACE_OK);
  EXPECT(face_session_close(session) == FACE_INVALID_ARGUMENT);
}

static void newest_wins(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_NEWEST, &events);
  events.hold = 1;
  submit(session, empty_picture(), 1);
  while (events.last_number == 0) rest(1); /* the first one's callback runs, and waits */
  for (uint64_t i = 2; i <= 50; i++) submit(session, empty_picture(), i);
  EXPECT(face_session_flush(session, 1000000) == FACE_DEADLINE_EXCEEDED);
  events.hold = 0;
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  /* The first and the last; a connected engine searches the second while the callback of the first runs. */
  EXPECT(events.faces >= 2 && events.faces <= 3 && events.faces + events.dropped == 50 && events.count == 50);
  events.asks = 1;
  submit(session, empty_picture(), 51); /* its callback submits the 52nd */
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.from_inside[4] == FACE_OK);
  EXPECT(face_session_close(session) == FACE_OK);
}

static void frames_that_fail(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_EVERY, &events);
  face_image damaged = photo(), wrong = photo();
  damaged.plane_sizes[0] = 10;
  wrong.orientation = 9;
  submit(session, damaged, 1);
  EXPECT(face_session_submit(session, &wrong, NULL) == FACE_INVALID_ARGUMENT); /* has no number and no event */
  EXPECT(face_session_submit(session, NULL, NULL) == FACE_INVALID_ARGUMENT);
  submit(session, photo(), 2);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.failed == 1 && events.faces == 1 && events.last_failure == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_close(session) == FACE_OK);
}

static void late_frames(void)
{
  struct events events;
  face_options search;
  face_options_init(&search);
  search.timeout_ns = 1;
  face_session *session = open_searching(FACE_SESSION_NEWEST, &events, &search);
  submit(session, photo(), 1);
  flush_and_close(session);
  EXPECT(events.failed == 1 && events.last_failure == FACE_DEADLINE_EXCEEDED);
}

static void unhold(void *argument)
{
  struct events *events = argument;
  rest(30);
  events->hold = 0;
}

/* Frames that wait at the end are reported as cancelled; closing waits for a running callback. */
static void close_while_busy(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_EVERY, &events);
  events.hold = 1;
  for (uint64_t i = 1; i <= 4; i++) submit(session, empty_picture(), i);
  while (events.last_number == 0) rest(1);
  task *later = start(unhold, &events);
  EXPECT(face_session_close(session) == FACE_OK);
  /* Frames that a connected engine already has are searched. */
  EXPECT(events.count == 4 && events.faces >= 1 && events.faces + events.failed == 4);
  EXPECT(events.failed == 0 || events.last_failure == FACE_CANCELLED);
  join(later);
}

/* Unbinding from another thread while a callback is running waits for its end. */
static void unbind_while_called(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_NEWEST, &events);
  for (uint64_t round = 1; round <= 20; round++) {
    events.hold = 1;
    uint64_t before = events.last_number;
    submit(session, empty_picture(), round);
    while (*(volatile uint64_t *)&events.last_number == before) rest(1);
    task *later = start(unhold, &events);
    EXPECT(face_session_unbind_listener(session) == FACE_OK);
    int count = events.count;
    EXPECT(events.hold == 0);
    join(later);
    EXPECT(face_session_unbind_listener(session) == FACE_OK);
    EXPECT(events.count == count);
    if (round == 20) break;
    face_listener listener = listener_of(&events);
    listener.on_faces = on_faces;
    EXPECT(face_session_bind_listener(session, &listener) == FACE_OK);
  }
  submit(session, empty_picture(), 21); /* searched without a listener */
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.count == 20);
  EXPECT(face_session_close(session) == FACE_OK);
}

static void count_release(void *data) { __sync_fetch_and_add((int *)data, 1); }

/* The release callback comes exactly once, however the submission ends. */
static void released_pixels(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_NEWEST, &events);
  int released = 0, each[30] = {0};
  face_image image = empty_picture();
  image.release = count_release;
  for (uint64_t i = 1; i <= 30; i++) {
    image.release_data = &each[i - 1];
    submit(session, image, i);
  }
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  image.release_data = &released;
  image.orientation = 9;
  EXPECT(face_session_submit(session, &image, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_submit(NULL, &image, NULL) == FACE_INVALID_ARGUMENT);
  image.orientation = 0;
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_OK); /* does not call it */
  EXPECT(face_session_close(session) == FACE_OK);
  for (int i = 0; i < 30; i++) EXPECT(each[i] == 1);
  EXPECT(released == 2);
  EXPECT(face_session_submit(session, &image, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(released == 3);
}

/* Submitted pixels may be overwritten at once. */
static void copied_pixels(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_EVERY, &events);
  face_image image = photo();
  unsigned char *copy = malloc(image.plane_sizes[0]);
  for (uint64_t i = 1; i <= 6; i++) {
    memcpy(copy, image.planes[0], image.plane_sizes[0]);
    face_image mine = image;
    mine.planes[0] = copy;
    submit(session, mine, i);
    memset(copy, 0, image.plane_sizes[0]);
  }
  free(copy);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.faces == 6 && events.failed == 0);
  EXPECT(face_session_close(session) == FACE_OK);
}

static void cancelled_submissions(void)
{
  struct events events;
  face_image image = empty_picture();
  face_options search;
  face_options_init(&search);
  EXPECT(face_canceller_create(&search.canceller) == FACE_OK);
  face_session *session = open_searching(FACE_SESSION_NEWEST, &events, &search);
  submit(session, image, 1);
  EXPECT(face_canceller_cancel(search.canceller) == FACE_OK);
  EXPECT(face_session_submit(session, &image, NULL) == FACE_CANCELLED);
  EXPECT(face_session_close(session) == FACE_OK);
  face_canceller_destroy(search.canceller);
}

/* Each frame has its event, also those that a connected engine has. */
static void cancelled_frames(void)
{
  struct events events;
  face_options search;
  face_options_init(&search);
  EXPECT(face_canceller_create(&search.canceller) == FACE_OK);
  face_session *session = open_searching(FACE_SESSION_EVERY, &events, &search);
  for (uint64_t i = 1; i <= 4; i++) submit(session, photo(), i);
  EXPECT(face_canceller_cancel(search.canceller) == FACE_OK);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(events.count == 4 && events.faces + events.failed == 4);
  EXPECT(events.failed == 0 || events.last_failure == FACE_CANCELLED);
  EXPECT(face_session_close(session) == FACE_OK);
  face_canceller_destroy(search.canceller);
}

static void wrong_options(void)
{
  face_session *session = NULL;
  face_options search;
  face_options_init(&search);
  search.min_confidence = 3;
  face_session_options good, options;
  face_session_options_init(&good);
  EXPECT(good.mode == FACE_SESSION_NEWEST && good.track == 1 && good.max_missed_frames == 15);
#define REFUSED(change) \
  REFUSED_AS(FACE_INVALID_ARGUMENT, (options = good, change), face_session_open(engine, &options, &session), (void)0)
  REFUSED(options.mode = 2);
  REFUSED(options.track = 2);
  REFUSED(options.options = &search);
#undef REFUSED
  EXPECT(session == NULL);
}

struct submitter {
  face_session *session;
  volatile int stop;
  volatile int refused;
};

static void submit_until_refused(void *argument)
{
  struct submitter *submitter = argument;
  face_image image = empty_picture();
  while (!submitter->stop) {
    if (face_session_submit(submitter->session, &image, NULL) == FACE_OK) continue;
    submitter->refused++;
    rest(1);
  }
}

/* The session closes while one thread submits and one waits for room: each further call gets a status. */
static void close_under_a_submitter(void)
{
  for (int mode = FACE_SESSION_NEWEST; mode <= FACE_SESSION_EVERY; mode++) {
    struct submitter submitter = {NULL, 0, 0};
    const face_session_options options = options_of((face_session_mode)mode);
    EXPECT(face_session_open(engine, &options, &submitter.session) == FACE_OK);
    task *thread = start(submit_until_refused, &submitter);
    rest(20);
    EXPECT(face_session_close(submitter.session) == FACE_OK);
    while (submitter.refused == 0) rest(1);
    submitter.stop = 1;
    join(thread);
    EXPECT(submitter.refused > 0);
  }
}

void sessions(void)
{
  wrong_options();
  every_frame_in_order();
  newest_wins();
  frames_that_fail();
  late_frames();
  close_while_busy();
  unbind_while_called();
  released_pixels();
  copied_pixels();
  cancelled_submissions();
  cancelled_frames();
  close_under_a_submitter();
}

/* The child of a fork has no thread that searches: it gets a status instead of waiting forever. */
void sessions_after_fork(void)
{
  struct events events;
  face_session *session = open_session(FACE_SESSION_NEWEST, &events);
  submit(session, empty_picture(), 1);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    face_image image = empty_picture();
    face_listener listener;
    face_listener_init(&listener);
    int wrong = face_session_submit(session, &image, NULL) != FACE_FAILED_PRECONDITION;
    wrong += face_session_flush(session, 0) != FACE_FAILED_PRECONDITION;
    wrong += face_session_bind_listener(session, &listener) != FACE_FAILED_PRECONDITION;
    wrong += face_session_unbind_listener(session) != FACE_FAILED_PRECONDITION;
    wrong += face_session_close(session) != FACE_FAILED_PRECONDITION;
    face_session *own = NULL;
    wrong += face_session_open(engine, NULL, &own) != FACE_OK;
    wrong += face_session_submit(own, &image, NULL) != FACE_OK;
    wrong += face_session_flush(own, 0) != FACE_OK;
    wrong += face_session_close(own) != FACE_OK;
    _exit(wrong);
  }
  int status = -1;
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  submit(session, empty_picture(), 2);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_close(session) == FACE_OK);
}
