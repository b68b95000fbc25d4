/* FaceEngine for C++17: the functions of face_engine.h as objects. Include this header and link libfaceengine.
 *
 *     face::engine engine = face::engine::load("Models/yunet");        // or face::engine::connect()
 *     for (const face::face &found : engine.detect(face::image::file(bytes, size)))
 *       std::printf("%g %g\n", found.box.x, found.box.y);
 *
 * Errors     Every failure throws a face::error with the face_status and the library's sentence. Destructors do not
 *            throw.
 * Ownership  Objects can be moved but not copied, and release their handle when they are destroyed. Pixels stay the
 *            caller's: see image. Copies of a file_image share its bytes.
 * Threads    As in face_engine.h. The std::function of a listener runs on the session's thread and must not throw: the
 *            program would end, as with any exception that leaves a thread.
 */
#ifndef FACE_ENGINE_HPP
#define FACE_ENGINE_HPP

#include "face_engine.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if __cplusplus > 201703L && __has_include(<span>)
#include <span>
#endif

namespace face {

/* A call that failed. */
class error : public std::runtime_error {
public:
  /* Keeps the status and a copy of the message. */
  error(face_status status, const char *message) : std::runtime_error(message), status_(status) {}
  /* The status of the call. */
  face_status status() const noexcept { return status_; }
  /* The name of the status, as in "INVALID_ARGUMENT". */
  const char *status_name() const noexcept { return face_status_name(status_); }

private:
  face_status status_;
};

namespace detail {

/* Throws an error unless the call succeeded. */
inline void check(face_status status)
{
  if (status != FACE_OK) throw error(status, face_last_error());
}

/* Any struct of face_engine.h with its defaults. */
template <typename Struct, auto Init> struct initialised : Struct {
  initialised() : Struct() { Init(this, sizeof(Struct)); }
};

/* Returns the handle that `make` writes through its last parameter. */
template <typename Handle, typename... Parameters, typename... Given>
Handle *create(face_status (*make)(Parameters...), Given... given)
{
  Handle *made = nullptr;
  check(make(given..., &made));
  return made;
}

/* Destroys a handle with its C function. */
template <typename Handle, auto Free> struct freeing {
  void operator()(Handle *handle) const noexcept { Free(handle); }
};
template <typename Handle, auto Free> using owned = std::unique_ptr<Handle, freeing<Handle, Free>>;

} // namespace detail

/* Owns a handle of a C library, and frees it with that library's function, as in
 * face::owned<face_picture, face_picture_destroy>. */
using detail::owned;

/* Memory that this program shares with the engine, so that pixels in it are not copied. */
class memory {
public:
  /* Creates `size` bytes, filled with zeros. */
  explicit memory(std::size_t size) : memory(detail::create<face_memory>(face_memory_create, size)) {}
  /* Imports the descriptor of a sealed memfd, which stays the caller's. */
  static memory imported(int descriptor) { return memory(detail::create<face_memory>(face_memory_import, descriptor)); }
  /* The first byte, valid as long as this object. */
  unsigned char *data() const
  {
    void *data = nullptr;
    detail::check(face_memory_map(handle_.get(), &data, nullptr));
    return static_cast<unsigned char *>(data);
  }
  /* The size in bytes. */
  std::size_t size() const
  {
    std::size_t size = 0;
    detail::check(face_memory_map(handle_.get(), nullptr, &size));
    return size;
  }
  /* The handle, for image::memory. */
  const face_memory *get() const noexcept { return handle_.get(); }

private:
  explicit memory(face_memory *made) : handle_(made) {}
  detail::owned<face_memory, face_memory_destroy> handle_;
};

/* One image: a face_image, all of whose members may be set. The pixels are borrowed until the call returns; a session
 * copies them, unless `release` or `memory` is set. */
struct image : detail::initialised<face_image, face_image_init_sized> {
  /* A whole JPEG, PNG or WebP file in memory. */
  static image file(const void *bytes, std::size_t size) { return image().plane(0, bytes, size); }
  /* Packed pixels, such as FACE_FORMAT_RGB; `stride` in bytes, 0 for rows without padding. */
  static image pixels(face_format format, std::uint32_t width, std::uint32_t height, const void *bytes,
                      std::size_t size, std::size_t stride = 0)
  {
    image made;
    made.format = format;
    made.width = width;
    made.height = height;
    return made.plane(0, bytes, size, stride);
  }
#ifdef __cpp_lib_span
  /* A whole JPEG, PNG or WebP file in memory. */
  static image file(std::span<const std::byte> bytes) { return file(bytes.data(), bytes.size()); }
  /* Packed pixels, such as FACE_FORMAT_RGB; `stride` in bytes, 0 for rows without padding. */
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

