/* FaceEngine: finds faces in images.
 *
 * Life of a program
 *
 *     face_engine *engine = NULL;
 *     if (face_load_model("Models/yunet", &engine) != FACE_OK)   // or face_connect(NULL, &engine)
 *       return fail(face_last_error());
 *
 *     face_image image;
 *     face_image_init(&image);
 *     image.format = FACE_FORMAT_RGB;
 *     image.width = 640;  image.height = 480;
 *     image.planes[0] = pixels;  image.plane_sizes[0] = 640 * 480 * 3;
 *
 *     face_result *result = NULL;
 *     if (face_detect(engine, &image, NULL, &result) != FACE_OK) ...
 *     for (uint32_t i = 0; i < face_result_count(result); i++) {
 *       face_info face;
 *       face_info_init(&face);
 *       face_result_get(result, i, &face);
 *       ...
 *     }
 *     face_result_destroy(result);
 *     face_release(engine);
 *
 * Conventions
 *
 * Status     Every call that can fail returns a face_status; FACE_OK is 0 and the others are gRPC's codes. On failure
 *            no output is written, and face_last_error() gives a sentence for the calling thread.
 * Ownership  What a function gives through a pointer to a pointer is the caller's to destroy. What is passed in is
 *            borrowed until the call returns, unless the function says otherwise. Destroying NULL does nothing.
 * Structs    Every public struct that a caller fills or receives starts with struct_size and has a function
 *            face_..._init, which must be called before use. It tells the library the size that the program was compiled
 *            with (through face_..._init_sized), so a program built against an older header goes on working.
 * Threads    An engine may be used by any number of threads at once. A result belongs to one thread at a time. After
 *            fork() a connected engine may be used on both sides: the child makes a connection of its own. A loaded
 *            model may be used in the child when no other thread was in a call at the fork.
 * Space      Coordinates are pixels of the upright image (after its orientation was applied): origin at the top-left
 *            corner, x to the right, y down. A position is a real number; the first pixel covers 0 to 1.
 * Sides      Left and right are the subject's own: in an unmirrored picture the left eye is nearer the right edge.
 * Signals    The library installs no signal handler, raises no SIGPIPE, prints nothing and opens no network.
 */
#ifndef FACE_ENGINE_H
#define FACE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FACE_API __attribute__((visibility("default")))
#else
#define FACE_API
#endif

/* ---- Versions ------------------------------------------------------------------------------------------------- */

/* The ABI this header describes. It changes only when an existing program would break. */
#define FACE_ABI_VERSION 1

/* The ABI of the loaded library; a host that opened it by hand compares it with FACE_ABI_VERSION. Never fails. */
FACE_API uint32_t face_abi_version(void);

/* The library's version, as in "0.1.0". The text is static. Never fails. */
FACE_API const char *face_version_string(void);

/* ---- Status --------------------------------------------------------------------------------------------------- */

/* How a call ended: FACE_OK, or one of gRPC's codes with gRPC's meaning. */
typedef int32_t face_status;

enum {
  FACE_OK = 0,
  FACE_CANCELLED = 1,
  FACE_UNKNOWN = 2,
  FACE_INVALID_ARGUMENT = 3,   /* this call can never work as given: a NULL, a wrong size, a damaged image */
  FACE_DEADLINE_EXCEEDED = 4,
  FACE_NOT_FOUND = 5,          /* no such folder, file or index */
  FACE_ALREADY_EXISTS = 6,
  FACE_PERMISSION_DENIED = 7,
  FACE_RESOURCE_EXHAUSTED = 8, /* no memory, or a limit of the engine */
  FACE_FAILED_PRECONDITION = 9, /* a model that is damaged or not usable */
  FACE_ABORTED = 10,
  FACE_OUT_OF_RANGE = 11,      /* an image too small or too large */
  FACE_UNIMPLEMENTED = 12,
  FACE_INTERNAL = 13,          /* a fault of ours: please report it */
  FACE_UNAVAILABLE = 14,       /* no engine at the socket, or it went away: try again */
  FACE_DATA_LOSS = 15,
  FACE_UNAUTHENTICATED = 16
};

/* The code's name, as in "INVALID_ARGUMENT"; "UNKNOWN" for a number that is none. Static text. Never fails. */
FACE_API const char *face_status_name(face_status status);

/* What the last failed call of this thread found wrong and what to do about it, in one sentence; "" when none failed.
 * The text is valid until the next call into the library by this thread. Never fails. */
FACE_API const char *face_last_error(void);

/* ---- Engine --------------------------------------------------------------------------------------------------- */

