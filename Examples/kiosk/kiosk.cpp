/* A kiosk: leads the person in front of a camera to a good picture, with the guided check.
 *
 *     kiosk --connect /run/face-engine.sock --full-screen --language en,fr,ar \
 *           --camera 'ffmpeg -v error -f v4l2 -i /dev/video0 -f image2pipe -c:v ppm -'
 *     ffmpeg -v error -i clip.mp4 -f image2pipe -c:v ppm - | kiosk --model Models/yunet --fps 25
 *
 * Touch or keys: return accepts, space tries again, l changes the language, t the size of type, c the contrast,
 * s the sound, f toggles full screen, escape quits.
 *
 *     camera.hpp   reads frames on its own thread     guided_check.hpp   has them checked
 *     scene.hpp    decides what the screen shows      screen.hpp         the window and the preview, panel.hpp beside it
 *     painter.hpp  draws with Cairo and Pango         look.hpp           colours and texts, which are in texts/
 *     settings.hpp reads the options */
#include "screen.hpp"

#include <ctime>

/* Plays two soft notes, upwards for success and downwards for failure; without a device it is silent. */
static void play(bool success)
{
  const int rate = 44100, note = rate / 5;
  const double low = 392.0, high = 523.25; /* G4 and C5, in hertz */
  const SDL_AudioSpec asked = {rate, AUDIO_F32SYS, 1, 0, 1024, 0, 0, nullptr, nullptr};
  static const SDL_AudioDeviceID device =
      SDL_InitSubSystem(SDL_INIT_AUDIO) == 0 ? SDL_OpenAudioDevice(nullptr, 0, &asked, nullptr, 0) : 0;
  std::vector<float> samples;
  for (int i = 0; i < 2 * note; i++) {
    const double time = double(i % note) / rate, fade = std::sin(G_PI * (i % note) / note);
    const double pitch = (i < note) == success ? low : high;
    samples.push_back(float(0.12 * fade * fade * std::sin(2 * G_PI * pitch * time)));
  }
  SDL_QueueAudio(device, samples.data(), Uint32(samples.size() * sizeof samples[0]));
  SDL_PauseAudioDevice(device, 0);
}

class kiosk {
public:
  explicit kiosk(const settings &asked)
      : asked_(asked), languages_(split(asked.languages)), check_(asked),
        camera_(asked, [this](const camera_frame *frame) { check_.submit(frame); })
  {
    look_.symbols.read(asked.texts, "symbols");
    reset_look();
    while (asked.frames != nullptr && !camera_.newest() && camera_.state() != camera_state::ended) SDL_Delay(5);
    require_frames();
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) throw std::runtime_error(SDL_GetError());
    std::atexit(SDL_Quit);
    /* An X server takes what has changed; a texture of the whole window would be sent and drawn each time. */
    if (SDL_GetCurrentVideoDriver() == std::string("x11")) SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    screen_.emplace(asked, look_);
  }

  /* Draws, at the screen's rate, until the frames end or the person quits. Returns the exit code. */
  int run()
  {
    std::shared_ptr<const camera_frame> shown;
    double drawn = 0;
    const auto begun = steady::now();
    for (auto due = begun; !is_over_; drawn++) {
      handle_events();
      const auto frame = camera_.newest();
      if (!is_laid_out_) std::apply([this](auto... view) { check_.set_view(view...); }, screen_->lay_out());
      if (frame && (frame != shown || !is_laid_out_)) screen_->set_frame(frame->image);
      shown = frame;
      is_laid_out_ = true;
      const camera_state state = camera_.state();
      const check_status status = update(state);
      screen_->draw(scene_, status);
      scene_.drawn++;
      if (asked_.shots != nullptr && (scene_.drawn == 1 || scene_.drawn == 12)) /* when it comes, and a moment later */
        screen_->save(std::string(asked_.shots) + "/" + scene_.name + ".png");
      const bool is_decided = taken_ || scene_.name == "failure" || scene_.name == "time_out";
      is_over_ |= state == camera_state::ended || (asked_.once && is_decided);
      due = std::max(due + 16667us, steady::now() - 50ms); /* sixty a second; what was late is made up for */
      std::this_thread::sleep_until(due);
    }
    if (asked_.screenshot != nullptr) screen_->save(asked_.screenshot);
    if (asked_.once) accept();
    const double seconds = std::chrono::duration<double>(steady::now() - begun).count();
    timespec busy;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &busy);
    const double each = (double(busy.tv_sec) * 1000 + double(busy.tv_nsec) / 1e6) / drawn;
    if (asked_.trace)
      std::fprintf(stderr, "kiosk: drew %.1f a second, %.2f ms of processor time each; searched %.1f frames a second\n",
                   drawn / seconds, each, double(check_.searched) / seconds);
    require_frames();
    return asked_.once && !is_accepted_ ? 1 : 0;
  }

