/* Draws on pixels with Cairo, and texts with Pango. */
#pragma once

#include <SDL.h>
#include <cmath>
#include <face_engine.hpp>
#include <pango/pangocairo.h>
#include <sstream>

struct colour {
  int red, green, blue;
  double opacity = 1;
  colour faded(double by) const { return {red, green, blue, by}; }
};

using surface = face::owned<cairo_surface_t, cairo_surface_destroy>;
using text_layout = face::owned<PangoLayout, g_object_unref>;

/* A surface of pixels 0x00RRGGBB, which stay the caller's. */
inline surface surface_of(const void *pixels, int width, int height, int stride)
{
  auto *bytes = static_cast<unsigned char *>(const_cast<void *>(pixels));
  return surface(cairo_image_surface_create_for_data(bytes, CAIRO_FORMAT_RGB24, width, height, stride));
}

class painter {
public:
  std::vector<SDL_Rect> drawn; /* where, in pixels of the surface */

  /* Draws in parts of an area of the surface. Positions are pixels from the area's corner. */
  painter(cairo_surface_t *surface, const SDL_Rect &area, const std::vector<SDL_Rect> &parts)
      : cairo_(cairo_create(surface)), area_(area)
  {
    for (const SDL_Rect &part : parts) cairo_rectangle(cairo_.get(), part.x, part.y, part.w, part.h);
    cairo_clip(cairo_.get());
    cairo_translate(cairo_.get(), area.x, area.y);
  }

  void fill(const colour &colour) { cairo_paint(with(colour)); }

  /* Fills `place` with an image, scaled, whose corner is at (x, y). */
  void image(cairo_surface_t *surface, const SDL_Rect &place, double x, double y, double scale)
  {
    cairo_save(cairo_.get());
    cairo_rectangle(cairo_.get(), place.x, place.y, place.w, place.h);
    cairo_translate(cairo_.get(), x, y);
    cairo_scale(cairo_.get(), scale, scale);
    cairo_set_source_surface(cairo_.get(), surface, 0, 0);
    cairo_pattern_set_extend(cairo_get_source(cairo_.get()), CAIRO_EXTEND_PAD);
    cairo_fill(cairo_.get());
    cairo_restore(cairo_.get());
  }

  /* Fills what is around a circle. */
  void surround(const face_circle &hole, const colour &colour)
  {
    cairo_rectangle(cairo_.get(), 0, 0, area_.w, area_.h);
    cairo_new_sub_path(cairo_.get());
    cairo_arc_negative(cairo_.get(), hole.x, hole.y, hole.radius, 2 * G_PI, 0);
    cairo_fill(with(colour));
  }

  /* Fills a rectangle with round corners. */
  void plate(double x, double y, double width, double height, double corner, const colour &colour)
  {
    for (int i = 0; i < 4; i++) /* the corners, clockwise from the lower right */
      cairo_arc(cairo_.get(), i % 3 == 0 ? x + width - corner : x + corner, i < 2 ? y + height - corner : y + corner,
                corner, i * G_PI / 2, (i + 1) * G_PI / 2);
    cairo_fill(with(colour));
    mark(x, y, width, height);
  }

  /* Draws a part of a ring, from and to in turns clockwise from the top; with dashes, of which `part` is seen. */
  void ring(const face_circle &circle, double width, double from, double to, const colour &colour, int dashes = 0,
            double part = 1)
  {
    const double turn = 2 * G_PI, dash = turn * double(circle.radius) / std::max(dashes, 1);
    const double lengths[2] = {dash * part, dash * (1 - part)};
    cairo_set_dash(cairo_.get(), lengths, dashes == 0 ? 0 : 2, dash * part / 2);
    cairo_set_line_width(cairo_.get(), width);
    cairo_arc(cairo_.get(), circle.x, circle.y, circle.radius, turn * (from - 0.25), turn * (to - 0.25));
    cairo_stroke(with(colour));
  }

