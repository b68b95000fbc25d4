#include "kiosk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Colours that remain apart with any colour vision: after Okabe and Ito, for a dark ground. Any two differ by 23 or more in
 * CIELAB as people without red, green or blue cones see them (Machado 2009), and by 6:1 from the ground. Besides, each tone
 * has a symbol, a form of its ring and a text. */
struct theme {
  SDL_Color ground, text, soft, plate, tones[4]; /* calm, attention, good, bad */
  float stroke, dimmed; /* the ring's width as a part of its radius; how much the ground covers what is around the circle */
};

static const struct theme themes[2] = {
  {{15, 21, 33, 255}, {255, 255, 255, 255}, {200, 212, 228, 255}, {62, 78, 106, 255},
   {{70, 160, 245, 255}, {255, 200, 60, 255}, {80, 225, 150, 255}, {242, 110, 60, 255}}, 0.034f, 0.68f},
  {{0, 0, 0, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {95, 95, 95, 255}, /* high contrast */
   {{100, 180, 255, 255}, {255, 235, 0, 255}, {60, 255, 170, 255}, {255, 150, 90, 255}}, 0.055f, 0.85f},
};

static SDL_Color faded(SDL_Color colour, float opacity)
{
  colour.a = (Uint8)(255 * opacity);
  return colour;
}

/* From 0 to 1 and back, slowly. */
static float wave(float period_ms)
{
  return 0.5f - 0.5f * cosf(6.2831853f * (float)(SDL_GetTicks64() % (Uint64)period_ms) / period_ms);
}

int screen_resize(struct screen_view *view)
{
  int width, height;
  const int from_right = texts_get(&view->look->texts, "direction", NULL) != NULL;
  if (SDL_GetRendererOutputSize(view->painter.renderer, &width, &height) != 0) return 0;
  if (width == view->width && height == view->height && from_right == view->from_right) return 0;
  view->width = width;
  view->height = height;
  view->from_right = from_right;
  const int panel = height > width ? height * 40 / 100 : width * 40 / 100;
  if (height > width) {
    view->preview = (SDL_Rect){0, 0, width, height - panel};
    view->panel = (SDL_Rect){0, height - panel, width, panel};
  } else {
    view->preview = (SDL_Rect){from_right ? panel : 0, 0, width - panel, height};
    view->panel = (SDL_Rect){from_right ? 0 : width - panel, 0, panel, height};
  }
  face_space_init(&view->space);
  view->space.kind = FACE_SPACE_VIEW;
  view->space.view_width = (float)view->preview.w;
  view->space.view_height = (float)view->preview.h;
  view->space.fit = FACE_FIT_COVER;
  view->space.mirrored = 1;
  /* A little above the middle, where faces are. */
  view->circle = (face_circle){view->space.view_width / 2, view->space.view_height * 0.455f,
                               fminf(view->space.view_width, view->space.view_height) * 0.39f};
  paint_forget(&view->painter);
  view->panel_key[0] = 0;
  return 1;
}

/* ---- Pictures --------------------------------------------------------------------------------------------------- */

/* Makes the texture anew if its size is another. */
static SDL_Texture *sized(SDL_Renderer *renderer, SDL_Texture *texture, int access, int width, int height)
{
  int has_width = 0, has_height = 0;
  if (texture != NULL) SDL_QueryTexture(texture, NULL, NULL, &has_width, &has_height);
  if (has_width == width && has_height == height) return texture;
  if (texture != NULL) SDL_DestroyTexture(texture);
  texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, access, width, height);
  SDL_SetTextureScaleMode(texture, SDL_ScaleModeLinear);
  SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE);
  return texture;
}

