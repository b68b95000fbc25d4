/* The window: lays it out at its own resolution, and draws what has changed since the last drawing. */
#pragma once

#include "panel.hpp"

/* A surface of a picture's own pixels. */
inline surface surface_of(const face_picture *picture)
{
  face::image image;
  if (face_picture_image(picture, &image) != FACE_OK) return {};
  return surface_of(image.planes[0], int(image.width), int(image.height), int(image.strides[0]));
}

class screen {
public:
  screen(const settings &asked, const look &look) : look_(look), panel_(look)
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
    const int width = window->w, height = window->h;
    surface_ = surface_of(window->pixels, width, height, window->pitch);
    const bool is_portrait = height > width, is_from_right = look_.is_from_right();
    const SDL_Rect beside = panel::area_in(width, height, is_from_right);
    preview_ = is_portrait ? SDL_Rect{0, 0, width, height - beside.h}
                           : SDL_Rect{is_from_right ? beside.w : 0, 0, width - beside.w, height};
    panel_.lay_out(beside, is_portrait);
    const float wide = float(preview_.w), high = float(preview_.h);
    view_ = face::space::view(wide, high, FACE_FIT_COVER, true);
    circle_ = {wide / 2, high * 0.455f, std::min(wide, high) * 0.39f}; /* a little above the middle, where faces are */
    camera_.reset();
    shown_ = "";
    return {view_, circle_};
  }

  /* Takes a frame of the camera: mirrors it, and dims it around the circle. */
  void set_frame(const face::image &frame)
  {
    face::image mirrored = frame;
    mirrored.mirrored = 1;
    frame_ = picture_of(mirrored);
    camera_ = surface_of(frame_.get());
    const SDL_Rect all = {0, 0, int(frame.width), int(frame.height)};
    hole_ = view_.from(circle_, frame.width, frame.height); /* in the middle, so that mirrored it is the same */
    painter(camera_.get(), all, {all}).surround(hole_, colours().ground.faded(colours().dimmed));
    is_new_ = true;
  }

  /* Takes the picture for the visitor to look at, which is borrowed until the next one. */
  void set_picture(const face_picture *picture) { taken_ = surface_of(picture); }

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
    if (panel_.draw(surface_.get(), scene)) changed.push_back(panel_.area());
    SDL_UpdateWindowSurfaceRects(window_, changed.data(), int(changed.size()));
  }

  /* Returns what is at a point of the window. */
  command touched(int x, int y) const
  {
    int width, height;
    SDL_GetWindowSize(window_, &width, &height); /* of which pixels may be parts */
    return panel_.touched({x * cairo_image_surface_get_width(surface_.get()) / width,
                           y * cairo_image_surface_get_height(surface_.get()) / height});
  }

  void save(const std::string &path) const
  {
    const cairo_status_t status = cairo_surface_write_to_png(surface_.get(), path.c_str());
    if (status != 0) std::fprintf(stderr, "kiosk: %s: %s\n", path.c_str(), cairo_status_to_string(status));
  }

private:
  const theme &colours() const { return look_.colours(); }
  const colour &tone(const scene &scene) const { return colours().tones[scene.kind().tone]; }

  /* From 0 to 1, and with `wave` back, slowly. */
  static double turn(double seconds) { return std::fmod(double(SDL_GetTicks64()) / 1000, seconds) / seconds; }
  static double wave(double seconds) { return 0.5 - 0.5 * std::cos(2 * G_PI * turn(seconds)); }

  /* ---- The preview ----------------------------------------------------------------------------------------------- */

  /* Draws what is below the marks: the camera's picture, or the one that was taken. */
  void draw_ground(painter paint, const scene &scene) const
  {
    if (is_live_) {
      const double scale = double(circle_.radius / hole_.radius);
      return paint.image(camera_.get(), {0, 0, preview_.w, preview_.h}, double(circle_.x) - double(hole_.x) * scale,
                         double(circle_.y) - double(hole_.y) * scale, scale);
    }
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
      look_.draw_label(paint, scene.symbol, x, y, radius * 0.56, radius, tone(scene));
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
    look_.draw_label(paint, scene.symbol.empty() ? look_.words.get(number, number) : scene.symbol, x, y, radius * 1.1,
                     2 * radius, colours().ground);
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

  const look &look_;
  SDL_Window *window_;
  panel panel_;
  picture frame_;                    /* the camera's, mirrored */
  surface surface_, camera_, taken_; /* of the window, the frame and the picture that was taken */
  SDL_Rect preview_{};
  face::space view_;                      /* the preview */
  face_circle circle_{}, hole_{};         /* on the preview, and on the frame */
  std::optional<face_circle> face_;       /* on the preview */
  bool is_live_ = false, is_new_ = false; /* whether the camera's picture is shown, and is a new one */
  std::string shown_;                     /* the screen's name */
  std::vector<SDL_Rect> marks_;           /* where something was drawn over the ground */
};
