/* The parts of the kiosk. Each knows only the ones above it, and none has globals:
 *
 *     frames.c   reads the camera, on its own thread      check.c   runs the guided check, on its own thread
 *     scene.c    decides what the screen shows            paint.c   text, symbols and rings: by Pango, Cairo and SDL
 *     screen.c   lays the screen out and draws it         kiosk.c   options, keys, touch, sound, the window
 *     texts/     what it says, a file for each language, and its symbols */
#ifndef KIOSK_H
#define KIOSK_H

#include <SDL.h>
#include <face_engine.h>
#include <face_engine_draw.h>

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

struct frame_source {
  const char *command; /* a shell command that writes frames, begun again when it ends; or NULL */
  const char *path;    /* a file of frames; NULL: standard input */
  double fps;          /* of a clip, which is shown at that pace; 0: as frames come */
  int every;           /* each frame is checked and shown, however long it takes */
};

struct frame {
  face_image image; /* FACE_FORMAT_RGB */
  unsigned char *pixels;
  uint64_t number; /* from 1; 0: none yet */
};

enum frames_state { FRAMES_LIVE, FRAMES_STALLED, FRAMES_ENDED }; /* none for two seconds; there will be no further ones */

typedef struct frames frames;

/* Begins to read. Returns NULL, and prints why, if the source cannot be opened. */
frames *frames_open(const struct frame_source *source);

/* Copies the newest frame to `frame` if it is newer than the one there, after waiting up to `wait_ms` for it. Returns
 * whether it did. `for_check` tells the check from the window. */
int frames_next(frames *from, struct frame *frame, int for_check, Uint32 wait_ms);

/* `out_count` receives the number of frames so far. */
enum frames_state frames_state(frames *from, uint64_t *out_count);

/* Ends reading, also from a camera that has stalled. NULL does nothing. */
void frames_close(frames *from);

/* ---- The check -------------------------------------------------------------------------------------------------- */

struct check_settings {
  const char *model, *socket; /* one of them: a model's folder, or a running engine */
  face_action actions[FACE_CHECK_MAX_ACTIONS];
  uint32_t action_count;
  double hold, timeout; /* seconds: how long the face has to be right, and how long the check may take */
  int every, trace;     /* search every frame by the clip's own time; print states and tips */
};

/* The person's check at one moment. */
struct check_status {
  face_check_state state;
  face_tip tip;
  float progress; /* of `hold`, 0 to 1 */
  uint32_t actions_done, action_count;
  int sees_anyone, has_face;
  face_info face;   /* in pixels of the view */
  char failure[32]; /* a code, as in "face_lost" */
  int engine_gone, finished; /* finished: the frames have ended, and each was searched */
};

typedef struct check check;

/* Begins to check frames. Returns NULL, and prints why, if the model cannot be loaded; a running engine need not be there
 * yet. Borrows both until check_close. */
check *check_open(const struct check_settings *settings, frames *from);

/* Says how the preview shows frames, and where the circle is on it. This and the next three return at once. */
void check_set_view(check *of, const face_space *view, face_circle circle);
struct check_status check_status(check *of);
face_picture *check_take_picture(check *of); /* the caller destroys it; NULL if none was taken */
void check_restart(check *of);

/* Ends the check. Returns 0 if an engine that hangs keeps it from ending: then only the program's end helps. */
int check_close(check *of);

/* ---- The scene -------------------------------------------------------------------------------------------------- */

enum screen {
  SCREEN_IDLE, SCREEN_SEARCHING, SCREEN_TIP, SCREEN_ACTION, SCREEN_COUNTDOWN, SCREEN_SUCCESS, SCREEN_SAVED, SCREEN_FAILURE,
  SCREEN_TIME_OUT, SCREEN_CAMERA_GONE, SCREEN_ENGINE_GONE
};

enum tone { TONE_CALM, TONE_ATTENTION, TONE_GOOD, TONE_BAD };

