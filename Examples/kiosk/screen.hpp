/* Lays the window out at its own resolution, and draws what has changed since the last drawing. */
#pragma once

#include "painter.hpp"
#include "scene.hpp"

#include <fstream>

/* The lines "key=text" of a file: a language's texts, or the symbols. */
struct texts : std::map<std::string, std::string> {
  /* Reads FOLDER/NAME.txt; throws std::runtime_error if it cannot. */
  void read(const std::string &folder, const std::string &name)
  {
    const std::string path = folder + "/" + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read; --texts FOLDER says where it is");
    clear();
    for (std::string line; std::getline(file, line);)
      if (const auto equals = line.find('='); line[0] != '#' && equals != line.npos)
        emplace(line.substr(0, equals), line.substr(equals + 1));
  }

  std::string get(const std::string &key, const std::string &otherwise = "") const
  {
    return count(key) > 0 ? at(key) : otherwise;
  }
};

enum class command { none, again, accept, language, type, contrast, sound, full_screen, quit };

/* What the visitor may choose. */
struct look {
  bool large_type = false, high_contrast = false, sound = true;
  texts words, symbols;
};

/* Colours that remain apart with any colour vision: after Okabe and Ito, for a dark ground. Any two differ by 23 or
 * more in CIELAB as people without red, green or blue cones see them (Machado 2009), and by 6:1 from the ground.
 * Besides, each tone has a symbol, a form of its ring and a text. */
struct theme {
  colour ground, text, soft, plate, tones[4]; /* calm, attention, good, bad */
  double stroke, dimmed; /* the ring's width in radii; how much the ground covers what is around the circle */
};
inline const theme themes[2] = {
  {{15, 21, 33}, {255, 255, 255}, {200, 212, 228}, {62, 78, 106},
   {{70, 160, 245}, {255, 200, 60}, {80, 225, 150}, {242, 110, 60}}, 0.034, 0.68},
  {{0, 0, 0}, {255, 255, 255}, {255, 255, 255}, {95, 95, 95}, /* high contrast */
   {{100, 180, 255}, {255, 235, 0}, {60, 255, 170}, {255, 150, 90}}, 0.055, 0.85}};

class screen {
public:
  screen(const settings &asked, const look &look) : look_(look)
  {
    SDL_DisplayMode size = {0, int(asked.width), int(asked.height), 0, nullptr};
    Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    /* With the screen's size from the start: a bare X server has no window manager that would enlarge it. */
    if (asked.full_screen && SDL_GetDesktopDisplayMode(0, &size) == 0)
      flags = SDL_WINDOW_BORDERLESS | SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_ALLOW_HIGHDPI;
    const int place = asked.full_screen ? 0 : int(SDL_WINDOWPOS_CENTERED);
    window_ = SDL_CreateWindow("FaceEngine", place, place, size.w, size.h, flags);
    if (window_ == nullptr) throw std::runtime_error(SDL_GetError());
    SDL_ShowCursor(asked.full_screen ? SDL_DISABLE : SDL_ENABLE);
  }
  ~screen() { SDL_DestroyWindow(window_); }

