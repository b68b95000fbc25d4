/* What the kiosk's screens decide, without a window:
 *
 *     kiosk tones                   for each tip its screen and that screen's tone
 *     kiosk texts FOLDER LANGUAGE…  lays the panel out with every text, at every size of window and in both sizes of type;
 *                                   prints each text that is not within its place, is broken inside a word, or is too small */
#include "panel.hpp"

/* A text as it is shown: what it covers, in pixels of the window. */
struct shown_text {
  std::string text;
  double left, top, right, bottom;
  int size; /* of type */
  bool is_broken;
};
static std::vector<shown_text> shown;

/* Takes the place of Pango's: notes what would be drawn. */
void pango_cairo_show_layout(cairo_t *cairo, PangoLayout *layout)
{
  const std::string text = pango_layout_get_text(layout);
  double x, y;
  cairo_get_current_point(cairo, &x, &y);
  cairo_user_to_device(cairo, &x, &y);
  PangoRectangle ink;
  pango_layout_get_pixel_extents(layout, &ink, nullptr);
  int count;
  const PangoLogAttr *breaks = pango_layout_get_log_attrs_readonly(layout, &count);
  bool is_broken = false;
  for (int i = 1; i < pango_layout_get_line_count(layout); i++) {
    const int start = pango_layout_get_line_readonly(layout, i)->start_index;
    is_broken |= breaks[g_utf8_pointer_to_offset(text.c_str(), text.c_str() + start)].is_line_break == 0;
  }
  const int size = pango_font_description_get_size(pango_layout_get_font_description(layout)) / PANGO_SCALE;
  x += ink.x;
  y += ink.y;
  if (!text.empty()) shown.push_back({text, x, y, x + ink.width, y + ink.height, size, is_broken});
}

/* Whether all of a text, with some room beside it, is on one button, or on none. */
static bool is_in_place(const panel &panel, const shown_text &text)
{
  const SDL_Rect &area = panel.area();
  const double room = text.size * 0.25;
  const auto at = [&](int column, int row) {
    const double left = text.left - room, right = text.right + room;
    return SDL_Point{int(left + (right - left) * column / 16), int(text.top + (text.bottom - text.top) * row / 16)};
  };
  const command place = panel.touched(at(8, 8));
  for (int column = 0; column <= 16; column++)
    for (int row = 0; row <= 16; row++) {
      const SDL_Point point = at(column, row);
      if (!SDL_PointInRect(&point, &area) || panel.touched(point) != place) return false;
    }
  return true;
}

static bool meet(const shown_text &one, const shown_text &other)
{
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/* Returns what is wrong with the texts that are shown; empty if nothing is. */
static std::string fault(const panel &panel)
{
  const int shorter = std::min(panel.area().w, panel.area().h);
  for (std::size_t i = 0; i < shown.size(); i++) {
    if (!is_in_place(panel, shown[i])) return "is not within its place: " + shown[i].text;
    if (shown[i].is_broken) return "is broken inside a word: " + shown[i].text;
    if (shown[i].size * 35 < shorter) return "is too small: " + shown[i].text;
    for (std::size_t j = 0; j < i; j++)
      if (meet(shown[i], shown[j])) return "is on another text: " + shown[i].text;
  }
  return "";
}

/* Returns the name of the screen that has a text as its title; empty if no screen has. */
static std::string screen_of(const std::string &key)
{
  const auto begins = [&](const char *with) { return key.rfind(with, 0) == 0; };
  if (key.find(".detail") != key.npos) return "";
  if (begins("tip.")) return "tip";
  if (begins("failed.")) return "failure";
  return screen_kinds.count(key) > 0 ? key : "";
}

static int lay_out_texts(const std::string &folder, const std::vector<std::string> &languages)
{
  const std::pair<int, int> sizes[] = {{800, 480},   {1024, 600},  {1024, 768},  {1280, 720},
                                       {1280, 1024}, {1920, 1080}, {1920, 1200}, {3840, 2160},
                                       {480, 800},   {600, 1024},  {768, 1024},  {720, 1280},
                                       {1024, 1280}, {1080, 1920}, {1200, 1920}, {2160, 3840}};
  /* Nothing is drawn on it: positions are what counts. */
  const surface pixels(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1));
  int laid_out = 0, faults = 0;
  look look;
  look.symbols.read(folder, "symbols");
  const auto lay_out = [&](const std::string &key, const std::string &language) {
    scene scene;
    scene.show(screen_of(key), key);
    for (const auto &[width, height] : sizes)
      for (const bool large : {false, true}) {
        look.large_type = large;
        panel panel(look);
        panel.lay_out(panel::area_in(width, height, look.is_from_right()), height > width);
        shown.clear();
        panel.draw(pixels.get(), scene);
        laid_out++;
        const std::string wrong = shown.size() < 3 ? "has no text" : fault(panel);
        if (wrong.empty()) continue;
        faults++;
        std::printf("%s %dx%d%s %s %s\n", language.c_str(), width, height, large ? " large" : "", key.c_str(),
                    wrong.c_str());
      }
  };
  for (const std::string &language : languages) {
    look.words.read(folder, language);
    for (const auto &[key, text] : look.words)
      if (!screen_of(key).empty()) lay_out(key, language);
    /* Labels for which there is no room side by side. */
    for (const char *key : {"accept", "retake"}) look.words[key] += " " + look.words[key];
    lay_out("success", language);
  }
  std::printf("%d laid out, %d faults\n", laid_out, faults);
  return faults == 0 ? 0 : 1;
}

static int print_tones()
{
  static const char *const names[] = {"calm", "attention", "good", "bad"};
  for (face_tip tip = 0; tip < FACE_TIP_COUNT; tip++) {
    check_status status;
    status.sees_anyone = true;
    status.event.state = FACE_CHECK_CHECKING;
    status.event.tip = tip;
    for (const float progress : {0.0f, 0.5f}) {
      status.event.progress = progress;
      scene scene;
      scene.update(status, camera_state::live, false, 2);
      std::printf("%s %s %s %s\n", face_tip_name(tip), progress > 0 ? "held" : "not-held", scene.name.c_str(),
                  names[scene.kind().tone]);
    }
  }
  return 0;
}

int main(int argc, char **argv)
{
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"tones"}) return print_tones();
  if (arguments.size() > 2 && arguments[0] == "texts")
    return lay_out_texts(arguments[1], {arguments.begin() + 2, arguments.end()});
  std::fputs("usage: kiosk tones | kiosk texts FOLDER LANGUAGE...\n", stderr);
  return 2;
}