/* Mirrors a row of RGB pixels, and mixes `ground` in where a pixel is more than `half` from `middle`. */
static void copy_row(Uint32 *to, const Uint8 *from, int width, float middle, float half, SDL_Color ground, float dimmed)
{
  for (int x = width - 1; x >= 0; x--, from += 3) {
    const float out = fmaxf(0, fminf(1, fabsf((float)x + 0.5f - middle) - half + 0.5f));
    const Uint32 part = (Uint32)(256 * dimmed * out), rest = 256 - part;
    to[x] = 0xff000000 | ((from[0] * rest + ground.r * part) >> 8) << 16 | ((from[1] * rest + ground.g * part) >> 8) << 8 |
            (from[2] * rest + ground.b * part) >> 8;
  }
}

void screen_set_frame(struct screen_view *view, const face_image *frame)
{
  SDL_Renderer *renderer = view->painter.renderer;
  const struct theme *theme = &themes[view->look->high_contrast];
  const int width = (int)frame->width, height = (int)frame->height;
  void *pixels;
  int stride;
  face_circle circle = view->circle;
  face_circle_from_space(&view->space, frame->width, frame->height, &circle);
  view->camera = sized(renderer, view->camera, SDL_TEXTUREACCESS_STREAMING, width, height);
  view->scaled = sized(renderer, view->scaled, SDL_TEXTUREACCESS_TARGET, view->preview.w, view->preview.h);
  if (SDL_LockTexture(view->camera, NULL, &pixels, &stride) != 0) return;
  for (int y = 0; y < height; y++) {
    const float above = (float)y + 0.5f - circle.y, half = circle.radius * circle.radius - above * above;
    copy_row((Uint32 *)(void *)((Uint8 *)pixels + (size_t)y * (size_t)stride),
             (const Uint8 *)frame->planes[0] + (size_t)y * (size_t)width * 3, width, (float)width - circle.x,
             half > 0 ? sqrtf(half) : -0.5f, theme->ground, theme->dimmed);
  }
  SDL_UnlockTexture(view->camera);
  /* FACE_FIT_COVER: cut off at two sides. */
  const float scale = fminf((float)width / view->space.view_width, (float)height / view->space.view_height);
  SDL_Rect seen = {0, 0, (int)(view->space.view_width * scale), (int)(view->space.view_height * scale)};
  seen.x = (width - seen.w) / 2;
  seen.y = (height - seen.h) / 2;
  SDL_SetRenderTarget(renderer, view->scaled); /* scaled once for each frame, not for each drawing */
  SDL_RenderCopy(renderer, view->camera, &seen, NULL);
  SDL_SetRenderTarget(renderer, NULL);
}

void screen_set_picture(struct screen_view *view, const face_picture *picture)
{
  face_image image;
  face_image_init(&image);
  if (face_picture_image(picture, &image) != FACE_OK) return;
  view->taken = sized(view->painter.renderer, view->taken, SDL_TEXTUREACCESS_STATIC, (int)image.width, (int)image.height);
  SDL_UpdateTexture(view->taken, NULL, image.planes[0], (int)image.strides[0]);
}

/* ---- The preview and what is on it ------------------------------------------------------------------------------ */

static void draw_dashes(struct painter *painter, face_circle circle, float width, int count, float part, SDL_Color colour)
{
  for (int i = 0; i < count; i++)
    paint_ring(painter, circle, width, ((float)i - part / 2) / (float)count, ((float)i + part / 2) / (float)count, colour);
}

