/* A kiosk: leads the person in front of a camera to a good picture, with the guided check.
 *
 *     kiosk --connect /run/face-engine.sock --full-screen --language en,fr,ar \
 *           --camera 'ffmpeg -v error -f v4l2 -i /dev/video0 -f image2pipe -c:v ppm -'
 *     ffmpeg -v error -i clip.mp4 -f image2pipe -c:v ppm - | kiosk --model Models/yunet --fps 25
 *
 * Frames are consecutive binary PPM pictures. Touch or keys: return accepts, space tries again, l changes the language, t the
 * size of type, c the contrast, s the sound, f toggles full screen, escape quits. */
#define _POSIX_C_SOURCE 200809L
#include "kiosk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAME_MS = 16 };

struct settings {
  struct frame_source source;
  struct check_settings check;
  const char *actions, *save, *screenshot, *shots, *texts, *languages;
  double width, height;
  int full_screen, once, mute, large_type, high_contrast;
};

static int usage(void)
{
  fputs("usage: kiosk (--model DIR | --connect SOCKET) [options] [FRAMES.ppm]\n"
        "  --camera COMMAND    a command that writes frames, started again whenever it ends\n"
        "  --fps NUMBER        the frames are a clip's: show so many a second\n"
        "  --actions LIST      things to do, as in blink,turn-left,turn-right,smile,open-mouth, in random order\n"
        "  --hold SECONDS      how long the face has to be right, default 2\n"
        "  --timeout SECONDS   how long a check may take, default 30\n"
        "  --save FILE         save each accepted picture as PNG; %Y%m%d-%H%M%S and the like become the time\n"
        "  --language LIST     the languages to choose from, as in en,de,fr,es,ar,ja; default en\n"
        "  --texts FOLDER      where they are, default: texts beside the program\n"
        "  --large-type, --high-contrast, --mute\n"
        "  --full-screen       no window frame, all of the screen\n"
        "  --width NUMBER, --height NUMBER   of the window, default 1280 and 720\n"
        "  --once              accept the first picture and end; exit code 0 when there was one, else 1\n"
        "  --every             check and show every frame of a clip, however long it takes; its own time counts\n"
        "  --trace             print states and tips, and at the end what drawing took\n"
        "  --screenshot FILE   save the window as PNG at the end\n"
        "  --shots FOLDER      save each kind of screen as PNG when it is shown\n",
        stderr);
  return 2;
}

/* Reads the list of actions. Returns whether all are known. */
static int parse_actions(const char *list, struct check_settings *check)
{
  static const struct {
    const char *name;
    face_action action;
  } known[] = {{"blink", FACE_ACTION_BLINK}, {"turn-left", FACE_ACTION_TURN_LEFT}, {"turn-right", FACE_ACTION_TURN_RIGHT},
               {"smile", FACE_ACTION_SMILE}, {"open-mouth", FACE_ACTION_OPEN_MOUTH}};
  while (list != NULL && *list != 0) {
    const size_t length = strcspn(list, ","), count = sizeof known / sizeof *known;
    size_t i = 0;
    while (i < count && (strlen(known[i].name) != length || strncmp(list, known[i].name, length) != 0)) i++;
    if (i == count || check->action_count == FACE_CHECK_MAX_ACTIONS) return 0;
    check->actions[check->action_count++] = known[i].action;
    list += length + (list[length] == ',');
  }
  return 1;
}