  void toggle_full_screen()
  {
    const Uint32 full = SDL_GetWindowFlags(window_) & SDL_WINDOW_FULLSCREEN_DESKTOP;
    SDL_SetWindowFullscreen(window_, full != 0 ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
  }

  /* Lays out anew after a change of the window or of the look. Returns the space of the preview, and its circle. */
  std::pair<face::space, face_circle> lay_out()
  {
    const SDL_Surface *window = SDL_GetWindowSurface(window_);
    if (window == nullptr || window->format->BytesPerPixel != 4 || window->format->Bmask != 0xff)
      throw std::runtime_error("the window has to have 24 bits a pixel, with blue lowest");
    const int width = window->w, height = window->h, panel = std::max(width, height) * 40 / 100;
    surface_ = surface_of(window->pixels, width, height, window->pitch);
    is_portrait_ = height > width;
    is_from_right_ = look_.words.count("direction") > 0;
    const int left = is_from_right_ ? panel : 0, right = is_from_right_ ? 0 : width - panel;
    preview_ = is_portrait_ ? SDL_Rect{0, 0, width, height - panel} : SDL_Rect{left, 0, width - panel, height};
    panel_ = is_portrait_ ? SDL_Rect{0, height - panel, width, panel} : SDL_Rect{right, 0, panel, height};
    face::space view;
    view.kind = FACE_SPACE_VIEW;
    view.view_width = float(preview_.w);
    view.view_height = float(preview_.h);
    view.fit = FACE_FIT_COVER;
    view.mirrored = 1;
    /* A little above the middle, where faces are. */
    circle_ = {view.view_width / 2, view.view_height * 0.455f, std::min(view.view_width, view.view_height) * 0.39f};
    camera_.reset();
    shown_ = on_panel_ = "";
    return {view, circle_};
  }

  /* Takes a frame of the camera: mirrors it, and dims it around the circle. */
  void set_frame(const face::image &frame)
  {
    const int width = int(frame.width), height = int(frame.height);
    camera_pixels_.resize(std::size_t(width) * frame.height);
    camera_ = surface_of(camera_pixels_.data(), width, height, width * 4);
    const auto *from = static_cast<const unsigned char *>(frame.planes[0]);
    for (auto row = camera_pixels_.begin(); row != camera_pixels_.end(); row += width)
      for (int x = width - 1; x >= 0; x--, from += 3) row[x] = Uint32(from[0] << 16 | from[1] << 8 | from[2]);
    scale_ = std::max(double(preview_.w) / width, double(preview_.h) / height); /* FACE_FIT_COVER */
    left_ = (preview_.w - width * scale_) / 2;
    top_ = (preview_.h - height * scale_) / 2;
    const auto in_frame = [this](float length, double before) { return float((double(length) - before) / scale_); };
    const SDL_Rect all = {0, 0, width, height};
    painter(camera_.get(), all, {all})
      .surround({in_frame(circle_.x, left_), in_frame(circle_.y, top_), in_frame(circle_.radius, 0)},
                colours().ground.faded(colours().dimmed));
    is_new_ = true;
  }

  /* Takes the picture for the visitor to look at, which is borrowed until the next one. */
  void set_picture(const face_picture *picture)
  {
    face::image image;
    if (face_picture_image(picture, &image) == FACE_OK)
      taken_ = surface_of(image.planes[0], int(image.width), int(image.height), int(image.strides[0]));
  }

  void draw(const scene &scene, const check_status &status)
  {
    is_live_ = scene.kind().is_live && camera_;
    /* The ground is drawn where the last marks were, or all of it if it is another one. */
    const bool is_other = std::exchange(shown_, scene.name) != scene.name || (is_live_ && is_new_);
    is_new_ = false;
    std::vector<SDL_Rect> changed = is_other ? std::vector{preview_} : std::move(marks_);
    draw_ground(painter(surface_.get(), preview_, changed), scene);
    painter marks(surface_.get(), preview_, {preview_});
    draw_marks(marks, scene, status);
    marks_ = std::move(marks.drawn);
    if (!is_other) changed.insert(changed.end(), marks_.begin(), marks_.end());
    if (std::exchange(on_panel_, scene.title) != scene.title) {
      draw_panel(painter(surface_.get(), panel_, {panel_}), scene);
      changed.push_back(panel_);
    }
    SDL_UpdateWindowSurfaceRects(window_, changed.data(), int(changed.size()));
  }

  /* Returns what is at a point of the window. */
  command touched(int x, int y) const
  {
    int width, height;
    SDL_GetWindowSize(window_, &width, &height); /* of which pixels may be parts */
    const SDL_Point point = {x * cairo_image_surface_get_width(surface_.get()) / width - panel_.x,
                             y * cairo_image_surface_get_height(surface_.get()) / height - panel_.y};
    for (const auto &[place, does] : buttons_)
      if (SDL_PointInRect(&point, &place)) return does;
    return command::none;
  }

  void save(const std::string &path) const
  {
    const cairo_status_t status = cairo_surface_write_to_png(surface_.get(), path.c_str());
    if (status != 0) std::fprintf(stderr, "kiosk: %s: %s\n", path.c_str(), cairo_status_to_string(status));
  }

private:
  const theme &colours() const { return themes[look_.high_contrast]; }
  const colour &tone(const scene &scene) const { return colours().tones[scene.kind().tone]; }

  /* From 0 to 1, and with `wave` back, slowly. */
  static double turn(double seconds) { return std::fmod(double(SDL_GetTicks64()) / 1000, seconds) / seconds; }
  static double wave(double seconds) { return 0.5 - 0.5 * std::cos(2 * G_PI * turn(seconds)); }

  /* ---- The preview ----------------------------------------------------------------------------------------------- */

  /* Draws what is below the marks: the camera's picture, or the one that was taken. */
  void draw_ground(painter paint, const scene &scene) const
  {
    if (is_live_) return paint.image(camera_.get(), {0, 0, preview_.w, preview_.h}, left_, top_, scale_);
    paint.fill(colours().ground);
    if (scene.kind().tone != good || !taken_) return;
    const int side = side_of_picture(), rim = side * 35 / 1000, framed = side + 2 * rim;
    const int x = int(circle_.x) - side / 2, y = int(circle_.y) - side / 2;
    paint.plate(x - rim, y - rim, framed, framed, rim, {255, 255, 255});
    paint.image(taken_.get(), {x, y, side, side}, x, y, double(side) / cairo_image_surface_get_width(taken_.get()));
  }
  int side_of_picture() const { return int(circle_.radius * 1.6f); }

  void draw_marks(painter &paint, const scene &scene, const check_status &status)
  {
    face_circle circle = circle_;
    const double x = double(circle.x), y = double(circle.y), radius = double(circle.radius);
    if (is_live_) {
      if (scene.name != "idle") draw_face(paint, status);
      draw_ring(paint, circle, scene);
      /* The badge is at the ring's lower end, or on the side that an arrow points to. */
      const bool to_side = scene.arrow_x != 0 || scene.arrow_y != 0;
      const double way = radius * (to_side ? 1 + 0.05 * wave(0.9) : 1);
      draw_badge(paint, scene, x + scene.arrow_x * way, y + (to_side ? scene.arrow_y : 1) * way);
    } else if (scene.kind().tone == good) {
      draw_badge(paint, scene, x, y + side_of_picture() * 0.535);
    } else {
      circle.radius *= 0.62f;
      draw_ring(paint, circle, scene);
      draw_label(paint, scene.symbol, x, y, radius * 0.56, radius, tone(scene));
    }
  }

  void draw_ring(painter &paint, face_circle circle, const scene &scene) const
  {
    const colour text = colours().text, faint = text.faded(0.25);
    const double width = double(circle.radius) * colours().stroke, begin = turn(1.6), count = scene.count;
    const double gap = scene.count > 1 ? 0.012 : 0;
    if (scene.name == "idle") {
      circle.radius *= float(1 + 0.02 * wave(3.6));
      paint.ring(circle, width * 0.7, 0, 1, text.faded(0.45 + 0.55 * wave(3.6)), 40, 0.5);
    } else if (scene.name == "tip") {
      paint.ring(circle, width, 0, 1, tone(scene), 24, 0.7);
    } else if (scene.name == "action") { /* a part for each action */
      for (int i = 0; i < scene.count; i++) {
        const bool is_done = i < scene.done;
        const colour now = i == scene.done ? tone(scene).faded(0.5 + 0.5 * wave(1.2)) : faint;
        paint.ring(circle, is_done ? width * 1.5 : width, i / count + gap, (i + 1) / count - gap,
                   is_done ? colours().tones[good] : now);
      }
    } else { /* that something is going on, the countdown, or how long the screen stays */
      const bool is_waiting = scene.name == "searching" || scene.name == "engine_gone";
      const double from = is_waiting ? begin : 0, part = scene.name == "countdown" ? scene.progress : scene.left();
      paint.ring(circle, width * 0.6, 0, 1, faint);
      paint.ring(circle, width * (is_waiting ? 1 : 1.4), from, from + (is_waiting ? 0.22 : part), tone(scene));
    }
    paint.mark_ring(circle, width * 1.5);
  }

  /* A round plate with the symbol or the number. */
  void draw_badge(painter &paint, const scene &scene, double x, double y) const
  {
    const double radius = double(circle_.radius) * 0.17;
    const std::string number = std::to_string(scene.seconds);
    paint.plate(x - radius, y - radius, 2 * radius, 2 * radius, radius, tone(scene));
    draw_label(paint, scene.symbol.empty() ? look_.words.get(number, number) : scene.symbol, x, y, radius * 1.1,
               2 * radius, colours().ground);
  }

  /* Draws the symbol of that name, or else the text, around a point. */
  void draw_label(painter &paint, const std::string &label, double x, double y, double size, double width,
                  const colour &ink) const
  {
    if (look_.symbols.count(label) > 0) return paint.symbol(look_.symbols.at(label), x, y, size * 0.55, ink);
    const auto text = paint.lay_out(label, size, true, width);
    paint.text(text, x, y - painter::height(text) / 2, ink);
  }

  /* Marks the face. The marks follow it at the screen's rate, between the camera's frames, too. */
  void draw_face(painter &paint, const check_status &status)
  {
    if (!status.face) return face_.reset();
    const face_box &box = *status.face;
    const face_circle now = {box.x + box.width / 2, box.y + box.height / 2, std::max(box.width, box.height) * 0.6f};
    if (!face_) face_ = now;
    for (float face_circle::*one : {&face_circle::x, &face_circle::y, &face_circle::radius})
      (*face_).*one += 0.3f * (now.*one - (*face_).*one);
    const double width = std::max(2.0, double(circle_.radius) * 0.012);
    paint.ring(*face_, width, 0, 1, colours().text.faded(0.8), 4, 0.3);
    paint.mark_ring(*face_, width);
  }

  /* ---- The panel beside or below it ------------------------------------------------------------------------------ */

  struct button {
    command does;
    std::string label;
    bool is_on;
    int columns = 1;
  };

  /* Draws buttons side by side, in columns as wide as `column`, of which a gap is left free. */
  void draw_row(painter &paint, const std::vector<button> &row, double x, double y, double column, double high,
                double gap, double size, const colour &ink)
  {
    for (const button &one : row) {
      const SDL_Rect place = {int(x), int(y), int(column * one.columns - gap), int(high)};
      paint.plate(place.x, place.y, place.w, place.h, high * 0.28, one.is_on ? colours().text : colours().plate);
      draw_label(paint, one.label, place.x + place.w / 2.0, place.y + place.h / 2.0, size, place.w,
                 one.is_on ? colours().ground : ink);
      buttons_.emplace_back(place, one.does);
      x += column * one.columns;
    }
  }

  void draw_panel(painter paint, const scene &scene)
  {
    const double unit = std::min(panel_.w / 11.0, panel_.h / (is_portrait_ ? 8.2 : 11)), gap = unit * 0.3;
    const double margin = unit * 0.9, inner = panel_.w - 2 * margin, middle = panel_.w / 2.0;
    paint.fill(colours().ground);
    buttons_.clear();

    const double column = std::min(inner, unit * 10) / 5, top = margin * 0.6 + unit * 1.1;
    draw_row(paint,
             {{command::language, look_.words.get("language"), false, 2},
              {command::type, "Aa", look_.large_type},
              {command::contrast, "contrast", look_.high_contrast},
              {command::sound, look_.sound ? "sound" : "silence", false}},
             middle - column * 2.5 + gap / 2, margin * 0.6, column, unit * 1.1, gap, unit * 0.5, colours().soft);

    /* The choices, the likely one lowest, or nearest to where reading ends. */
    std::vector<button> choices;
    for (const std::string key : scene.kind().buttons)
      choices.push_back({key == "accept" ? command::accept : command::again, look_.words.get(key), choices.empty()});
    if (!is_from_right_ && is_portrait_) std::reverse(choices.begin(), choices.end());
    const std::size_t in_row = is_portrait_ ? choices.size() : 1;
    double bottom = panel_.h - margin;
    for (auto next = choices.begin(); next != choices.end(); next += std::ptrdiff_t(in_row)) {
      const double high = unit * 1.7, wide = (inner + gap) / double(in_row);
      draw_row(paint, {next, next + std::ptrdiff_t(in_row)}, margin, bottom - high, wide, high, gap, unit * 0.72,
               colours().text);
      bottom -= high + gap;
    }

    /* What to do, in the middle of the rest, and smaller where a language needs more room than there is. */
    double size = unit * (look_.large_type ? 1.35 : 1), high_title, high_all;
    owned<PangoLayout> title, detail;
    do {
      title = paint.lay_out(look_.words.get(scene.title, scene.title), size, true, inner);
      detail = paint.lay_out(look_.words.get(scene.title + ".detail"), size * 0.58, false, inner);
      high_title = painter::height(title) + size * 0.3;
      high_all = high_title + painter::height(detail);
      size *= 0.92;
    } while (high_all > bottom - top - gap && size > unit * 0.5);
    const double y = top + (bottom - top - high_all) / 2;
    paint.text(title, middle, y, colours().text);
    paint.text(detail, middle, y + high_title, colours().soft);
  }

  const look &look_;
  SDL_Window *window_;
  owned<cairo_surface_t> surface_, camera_, taken_; /* the window's; the frame's and the picture's, as they are shown */
  std::vector<Uint32> camera_pixels_;
  double left_ = 0, top_ = 0, scale_ = 1; /* of the camera's picture on the preview, as what follows */
  face_circle circle_{};
  std::optional<face_circle> face_;
  SDL_Rect preview_{}, panel_{};
  bool is_portrait_ = false, is_from_right_ = false;
  bool is_live_ = false, is_new_ = false;             /* whether the camera's picture is shown, and is a new one */
  std::string shown_, on_panel_;                      /* the screen's name, and the panel's title */
  std::vector<SDL_Rect> marks_;                       /* where something was drawn over the ground */
  std::vector<std::pair<SDL_Rect, command>> buttons_; /* in pixels of the panel */
};
