/* A kiosk: a window with a mirrored preview, the circle to hold a face into, the tip as text, the five points, the progress,
 * and at the end the picture.
 *
 *     ffmpeg -v error -f v4l2 -i /dev/video0 -f image2pipe -c:v ppm - | kiosk --model Models/yunet --full-screen
 *     ffmpeg -v error -i clip.mp4 -f image2pipe -c:v ppm - | kiosk --connect /run/face-engine.sock --fps 25
 *
 * Frames are consecutive binary PPM pictures, from standard input or a file. Keys: space begins a new attempt, f toggles full
 * screen, escape quits. SDL2 provides the window, on X11, Wayland and a bare screen. libfaceengine-draw draws its content, so
 * that text needs no further library. */
#include <SDL.h>
#include <face_engine.h>
#include <face_engine_draw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 4096, SHOWN_MS = 4000 };

/* ---- Options --------------------------------------------------------------------------------------------------- */

struct settings {
  const char *model, *socket; /* one of them */
  const char *input;          /* NULL: standard input */
  const char *save;           /* where the result's crop goes as PNG */
  const char *screenshot;     /* where the window goes as PNG when the program ends */
  const char *actions;
  double fps;                 /* of a clip, which is shown at that pace; 0: as frames come, from a camera */
  int full_screen, once, every, trace;
};

static int usage(void)
{
  fputs("usage: kiosk (--model DIR | --connect SOCKET) [options] [FRAMES.ppm]\n"
        "  --full-screen       no window frame, all of the screen\n"
        "  --fps NUMBER        the frames are a clip's: show so many a second\n"
        "  --actions LIST      things to do, as in blink,turn-left,turn-right,smile,open-mouth, in random order\n"
        "  --save FILE         save the picture that is taken as PNG\n"
        "  --once              end after one check; exit code 0 when a picture was taken, else 1\n"
        "  --every             search every frame of a clip, however long it takes; its own time counts\n"
        "  --trace             print states and tips\n"
        "  --screenshot FILE   save the window as PNG at the end\n",
        stderr);
  return 2;
}