static int parse(int argc, char **argv, struct settings *asked)
{
  const struct {
    const char *name;
    const char **text;
    double *number;
    int *flag;
  } known[] = {
    {"--model", &asked->check.model, NULL, NULL}, {"--connect", &asked->check.socket, NULL, NULL},
    {"--camera", &asked->source.command, NULL, NULL}, {"--fps", NULL, &asked->source.fps, NULL},
    {"--actions", &asked->actions, NULL, NULL}, {"--hold", NULL, &asked->check.hold, NULL},
    {"--timeout", NULL, &asked->check.timeout, NULL}, {"--save", &asked->save, NULL, NULL},
    {"--language", &asked->languages, NULL, NULL}, {"--texts", &asked->texts, NULL, NULL},
    {"--large-type", NULL, NULL, &asked->large_type}, {"--high-contrast", NULL, NULL, &asked->high_contrast},
    {"--mute", NULL, NULL, &asked->mute}, {"--full-screen", NULL, NULL, &asked->full_screen},
    {"--width", NULL, &asked->width, NULL}, {"--height", NULL, &asked->height, NULL},
    {"--once", NULL, NULL, &asked->once}, {"--every", NULL, NULL, &asked->check.every},
    {"--trace", NULL, NULL, &asked->check.trace}, {"--screenshot", &asked->screenshot, NULL, NULL},
    {"--shots", &asked->shots, NULL, NULL}};
  for (int i = 1; i < argc; i++) {
    size_t at = 0;
    while (at < sizeof known / sizeof *known && strcmp(argv[i], known[at].name) != 0) at++;
    if (at == sizeof known / sizeof *known) {
      if (argv[i][0] == '-' || asked->source.path != NULL) return 0;
      asked->source.path = argv[i];
    } else if (known[at].flag != NULL) {
      *known[at].flag = 1;
    } else if (++i == argc) {
      return 0;
    } else if (known[at].text != NULL) {
      *known[at].text = argv[i];
    } else {
      *known[at].number = atof(argv[i]);
      if (!(*known[at].number > 0 && *known[at].number <= 16384)) return 0;
    }
  }
  asked->source.every = asked->check.every;
  return (asked->check.model == NULL) != (asked->check.socket == NULL) && parse_actions(asked->actions, &asked->check) &&
         (asked->source.path == NULL || asked->source.command == NULL);
}

/* ---- Sound ------------------------------------------------------------------------------------------------------ */

enum { RATE = 44100, NOTE = RATE / 5 };

static SDL_AudioDeviceID open_sound(void)
{
  const SDL_AudioSpec asked = {.freq = RATE, .format = AUDIO_F32SYS, .channels = 1, .samples = 1024};
  if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) return 0; /* without a device it is silent */
  SDL_AudioDeviceID device = SDL_OpenAudioDevice(NULL, 0, &asked, NULL, 0);
  if (device != 0) SDL_PauseAudioDevice(device, 0);
  return device;
}

/* Plays two soft notes, upwards for success and downwards for failure. */
static void play(SDL_AudioDeviceID device, int success)
{
  const double low = 392.0, high = 523.25, turn = 6.2831853; /* G4 and C5, in hertz */
  float samples[2 * NOTE];
  for (int i = 0; i < 2 * NOTE; i++) {
    const double pitch = (i < NOTE) == success ? low : high, fade = sin(turn / 2 * (i % NOTE) / NOTE);
    samples[i] = (float)(0.12 * fade * fade * sin(turn * pitch * (i % NOTE) / RATE));
  }
  if (device != 0) SDL_QueueAudio(device, samples, sizeof samples);
}

/* ---- The program ------------------------------------------------------------------------------------------------ */

struct kiosk {
  const struct settings *asked;
  frames *camera;
  check *check;
  SDL_Window *window;
  struct screen_view view;
  struct scene scene;
  struct look look;
  const char *language; /* the one of the moment, in asked->languages */
  face_picture *taken;  /* waits for the person's choice */
  SDL_AudioDeviceID speaker;
  Uint64 shot; /* the screen that was drawn last, by its beginning, and how often */
  int drawn, accepted, quit;
};

/* Loads the next language of the list, from its beginning after the last. */
static int change_language(struct kiosk *kiosk)
{
  char name[16];
  const char *next = kiosk->language == NULL ? NULL : strchr(kiosk->language, ',');
  kiosk->language = next == NULL ? kiosk->asked->languages : next + 1;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(kiosk->language, ","), kiosk->language);
  SDL_free(kiosk->look.texts.file);
  return texts_load(&kiosk->look.texts, kiosk->asked->texts, name);
}

