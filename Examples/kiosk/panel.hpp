/* The panel beside or below the preview: the title, what to do, and the buttons. */
#pragma once

#include "look.hpp"
#include "scene.hpp"

enum class command { none, again, accept, language, type, contrast, sound, full_screen, quit };

class panel {
public:
  explicit panel(const look &look) : look_(look) {}

  /* The part of a window that the panel takes: below the preview in portrait, else on the side where reading ends. */
  static SDL_Rect area_in(int width, int height, bool is_from_right)
  {
    const int side = std::max(width, height) * 40 / 100;
    if (height > width) return {0, height - side, width, side};
    return {is_from_right ? 0 : width - side, 0, side, height};
  }

  void lay_out(const SDL_Rect &area, bool is_portrait)
  {
    area_ = area;
    is_portrait_ = is_portrait;
    title_ = "";
  }

  const SDL_Rect &area() const { return area_; }

  /* Draws the panel if its title is another one. Returns whether it was drawn. */
  bool draw(cairo_surface_t *surface, const scene &scene)
  {
    if (std::exchange(title_, scene.title) == scene.title) return false;
    painter paint(surface, area_, {area_});
    const double unit = std::min(area_.w / 11.0, area_.h / (is_portrait_ ? 8.2 : 11)), gap = unit * 0.3;
    const double margin = unit * 0.9, inner = area_.w - 2 * margin, middle = area_.w / 2.0;
    paint.fill(look_.colours().ground);
    buttons_.clear();

    const double column = std::min(inner, unit * 10) / 5, top = margin * 0.6 + unit * 1.1;
    draw_row(paint,
             {{command::language, look_.words.get("language"), false, 2},
              {command::type, "Aa", look_.large_type},
              {command::contrast, "contrast", look_.high_contrast},
              {command::sound, look_.sound ? "sound" : "silence", false}},
             middle - column * 2.5 + gap / 2, margin * 0.6, column, unit * 1.1, gap, unit * 0.5, look_.colours().soft);

    /* The choices, the likely one nearest to where reading ends, or lowest where they stand one above the other: beside
     * the preview, and where their labels would be too small side by side. */
    std::vector<button> choices;
    for (const std::string key : scene.kind().buttons)
      choices.push_back({key == "accept" ? command::accept : command::again, look_.words.get(key), choices.empty()});
    const double count = double(std::max<std::size_t>(choices.size(), 1)), size_of_choices = unit * 0.72;
    const bool is_row =
        is_portrait_ && size_of_labels(paint, choices, (inner + gap) / count, gap, size_of_choices) >= unit * 0.45;
    if (!look_.is_from_right() && is_row) std::reverse(choices.begin(), choices.end());
    const std::size_t in_row = is_row ? choices.size() : 1;
    double bottom = area_.h - margin;
    for (auto next = choices.begin(); next != choices.end(); next += std::ptrdiff_t(in_row)) {
      const double high = unit * (is_portrait_ && !is_row ? 1.3 : 1.7), wide = (inner + gap) / double(in_row);
      draw_row(paint, {next, next + std::ptrdiff_t(in_row)}, margin, bottom - high, wide, high, gap, size_of_choices,
               look_.colours().text);
      bottom -= high + gap;
    }

    /* What to do, in the middle of the rest, and smaller where a language needs more room than there is. */
    double size = unit * (look_.large_type ? 1.35 : 1), high_title, high_all;
    bool fits;
    text_layout title, detail;
    do {
      title = paint.lay_out(look_.words.get(scene.title, scene.title), size, true, inner);
      detail = paint.lay_out(look_.words.get(scene.title + ".detail"), size * 0.58, false, inner);
      high_title = painter::height(title) + size * 0.3;
      high_all = high_title + painter::height(detail);
      fits = high_all <= bottom - top - gap && painter::fits(title) && painter::fits(detail);
      size *= 0.92;
    } while (!fits && size > unit * 0.4);
    const double y = top + (bottom - top - high_all) / 2;
    paint.text(title, middle, y, look_.colours().text);
    paint.text(detail, middle, y + high_title, look_.colours().soft);
    return true;
  }

  /* Returns what is at a point of the window's surface. */
  command touched(const SDL_Point &point) const
  {
    const SDL_Point inside = {point.x - area_.x, point.y - area_.y};
    for (const auto &[place, does] : buttons_)
      if (SDL_PointInRect(&inside, &place)) return does;
    return command::none;
  }

private:
  struct button {
    command does;
    std::string label;
    bool is_on;
    int columns = 1;
  };

  /* Returns the size of type, at most `size`, at which each label fits on one line of its button in such a row, with some
   * room beside it. */
  double size_of_labels(painter &paint, const std::vector<button> &row, double column, double gap, double size) const
  {
    for (const button &one : row) size = look_.size_of_label(paint, one.label, size, column * one.columns - 2.5 * gap);
    return size;
  }

  /* Draws buttons side by side, in columns as wide as `column`, of which a gap is left free. */
  void draw_row(painter &paint, const std::vector<button> &row, double x, double y, double column, double high,
                double gap, double size, const colour &ink)
  {
    size = size_of_labels(paint, row, column, gap, size);
    for (const button &one : row) {
      const SDL_Rect place = {int(x), int(y), int(column * one.columns - gap), int(high)};
      const theme &colours = look_.colours();
      paint.plate(place.x, place.y, place.w, place.h, high * 0.28, one.is_on ? colours.text : colours.plate);
      look_.draw_label(paint, one.label, place.x + place.w / 2.0, place.y + place.h / 2.0, size, place.w,
                       one.is_on ? colours.ground : ink);
      buttons_.emplace_back(place, one.does);
      x += column * one.columns;
    }
  }

  const look &look_;
  SDL_Rect area_{};
  bool is_portrait_ = false;
  std::string title_;                                 /* that is drawn */
  std::vector<std::pair<SDL_Rect, command>> buttons_; /* in pixels of the panel */
};