static int parse(int argc, char **argv, struct settings *asked)
{
  const struct {
    const char *name;
    const char **text;
    int *flag;
  } known[] = {{"--model", &asked->model, NULL},           {"--connect", &asked->socket, NULL},
               {"--save", &asked->save, NULL},             {"--screenshot", &asked->screenshot, NULL},
               {"--actions", &asked->actions, NULL},       {"--full-screen", NULL, &asked->full_screen},
               {"--once", NULL, &asked->once},             {"--every", NULL, &asked->every},
               {"--trace", NULL, &asked->trace},           {"--fps", NULL, NULL}};
  for (int i = 1; i < argc; i++) {
    size_t at = 0;
    while (at < sizeof known / sizeof *known && strcmp(argv[i], known[at].name) != 0) at++;
    if (at == sizeof known / sizeof *known) {
      if (argv[i][0] == '-' || asked->input != NULL) return 0;
      asked->input = argv[i];
    } else if (known[at].flag != NULL) {
      *known[at].flag = 1;
    } else {
      if (++i == argc) return 0;
      if (known[at].text != NULL) *known[at].text = argv[i];
      else asked->fps = atof(argv[i]);
    }
  }
  return (asked->model == NULL) != (asked->socket == NULL) && asked->fps >= 0 && asked->fps <= 1000;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

/* Reads a binary PPM picture: a line of text, then RGB pixels. Returns 0 at the end of the stream. */
static int read_frame(FILE *input, face_image *frame, unsigned char **pixels)
{
  unsigned width, height, maximum;
  if (fscanf(input, " P6 %u %u %u", &width, &height, &maximum) != 3 || fgetc(input) == EOF) return 0;
  if (maximum != 255 || width > MAX_SIDE || height > MAX_SIDE) return 0;
  size_t size = (size_t)width * height * 3;
  if (*pixels == NULL || size != frame->plane_sizes[0]) {
    free(*pixels);
    *pixels = malloc(size);
    if (*pixels == NULL) return 0;
  }
  face_image_init(frame);
  frame->format = FACE_FORMAT_RGB;
  frame->width = width;
  frame->height = height;
  frame->planes[0] = *pixels;
  frame->plane_sizes[0] = size;
  return fread(*pixels, 1, size, input) == size;
}

/* ---- Events of the check, on the session's own thread ------------------------------------------------------------- */

struct kiosk {
  const struct settings *asked;
  face_space view; /* how the preview shows a frame; it has the frame's size */
  SDL_mutex *lock; /* of everything below */
  uint32_t attempts; /* begun so far: events of earlier ones are ignored */
  face_check_state state;
  const char *tip;
  float progress;
  face_info face; /* in pixels of the view */
  int has_face;
  face_picture *taken;
  char failure[200];
  Uint32 ended; /* the time by SDL_GetTicks; 0 while the check runs */
};

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  struct kiosk *kiosk = user_data;
  int trace = kiosk->asked->trace;
  (void)frame;
  SDL_LockMutex(kiosk->lock);
  if (check->attempt <= kiosk->attempts) {
    SDL_UnlockMutex(kiosk->lock);
    return;
  }
  kiosk->progress = check->progress;
  switch (check->event) {
  case FACE_CHECK_EVENT_STATUS:
    kiosk->state = check->state;
    if (trace) printf("state %s\n", face_check_state_name(check->state));
    break;
  case FACE_CHECK_EVENT_TIP:
    kiosk->tip = check->text; /* static text; by check->tip in another language */
    if (trace) printf("tip %s\n", face_tip_name(check->tip));
    break;
  case FACE_CHECK_EVENT_DRAW:
    face_info_init(&kiosk->face);
    kiosk->has_face = face_result_get_in(check->faces, 0, &kiosk->view, &kiosk->face) == FACE_OK;
    break;
  case FACE_CHECK_EVENT_CLEAR:
    kiosk->has_face = 0;
    break;
  case FACE_CHECK_EVENT_RESULT:
    face_picture_destroy(kiosk->taken);
    kiosk->taken = NULL;
    if (face_picture_create(check->crop, &kiosk->taken) == FACE_OK && kiosk->asked->save != NULL &&
        face_picture_save(kiosk->taken, kiosk->asked->save) != FACE_OK)
      fprintf(stderr, "kiosk: %s\n", face_draw_last_error());
    kiosk->ended = SDL_GetTicks() | 1;
    if (trace) printf("result %ux%u\n", check->crop->width, check->crop->height);
    break;
  case FACE_CHECK_EVENT_FAILED:
    snprintf(kiosk->failure, sizeof kiosk->failure, "%s", check->message);
    kiosk->ended = SDL_GetTicks() | 1;
    if (trace) printf("failed %s\n", check->code);
    break;
  }
  SDL_UnlockMutex(kiosk->lock);
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)frame, (void)user_data;
  if (status != FACE_CANCELLED) fprintf(stderr, "kiosk: a frame failed: %s\n", message);
}

static void begin_anew(struct kiosk *kiosk, face_session *check)
{
  face_check_restart(check);
  SDL_LockMutex(kiosk->lock);
  kiosk->attempts++;
  kiosk->ended = 0;
  kiosk->failure[0] = 0;
  kiosk->progress = 0;
  face_picture_destroy(kiosk->taken);
  kiosk->taken = NULL;
  SDL_UnlockMutex(kiosk->lock);
}

/* The circle is a little above the centre, where faces are. */
static face_circle circle_of(const face_space *view)
{
  float shorter = view->view_width < view->view_height ? view->view_width : view->view_height;
  return (face_circle){view->view_width / 2, view->view_height * 0.46f, shorter * 0.4f};
}