static void draw_ring(struct painter *painter, face_circle circle, const struct scene *scene, const struct theme *theme)
{
  const SDL_Color colour = theme->tones[scene->tone], faint = faded(theme->text, 0.25f);
  const float width = circle.radius * theme->stroke, turn = (float)(SDL_GetTicks64() % 1600) / 1600;
  switch (scene->screen) {
  case SCREEN_IDLE:
    circle.radius *= 1 + 0.02f * wave(3600);
    draw_dashes(painter, circle, width * 0.7f, 40, 0.5f, faded(theme->text, 0.45f + 0.55f * wave(3600)));
    break;
  case SCREEN_SEARCHING:
  case SCREEN_ENGINE_GONE:
    paint_ring(painter, circle, width * 0.6f, 0, 1, faint);
    paint_ring(painter, circle, width, turn, turn + 0.22f, colour);
    break;
  case SCREEN_TIP:
    draw_dashes(painter, circle, width, 24, 0.7f, colour);
    break;
  case SCREEN_ACTION: /* a part for each action */
    for (int i = 0; i < scene->count; i++) {
      const float count = (float)scene->count, gap = scene->count > 1 ? 0.012f : 0;
      const SDL_Color now = i == scene->done ? faded(colour, 0.5f + 0.5f * wave(1200)) : faint;
      paint_ring(painter, circle, i < scene->done ? width * 1.5f : width, (float)i / count + gap, (float)(i + 1) / count - gap,
                 i < scene->done ? theme->tones[TONE_GOOD] : now);
    }
    break;
  default: /* the countdown, or how long the screen stays */
    paint_ring(painter, circle, width * 0.6f, 0, 1, faint);
    paint_ring(painter, circle, width * 1.4f, 0, scene->screen == SCREEN_COUNTDOWN ? scene->progress : scene_left(scene), colour);
  }
}

/* A round plate with the symbol or the number. */
static void draw_badge(struct screen_view *view, const struct scene *scene, const struct theme *theme, float x, float y)
{
  const float radius = view->circle.radius * 0.17f;
  char number[16];
  snprintf(number, sizeof number, "%d", scene->seconds);
  paint_plate(&view->painter, (SDL_FRect){x - radius, y - radius, 2 * radius, 2 * radius}, radius, theme->tones[scene->tone]);
  if (scene->symbol != NULL) {
    paint_symbol(&view->painter, texts_get(&view->look->symbols, scene->symbol, ""), x, y, radius * 0.6f, theme->ground);
  } else {
    const char *text = texts_get(&view->look->texts, number, number);
    const float height = paint_text(&view->painter, text, radius * 1.15f, 1, x, y, 3 * radius, faded(theme->ground, 0));
    paint_text(&view->painter, text, radius * 1.15f, 1, x, y - height / 2, 3 * radius, theme->ground);
  }
}

/* Marks the face: they follow it at the screen's rate, between the camera's frames, too. */
static void draw_mark(struct screen_view *view, const struct check_status *status, const struct theme *theme)
{
  face_circle *mark = &view->mark;
  const face_box box = status->face.box;
  if (!status->has_face) *mark = (face_circle){0, 0, 0};
  if (!status->has_face) return;
  const float part = mark->radius == 0 ? 1 : 0.3f; /* of the way to where the face is */
  mark->x += part * (box.x + box.width / 2 - mark->x);
  mark->y += part * (box.y + box.height / 2 - mark->y);
  mark->radius += part * (fmaxf(box.width, box.height) * 0.6f - mark->radius);
  draw_dashes(&view->painter, *mark, fmaxf(2, view->circle.radius * 0.012f), 4, 0.3f, faded(theme->text, 0.8f));
}

static void draw_preview(struct screen_view *view, const struct scene *scene, const struct check_status *status,
                         const struct theme *theme)
{
  struct painter *painter = &view->painter;
  face_circle circle = view->circle;
  if (scene->screen <= SCREEN_COUNTDOWN) {
    if (view->scaled != NULL) SDL_RenderCopy(painter->renderer, view->scaled, NULL, NULL);
    if (scene->screen != SCREEN_IDLE) draw_mark(view, status, theme);
    draw_ring(painter, circle, scene, theme);
    /* The badge is at the ring's lower end, or on the side that an arrow points to. */
    const int to_side = scene->arrow_x != 0 || scene->arrow_y != 0;
    const float way = circle.radius * (to_side ? 1 + 0.05f * wave(900) : 1);
    draw_badge(view, scene, theme, circle.x + (float)scene->arrow_x * way,
               circle.y + (to_side ? (float)scene->arrow_y : 1) * way);
  } else if ((scene->screen == SCREEN_SUCCESS || scene->screen == SCREEN_SAVED) && view->taken != NULL) {
    const float side = floorf(circle.radius * 1.6f), rim = floorf(side * 0.035f);
    const SDL_FRect picture = {floorf(circle.x - side / 2), floorf(circle.y - side / 2), side, side};
    const SDL_FRect frame = {picture.x - rim, picture.y - rim, side + 2 * rim, side + 2 * rim};
    paint_plate(painter, frame, rim, (SDL_Color){255, 255, 255, 255});
    SDL_RenderCopyF(painter->renderer, view->taken, NULL, &picture);
    draw_badge(view, scene, theme, circle.x, picture.y + side + rim);
  } else {
    circle.radius *= 0.62f;
    draw_ring(painter, circle, scene, theme);
    paint_symbol(painter, texts_get(&view->look->symbols, scene->symbol, ""), circle.x, circle.y, circle.radius * 0.5f,
                 theme->tones[scene->tone]);
  }
}