static void begin_anew(struct kiosk *kiosk)
{
  face_picture_destroy(kiosk->taken);
  kiosk->taken = NULL;
  check_restart(kiosk->check);
}

static void accept(struct kiosk *kiosk)
{
  char path[1024] = "";
  const time_t now = time(NULL);
  struct tm parts;
  if (kiosk->taken == NULL) return;
  if (kiosk->asked->save != NULL && strftime(path, sizeof path, kiosk->asked->save, localtime_r(&now, &parts)) > 0 &&
      face_picture_save(kiosk->taken, path) != FACE_OK)
    fprintf(stderr, "kiosk: %s\n", face_draw_last_error());
  kiosk->accepted = 1;
  begin_anew(kiosk);
  scene_saved(&kiosk->scene);
}

static void obey(struct kiosk *kiosk, enum command command)
{
  if (command == COMMAND_AGAIN) begin_anew(kiosk);
  if (command == COMMAND_ACCEPT) accept(kiosk);
  if (command == COMMAND_LANGUAGE && !change_language(kiosk)) kiosk->quit = 1;
  if (command == COMMAND_TYPE) kiosk->look.large_type ^= 1;
  if (command == COMMAND_CONTRAST) kiosk->look.high_contrast ^= 1;
  if (command == COMMAND_SOUND) kiosk->look.sound ^= 1;
}