static face_session *open_check(face_engine *engine, struct kiosk *kiosk)
{
  static const struct {
    const char *name;
    face_action action;
  } actions[] = {{"blink", FACE_ACTION_BLINK},           {"turn-left", FACE_ACTION_TURN_LEFT},
                 {"turn-right", FACE_ACTION_TURN_RIGHT}, {"smile", FACE_ACTION_SMILE},
                 {"open-mouth", FACE_ACTION_OPEN_MOUTH}};
  face_check_options options;
  face_check_options_init(&options);
  options.view = &kiosk->view;
  options.mask = circle_of(&kiosk->view);
  options.use_timestamps = (uint32_t)kiosk->asked->every;
  options.shuffle_actions = 1;
  const char *next = kiosk->asked->actions;
  while (next != NULL && *next != 0) {
    const size_t length = strcspn(next, ","), known = sizeof actions / sizeof *actions;
    size_t i = 0;
    while (i < known && (strlen(actions[i].name) != length || strncmp(next, actions[i].name, length) != 0)) i++;
    if (i == known || options.action_count == sizeof options.actions / sizeof *options.actions) {
      fprintf(stderr, "kiosk: --actions takes up to 8 of blink, turn-left, turn-right, smile, open-mouth, between commas\n");
      return NULL;
    }
    options.actions[options.action_count++] = actions[i].action;
    next += length + (next[length] == ',');
  }
  face_session_options stream;
  face_session_options_init(&stream);
  stream.mode = kiosk->asked->every ? FACE_SESSION_EVERY : FACE_SESSION_NEWEST;
  stream.max_missed_frames = 45;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_check = on_check;
  listener.on_failed = on_failed;
  listener.user_data = kiosk;
  face_session *check = NULL;
  if (face_check_open(engine, &stream, &options, &check) == FACE_OK &&
      face_session_bind_listener(check, &listener) == FACE_OK)
    return check;
  fprintf(stderr, "kiosk: %s\n", face_last_error());
  face_session_close(check);
  return NULL;
}

/* ---- The picture ----------------------------------------------------------------------------------------------- */

/* Draws everything on the screen on a mirrored copy of the frame. */
static face_picture *compose(struct kiosk *kiosk, const face_image *frame)
{
  face_image mirrored = *frame;
  mirrored.mirrored = 1;
  face_picture *picture = NULL;
  if (face_picture_create(&mirrored, &picture) != FACE_OK) return NULL;
  face_draw_style style;
  face_draw_style_init(&style);
  style.scale = 0; /* what suits the frame */
  style.text_size = 52;
  style.circle_width = 8;
  style.marks = FACE_DRAW_CORNERS | FACE_DRAW_POINTS;
  face_circle circle = circle_of(&kiosk->view);
  float width = kiosk->view.view_width, height = kiosk->view.view_height;
  SDL_LockMutex(kiosk->lock);
  if (kiosk->state >= FACE_CHECK_TIME_OUT) style.circle_colour = 0xff5040ff;
  else if (kiosk->state >= FACE_CHECK_CHECKING) style.circle_colour = 0x40e060ff;
  else if (kiosk->state == FACE_CHECK_START) style.circle_colour = 0xffd840ff;
  face_draw_mask(picture, &circle, 1, &style);
  if (kiosk->has_face && kiosk->ended == 0) face_draw_faces(picture, &kiosk->face, 1, &style);
  if (kiosk->taken != NULL) {
    face_image crop;
    face_image_init(&crop);
    float side = circle.radius * 1.3f;
    face_box place = {circle.x - side / 2, circle.y - side / 2, side, side};
    if (face_picture_image(kiosk->taken, &crop) == FACE_OK) face_draw_image(picture, &crop, &place);
  }
  if (kiosk->failure[0] != 0) style.text_size = 30;
  const char *text = kiosk->failure[0] != 0 ? kiosk->failure : kiosk->tip;
  face_draw_text(picture, text, (face_point){width / 2, height * 0.95f}, FACE_DRAW_ANCHOR_MIDDLE, &style);
  SDL_UnlockMutex(kiosk->lock);
  return picture;
}

