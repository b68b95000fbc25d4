/* FaceEngine for C++17: the functions of face_engine.h as objects. Nothing but this header; link libfaceengine.
 *
 *     face::engine engine = face::engine::load("Models/yunet");        // or face::engine::connect()
 *     for (const face::face &found : engine.detect(face::image::file(bytes, size)))
 *       std::printf("%g %g\n", found.box.x, found.box.y);
 *
 * Errors     Every failure is a face::error, which carries the face_status and the library's sentence. Destructors throw
 *            nothing.
 * Ownership  Objects move and do not copy; each gives its handle back when it ends. Pixels stay the caller's: see image.
 * Threads    As in face_engine.h. A listener of std::function is called on the session's thread; it must not throw (the
 *            program would end, as with any exception that leaves a thread).
 */
#ifndef FACE_ENGINE_HPP
#define FACE_ENGINE_HPP

#include "face_engine.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

namespace face {

/* A call that failed. */
class error : public std::runtime_error {
public:
  error(face_status status, const char *message) : std::runtime_error(message), status_(status) {}
  face_status status() const noexcept { return status_; }
  const char *status_name() const noexcept { return face_status_name(status_); }

private:
  face_status status_;
};

namespace detail {

inline void check(face_status status)
{
  if (status != FACE_OK) throw error(status, face_last_error());
}

/* Any struct of face_engine.h with its defaults. */
template <typename Struct> Struct made(void (*init)(Struct *, std::size_t))
{
  Struct value{};
  init(&value, sizeof value);
  return value;
}

/* The handle that `make` gives through its last parameter. */
template <typename Handle, typename... Parameters, typename... Given>
Handle *create(face_status (*make)(Parameters...), Given... given)
{
  Handle *made = nullptr;
  check(make(given..., &made));
  return made;
}

template <typename Handle, auto Free> struct freeing {
  void operator()(Handle *handle) const noexcept { Free(handle); }
};

/* A handle and its end. */
template <typename Handle, auto Free> using owned = std::unique_ptr<Handle, freeing<Handle, Free>>;

} // namespace detail

/* Memory shared with the engine, so that pixels in it are not copied on their way. */
class memory {
public:
  explicit memory(std::size_t size) : memory(detail::create<face_memory>(face_memory_create, size)) {}
  /* The descriptor of a sealed memfd; it stays the caller's. */
  static memory imported(int descriptor)
  {
    return memory(detail::create<face_memory>(face_memory_import, descriptor));
  }
  unsigned char *data() const
  {
    void *data = nullptr;
    detail::check(face_memory_map(handle_.get(), &data, nullptr));
    return static_cast<unsigned char *>(data);
  }
  std::size_t size() const
  {
    std::size_t size = 0;
    detail::check(face_memory_map(handle_.get(), nullptr, &size));
    return size;
  }
  const face_memory *get() const noexcept { return handle_.get(); }

private:
  explicit memory(face_memory *made) : handle_(made) {}
  detail::owned<face_memory, face_memory_destroy> handle_;
};

/* One image: a face_image, whose members may all be set. The pixels are borrowed until the call returns; a session copies
 * them, unless `release` or `memory` is set. */
struct image : face_image {
  image() : face_image(detail::made<face_image>(face_image_init_sized)) {}

  /* A whole JPEG, PNG or WebP file in memory. */
  static image file(const void *bytes, std::size_t size)
  {
    image made;
    made.plane(0, bytes, size);
    return made;
  }
  /* Packed pixels, such as FACE_FORMAT_RGB; `stride` in bytes, 0 for rows without a gap. */
  static image pixels(face_format format, std::uint32_t width, std::uint32_t height, const void *bytes, std::size_t size,
                      std::size_t stride = 0)
  {
    image made;
    made.format = format;
    made.width = width;
    made.height = height;
    made.plane(0, bytes, size, stride);
    return made;
  }
#ifdef __cpp_lib_span
  static image file(std::span<const std::byte> bytes) { return file(bytes.data(), bytes.size()); }
  static image pixels(face_format format, std::uint32_t width, std::uint32_t height, std::span<const std::byte> bytes,
                      std::size_t stride = 0)
  {
    return pixels(format, width, height, bytes.data(), bytes.size(), stride);
  }
#endif
  /* Sets one plane, 0 to 3. */
  image &plane(unsigned index, const void *bytes, std::size_t size, std::size_t stride = 0)
  {
    if (index >= 4) throw error(FACE_INVALID_ARGUMENT, "an image has planes 0 to 3");
    planes[index] = bytes;
    plane_sizes[index] = size;
    strides[index] = stride;
    return *this;
  }
};

/* What to look for: a face_options with its defaults. */
struct options : face_options {
  options() : face_options(detail::made<face_options>(face_options_init_sized)) {}
};

/* A coordinate space: a face_space, pixels of the upright image unless set. */
struct space : face_space {
  space() : face_space(detail::made<face_space>(face_space_init_sized)) {}