  image() = default;
  /* No move: it would leave planes without their bytes. */
  image(const image &) = default;
  image &operator=(const image &) = default;

private:
  friend class file_image;
  /* Of a file_image; kept here so that copies of type image, as in a batch, keep the bytes alive. */
  std::shared_ptr<void> bytes_;
};

/* A picture file in memory, which this object and its copies share. A call borrows it like any image, so it must
 * outlive the call. */
class file_image : public image {
public:
  /* Reads the file. */
  explicit file_image(const std::string &path)
  {
    detail::check(face_image_from_file(path.c_str(), this));
    /* This object releases the bytes, so that a session copies them like those of any image. */
    bytes_ = std::shared_ptr<void>(release_data, release);
    release = nullptr;
    release_data = nullptr;
  }
};

/* What to look for: a face_options that starts with its defaults. */
struct options : detail::initialised<face_options, face_options_init_sized> {};

/* A coordinate space: a face_space, pixels of the upright image unless set. */
struct space : detail::initialised<face_space, face_space_init_sized> {
  /* A view of that size that shows the image; `mirrored`: with left and right exchanged. */
  static space view(float width, float height, face_fit fit = FACE_FIT_CONTAIN, bool mirrored = false)
  {
    space made;
    made.kind = FACE_SPACE_VIEW;
    made.view_width = width;
    made.view_height = height;
    made.fit = fit;
    made.mirrored = mirrored;
    return made;
  }
  /* Converts a box from pixels of an upright image of `width` × `height` to this space. */
  face_box to(face_box box, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_box_to_space(this, width, height, &box));
    return box;
  }
  /* Converts a box from this space to pixels of an upright image of `width` × `height`. */
  face_box from(face_box box, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_box_from_space(this, width, height, &box));
    return box;
  }
  /* Converts a circle from pixels of an upright image of `width` × `height` to this space. */
  face_circle to(face_circle circle, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_circle_to_space(this, width, height, &circle));
    return circle;
  }
  /* Converts a circle from this space to pixels of an upright image of `width` × `height`. */
  face_circle from(face_circle circle, std::uint32_t width, std::uint32_t height) const
  {
    detail::check(face_circle_from_space(this, width, height, &circle));
    return circle;
  }
};

/* Converts points to positions in a box, 0 to 1 from its corner. */
inline std::vector<face_point> points_to_box(const face_box &box, std::vector<face_point> points)
{
  detail::check(face_points_to_box(&box, points.data(), static_cast<std::uint32_t>(points.size())));
  return points;
}
/* Converts positions in a box, 0 to 1 from its corner, to points. */
inline std::vector<face_point> points_from_box(const face_box &box, std::vector<face_point> points)
{
  detail::check(face_points_from_box(&box, points.data(), static_cast<std::uint32_t>(points.size())));
  return points;
}

/* The orientation of a camera's pixels in a turned device: see face_orientation_of_camera. Turns are in degrees. */
inline face_orientation orientation_of_camera(std::uint32_t sensor, std::uint32_t device, bool faces_user)
{
  face_orientation found = FACE_ORIENTATION_DEFAULT;
  detail::check(face_orientation_of_camera(sensor, device, faces_user ? 1 : 0, &found));
  return found;
}