/* A loaded model, or a connection to an engine that has one. */
typedef struct face_engine face_engine;

/* Loads the model package in the folder `model_dir` and runs it inside this process.
 *
 * model_dir   UTF-8 path of a folder with a model.json.
 * out_engine  receives the engine; the caller releases it with face_release.
 *
 * FACE_NOT_FOUND where there is no such folder or the model's weights are missing, FACE_FAILED_PRECONDITION where a
 * file is damaged or not a model this library knows. */
FACE_API face_status face_load_model(const char *model_dir, face_engine **out_engine);

/* Connects to a running engine process (`face-engine serve`). Every other call works as after face_load_model.
 *
 * socket_path  UTF-8 path of its Unix socket; NULL for the default one, face-engine.sock in the folder XDG_RUNTIME_DIR
 *              names or, where that is not set, in /run/user/UID or (for root) /run.
 * out_engine   receives the engine; the caller releases it with face_release.
 *
 * FACE_UNAVAILABLE where no engine answers there. When the engine goes away later, calls end with FACE_UNAVAILABLE,
 * and the next one connects again. A call that is not answered within 60 s ends with FACE_DEADLINE_EXCEEDED. */
FACE_API face_status face_connect(const char *socket_path, face_engine **out_engine);

/* Ends the use of an engine. Calls that other threads are in still finish, and the memory is freed after the last of them;
 * a listener callback that is running is waited for, and none is called after the return. The handle is then refused by
 * every call. FACE_FAILED_PRECONDITION, and nothing done, from inside a listener of this engine. NULL does nothing. */
FACE_API face_status face_release(face_engine *engine);

/* ---- Images --------------------------------------------------------------------------------------------------- */

/* What the bytes of an image are. The names give the order of bytes in memory. */
typedef uint32_t face_format;

enum {
  FACE_FORMAT_ENCODED = 0, /* a whole JPEG or PNG file: planes[0] and plane_sizes[0]; width, height, strides unused */
  FACE_FORMAT_RGBA = 1,
  FACE_FORMAT_BGRA = 2,
  FACE_FORMAT_RGB = 3,
  FACE_FORMAT_BGR = 4,
  FACE_FORMAT_GRAY = 5
};

/* How stored pixels are turned to stand upright: the values of EXIF's Orientation tag. */
typedef uint32_t face_orientation;

enum {
  FACE_ORIENTATION_DEFAULT = 0,      /* what an encoded file says of itself, else upright */
  FACE_ORIENTATION_UP = 1,
  FACE_ORIENTATION_UP_MIRRORED = 2,
  FACE_ORIENTATION_DOWN = 3,         /* turned by 180 degrees */
  FACE_ORIENTATION_DOWN_MIRRORED = 4,
  FACE_ORIENTATION_LEFT_MIRRORED = 5,
  FACE_ORIENTATION_RIGHT = 6,        /* stands upright after 90 degrees clockwise */
  FACE_ORIENTATION_RIGHT_MIRRORED = 7,
  FACE_ORIENTATION_LEFT = 8          /* stands upright after 90 degrees counter-clockwise */
};

/* One image. The pixels stay the caller's and are only read, and only during the call. */
typedef struct face_image {
  uint32_t struct_size;         /* set by face_image_init */
  face_format format;
  uint32_t width, height;       /* pixels as stored, 16 to 8192 each */
  const void *planes[4];        /* the formats above use planes[0] only */
  size_t plane_sizes[4];        /* bytes readable at planes[i], checked before a pixel is read; a file has 1 GiB at most */
  size_t strides[4];            /* bytes from row to row, at most 65536; 0: rows without a gap */
  face_orientation orientation; /* a given one wins over what a file says */
} face_image;

FACE_API void face_image_init_sized(face_image *image, size_t size);

/* Fills `image` with defaults: encoded, no bytes. NULL does nothing. */
static inline void face_image_init(face_image *image)
{
  face_image_init_sized(image, sizeof *image);
}

/* ---- Options -------------------------------------------------------------------------------------------------- */

/* What to look for. */
typedef struct face_options {
  uint32_t struct_size;    /* set by face_options_init */
  float min_confidence;    /* 0 to 1, default 0.6: less certain faces are left out */
  float overlap_threshold; /* 0 to 1, default 0.3: of two boxes with a larger intersection over union one is left out */
  uint32_t max_faces;      /* default 0: all (of the 5000 most certain boxes); else so many at most, the most certain ones */
  float min_face_size;     /* pixels, default 0: faces with a shorter box side are left out */
  uint32_t max_side;       /* pixels, default 1024: a larger image is searched scaled down to this long side;
                              0: at its own size, else 16 to 8192 */
} face_options;

