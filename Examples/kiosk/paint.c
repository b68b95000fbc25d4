/* Text, symbols and plates become masks in Cairo, which the renderer tints; rings are triangles with soft edges. */
#include "kiosk.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <string.h>

int texts_load(struct texts *texts, const char *folder, const char *name)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.txt", folder, name);
  *texts = (struct texts){.file = SDL_LoadFile(path, NULL)};
  if (texts->file == NULL) fprintf(stderr, "kiosk: %s: cannot be read; --texts FOLDER says where it is\n", path);
  for (char *line = texts->file, *next; line != NULL && texts->count < TEXT_LINES; line = next) {
    if ((next = strchr(line, '\n')) != NULL) *next++ = 0;
    char *equals = strchr(line, '=');
    if (*line == '#' || equals == NULL) continue;
    *equals = 0;
    texts->keys[texts->count] = line;
    texts->values[texts->count++] = equals + 1;
  }
  return texts->file != NULL;
}

const char *texts_get(const struct texts *texts, const char *key, const char *otherwise)
{
  for (int i = 0; i < texts->count; i++)
    if (strcmp(texts->keys[i], key) == 0) return texts->values[i];
  return otherwise;
}

/* ---- Masks ------------------------------------------------------------------------------------------------------ */

/* Returns what was kept for the key, or the entry that was not used for the longest, emptied. */
static struct painted *find(struct painter *painter, const char *key)
{
  struct painted *oldest = painter->kept;
  for (struct painted *one = painter->kept; one < painter->kept + PAINT_CACHE; one++) {
    if (one->used < oldest->used) oldest = one;
    if (one->texture == NULL || strcmp(one->key, key) != 0) continue;
    one->used = ++painter->clock;
    return one;
  }
  if (oldest->texture != NULL) SDL_DestroyTexture(oldest->texture);
  *oldest = (struct painted){.used = ++painter->clock};
  snprintf(oldest->key, sizeof oldest->key, "%s", key);
  return oldest;
}

static cairo_t *begin(int width, int height)
{
  cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, width, height);
  cairo_t *cairo = cairo_create(mask);
  cairo_surface_destroy(mask); /* the context keeps it */
  return cairo;
}

/* Makes white pixels with the mask's opacity, so that any colour can tint them. */
static void keep(struct painter *painter, struct painted *entry, cairo_t *cairo)
{
  cairo_surface_t *mask = cairo_get_target(cairo);
  cairo_surface_flush(mask);
  const unsigned char *data = cairo_image_surface_get_data(mask);
  const int width = cairo_image_surface_get_width(mask), height = cairo_image_surface_get_height(mask);
  const int stride = cairo_image_surface_get_stride(mask);
  Uint32 *pixels = SDL_malloc((size_t)width * (size_t)height * sizeof *pixels);
  for (int i = 0; pixels != NULL && i < width * height; i++)
    pixels[i] = (Uint32)data[i / width * stride + i % width] << 24 | 0xffffff;
  entry->width = width;
  entry->height = height;
  entry->texture = SDL_CreateTexture(painter->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STATIC, width, height);
  if (pixels != NULL) SDL_UpdateTexture(entry->texture, NULL, pixels, width * (int)sizeof *pixels);
  SDL_SetTextureBlendMode(entry->texture, SDL_BLENDMODE_BLEND);
  SDL_free(pixels);
  cairo_destroy(cairo);
}

/* Draws a mask with its upper left corner at (x, y), on whole pixels, which keeps it sharp. */
static void tint(struct painter *painter, const struct painted *entry, float x, float y, SDL_Color colour)
{
  const SDL_FRect place = {floorf(x + 0.5f), floorf(y + 0.5f), (float)entry->width, (float)entry->height};
  SDL_SetTextureColorMod(entry->texture, colour.r, colour.g, colour.b);
  SDL_SetTextureAlphaMod(entry->texture, colour.a);
  if (colour.a != 0) SDL_RenderCopyF(painter->renderer, entry->texture, NULL, &place);
}