/* Ends calls from another thread: set options::canceller to get(). */
class canceller {
public:
  /* Creates a canceller. */
  canceller() : handle_(detail::create<face_canceller>(face_canceller_create)) {}
  /* Ends every call that uses this canceller, now or later; from any thread. */
  void cancel() { detail::check(face_canceller_cancel(handle_.get())); }
  /* The handle, for options::canceller. */
  face_canceller *get() const noexcept { return handle_.get(); }

private:
  detail::owned<face_canceller, face_canceller_destroy> handle_;
};

/* One face: a face_info with its landmarks and expressions, if they were requested. */
struct face : detail::initialised<face_info, face_info_init_sized> {
  /* Whether the members of each group are known: the bits of `valid`. */
  bool has_points() const noexcept { return valid & FACE_VALID_POINTS; }
  bool has_id() const noexcept { return valid & FACE_VALID_ID; }
  bool has_pose() const noexcept { return valid & FACE_VALID_POSE; }
  bool has_eyes() const noexcept { return valid & FACE_VALID_EYES; }
  bool has_mouth() const noexcept { return valid & FACE_VALID_MOUTH; }
  bool has_quality() const noexcept { return valid & FACE_VALID_QUALITY; }

  std::vector<face_landmark> landmarks; /* all 478, or none */
  std::vector<float> expressions;       /* all 52, or none */
  /* The numbers of each output after FACE_OUTPUT_QUALITY that was requested and is known. */
  std::map<face_outputs, std::vector<float>> values;

  /* Where the face looks on a screen, without a value if its gaze is not known or the eyes look elsewhere; see
     face_gaze_look_at. */
  std::optional<face_point> look_at(const face_screen &screen) const
  {
    const auto gaze = values.find(FACE_OUTPUT_GAZE);
    face_point found{};
    if (gaze == values.end()) return std::nullopt;
    const face_status status = face_gaze_look_at(gaze->second.data(), &screen, &found);
    if (status == FACE_OUT_OF_RANGE) return std::nullopt;
    detail::check(status);
    return found;
  }

  /* The landmarks of one region of a constellation; none without landmarks. */
  std::vector<face_landmark> points(face_constellation constellation, face_region region) const
  {
    if (landmarks.empty()) return {};
    std::uint32_t count = 0;
    detail::check(face_constellation_indices(constellation, region, nullptr, 0, &count));
    std::vector<std::uint32_t> indices(count);
    detail::check(face_constellation_indices(constellation, region, indices.data(), count, nullptr));
    std::vector<face_landmark> found;
    for (std::size_t place = 0; place < indices.size(); place++) {
      const face_landmark &one = landmarks.at(indices[place]);
      /* A repeated number stands for the point halfway to the next. */
      const bool is_halfway = place > 0 && indices[place] == indices[place - 1];
      const face_landmark &other = landmarks.at(indices[is_halfway ? place + 1 : place]);
      found.push_back({(one.x + other.x) / 2, (one.y + other.y) / 2, (one.z + other.z) / 2});
    }
    return found;
  }

  /* The landmarks of one of ML Kit's contours; none without landmarks, or if there is no such contour. Since 0.3. */
  std::vector<face_landmark> contour(face_contour which) const
  {
    if (landmarks.empty()) return {};
    std::uint32_t count = 0;
    const std::uint16_t *indices = face_contour_indices(which, &count);
    std::vector<face_landmark> found;
    for (std::uint32_t place = 0; place < count; place++) found.push_back(landmarks.at(indices[place]));
    return found;
  }
};

