/* A camera or a clip: consecutive binary PPM pictures, read on a thread of its own, so that one that stalls does not
 * stall the window. */
#pragma once

#include "settings.hpp"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <signal.h>
#include <thread>

using steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

template <typename Object> using object = face::owned<Object, g_object_unref>;

struct camera_frame {
  std::vector<unsigned char> pixels;
  face::image image; /* of those pixels, FACE_FORMAT_RGB */
};

enum class camera_state { live, stalled, ended }; /* none for two seconds; there will be no further ones */

class camera {
public:
  /* Called on the camera's thread with each frame, and with NULL when there will be no further ones. */
  using listener = std::function<void(const camera_frame *)>;

  /* Begins to read; throws std::runtime_error if there is no such file. */
  camera(const settings &asked, listener on_frame) : asked_(asked), on_frame_(std::move(on_frame))
  {
    const int input = asked.frames == nullptr ? STDIN_FILENO : open(asked.frames[0], O_RDONLY | O_CLOEXEC);
    if (input < 0) throw std::runtime_error(std::string(asked.frames[0]) + ": " + std::strerror(errno));
    if (asked.camera == nullptr) input_.reset(g_unix_input_stream_new(input, input != STDIN_FILENO));
    thread_ = std::thread([this] { run(); });
  }

  /* Ends reading, also from a camera that stalls. */
  ~camera()
  {
    g_cancellable_cancel(stop_.get());
    kill_command();
    thread_.join();
    kill_command();
  }

  /* Returns the newest frame, to be shown; NULL if there is none yet. */
  std::shared_ptr<const camera_frame> newest()
  {
    shown_ = true;
    return std::atomic_load(&newest_);
  }

  camera_state state() const
  {
    const bool is_stalled = steady::now() - waiting_.load() > 2s;
    return ended_ ? camera_state::ended : is_stalled ? camera_state::stalled : camera_state::live;
  }

private:
  void run()
  {
    const auto interval = std::chrono::nanoseconds(std::int64_t(1e9 / (asked_.fps > 0 ? asked_.fps : 30)));
    auto due = steady::now();
    for (std::uint64_t number = 0, starts = 0; !is_stopped();) {
      if (auto frame = read_frame()) {
        frame->image.timestamp_ns = number++ * std::uint64_t(interval.count());
        if (asked_.fps > 0 && !asked_.every) sleep_until(due);
        /* A clip that is late stays late rather than runs faster. */
        due = steady::now() - due > 500ms ? steady::now() : due + interval;
        publish(std::move(frame));
      } else if (asked_.camera == nullptr) {
        break;
      } else { /* the camera has gone: again and again, until it is back */
        kill_command();
        if (starts++ > 0) sleep_until(steady::now() + 1s);
        start_command();
      }
    }
    on_frame_(nullptr);
    ended_ = true;
  }

  void publish(std::shared_ptr<const camera_frame> frame)
  {
    waiting_ = steady::time_point::max();
    std::atomic_store(&newest_, frame);
    shown_ = false;
    on_frame_(frame.get());
    while (asked_.every && !shown_ && !is_stopped()) std::this_thread::sleep_for(1ms);
    waiting_ = steady::now();
  }

  bool is_stopped() const { return g_cancellable_is_cancelled(stop_.get()); }

  void sleep_until(steady::time_point due) const
  {
    while (!is_stopped() && steady::now() < due) std::this_thread::sleep_until(std::min(due, steady::now() + 50ms));
  }

  std::shared_ptr<camera_frame> read_frame() const
  {
    const unsigned max_side = 8192;
    unsigned width = 0, height = 0, maximum = 0;
    std::string header; /* it ends with the white space after its third number */
    for (char next; header.size() < 64 && read(&next, 1);) {
      header += next;
      if (std::isspace(next) && std::sscanf(header.c_str(), " P6 %u %u %u", &width, &height, &maximum) == 3) break;
    }
    if (maximum != 255 || width == 0 || width > max_side || height == 0 || height > max_side) return nullptr;
    auto frame = std::make_shared<camera_frame>();
    auto &pixels = frame->pixels;
    pixels.resize(std::size_t(width) * height * 3);
    frame->image = face::image::pixels(FACE_FORMAT_RGB, width, height, pixels.data(), pixels.size());
    return read(pixels.data(), pixels.size()) ? frame : nullptr;
  }

  /* Returns false when the input ends, and when the program does. */
  bool read(void *to, std::size_t size) const
  {
    gsize count = 0;
    return input_ && g_input_stream_read_all(input_.get(), to, size, &count, stop_.get(), nullptr) && count == size;
  }

  /* In a process group of its own, so that a shell's children end with it. */
  void start_command()
  {
    command_.reset(
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE, nullptr, "setsid", "sh", "-c", asked_.camera, nullptr));
    if (!command_) return;
    input_.reset(G_INPUT_STREAM(g_object_ref(g_subprocess_get_stdout_pipe(command_.get()))));
    const char *process = g_subprocess_get_identifier(command_.get());
    group_ = process == nullptr ? 0 : std::atoi(process);
  }

  void kill_command()
  {
    if (const int group = group_.exchange(0)) kill(-group, SIGKILL); /* it need not agree */
  }

  const settings &asked_;
  const listener on_frame_;
  object<GInputStream> input_;
  object<GSubprocess> command_;
  std::atomic<int> group_{0}; /* of the command's processes */
  const object<GCancellable> stop_{g_cancellable_new()};
  std::shared_ptr<const camera_frame> newest_;
  std::atomic<bool> shown_ = false, ended_ = false;
  std::atomic<steady::time_point> waiting_ = steady::now(); /* since when the thread waits for input */
  std::thread thread_;
};