  /* From pixels of an upright image of `width` × `height` to this space, and back. */
  face_box to(face_box box, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_box_to_space(this, width, height, &box));
    return box;
  }
  face_box from(face_box box, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_box_from_space(this, width, height, &box));
    return box;
  }
  face_circle to(face_circle circle, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_circle_to_space(this, width, height, &circle));
    return circle;
  }
  face_circle from(face_circle circle, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_circle_from_space(this, width, height, &circle));
    return circle;
  }
};

/* Points as positions in a box, 0 to 1 from its corner, and back. */
inline std::vector<face_point> points_to_box(const face_box &box, std::vector<face_point> points)
{
  detail::check(face_points_to_box(&box, points.data(), static_cast<std::uint32_t>(points.size())));
  return points;
}
inline std::vector<face_point> points_from_box(const face_box &box, std::vector<face_point> points)
{
  detail::check(face_points_from_box(&box, points.data(), static_cast<std::uint32_t>(points.size())));
  return points;
}

/* See face_orientation_of_camera; turns in degrees. */
inline face_orientation orientation_of_camera(std::uint32_t sensor, std::uint32_t device, bool faces_user)
{
  face_orientation found = FACE_ORIENTATION_DEFAULT;
  detail::check(face_orientation_of_camera(sensor, device, faces_user ? 1 : 0, &found));
  return found;
}

/* Ends calls from another thread: set options::canceller to get(). */
class canceller {
public:
  canceller() : handle_(detail::create<face_canceller>(face_canceller_create)) {}
  void cancel() { detail::check(face_canceller_cancel(handle_.get())); }
  face_canceller *get() const noexcept { return handle_.get(); }

private:
  detail::owned<face_canceller, face_canceller_destroy> handle_;
};

/* One face: a face_info, with its landmarks and expressions where they were asked for. */
struct face : face_info {
  face() : face_info(detail::made<face_info>(face_info_init_sized)) {}
  bool has_points() const noexcept { return valid & FACE_VALID_POINTS; }
  bool has_id() const noexcept { return valid & FACE_VALID_ID; }
  bool has_pose() const noexcept { return valid & FACE_VALID_POSE; }
  bool has_eyes() const noexcept { return valid & FACE_VALID_EYES; }
  bool has_mouth() const noexcept { return valid & FACE_VALID_MOUTH; }
  bool has_quality() const noexcept { return valid & FACE_VALID_QUALITY; }

  std::vector<face_landmark> landmarks; /* all 478, or none */
  std::vector<float> expressions;       /* all 52, or none */
};

/* The faces of one image. */
class result : public std::vector<face> {
public:
  result() = default;
  /* Copies what `handle` has; it stays its owner's. In `space` where that is given. */
  explicit result(const face_result *handle, const face_space *space = nullptr)
  {
    detail::check(face_result_status(handle, nullptr));
    detail::check(face_result_image_size(handle, &width, &height));
    const std::uint32_t count = face_result_count(handle);
    resize(count);
    for (std::uint32_t i = 0; i < count; i++) {
      face &found = (*this)[i];
      detail::check(space == nullptr ? face_result_get(handle, i, &found)
                                     : face_result_get_in(handle, i, space, &found));
      if (found.valid & FACE_VALID_LANDMARKS) found.landmarks = points(handle, i, FACE_REGION_ALL_POINTS);
      if (found.valid & FACE_VALID_EXPRESSIONS) {
        found.expressions.resize(FACE_EXPRESSION_COUNT);
        detail::check(face_result_expressions(handle, i, found.expressions.data(), FACE_EXPRESSION_COUNT));
      }
    }
  }
  /* The points of one region, in pixels of the upright image. */
  static std::vector<face_landmark> points(const face_result *handle, std::uint32_t index, face_region region)
  {
    std::uint32_t count = 0;
    detail::check(face_result_landmarks(handle, index, region, nullptr, 0, &count));
    std::vector<face_landmark> found(count);
    detail::check(face_result_landmarks(handle, index, region, found.data(), count, nullptr));
    return found;
  }

  std::uint32_t width = 0, height = 0; /* of the upright image */
};

/* Who is told of images; every member may be empty. */
struct listener {
  std::function<void(const face_frame &, const result &)> on_faces;
  std::function<void(const face_frame &, std::uint64_t dropped_so_far)> on_dropped;
  std::function<void(const face_frame &, const error &)> on_failed;
  std::function<void(const face_frame &, std::uint64_t face_id)> on_left;
};