/* The faces of one image. */
class result : public std::vector<face> {
public:
  result() = default;
  /* The models that made the result: the detectors, then, if something was measured, those for landmarks and
     expressions. */
  std::vector<face_model> models;
  /* How many faces at the end were not measured; see face_result_unanalysed_count. */
  std::uint32_t unanalysed = 0;
  /* Copies a C result, which stays its owner's, with boxes and points converted to `space` if one is given. */
  explicit result(const face_result *handle, const face_space *space = nullptr)
  {
    detail::check(face_result_status(handle, nullptr));
    detail::check(face_result_image_size(handle, &width, &height));
    resize(face_result_count(handle));
    models.resize(face_result_model_count(handle));
    unanalysed = face_result_unanalysed_count(handle);
    for (std::uint32_t i = 0; i < models.size(); i++) {
      face_model_init(&models[i]);
      detail::check(face_result_model(handle, i, &models[i]));
    }
    for (std::uint32_t i = 0; i < size(); i++) {
      face &found = (*this)[i];
      detail::check(space == nullptr ? face_result_get(handle, i, &found)
                                     : face_result_get_in(handle, i, space, &found));
      if (found.valid & FACE_VALID_LANDMARKS) found.landmarks = points(handle, i, FACE_REGION_ALL_POINTS);
      if (found.valid & FACE_VALID_EXPRESSIONS) {
        found.expressions.resize(FACE_EXPRESSION_COUNT);
        detail::check(face_result_expressions(handle, i, found.expressions.data(), FACE_EXPRESSION_COUNT));
      }
      for (face_outputs output = FACE_OUTPUT_QUALITY << 1; (output & FACE_OUTPUT_ALL) != 0; output <<= 1)
        if (found.valid & output) found.values[output] = values(handle, i, output);
    }
  }
  /* The landmarks of one region, in pixels of the upright image. */
  static std::vector<face_landmark> points(const face_result *handle, std::uint32_t index, face_region region)
  {
    std::uint32_t count = 0;
    detail::check(face_result_landmarks(handle, index, region, nullptr, 0, &count));
    std::vector<face_landmark> found(count);
    detail::check(face_result_landmarks(handle, index, region, found.data(), count, nullptr));
    return found;
  }

  /* Where a face looks on a screen; see face_result_look_at. */
  static face_point look_at(const face_result *handle, std::uint32_t index, const face_screen &screen)
  {
    face_point found{};
    detail::check(face_result_look_at(handle, index, &screen, &found));
    return found;
  }

  /* The numbers of one output; see face_result_values. */
  static std::vector<float> values(const face_result *handle, std::uint32_t index, face_outputs output)
  {
    std::uint32_t count = 0;
    detail::check(face_result_values(handle, index, output, nullptr, 0, &count));
    std::vector<float> found(count);
    detail::check(face_result_values(handle, index, output, found.data(), count, nullptr));
    return found;
  }

  std::uint32_t width = 0, height = 0; /* of the upright image, in pixels */
};

/* Callbacks for the results of images; every member may be empty. */
struct listener {
  std::function<void(const face_frame &, const result &)> on_faces; /* the faces of an image, possibly none */
  /* A newer frame came before this one was searched. */
  std::function<void(const face_frame &, std::uint64_t dropped_so_far)> on_dropped;
  std::function<void(const face_frame &, const error &)> on_failed;              /* the image failed */
  std::function<void(const face_frame &, std::uint64_t face_id)> on_left;        /* a tracked face has left */
  /* An event of a guided check. What it points to is borrowed until the function returns; face::result(check.faces)
   * copies the face. */
  std::function<void(const face_frame &, const face_check &)> on_check;
  /* The best picture of a face; see face_session_options.best_size. Borrowed as in on_check. */
  std::function<void(const face_frame &, const face_best &)> on_best;
  /* Returns the C listener that forwards to this object, which must not move before that listener is unbound. */
  face_listener bridge()
  {
    detail::initialised<face_listener, face_listener_init_sized> made;
    made.user_data = this;
    made.on_faces = [](const face_frame *frame, const face_result *handle, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_faces) tell(*frame, result(handle));
    };
    made.on_dropped = [](const face_frame *frame, std::uint64_t so_far, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_dropped) tell(*frame, so_far);
    };
    made.on_failed = [](const face_frame *frame, face_status status, const char *message, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_failed) tell(*frame, error(status, message));
    };
    made.on_left = [](const face_frame *frame, std::uint64_t id, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_left) tell(*frame, id);
    };
    made.on_check = [](const face_frame *frame, const face_check *check, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_check) tell(*frame, *check);
    };
    made.on_best = [](const face_frame *frame, const face_best *best, void *told) noexcept {
      if (const auto &tell = static_cast<listener *>(told)->on_best) tell(*frame, *best);
    };
    return made;
  }
};

