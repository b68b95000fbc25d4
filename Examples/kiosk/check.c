#include "kiosk.h"

#include <stdio.h>
#include <string.h>

enum { WAIT_MS = 50, RETRY_MS = 500, SILENT_MS = 5000, CLOSE_MS = 3000 };

struct check {
  const struct check_settings *settings;
  frames *from;
  face_engine *engine;
  face_session *session; /* only the thread uses it */
  SDL_Thread *thread;
  SDL_atomic_t stop;
  SDL_mutex *lock; /* of everything below */
  face_space view;
  face_circle circle;
  int reopen, restart; /* what the thread has to do */
  uint32_t ended;      /* the attempts of this session that are over: their events are ignored */
  Uint64 answered;     /* when the engine last answered, by SDL_GetTicks64 */
  struct check_status status;
  face_picture *taken;
  face_status failed; /* how the last frame failed; it is printed once */
};

/* Lets the thread begin a new attempt. The lock is held. */
static void begin_anew(check *of)
{
  of->restart = 1;
  of->ended++;
  of->status = (struct check_status){.engine_gone = of->status.engine_gone, .finished = of->status.finished};
  face_picture_destroy(of->taken);
  of->taken = NULL;
}

/* ---- Events, on the session's own thread ------------------------------------------------------------------------- */

/* Takes an event of the attempt that counts. The lock is held. */
static void take_event(check *of, const face_check *event)
{
  struct check_status *status = &of->status;
  const int trace = of->settings->trace;
  status->progress = event->progress;
  status->actions_done = event->actions_done;
  status->action_count = event->action_count;
  switch (event->event) {
  case FACE_CHECK_EVENT_STATUS:
    status->state = event->state;
    if (trace) printf("state %s\n", face_check_state_name(event->state));
    break;
  case FACE_CHECK_EVENT_TIP:
    status->tip = event->tip;
    if (trace) printf("tip %s\n", face_tip_name(event->tip));
    break;
  case FACE_CHECK_EVENT_DRAW:
    face_info_init(&status->face);
    status->has_face = face_result_get_in(event->faces, 0, &of->view, &status->face) == FACE_OK;
    break;
  case FACE_CHECK_EVENT_CLEAR:
    status->has_face = 0;
    break;
  case FACE_CHECK_EVENT_RESULT:
    if (face_picture_create(event->crop, &of->taken) != FACE_OK) fprintf(stderr, "kiosk: %s\n", face_draw_last_error());
    if (trace) printf("result %ux%u\n", event->crop->width, event->crop->height);
    break;
  case FACE_CHECK_EVENT_FAILED:
    snprintf(status->failure, sizeof status->failure, "%s", event->code);
    if (trace) printf("failed %s\n", event->code);
    break;
  }
}

static void on_check(const face_frame *frame, const face_check *event, void *user_data)
{
  check *of = user_data;
  (void)frame;
  SDL_LockMutex(of->lock);
  if (event->attempt > of->ended) take_event(of, event);
  SDL_UnlockMutex(of->lock);
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  check *of = user_data;
  (void)frame;
  SDL_LockMutex(of->lock);
  of->answered = SDL_GetTicks64();
  of->failed = FACE_OK;
  of->status.engine_gone = 0;
  of->status.sees_anyone = face_result_count(result) > 0;
  SDL_UnlockMutex(of->lock);
}

/* A frame, or the way to the engine, failed. */
static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  check *of = user_data;
  (void)frame;
  if (status == FACE_CANCELLED) return;
  SDL_LockMutex(of->lock);
  if (status != of->failed) fprintf(stderr, "kiosk: %s\n", message);
  of->failed = status;
  if (of->settings->socket != NULL && !of->status.engine_gone) begin_anew(of); /* nothing of before meets the next visitor */
  of->status.engine_gone = of->settings->socket != NULL;
  SDL_UnlockMutex(of->lock);
}

/* ---- The thread -------------------------------------------------------------------------------------------------- */

/* Opens a session for the view of the moment, connecting first if need be. */
static face_status open_session(check *of)
{
  const struct check_settings *settings = of->settings;
  face_status status = of->engine == NULL ? face_connect(settings->socket, &of->engine) : FACE_OK;
  face_check_options options;
  face_check_options_init(&options);
  options.use_timestamps = (uint32_t)settings->every;
  options.hold_ns = (uint64_t)(settings->hold * 1e9);
  options.timeout_ns = (uint64_t)(settings->timeout * 1e9);
  options.crop_size = 768;
  options.shuffle_actions = 1;
  options.action_count = settings->action_count;
  memcpy(options.actions, settings->actions, sizeof options.actions);
  face_session_options stream;
  face_session_options_init(&stream);
  stream.mode = settings->every ? FACE_SESSION_EVERY : FACE_SESSION_NEWEST;
  stream.max_missed_frames = 45;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_check = on_check;
  listener.on_faces = on_faces;
  listener.on_failed = on_failed;
  listener.user_data = of;
  SDL_LockMutex(of->lock);
  const face_space view = of->view;
  options.view = &view;
  options.mask = of->circle;
  of->reopen = of->restart = 0;
  of->ended = 0;
  of->answered = SDL_GetTicks64();
  SDL_UnlockMutex(of->lock);
  if (status == FACE_OK) status = face_check_open(of->engine, &stream, &options, &of->session);
  if (status == FACE_OK) status = face_session_bind_listener(of->session, &listener);
  return status;
}