float paint_text(struct painter *painter, const char *text, float size, int bold, float x, float y, float width, SDL_Color colour)
{
  char key[512];
  snprintf(key, sizeof key, "text %d %d %d %s", (int)size, bold, (int)width, text);
  struct painted *entry = find(painter, key);
  if (entry->texture == NULL) {
    PangoFontDescription *font = pango_font_description_new();
    pango_font_description_set_family_static(font, "Noto Sans, Noto Sans Arabic, Noto Sans CJK JP, sans-serif");
    pango_font_description_set_weight(font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(font, (int)size * PANGO_SCALE);
    cairo_t *cairo = begin(1, 1);
    PangoLayout *layout = pango_cairo_create_layout(cairo);
    int height = 1;
    pango_layout_set_font_description(layout, font);
    pango_layout_set_width(layout, (int)width * PANGO_SCALE);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
    pango_layout_set_text(layout, text, -1);
    pango_layout_get_pixel_size(layout, NULL, &height);
    cairo_destroy(cairo);
    cairo = begin((int)width, height);
    pango_cairo_show_layout(cairo, layout);
    keep(painter, entry, cairo);
    g_object_unref(layout);
    pango_font_description_free(font);
  }
  tint(painter, entry, x - (float)entry->width / 2, y, colour);
  return (float)entry->height;
}

static void trace(cairo_t *cairo, const char *symbol)
{
  char kind;
  int length;
  double x, y, radius, from, to;
  while (sscanf(symbol, " %c %lf %lf%n", &kind, &x, &y, &length) == 3) {
    symbol += length;
    if (kind == 'm') cairo_move_to(cairo, x, y);
    if (kind == 'l') cairo_line_to(cairo, x, y);
    if (strchr("cda", kind) == NULL || sscanf(symbol, "%lf%n", &radius, &length) != 1) continue;
    symbol += length;
    from = 0, to = 360;
    if (kind == 'a' && sscanf(symbol, "%lf %lf%n", &from, &to, &length) == 2) symbol += length;
    if (kind == 'd') cairo_stroke(cairo);
    else cairo_new_sub_path(cairo);
    cairo_arc(cairo, x, y, radius, from * G_PI / 180, to * G_PI / 180);
    if (kind == 'd') cairo_fill(cairo);
  }
  cairo_stroke(cairo);
}

void paint_symbol(struct painter *painter, const char *symbol, float x, float y, float radius, SDL_Color colour)
{
  char key[512];
  const int side = 2 * (int)ceilf(radius) + 2;
  snprintf(key, sizeof key, "symbol %d %s", side, symbol);
  struct painted *entry = find(painter, key);
  if (entry->texture == NULL) {
    cairo_t *cairo = begin(side, side);
    cairo_translate(cairo, side / 2.0, side / 2.0);
    cairo_scale(cairo, (double)radius, (double)radius);
    cairo_set_line_width(cairo, 0.17);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    trace(cairo, symbol);
    keep(painter, entry, cairo);
  }
  tint(painter, entry, x - (float)side / 2, y - (float)side / 2, colour);
}

void paint_plate(struct painter *painter, SDL_FRect place, float corner, SDL_Color colour)
{
  char key[64];
  const double width = floor((double)place.w), height = floor((double)place.h), round = (double)corner;
  snprintf(key, sizeof key, "plate %.0f %.0f %.0f", width, height, round);
  struct painted *entry = find(painter, key);
  if (entry->texture == NULL) {
    cairo_t *cairo = begin((int)width, (int)height);
    for (int i = 0; i < 4; i++) /* the corners, clockwise from the lower right */
      cairo_arc(cairo, i % 3 == 0 ? width - round : round, i < 2 ? height - round : round, round, i * G_PI / 2,
                (i + 1) * G_PI / 2);
    cairo_fill(cairo);
    keep(painter, entry, cairo);
  }
  tint(painter, entry, place.x, place.y, colour);
}

void paint_forget(struct painter *painter)
{
  for (struct painted *one = painter->kept; one < painter->kept + PAINT_CACHE; one++) {
    if (one->texture != NULL) SDL_DestroyTexture(one->texture);
    one->texture = NULL;
  }
}

/* ---- Rings ------------------------------------------------------------------------------------------------------ */

void paint_ring(struct painter *painter, face_circle ring, float width, float from, float to, SDL_Color colour)
{
  enum { STEPS = 180 };
  SDL_Vertex corners[4 * (STEPS + 1)];
  int order[18 * STEPS], count = 0;
  const int steps = (int)ceilf(STEPS * fminf(1, to - from));
  const float radii[4] = {-width / 2 - 0.7f, -width / 2 + 0.7f, width / 2 - 0.7f, width / 2 + 0.7f};
  for (int i = 0; i <= steps && steps > 0; i++) {
    const double angle = (double)(from + (to - from) * (float)i / (float)steps) * 2 * G_PI;
    for (int j = 0; j < 4; j++) {
      SDL_Vertex *corner = &corners[4 * i + j];
      *corner = (SDL_Vertex){.color = colour};
      corner->position.x = ring.x + (ring.radius + radii[j]) * (float)sin(angle);
      corner->position.y = ring.y - (ring.radius + radii[j]) * (float)cos(angle);
      if (j % 3 == 0) corner->color.a = 0; /* the soft edges */
    }
    for (int j = 0; i < steps && j < 3; j++) {
      const int first = 4 * i + j, square[6] = {first, first + 1, first + 4, first + 1, first + 5, first + 4};
      memcpy(order + count, square, sizeof square);
      count += 6;
    }
  }
  SDL_SetRenderDrawBlendMode(painter->renderer, SDL_BLENDMODE_BLEND);
  if (steps > 0) SDL_RenderGeometry(painter->renderer, NULL, corners, 4 * (steps + 1), order, count);
}