/* How a stream is searched: a face_session_options that starts with its defaults. */
struct session_options : detail::initialised<face_session_options, face_session_options_init_sized> {};

/* What a guided check demands: a face_check_options that starts with its defaults. */
struct check_options : detail::initialised<face_check_options, face_check_options_init_sized> {
  /* Sets the members that a preset names; see face_check_options_apply. */
  check_options &apply(face_check_preset preset)
  {
    detail::check(face_check_options_apply(this, preset));
    return *this;
  }
};

/* A stream of frames. The destructor closes it and must not run inside its listener. */
class session {
public:
  /* Opens a session and binds its listener. */
  session(face_engine *engine, const face_session_options &options, listener told)
      : session(owned(detail::create<face_session>(face_session_open, engine, &options)), std::move(told)) {}
  /* Submits a frame and returns its number. */
  std::uint64_t submit(const face_image &image)
  {
    std::uint64_t number = 0;
    detail::check(face_session_submit(handle_.get(), &image, &number));
    return number;
  }
  /* Follows a face that you know already, from the next frame on, and returns its id; see face_session_follow. */
  std::uint64_t follow(const face_box &box)
  {
    std::uint64_t id = 0;
    detail::check(face_session_follow(handle_.get(), &box, &id));
    return id;
  }
  /* Calls on_best with the best picture of a face, or of all faces in view; see face_session_best. */
  void best(std::uint64_t face_id = 0) { detail::check(face_session_best(handle_.get(), face_id)); }
  /* Waits until every submitted frame has had its event; returns false after `timeout` (0: no limit). */
  bool flush(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(0))
  {
    const face_status status = face_session_flush(handle_.get(), static_cast<std::uint64_t>(timeout.count()));
    if (status != FACE_DEADLINE_EXCEEDED) detail::check(status);
    return status == FACE_OK;
  }
  /* Closes the session as the destructor does, but throws if that fails. */
  void close()
  {
    detail::check(face_session_close(handle_.get()));
    static_cast<void>(handle_.release());
  }
  /* The handle, for the functions of face_engine.h. */
  face_session *get() const noexcept { return handle_.get(); }

protected:
  using owned = detail::owned<face_session, face_session_close>;
  session(owned opened, listener told) : handle_(nullptr, {std::make_unique<listener>(std::move(told))})
  {
    handle_.reset(opened.release());
    const face_listener bridged = handle_.get_deleter().told->bridge();
    detail::check(face_session_bind_listener(handle_.get(), &bridged));
  }

private:
  struct closing {
    std::unique_ptr<listener> told; /* here so that it outlives the handle, also when another session is moved in */
    void operator()(face_session *handle) const noexcept { face_session_close(handle); }
  };
  std::unique_ptr<face_session, closing> handle_;
};

/* A guided check, which leads a person to a good picture: a session that also calls on_check. */
class check_session : public session {
public:
  /* Opens a check and binds its listener; `frames` may be null. */
  check_session(face_engine *engine, const face_check_options &options, const face_session_options *frames,
                listener told)
      : session(owned(detail::create<face_session>(face_check_open, engine, frames, &options)), std::move(told)) {}
  /* Begins a new attempt with the next submitted frame; from any thread, also inside the listener. */
  void restart() { detail::check(face_check_restart(get())); }
};