/* Shows a picture, and the progress as a bar along the lower edge. */
static int show(SDL_Renderer *renderer, SDL_Texture *texture, const face_picture *picture, float progress)
{
  face_image image;
  face_image_init(&image);
  if (face_picture_image(picture, &image) != FACE_OK) return -1;
  if (SDL_UpdateTexture(texture, NULL, image.planes[0], (int)image.strides[0]) != 0) return -1;
  SDL_SetRenderDrawColor(renderer, 0, 0, 0, 255);
  SDL_RenderClear(renderer);
  SDL_RenderCopy(renderer, texture, NULL, NULL);
  SDL_Rect bar = {0, (int)image.height - (int)image.height / 60, (int)(progress * (float)image.width), (int)image.height / 60};
  SDL_SetRenderDrawColor(renderer, 64, 224, 96, 255);
  SDL_RenderFillRect(renderer, &bar);
  return 0;
}

/* Saves the window as it is with the drawing library, which writes PNG. */
static void save_window(SDL_Renderer *renderer, const char *path)
{
  int width, height;
  SDL_RenderSetLogicalSize(renderer, 0, 0); /* otherwise only the part that the preview covers would be read */
  if (SDL_GetRendererOutputSize(renderer, &width, &height) != 0) return;
  size_t size = (size_t)width * (size_t)height * 4;
  void *pixels = malloc(size);
  face_picture *picture = NULL;
  if (pixels == NULL || SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_ARGB8888, pixels, width * 4) != 0 ||
      face_picture_attach(FACE_FORMAT_BGRA, (uint32_t)width, (uint32_t)height, 0, pixels, size, &picture) != FACE_OK ||
      face_picture_save(picture, path) != FACE_OK)
    fprintf(stderr, "kiosk: the window could not be saved: %s %s\n", SDL_GetError(), face_draw_last_error());
  face_picture_destroy(picture);
  free(pixels);
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