struct scene {
  enum screen screen;
  enum tone tone;
  char title[48], detail[56];      /* keys of texts */
  const char *name, *symbol;       /* the screen's, as in "camera_gone"; key of a symbol, NULL: `seconds` instead */
  int arrow_x, arrow_y;            /* where to move or to turn, as the screen shows it: -1, 0 or 1 */
  const char *buttons[2];          /* keys of texts, the more likely one last; or NULL */
  float progress;                  /* of the countdown */
  int seconds, done, count;        /* of the countdown; actions */
  Uint64 since, seen;              /* when the screen came, and when anybody was last seen, by SDL_GetTicks64 */
};

/* Finds what to show. `has_picture`: one was taken and waits for the person's choice. */
void scene_update(struct scene *scene, const struct check_status *status, enum frames_state camera, int has_picture,
                  double hold);

/* Shows that a picture was accepted. */
void scene_saved(struct scene *scene);

/* How much is left of the screen's time, 1 to 0: then comes the next person's turn. */
float scene_left(const struct scene *scene);

/* ---- Painting --------------------------------------------------------------------------------------------------- */

enum { PAINT_CACHE = 64, TEXT_LINES = 128 };

/* A language's texts, or the symbols. */
struct texts {
  char *file;
  const char *keys[TEXT_LINES], *values[TEXT_LINES];
  int count;
};

/* Reads FOLDER/NAME.txt. Returns 0, and prints why, if it cannot be read. */
int texts_load(struct texts *texts, const char *folder, const char *name);

/* Returns the text, or `otherwise`. */
const char *texts_get(const struct texts *texts, const char *key, const char *otherwise);

/* Draws with a renderer. What Cairo and Pango made is kept as textures, which are tinted. */
struct painter {
  SDL_Renderer *renderer;
  struct painted {
    char key[512];
    SDL_Texture *texture;
    int width, height;
    Uint64 used;
  } kept[PAINT_CACHE];
  Uint64 clock;
};

/* Draws text, wrapped to `width` and centred at x, with its upper edge at y. Returns its height. */
float paint_text(struct painter *painter, const char *text, float size, int bold, float x, float y, float width, SDL_Color colour);

/* Draws a symbol: strokes in a square from -1 to 1, as in texts/symbols.txt. */
void paint_symbol(struct painter *painter, const char *symbol, float x, float y, float radius, SDL_Color colour);

/* Fills a rectangle with round corners. */
void paint_plate(struct painter *painter, SDL_FRect place, float corner, SDL_Color colour);

/* Draws a part of a ring, from and to in turns clockwise from the top. */
void paint_ring(struct painter *painter, face_circle ring, float width, float from, float to, SDL_Color colour);

/* Forgets what it has kept. */
void paint_forget(struct painter *painter);

/* ---- The screen ------------------------------------------------------------------------------------------------- */

enum command { COMMAND_NONE, COMMAND_AGAIN, COMMAND_ACCEPT, COMMAND_LANGUAGE, COMMAND_TYPE, COMMAND_CONTRAST, COMMAND_SOUND };

struct look {
  int large_type, high_contrast, sound;
  struct texts texts, symbols;
};

struct screen_view {
  const struct look *look;
  struct painter painter;
  int width, height, from_right; /* of the window, in pixels; whether the language is written from right to left */
  SDL_Rect preview, panel;
  face_circle circle;            /* on the preview */
  face_space space;              /* of the preview */
  SDL_Texture *camera, *scaled;  /* the newest frame, mirrored and dimmed around the circle; as the preview shows it */
  SDL_Texture *taken;
  SDL_Texture *drawn_panel;      /* as it was drawn when it changed last */
  char panel_key[2048];          /* what is on it */
  face_circle mark;              /* around the face, which it follows smoothly */
  SDL_FRect buttons[8];
  enum command commands[8];
  int button_count;
};

/* Lays out again after a change of the window's size or of the direction of writing. Returns whether there was one. */
int screen_resize(struct screen_view *view);

void screen_set_frame(struct screen_view *view, const face_image *frame);
void screen_set_picture(struct screen_view *view, const face_picture *picture);
void screen_draw(struct screen_view *view, const struct scene *scene, const struct check_status *status);

/* Returns what was touched. */
enum command screen_touched(const struct screen_view *view, float x, float y);

void screen_free(struct screen_view *view);

#endif