/* How models run in this process: face_load_options with its defaults. */
struct load_options : detail::initialised<face_load_options, face_load_options_init_sized> {};

/* Which engine a connection accepts: face_connect_options with its defaults. */
struct connect_options : detail::initialised<face_connect_options, face_connect_options_init_sized> {};

/* A loaded model, or a connection to an engine process. Threads may share it. */
class engine {
public:
  /* Loads a model, by path or name, into this process; an empty path means the installed detector. */
  static engine load(const std::string &model_dir = {})
  {
    return engine(detail::create<face_engine>(face_load_model, model_dir.empty() ? nullptr : model_dir.c_str()));
  }
  /* Loads several model packages into this process. */
  static engine load_models(const std::vector<std::string> &model_dirs,
                            const face_load_options &options = load_options())
  {
    std::vector<const char *> folders;
    for (const std::string &folder : model_dirs) folders.push_back(folder.c_str());
    return engine(detail::create<face_engine>(
        face_load_models, folders.data(), static_cast<uint32_t>(folders.size()), &options));
  }
  /* Connects to a running engine; an empty path means the default socket. */
  static engine connect(const std::string &socket_path = {}, const face_connect_options &options = connect_options())
  {
    return engine(detail::create<face_engine>(
        face_connect_with, socket_path.empty() ? nullptr : socket_path.c_str(), &options));
  }

  /* Finds the faces of one image. */
  result detect(const face_image &image, const face_options &options = ::face::options()) const
  {
    const detail::owned<face_result, face_result_destroy> found(
        detail::create<face_result>(face_detect, handle_.get(), &image, &options));
    return result(found.get());
  }

  /* How one image of a batch ended: its faces, or its error. */
  struct outcome {
    result faces;
    face_status status = FACE_OK;
    std::string message;
  };
  /* Finds the faces of several images; an image that fails does not affect the others. */
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

  /* Opens a session. */
  session open(listener told, const face_session_options &options = session_options()) const
  {
    return session(handle_.get(), options, std::move(told));
  }
  /* Opens a guided check. If `frames` is null, the check uses the session options of face_check_open for NULL. */
  check_session open_check(listener told, const face_check_options &options = check_options(),
                           const face_session_options *frames = nullptr) const
  {
    return check_session(handle_.get(), options, frames, std::move(told));
  }
  /* Checks one photo, calls on_check, and returns the most important tip: FACE_TIP_DONE for a photo that is right. If
   * on_check throws, check_image calls it no more and throws the same exception. */
  face_tip check_image(const face_image &image, const face_check_options &options = check_options(), listener told = {},
                       const face_options &detection = ::face::options()) const
  {
    struct {
      listener *told;
      std::exception_ptr thrown;
    } call = {&told, nullptr};
    using caller = decltype(call);
    detail::initialised<face_listener, face_listener_init_sized> bridged;
    bridged.user_data = &call;
    bridged.on_check = [](const face_frame *frame, const face_check *check, void *data) noexcept {
      caller &outer = *static_cast<caller *>(data);
      if (outer.thrown || !outer.told->on_check) return;
      try {
        outer.told->on_check(*frame, *check);
      } catch (...) {
        outer.thrown = std::current_exception();
      }
    };
    face_tip tip = FACE_TIP_PROMPT;
    const face_status status = face_check_image(handle_.get(), &image, &detection, &options, &bridged, &tip);
    if (call.thrown) std::rethrow_exception(call.thrown);
    detail::check(status);
    return tip;
  }
  /* The handle, for the functions of face_engine.h. */
  face_engine *get() const noexcept { return handle_.get(); }

private:
  explicit engine(face_engine *made) : handle_(made) {}
  detail::owned<face_engine, face_release> handle_;
};

} // namespace face

#endif /* FACE_ENGINE_HPP */