/* Handles keys. Returns 0 to continue, 1 to quit. */
static int keys(SDL_Window *window, struct kiosk *kiosk, face_session *check)
{
  SDL_Event event;
  while (SDL_PollEvent(&event)) {
    if (event.type == SDL_QUIT) return 1;
    if (event.type != SDL_KEYDOWN) continue;
    Uint32 full = SDL_GetWindowFlags(window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
    if (event.key.keysym.sym == SDLK_ESCAPE) return 1;
    if (event.key.keysym.sym == SDLK_SPACE) begin_anew(kiosk, check);
    if (event.key.keysym.sym == SDLK_f) SDL_SetWindowFullscreen(window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
  }
  return 0;
}

static SDL_Window *open_window(int width, int height, int full_screen)
{
  SDL_DisplayMode screen;
  const int anywhere = SDL_WINDOWPOS_CENTERED;
  if (!full_screen || SDL_GetDesktopDisplayMode(0, &screen) != 0)
    return SDL_CreateWindow("FaceEngine", anywhere, anywhere, width, height, SDL_WINDOW_RESIZABLE);
  /* With the screen's size from the start: a bare X server has no window manager that would enlarge it. */
  return SDL_CreateWindow("FaceEngine", 0, 0, screen.w, screen.h, SDL_WINDOW_BORDERLESS | SDL_WINDOW_FULLSCREEN_DESKTOP);
}

/* Shows frames until they end or the person quits. The first one is already read and gives their size. */
static int run(face_engine *engine, struct kiosk *kiosk, FILE *input, face_image *frame, unsigned char **pixels)
{
  const struct settings *asked = kiosk->asked;
  int width = (int)frame->width, height = (int)frame->height, result = 1;
  face_picture *picture = NULL;
  face_session *check = open_check(engine, kiosk);
  SDL_Window *window = open_window(width, height, asked->full_screen);
  SDL_Renderer *renderer = window == NULL ? NULL : SDL_CreateRenderer(window, -1, 0);
  SDL_Texture *texture = renderer == NULL ? NULL
                                          : SDL_CreateTexture(renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING,
                                                              width, height);
  if (texture == NULL) fprintf(stderr, "kiosk: %s\n", SDL_GetError());
  if (check == NULL || texture == NULL) goto end;
  SDL_RenderSetLogicalSize(renderer, width, height); /* bars at two sides where the window has another shape */

  SDL_ShowCursor(asked->full_screen ? SDL_DISABLE : SDL_ENABLE);
  Uint32 begun = SDL_GetTicks();
  double interval = asked->fps > 0 ? 1000 / asked->fps : 1000.0 / 30;
  for (uint64_t number = 0;; number++) {
    if ((int)frame->width != width || (int)frame->height != height) break;
    frame->timestamp_ns = (uint64_t)((double)number * interval * 1e6);
    if (face_session_submit(check, frame, NULL) != FACE_OK) fprintf(stderr, "kiosk: %s\n", face_last_error());
    if (asked->every) face_session_flush(check, 0);
    SDL_LockMutex(kiosk->lock);
    Uint32 ended = kiosk->ended;
    float progress = kiosk->progress;
    if (ended != 0) result = kiosk->taken == NULL;
    SDL_UnlockMutex(kiosk->lock);
    face_picture_destroy(picture);
    picture = compose(kiosk, frame);
    if (picture == NULL || show(renderer, texture, picture, progress) != 0) break;
    SDL_RenderPresent(renderer);
    if (ended != 0 && asked->once) break;
    if (ended != 0 && SDL_GetTicks() - ended > SHOWN_MS) begin_anew(kiosk, check);
    if (keys(window, kiosk, check)) break;
    double ahead = (double)(number + 1) * interval - (double)(SDL_GetTicks() - begun);
    if (asked->fps > 0 && !asked->every && ahead > 0) SDL_Delay((Uint32)ahead);
    if (!read_frame(input, frame, pixels)) break;
  }
  /* Drawn again, because a presented frame cannot be read back. */
  if (asked->screenshot != NULL && picture != NULL && show(renderer, texture, picture, kiosk->progress) == 0)
    save_window(renderer, asked->screenshot);
end:
  face_session_close(check);
  face_picture_destroy(picture);
  if (texture != NULL) SDL_DestroyTexture(texture);
  if (renderer != NULL) SDL_DestroyRenderer(renderer);
  if (window != NULL) SDL_DestroyWindow(window);
  return asked->once ? result : check == NULL || texture == NULL;
}

int main(int argc, char **argv)
{
  struct settings asked = {0};
  if (!parse(argc, argv, &asked)) return usage();
  FILE *input = asked.input == NULL ? stdin : fopen(asked.input, "rb");
  unsigned char *pixels = NULL;
  face_image frame;
  face_image_init(&frame);
  if (input == NULL || !read_frame(input, &frame, &pixels)) {
    fprintf(stderr, "kiosk: there is no frame in %s\n", asked.input == NULL ? "standard input" : asked.input);
    free(pixels);
    return 1;
  }
  int result = 1;
  face_engine *engine = NULL;
  /* The only line that differs between an engine in this process and a running one. */
  if ((asked.model != NULL ? face_load_model(asked.model, &engine) : face_connect(asked.socket, &engine)) != FACE_OK) {
    fprintf(stderr, "kiosk: %s\n", face_last_error());
  } else if (SDL_Init(SDL_INIT_VIDEO) != 0) {
    fprintf(stderr, "kiosk: %s\n", SDL_GetError());
  } else {
    struct kiosk kiosk = {.asked = &asked, .lock = SDL_CreateMutex(), .tip = ""};
    face_space_init(&kiosk.view);
    kiosk.view.kind = FACE_SPACE_VIEW;
    kiosk.view.view_width = (float)frame.width;
    kiosk.view.view_height = (float)frame.height;
    kiosk.view.mirrored = 1;
    result = run(engine, &kiosk, input, &frame, &pixels);
    face_picture_destroy(kiosk.taken);
    SDL_DestroyMutex(kiosk.lock);
    SDL_Quit();
  }
  face_release(engine);
  free(pixels);
  if (input != stdin) fclose(input);
  return result;
}