  /* Marks a ring as drawn: bands of the circle, left and right of the hole. */
  void mark_ring(const face_circle &circle, double width)
  {
    const double outer = double(circle.radius) + width / 2 + 2, inner = outer - width - 4, high = outer / 24;
    for (int i = -24; i < 24; i++) {
      const double near = high * std::min(std::abs(i), std::abs(i + 1)), far = near + high;
      const double reach = std::sqrt(outer * outer - near * near);
      const double hole = std::sqrt(std::max(0.0, inner * inner - far * far));
      mark(double(circle.x) - reach, double(circle.y) + high * i, reach - hole, high);
      mark(double(circle.x) + hole, double(circle.y) + high * i, reach - hole, high);
    }
  }

  /* Draws a symbol: strokes in a square from -1 to 1, as in texts/symbols.txt. */
  void symbol(const std::string &symbol, double x, double y, double radius, const colour &colour)
  {
    cairo_t *cairo = with(colour);
    mark(x - radius, y - radius, 2 * radius, 2 * radius);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_scale(cairo, radius, radius);
    cairo_set_dash(cairo, nullptr, 0, 0);
    cairo_set_line_width(cairo, 0.17);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    std::istringstream strokes(symbol);
    double size = 0, from = 0, to = 0;
    for (char kind = 0; strokes >> kind >> x >> y;) {
      if (kind == 'm') cairo_move_to(cairo, x, y);
      if (kind == 'l') cairo_line_to(cairo, x, y);
      if (kind == 'm' || kind == 'l' || !(strokes >> size)) continue;
      if (kind != 'a' || !(strokes >> from >> to)) from = 0, to = 360;
      if (kind == 'd') cairo_stroke(cairo); /* what is before the disc */
      cairo_new_sub_path(cairo);
      cairo_arc(cairo, x, y, size, from * G_PI / 180, to * G_PI / 180);
      if (kind == 'd') cairo_fill(cairo);
    }
    cairo_stroke(cairo);
    cairo_restore(cairo);
  }

  /* Lays text out, wrapped between words to `width` and centred. */
  text_layout lay_out(const std::string &text, double size, bool bold, double width)
  {
    const std::string fonts = "Noto Sans, Noto Sans Arabic, Noto Sans CJK JP, sans-serif, ";
    const std::string font = fonts + (bold ? "bold " : "") + std::to_string(int(size)) + "px";
    const face::owned<PangoFontDescription, pango_font_description_free> description(
        pango_font_description_from_string(font.c_str()));
    text_layout layout(pango_cairo_create_layout(cairo_.get()));
    pango_layout_set_font_description(layout.get(), description.get());
    pango_layout_set_width(layout.get(), int(width) * PANGO_SCALE);
    pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD);
    pango_layout_set_alignment(layout.get(), PANGO_ALIGN_CENTER);
    pango_layout_set_text(layout.get(), text.c_str(), -1);
    return layout;
  }

  /* Whether no word is wider than a line. */
  static bool fits(const text_layout &layout)
  {
    int width = 0;
    pango_layout_get_pixel_size(layout.get(), &width, nullptr);
    return width <= pango_layout_get_width(layout.get()) / PANGO_SCALE;
  }
  static bool fits_on_line(const text_layout &layout)
  {
    return pango_layout_get_line_count(layout.get()) == 1 && fits(layout);
  }

  static double height(const text_layout &layout)
  {
    int height = 0;
    pango_layout_get_pixel_size(layout.get(), nullptr, &height);
    return height;
  }

  /* Draws text centred at x, with its upper edge at y. */
  void text(const text_layout &layout, double x, double y, const colour &colour)
  {
    const int width = pango_layout_get_width(layout.get()) / PANGO_SCALE;
    cairo_move_to(cairo_.get(), std::round(x - width / 2.0), std::round(y)); /* on whole pixels it is sharp */
    pango_cairo_show_layout(with(colour), layout.get());
    cairo_new_path(cairo_.get());
    mark(x - width / 2.0, y, width, height(layout));
  }

private:
  cairo_t *with(const colour &colour)
  {
    cairo_set_source_rgba(cairo_.get(), colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0, colour.opacity);
    return cairo_.get();
  }

  void mark(double x, double y, double width, double height)
  {
    const int left = int(std::floor(x)), top = int(std::floor(y));
    SDL_Rect part = {left + area_.x, top + area_.y, int(width) + 2, int(height) + 2};
    if (SDL_IntersectRect(&part, &area_, &part)) drawn.push_back(part);
  }

  const face::owned<cairo_t, cairo_destroy> cairo_;
  const SDL_Rect area_;
};