/* ---- The panel beside or below it ------------------------------------------------------------------------------- */

/* Draws a button of the panel with a text or, if there is one by that name, a symbol. */
static void draw_button(struct screen_view *view, SDL_FRect place, enum command command, const char *text, float size,
                        SDL_Color plate, SDL_Color colour)
{
  const char *symbol = texts_get(&view->look->symbols, text, NULL);
  const float x = place.x + place.w / 2, y = place.y + place.h / 2;
  paint_plate(&view->painter, place, place.h * 0.28f, plate);
  if (symbol != NULL) {
    paint_symbol(&view->painter, symbol, x, y, size * 0.55f, colour);
  } else {
    const float height = paint_text(&view->painter, text, size, 1, x, y, place.w, faded(colour, 0));
    paint_text(&view->painter, text, size, 1, x, y - height / 2, place.w, colour);
  }
  place.x += (float)view->panel.x;
  place.y += (float)view->panel.y;
  view->commands[view->button_count] = command;
  view->buttons[view->button_count++] = place;
}

/* Draws the panel, whose upper left corner is the origin. */
static void draw_panel(struct screen_view *view, const struct scene *scene, const struct theme *theme)
{
  struct painter *painter = &view->painter;
  const struct look *look = view->look;
  const SDL_FRect panel = {0, 0, (float)view->panel.w, (float)view->panel.h};
  const int below = view->panel.y > 0;
  const float unit = fminf(panel.w / 11, panel.h / (below ? 8.2f : 11)), gap = unit * 0.3f, margin = unit * 0.9f;
  const float inner = panel.w - 2 * margin, middle = panel.x + panel.w / 2;
  view->button_count = 0;

  /* The settings. */
  const char *names[4] = {texts_get(&look->texts, "language", ""), "Aa", "contrast", look->sound ? "sound" : "silence"};
  const float row = fminf(inner, unit * 10) / 5;
  SDL_FRect place = {middle - row * 2.5f + gap / 2, panel.y + margin * 0.6f, 0, unit * 1.1f};
  for (int i = 0; i < 4; i++, place.x += place.w + gap) {
    const int on = (i == 1 && look->large_type) || (i == 2 && look->high_contrast);
    place.w = row * (i == 0 ? 2 : 1) - gap;
    draw_button(view, place, (enum command)(COMMAND_LANGUAGE + i), names[i], unit * 0.5f, on ? theme->text : theme->plate,
                on ? theme->ground : theme->soft);
  }

  /* The choices, from the lower edge upwards, or side by side. */
  const float top = place.y + place.h, high = unit * 1.7f;
  float bottom = panel.y + panel.h - margin;
  const int both = scene->buttons[0] != NULL && scene->buttons[1] != NULL;
  place = (SDL_FRect){panel.x + margin, bottom - high, below && both ? (inner - gap) / 2 : inner, high};
  if (below && both && !view->from_right) place.x += place.w + gap;
  for (int i = 1; i >= 0; i--) {
    if (scene->buttons[i] == NULL) continue;
    draw_button(view, place, strcmp(scene->buttons[i], "accept") == 0 ? COMMAND_ACCEPT : COMMAND_AGAIN,
                texts_get(&look->texts, scene->buttons[i], scene->buttons[i]), unit * 0.72f, i == 1 ? theme->text : theme->plate,
                i == 1 ? theme->ground : theme->text);
    bottom = place.y - gap;
    if (below) place.x += (view->from_right ? 1 : -1) * (place.w + gap);
    else place.y -= high + gap;
  }

  /* What to do, in the middle of the rest. */
  const char *title = texts_get(&look->texts, scene->title, scene->title), *detail = texts_get(&look->texts, scene->detail, "");
  float size = unit * (look->large_type ? 1.35f : 1), over = 0, height = 0;
  do { /* smaller where a language needs more room than there is */
    if (height > 0) size *= 0.92f;
    over = paint_text(painter, title, size, 1, middle, 0, inner, faded(theme->text, 0)) + size * 0.3f;
    height = over + paint_text(painter, detail, size * 0.58f, 0, middle, 0, inner, faded(theme->soft, 0));
  } while (height > bottom - top - gap && size > unit * 0.5f);
  const float y = top + (bottom - top - height) / 2;
  paint_text(painter, title, size, 1, middle, y, inner, theme->text);
  paint_text(painter, detail, size * 0.58f, 0, middle, y + over, inner, theme->soft);
}