/* Does what the window's thread asked for. Returns whether there is a session to submit to. */
static int prepare(check *of, int live)
{
  SDL_LockMutex(of->lock);
  const int viewed = of->view.view_width > 0, reopen = of->reopen, restart = of->restart;
  if (!live) of->answered = SDL_GetTicks64(); /* there is nothing to answer */
  const int silent = of->settings->socket != NULL && of->session != NULL && SDL_GetTicks64() - of->answered > SILENT_MS;
  of->restart = 0;
  SDL_UnlockMutex(of->lock);
  if (silent) on_failed(NULL, FACE_DEADLINE_EXCEEDED, "the engine does not answer", of);
  if (restart && of->session != NULL) face_check_restart(of->session);
  if (reopen) face_session_close(of->session), of->session = NULL;
  if (!viewed || of->session != NULL) return of->session != NULL;
  const face_status status = open_session(of);
  if (status == FACE_OK) return 1;
  on_failed(NULL, status, face_last_error(), of);
  face_session_close(of->session), of->session = NULL;
  SDL_Delay(RETRY_MS);
  return 0;
}

static int check_frames(void *user_data)
{
  check *of = user_data;
  struct frame frame = {.number = 0};
  uint64_t count = 0;
  while (!SDL_AtomicGet(&of->stop)) {
    const enum frames_state state = frames_state(of->from, &count);
    if (!prepare(of, state == FRAMES_LIVE)) {
      SDL_Delay(5);
      continue;
    }
    const int ended = state == FRAMES_ENDED, newer = frames_next(of->from, &frame, 1, WAIT_MS);
    const face_status status = newer ? face_session_submit(of->session, &frame.image, NULL) : FACE_OK;
    if (status != FACE_OK) {
      on_failed(NULL, status, face_last_error(), of);
      SDL_Delay(RETRY_MS);
    } else if (of->settings->every || (ended && !newer)) {
      face_session_flush(of->session, (uint64_t)SILENT_MS * 1000000);
    }
    if (ended && !newer) break;
  }
  face_session_close(of->session);
  free(frame.pixels);
  SDL_LockMutex(of->lock);
  of->status.finished = 1;
  SDL_UnlockMutex(of->lock);
  return 0;
}

/* ---- For the window's thread ------------------------------------------------------------------------------------- */

check *check_open(const struct check_settings *settings, frames *from)
{
  check *of = calloc(1, sizeof *of);
  if (of == NULL) return NULL;
  of->settings = settings;
  of->from = from;
  of->lock = SDL_CreateMutex();
  /* The only line that differs between an engine in this process and a running one, which open_session connects to. */
  if (settings->model == NULL || face_load_model(settings->model, &of->engine) == FACE_OK)
    of->thread = SDL_CreateThread(check_frames, "check", of);
  if (of->thread != NULL) return of;
  fprintf(stderr, "kiosk: %s\n", face_last_error());
  check_close(of);
  return NULL;
}

void check_set_view(check *of, const face_space *view, face_circle circle)
{
  SDL_LockMutex(of->lock);
  of->view = *view;
  of->circle = circle;
  of->reopen = 1;
  SDL_UnlockMutex(of->lock);
}

struct check_status check_status(check *of)
{
  SDL_LockMutex(of->lock);
  const struct check_status status = of->status;
  SDL_UnlockMutex(of->lock);
  return status;
}

face_picture *check_take_picture(check *of)
{
  SDL_LockMutex(of->lock);
  face_picture *taken = of->taken;
  of->taken = NULL;
  SDL_UnlockMutex(of->lock);
  return taken;
}

void check_restart(check *of)
{
  SDL_LockMutex(of->lock);
  begin_anew(of);
  SDL_UnlockMutex(of->lock);
}

int check_close(check *of)
{
  if (of == NULL) return 1;
  SDL_AtomicSet(&of->stop, 1);
  for (int ms = 0; of->thread != NULL && !check_status(of).finished; ms += 10) {
    if (ms > CLOSE_MS) return 0;
    SDL_Delay(10);
  }
  SDL_WaitThread(of->thread, NULL);
  face_release(of->engine);
  face_picture_destroy(of->taken);
  SDL_DestroyMutex(of->lock);
  free(of);
  return 1;
}