FACE_API void face_options_init_sized(face_options *options, size_t size);

/* Fills `options` with the defaults above. NULL does nothing. */
static inline void face_options_init(face_options *options)
{
  face_options_init_sized(options, sizeof *options);
}

/* ---- Detection ------------------------------------------------------------------------------------------------ */

/* The faces of one image. Immutable. */
typedef struct face_result face_result;

/* Finds the faces of one image, on the calling thread when the model is loaded in this process.
 *
 * image       borrowed until the call returns.
 * options     NULL for the defaults.
 * out_result  receives the result, with no faces when none was found; the caller destroys it with face_result_destroy.
 *             NULL when only the listener is to have it.
 *
 * FACE_INVALID_ARGUMENT for an image or option that cannot be used, FACE_OUT_OF_RANGE for one too small or large,
 * FACE_UNIMPLEMENTED for a JPEG in CMYK or a struct member that this version does not know, FACE_RESOURCE_EXHAUSTED where
 * memory or a limit of the engine does not suffice (the network takes about 110 bytes a pixel that it sees),
 * FACE_FAILED_PRECONDITION where the model does not fit its own description. Of a connected engine also FACE_UNAVAILABLE
 * where it is gone, FACE_DEADLINE_EXCEEDED where it does not answer, FACE_DATA_LOSS where it is none. */
FACE_API face_status face_detect(face_engine *engine, const face_image *image, const face_options *options,
                                 face_result **out_result);

typedef struct face_point {
  float x, y;
} face_point;

typedef struct face_box {
  float x, y, width, height; /* top-left corner and size */
} face_box;

/* Bits of face_info.valid. */
#define FACE_VALID_POINTS 0x1u

/* One face. */
typedef struct face_info {
  uint32_t struct_size;   /* set by face_info_init */
  uint32_t valid;         /* which optional fields are known: FACE_VALID_... */
  face_box box;           /* may leave the image */
  face_box clamped_box;   /* the part of it inside the image */
  float confidence;       /* 0 to 1 */
  face_point left_eye;    /* these five with FACE_VALID_POINTS */
  face_point right_eye;
  face_point nose_tip;
  face_point mouth_left;
  face_point mouth_right;
} face_info;

FACE_API void face_info_init_sized(face_info *info, size_t size);

/* Prepares `info` to receive a face. NULL does nothing. */
static inline void face_info_init(face_info *info)
{
  face_info_init_sized(info, sizeof *info);
}

/* Number of faces; 0 for NULL. Never fails. */
FACE_API uint32_t face_result_count(const face_result *result);

/* Writes face `index`, 0 the most certain one, to `out_info`, which must have been initialised.
 * FACE_OUT_OF_RANGE where there is no such face. */
FACE_API face_status face_result_get(const face_result *result, uint32_t index, face_info *out_info);

/* Writes the size in pixels of the upright image, in which the faces are given. Either pointer may be NULL. */
FACE_API face_status face_result_image_size(const face_result *result, uint32_t *out_width, uint32_t *out_height);

/* Frees a result. NULL does nothing. */
FACE_API void face_result_destroy(face_result *result);

/* ---- Listener ------------------------------------------------------------------------------------------------- */

/* Who is told of each searched image. */
typedef struct face_listener {
  uint32_t struct_size; /* set by face_listener_init */
  void *user_data;      /* handed back to the callbacks; never touched */
  /* The faces of an image, possibly none. `result` is borrowed: it is valid until the callback returns. */
  void (*on_faces)(const face_result *result, void *user_data);
} face_listener;

FACE_API void face_listener_init_sized(face_listener *listener, size_t size);

/* Fills `listener` with no callback. NULL does nothing. */
static inline void face_listener_init(face_listener *listener)
{
  face_listener_init_sized(listener, sizeof *listener);
}

/* Binds `listener` to an engine in place of the one bound before; the struct is copied.
 *
 * Each successful face_detect on this engine calls it exactly once, also where there is no face, on the thread that
 * called face_detect and before that returns; calls from several threads come one after the other. A callback may call
 * face_detect on its own engine, and is then called from inside itself; it must not use another engine that has a
 * listener, since two that wait for each other would wait for ever. Binding, unbinding and face_release from inside one
 * are refused with FACE_FAILED_PRECONDITION. */
FACE_API face_status face_bind_listener(face_engine *engine, const face_listener *listener);

/* Removes the listener. A callback that is running in another thread finishes first; none is called after the return.
 * Without a listener bound it does nothing. */
FACE_API face_status face_unbind_listener(face_engine *engine);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_H */