/* Draws the panel anew if something on it has changed. */
static void renew_panel(struct screen_view *view, const struct scene *scene, const struct theme *theme)
{
  char key[sizeof view->panel_key];
  const struct look *look = view->look;
  const char *parts[4] = {scene->title, scene->detail, scene->buttons[0], scene->buttons[1]};
  int length = snprintf(key, sizeof key, "%d %d %d %s", look->large_type, look->high_contrast, look->sound,
                        texts_get(&look->texts, "language", ""));
  for (int i = 0; i < 4; i++)
    length += snprintf(key + length, sizeof key - (size_t)length, "|%.400s", parts[i] == NULL ? "" : parts[i]);
  if (strcmp(key, view->panel_key) == 0) return;
  strcpy(view->panel_key, key);
  SDL_Renderer *renderer = view->painter.renderer;
  view->drawn_panel = sized(renderer, view->drawn_panel, SDL_TEXTUREACCESS_TARGET, view->panel.w, view->panel.h);
  SDL_SetRenderTarget(renderer, view->drawn_panel);
  SDL_RenderClear(renderer);
  draw_panel(view, scene, theme);
  SDL_SetRenderTarget(renderer, NULL);
}

void screen_draw(struct screen_view *view, const struct scene *scene, const struct check_status *status)
{
  const struct theme *theme = &themes[view->look->high_contrast];
  SDL_Renderer *renderer = view->painter.renderer;
  SDL_SetRenderDrawColor(renderer, theme->ground.r, theme->ground.g, theme->ground.b, 255);
  renew_panel(view, scene, theme);
  const int covered = scene->screen <= SCREEN_COUNTDOWN && view->scaled != NULL; /* by the camera's picture */
  SDL_RenderSetViewport(renderer, &view->preview);
  if (!covered) SDL_RenderFillRect(renderer, NULL);
  draw_preview(view, scene, status, theme);
  SDL_RenderSetViewport(renderer, NULL);
  SDL_RenderCopy(renderer, view->drawn_panel, NULL, &view->panel);
}

enum command screen_touched(const struct screen_view *view, float x, float y)
{
  const SDL_FPoint point = {x, y};
  for (int i = 0; i < view->button_count; i++)
    if (SDL_PointInFRect(&point, &view->buttons[i])) return view->commands[i];
  return COMMAND_NONE;
}

void screen_free(struct screen_view *view)
{
  SDL_Texture *textures[] = {view->camera, view->scaled, view->taken, view->drawn_panel};
  for (int i = 0; i < 4; i++)
    if (textures[i] != NULL) SDL_DestroyTexture(textures[i]);
  paint_forget(&view->painter);
}