static void handle_events(struct kiosk *kiosk)
{
  static const struct {
    SDL_Keycode key;
    enum command command;
  } keys[] = {{SDLK_RETURN, COMMAND_ACCEPT}, {SDLK_KP_ENTER, COMMAND_ACCEPT}, {SDLK_SPACE, COMMAND_AGAIN},
              {SDLK_l, COMMAND_LANGUAGE}, {SDLK_t, COMMAND_TYPE}, {SDLK_c, COMMAND_CONTRAST}, {SDLK_s, COMMAND_SOUND}};
  SDL_Event event;
  while (SDL_PollEvent(&event)) {
    if (event.type == SDL_QUIT) kiosk->quit = 1;
    if (event.type == SDL_MOUSEBUTTONDOWN) { /* SDL makes one of each touch, too */
      int width, height;
      SDL_GetWindowSize(kiosk->window, &width, &height); /* of which pixels may be parts */
      obey(kiosk, screen_touched(&kiosk->view, (float)(event.button.x * kiosk->view.width) / (float)width,
                                 (float)(event.button.y * kiosk->view.height) / (float)height));
    }
    if (event.type != SDL_KEYDOWN || event.key.repeat) continue;
    const SDL_Keycode key = event.key.keysym.sym;
    const Uint32 full = SDL_GetWindowFlags(kiosk->window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
    if (key == SDLK_ESCAPE) kiosk->quit = 1;
    if (key == SDLK_f) SDL_SetWindowFullscreen(kiosk->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
      if (keys[i].key == key) obey(kiosk, keys[i].command);
  }
}

/* Saves what was drawn with the drawing library, which writes PNG. */
static void save_window(struct kiosk *kiosk, const char *path)
{
  const int width = kiosk->view.width, height = kiosk->view.height;
  const size_t size = (size_t)width * (size_t)height * 4;
  void *pixels = malloc(size);
  face_picture *picture = NULL;
  if (pixels == NULL ||
      SDL_RenderReadPixels(kiosk->view.painter.renderer, NULL, SDL_PIXELFORMAT_ARGB8888, pixels, width * 4) != 0 ||
      face_picture_attach(FACE_FORMAT_BGRA, (uint32_t)width, (uint32_t)height, 0, pixels, size, &picture) != FACE_OK ||
      face_picture_save(picture, path) != FACE_OK)
    fprintf(stderr, "kiosk: %s could not be saved: %s %s\n", path, SDL_GetError(), face_draw_last_error());
  face_picture_destroy(picture);
  free(pixels);
}

/* Saves each kind of screen when it comes, and again when it has been drawn a few times. */
static void save_shot(struct kiosk *kiosk)
{
  char path[1024];
  kiosk->drawn = kiosk->shot == kiosk->scene.since ? kiosk->drawn + 1 : 1;
  kiosk->shot = kiosk->scene.since;
  if (kiosk->asked->shots == NULL || (kiosk->drawn != 1 && kiosk->drawn != 12)) return;
  snprintf(path, sizeof path, "%s/%s.png", kiosk->asked->shots, kiosk->scene.name);
  save_window(kiosk, path);
}

static int open_window(struct kiosk *kiosk)
{
  const struct settings *asked = kiosk->asked;
  SDL_DisplayMode screen = {.w = (int)asked->width, .h = (int)asked->height};
  Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
  /* With the screen's size from the start: a bare X server has no window manager that would enlarge it. */
  if (asked->full_screen && SDL_GetDesktopDisplayMode(0, &screen) == 0)
    flags = SDL_WINDOW_BORDERLESS | SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_ALLOW_HIGHDPI;
  SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "0");
  const int place = asked->full_screen ? 0 : (int)SDL_WINDOWPOS_CENTERED;
  kiosk->window = SDL_CreateWindow("FaceEngine", place, place, screen.w, screen.h, flags);
  if (kiosk->window != NULL)
    kiosk->view.painter.renderer = SDL_CreateRenderer(kiosk->window, -1, SDL_RENDERER_PRESENTVSYNC);
  if (kiosk->view.painter.renderer == NULL) fprintf(stderr, "kiosk: %s\n", SDL_GetError());
  SDL_ShowCursor(asked->full_screen ? SDL_DISABLE : SDL_ENABLE);
  return kiosk->view.painter.renderer != NULL;
}

/* The first language of the list, and the other settings as they were asked for. */
static int reset_look(struct kiosk *kiosk)
{
  const struct settings *asked = kiosk->asked;
  kiosk->language = NULL;
  kiosk->look.large_type = asked->large_type;
  kiosk->look.high_contrast = asked->high_contrast;
  kiosk->look.sound = !asked->mute;
  return change_language(kiosk);
}

/* Brings the scene to what the check says now. */
static void update(struct kiosk *kiosk, const struct check_status *status, enum frames_state state)
{
  face_picture *taken = check_take_picture(kiosk->check);
  if (taken != NULL) {
    face_picture_destroy(kiosk->taken);
    kiosk->taken = taken;
    screen_set_picture(&kiosk->view, taken);
  }
  const enum screen before = kiosk->scene.screen;
  scene_update(&kiosk->scene, status, state, kiosk->taken != NULL, kiosk->asked->check.hold);
  const enum screen now = kiosk->scene.screen;
  if (now != before && (now == SCREEN_SUCCESS || now == SCREEN_FAILURE || now == SCREEN_TIME_OUT) && kiosk->look.sound)
    play(kiosk->speaker, now == SCREEN_SUCCESS);
  if (scene_left(&kiosk->scene) <= 0) begin_anew(kiosk);
  if (now == SCREEN_IDLE && before != SCREEN_IDLE && !reset_look(kiosk)) kiosk->quit = 1; /* the visitor has gone */
}

/* Draws, at the screen's rate, until the frames end or the person quits. */
static void run(struct kiosk *kiosk)
{
  const struct settings *asked = kiosk->asked;
  struct frame frame = {.number = 0};
  struct timespec used;
  uint64_t count = 0, drawn = 0;
  const Uint64 begun = SDL_GetTicks64();
  Uint64 next = 0;
  while (!kiosk->quit) {
    handle_events(kiosk);
    const int resized = screen_resize(&kiosk->view);
    if (resized) check_set_view(kiosk->check, &kiosk->view.space, kiosk->view.circle);
    if (frames_next(kiosk->camera, &frame, 0, 0) || (resized && frame.number > 0)) screen_set_frame(&kiosk->view, &frame.image);
    const enum frames_state state = frames_state(kiosk->camera, &count);
    const int thanking = kiosk->scene.screen == SCREEN_SAVED, over = scene_left(&kiosk->scene) <= 0;
    if (thanking && over) begin_anew(kiosk); /* what was checked meanwhile was the visitor who leaves */
    const struct check_status status = check_status(kiosk->check);
    if (!thanking || over) update(kiosk, &status, state);
    screen_draw(&kiosk->view, &kiosk->scene, &status);
    save_shot(kiosk);
    const int decided = kiosk->taken != NULL || kiosk->scene.screen == SCREEN_FAILURE || kiosk->scene.screen == SCREEN_TIME_OUT;
    const int last = status.finished || (asked->once && decided);
    if (last && asked->screenshot != NULL) save_window(kiosk, asked->screenshot);
    SDL_RenderPresent(kiosk->view.painter.renderer);
    const Uint64 now = SDL_GetTicks64();
    if (now < next) SDL_Delay((Uint32)(next - now)); /* where the renderer does not wait for the screen */
    next = SDL_GetTicks64() + FRAME_MS;
    drawn++;
    if (!last) continue;
    if (asked->once) accept(kiosk);
    break;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  const double seconds = (double)(SDL_GetTicks64() - begun) / 1000, busy = (double)used.tv_sec + (double)used.tv_nsec / 1e9;
  if (asked->check.trace && drawn > 0)
    fprintf(stderr, "kiosk: drew %.1f a second, %.2f ms of processor time each\n", (double)drawn / seconds, busy / (double)drawn * 1000);
  free(frame.pixels);
}

/* Waits for the first frame of a file. Returns 0, and says so, if there is none. */
static int has_frames(frames *from, const char *path)
{
  uint64_t count = 0;
  enum frames_state state;
  while ((state = frames_state(from, &count)) == FRAMES_LIVE && count == 0 && path != NULL) SDL_Delay(5);
  if (state == FRAMES_ENDED && count == 0)
    fprintf(stderr, "kiosk: there is no frame in %s: it has to be binary PPM pictures\n", path != NULL ? path : "standard input");
  return state != FRAMES_ENDED || count > 0;
}

int main(int argc, char **argv)
{
  struct settings asked = {.check = {.hold = 2, .timeout = 30}, .languages = "en", .width = 1280, .height = 720};
  if (!parse(argc, argv, &asked)) return usage();
  char *base = SDL_GetBasePath(), folder[1024];
  snprintf(folder, sizeof folder, "%stexts", base == NULL ? "" : base);
  SDL_free(base);
  if (asked.texts == NULL) asked.texts = folder;
  struct kiosk *kiosk = calloc(1, sizeof *kiosk);
  if (kiosk == NULL) return 1;
  kiosk->asked = &asked;
  kiosk->view.look = &kiosk->look;
  int ready = reset_look(kiosk) && texts_load(&kiosk->look.symbols, asked.texts, "symbols") &&
              (kiosk->camera = frames_open(&asked.source)) != NULL && has_frames(kiosk->camera, asked.source.path) &&
              (kiosk->check = check_open(&asked.check, kiosk->camera)) != NULL;
  if (ready && SDL_Init(SDL_INIT_VIDEO) != 0) {
    fprintf(stderr, "kiosk: %s\n", SDL_GetError());
    ready = 0;
  }
  if (ready && open_window(kiosk)) {
    kiosk->speaker = asked.mute ? 0 : open_sound();
    run(kiosk);
  }
  screen_free(&kiosk->view);
  if (kiosk->view.painter.renderer != NULL) SDL_DestroyRenderer(kiosk->view.painter.renderer);
  if (kiosk->window != NULL) SDL_DestroyWindow(kiosk->window); /* first: the engine may take its time */
  const int failed = !ready || !has_frames(kiosk->camera, NULL) || (asked.once && !kiosk->accepted);
  fflush(stdout);
  if (!check_close(kiosk->check)) _Exit(failed);
  frames_close(kiosk->camera);
  face_picture_destroy(kiosk->taken);
  SDL_free(kiosk->look.texts.file);
  SDL_free(kiosk->look.symbols.file);
  free(kiosk);
  SDL_Quit();
  return failed;
}