private:
  void require_frames()
  {
    if (camera_.state() != camera_state::ended || camera_.newest()) return;
    const std::string name = asked_.frames == nullptr ? "standard input" : asked_.frames[0];
    throw std::runtime_error("there is no frame in " + name + ": it has to be binary PPM pictures");
  }

  /* The first language of the list, and the other settings as they were asked for. */
  void reset_look()
  {
    look_.large_type = asked_.large_type;
    look_.high_contrast = asked_.high_contrast;
    look_.sound = !asked_.mute;
    set_language(0);
  }

  void set_language(std::size_t number)
  {
    language_ = number % languages_.size();
    look_.words.read(asked_.texts, languages_[language_]);
    is_laid_out_ = false;
  }

  void begin_anew()
  {
    taken_.reset();
    check_.restart();
  }

  void accept()
  {
    if (scene_.name != "success") return;
    char path[1024];
    const std::time_t now = std::time(nullptr);
    if (asked_.save != nullptr && std::strftime(path, sizeof path, asked_.save, std::localtime(&now)) > 0 &&
        face_picture_save(taken_.get(), path) != FACE_OK)
      std::fprintf(stderr, "kiosk: %s\n", face_draw_last_error());
    is_accepted_ = true;
    scene_.show("saved", "saved");
  }

  void obey(command command)
  {
    if (command == command::again) begin_anew();
    if (command == command::accept) accept();
    if (command == command::language) set_language(language_ + 1);
    if (command == command::type) look_.large_type ^= true;
    if (command == command::contrast) look_.high_contrast ^= true;
    if (command == command::sound) look_.sound ^= true;
    if (command == command::full_screen) screen_->toggle_full_screen();
    if (command == command::quit) is_over_ = true;
    is_laid_out_ &= command == command::none;
  }

  void handle_events()
  {
    static const std::map<SDL_Keycode, command> keys = {
        {SDLK_RETURN, command::accept}, {SDLK_KP_ENTER, command::accept}, {SDLK_SPACE, command::again},
        {SDLK_l, command::language},    {SDLK_t, command::type},          {SDLK_c, command::contrast},
        {SDLK_s, command::sound},       {SDLK_f, command::full_screen},   {SDLK_ESCAPE, command::quit}};
    for (SDL_Event event; SDL_PollEvent(&event);) {
      if (event.type == SDL_QUIT) is_over_ = true;
      if (event.type == SDL_WINDOWEVENT) is_laid_out_ = false; /* a size, or what was covered */
      if (event.type == SDL_MOUSEBUTTONDOWN) obey(screen_->touched(event.button.x, event.button.y)); /* also touch */
      const auto key = event.type == SDL_KEYDOWN ? keys.find(event.key.keysym.sym) : keys.end();
      if (key != keys.end() && event.key.repeat == 0) obey(key->second);
    }
  }

  /* Brings the scene to what the check says now, which it returns. */
  check_status update(camera_state state)
  {
    const std::string before = scene_.name;
    const bool is_time_up = scene_.left() <= 0;
    if (before == "saved" && !is_time_up) return check_.status(); /* whoever leaves is not checked again */
    if (is_time_up) begin_anew();
    if (auto taken = check_.take_picture()) {
      taken_ = std::move(taken);
      screen_->set_picture(taken_.get());
    }
    const check_status status = check_.status();
    scene_.update(status, state, taken_ != nullptr, asked_.hold);
    const std::string &now = scene_.name;
    if (now == before) return status;
    if (look_.sound && (now == "success" || now == "failure" || now == "time_out")) play(now == "success");
    if (now == "idle") reset_look(); /* the visitor has gone */
    return status;
  }

  const settings &asked_;
  const std::vector<std::string> languages_;
  std::size_t language_ = 0;
  look look_;
  scene scene_;
  picture taken_; /* waits for the person's choice */
  bool is_laid_out_ = false, is_accepted_ = false, is_over_ = false;
  guided_check check_;
  camera camera_;
  std::optional<screen> screen_;
};

int main(int argc, char **argv)
{
  try {
    settings asked = parse(argc, argv);
    const face::owned<char, SDL_free> base(SDL_GetBasePath());
    std::string folder = std::string(base ? base.get() : "") + "texts", english = "en";
    if (asked.texts == nullptr) asked.texts = folder.data();
    if (asked.languages == nullptr) asked.languages = english.data();
    kiosk kiosk(asked);
    const int code = kiosk.run();
    std::fflush(stdout);
    std::thread([code] { /* an engine that hangs does not keep the program */
                         std::this_thread::sleep_for(3s);
                         std::_Exit(code);
    })
        .detach();
    return code;
  } catch (const std::invalid_argument &wrong) {
    std::fputs(wrong.what(), stderr);
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kiosk: %s\n", error.what());
    return 1;
  }
}