namespace detail {

/* `told` must live until it was unbound. */
inline face_listener bridge(listener *told)
{
  face_listener made = detail::made<face_listener>(face_listener_init_sized);
  made.user_data = told;
  made.on_faces = [](const face_frame *frame, const face_result *handle, void *told) noexcept {
    const listener &to = *static_cast<listener *>(told);
    if (to.on_faces) to.on_faces(*frame, result(handle));
  };
  made.on_dropped = [](const face_frame *frame, std::uint64_t so_far, void *told) noexcept {
    const listener &to = *static_cast<listener *>(told);
    if (to.on_dropped) to.on_dropped(*frame, so_far);
  };
  made.on_failed = [](const face_frame *frame, face_status status, const char *message, void *told) noexcept {
    const listener &to = *static_cast<listener *>(told);
    if (to.on_failed) to.on_failed(*frame, error(status, message));
  };
  made.on_left = [](const face_frame *frame, std::uint64_t id, void *told) noexcept {
    const listener &to = *static_cast<listener *>(told);
    if (to.on_left) to.on_left(*frame, id);
  };
  return made;
}

} // namespace detail

/* How a stream is searched: a face_session_options with its defaults. */
struct session_options : face_session_options {
  session_options() : face_session_options(detail::made<face_session_options>(face_session_options_init_sized)) {}
};

/* One stream of frames. Ends when it is destroyed, which must not be done from inside its listener. */
class session {
public:
  session(face_engine *engine, const face_session_options &options, listener told)
      : told_(std::make_unique<listener>(std::move(told))),
        handle_(detail::create<face_session>(face_session_open, engine, &options))
  {
    const face_listener bridged = detail::bridge(told_.get());
    detail::check(face_session_bind_listener(handle_.get(), &bridged));
  }
  /* Hands in a frame; returns its number. */
  std::uint64_t submit(const face_image &image)
  {
    std::uint64_t number = 0;
    detail::check(face_session_submit(handle_.get(), &image, &number));
    return number;
  }
  /* Waits until every frame handed in has had its event; false when the time was up. 0 waits without bound. */
  bool flush(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(0))
  {
    const face_status status = face_session_flush(handle_.get(), static_cast<std::uint64_t>(timeout.count()));
    if (status == FACE_DEADLINE_EXCEEDED) return false;
    detail::check(status);
    return true;
  }
  /* As the destructor, with an exception where that is refused. */
  void close()
  {
    detail::check(face_session_close(handle_.get()));
    static_cast<void>(handle_.release());
  }
  face_session *get() const noexcept { return handle_.get(); }

private:
  std::unique_ptr<listener> told_; /* before the handle, so that it outlives it */
  detail::owned<face_session, face_session_close> handle_;
};

/* A loaded model, or a connection to an engine that has one. Shareable between threads. */
class engine {
public:
  static engine load(const std::string &model_dir)
  {
    return engine(detail::create<face_engine>(face_load_model, model_dir.c_str()));
  }
  /* An empty path means the standard socket. */
  static engine connect(const std::string &socket_path = {})
  {
    const char *path = socket_path.empty() ? nullptr : socket_path.c_str();
    return engine(detail::create<face_engine>(face_connect, path));
  }

  result detect(const face_image &image, const face_options &options = ::face::options()) const
  {
    const detail::owned<face_result, face_result_destroy> found(
        detail::create<face_result>(face_detect, handle_.get(), &image, &options));
    return result(found.get());
  }

  /* One result an image, or the error that this image ended with. */
  struct outcome {
    result faces;
    face_status status = FACE_OK;
    std::string message;
  };
  std::vector<outcome> detect_batch(const std::vector<image> &images,
                                    const face_options &options = ::face::options()) const
  {
    std::vector<const face_image *> pointers;
    for (const image &one : images) pointers.push_back(&one);
    std::vector<face_result *> found(images.size());
    detail::check(face_detect_batch(handle_.get(), pointers.data(), static_cast<std::uint32_t>(images.size()), &options,
                                    found.data()));
    std::vector<detail::owned<face_result, face_result_destroy>> owners(found.begin(), found.end());
    std::vector<outcome> outcomes(images.size());
    for (std::size_t i = 0; i < images.size(); i++) {
      const char *message = "";
      outcomes[i].status = face_result_status(found[i], &message);
      outcomes[i].message = message;
      if (outcomes[i].status == FACE_OK) outcomes[i].faces = result(found[i]);
    }
    return outcomes;
  }

  session open(listener told, const face_session_options &options = session_options()) const
  {
    return session(handle_.get(), options, std::move(told));
  }
  face_engine *get() const noexcept { return handle_.get(); }

private:
  explicit engine(face_engine *made) : handle_(made) {}
  detail::owned<face_engine, face_release> handle_;
};

} // namespace face

#endif /* FACE_ENGINE_HPP */
