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
 * Threads    An engine may be used by any number of threads at once; of a connected one see face_connect. A result never
 *            changes, so any number may read it; destroy it when none does. One thread at a time submits to a session. After
 *            fork() a connected engine may be used on both sides: the child makes a connection of its own. A loaded
 *            model may be used in the child too, unless a thread or a session was searching with it at the fork: then
 *            its calls there fail with FACE_FAILED_PRECONDITION, and the child loads the model again. A session stays
 *            with the process that opened it: in the child its functions fail with FACE_FAILED_PRECONDITION.
 * Space      Coordinates are pixels of the upright image (after its orientation was applied): origin at the top-left
 *            corner, x to the right, y down. A position is a real number; the first pixel covers 0 to 1. Other spaces
 *            are to be asked for: see face_space.
 * Sides      Left and right are the subject's own: in an unmirrored picture the left eye is nearer the right edge.
 * Signals    The library installs no signal handler, raises no SIGPIPE, prints nothing and opens no network.
 * Unloading  dlclose leaves the library in memory; a later dlopen gives the same one.
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

/* What the last failed call of this thread found wrong and what to do about it, in one sentence; "" when none failed. A
 * call that succeeds leaves it. The text is valid until the next call that fails, or the end of the thread. Never fails. */
FACE_API const char *face_last_error(void);

/* How much a log line matters. */
typedef uint32_t face_log_level;

enum {
  FACE_LOG_ERROR = 1,
  FACE_LOG_WARNING = 2,
  FACE_LOG_INFO = 3,
  FACE_LOG_DEBUG = 4
};

/* Told of what the library does: one line without a line end, borrowed until the callback returns. Control characters, which
 * a path may have, are written as in "\x0a". */
typedef void (*face_log_callback)(face_log_level level, const char *line, void *user_data);

/* Sets who is told of lines up to `max_level`; NULL, as in the beginning, for nobody. Called on whatever thread has
 * something to say, one line at a time; it must not call the library. When this returns, the callback set before is not
 * running and will not be called again. Nothing of a picture is ever logged. Never fails. */
FACE_API void face_set_log_callback(face_log_callback callback, face_log_level max_level, void *user_data);

/* ---- Engine --------------------------------------------------------------------------------------------------- */

/* A loaded model, or a connection to an engine that has one. */
typedef struct face_engine face_engine;

/* Loads the model package in the folder `model_dir` and runs it inside this process.
 *
 * model_dir   UTF-8 path of a folder with a model.json, or with nothing but the .param and .bin of a detector of a
 *             family that this library knows by its graph.
 * out_engine  receives the engine; the caller releases it with face_release.
 *
 * FACE_NOT_FOUND where there is no such folder or the model's weights are missing, FACE_FAILED_PRECONDITION where a
 * file is damaged or not a model this library knows. */
FACE_API face_status face_load_model(const char *model_dir, face_engine **out_engine);

/* How models run inside this process. */
typedef struct face_load_options {
  uint32_t struct_size;       /* set by face_load_options_init */
  uint32_t threads_per_frame; /* 1 to 16, default 1: so many threads share the rows of one image, where the kernels of this
                                 library run the model's network; one that runs on ncnn has one */
  uint64_t max_input_pixels;  /* default 0: any; of what a network sees, a larger image is FACE_RESOURCE_EXHAUSTED. See
                                 face_detect for the memory that a pixel takes */
} face_load_options;

FACE_API void face_load_options_init_sized(face_load_options *options, size_t size);

/* Fills `options` with the defaults above. NULL does nothing. */
static inline void face_load_options_init(face_load_options *options)
{
  face_load_options_init_sized(options, sizeof *options);
}

/* How many models an engine may be loaded with. */
#define FACE_MAX_MODELS 16

/* Loads several models, each of which a call may choose by its name (face_options.model); as face_load_model otherwise,
 * which is this with one folder and the defaults.
 *
 * model_dirs  `count` folders, 1 to FACE_MAX_MODELS; the first one's model is used where options name none. Models of
 *             landmarks and expressions are looked for beside it.
 * options     NULL for the defaults.
 *
 * FACE_ALREADY_EXISTS where two of the models have the same name. */
FACE_API face_status face_load_models(const char *const *model_dirs, uint32_t count, const face_load_options *options,
                                      face_engine **out_engine);

/* Connects to a running engine process (`face-engine serve`). Every other call works as after face_load_model.
 *
 * socket_path  UTF-8 path of its Unix socket; NULL for the default one, face-engine.sock in the folder XDG_RUNTIME_DIR
 *              names or, where that is not set, in /run/user/UID or (for root) /run.
 * out_engine   receives the engine; the caller releases it with face_release.
 *
 * FACE_UNAVAILABLE where no engine answers there, FACE_PERMISSION_DENIED where its socket or its list of users does not
 * admit this one, FACE_RESOURCE_EXHAUSTED where this user has as many connections as it may. When the engine goes away
 * later, calls end with FACE_UNAVAILABLE, and the next one connects again. A call that is not answered within 60 s ends
 * with FACE_DEADLINE_EXCEEDED.
 *
 * A running engine has limits that a loaded model has not; flags of `face-engine serve` set them.
 * --connections-per-user   32, one for each face_connect and each open session, of all programs of a user together.
 * --calls-per-connection   16 calls of one face_engine are with the engine at a time; further ones wait for their turn, for
 *                          as long as their timeout_ns allows.
 * --mapped-bytes-per-user  128 MiB of shared memory, of all programs of a user together; images of 4 MiB and more need it.
 *                          FACE_RESOURCE_EXHAUSTED for what is larger, and while others have it: send a JPEG or PNG below
 *                          4 MiB then. What is not used is given back: beyond 32 MiB at once, the rest when a call comes a
 *                          second or more after its last use, and that of a session after a second. */
FACE_API face_status face_connect(const char *socket_path, face_engine **out_engine);

/* Ends the use of an engine. Calls that other threads are in still finish, and the memory is freed after the last of them;
 * a listener callback that is running is waited for, and none is called after the return. The handle is then refused by
 * every call. Sessions go on, and keep the engine until they are closed; so it may be called from inside their listeners.
 * FACE_FAILED_PRECONDITION, and nothing done, from inside the engine's own listener. NULL does nothing. */
FACE_API face_status face_release(face_engine *engine);

/* ---- Images --------------------------------------------------------------------------------------------------- */

/* What the bytes of an image are. Packed formats give the order of the bytes of one pixel in memory. */
typedef uint32_t face_format;

enum {
  FACE_FORMAT_ENCODED = 0, /* a whole JPEG, PNG or WebP file: planes[0] and plane_sizes[0]; no width, height, strides */
  FACE_FORMAT_RGBA = 1,
  FACE_FORMAT_BGRA = 2,
  FACE_FORMAT_RGB = 3,
  FACE_FORMAT_BGR = 4,
  FACE_FORMAT_GRAY = 5,
  FACE_FORMAT_NV12 = 6, /* planes[0] luma, planes[1] Cb and Cr interleaved at half the width and height (rounded up) */
  FACE_FORMAT_NV21 = 7, /* the same, Cr before Cb */
  FACE_FORMAT_I420 = 8, /* planes[0] luma, planes[1] Cb, planes[2] Cr, the last two at half the width and height */
  FACE_FORMAT_YUYV = 9  /* planes[0]: Y0 Cb Y1 Cr for each two pixels of a row */
};

/* What luma and chroma mean (ITU-R BT.601-7, BT.709-6). "Full" is JFIF's 0 to 255, "video" 16 to 235 and 16 to 240. */
typedef uint32_t face_colour;

enum {
  FACE_COLOUR_BT601_FULL = 0,
  FACE_COLOUR_BT601_VIDEO = 1,
  FACE_COLOUR_BT709_FULL = 2,
  FACE_COLOUR_BT709_VIDEO = 3
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

typedef struct face_point {
  float x, y;
} face_point;

typedef struct face_box {
  float x, y, width, height; /* top-left corner and size */
} face_box;

/* Memory that this process shares with the engine it is connected to, so that pixels in it need not be copied. */
typedef struct face_memory face_memory;

/* Makes `size` bytes of such memory, 1 GiB at most, filled with zeros. The caller destroys it with face_memory_destroy. */
FACE_API face_status face_memory_create(size_t size, face_memory **out_memory);

/* Takes memory that another process or library made: the descriptor of a memfd, which must carry the seals
 * F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. The descriptor stays the caller's and may be closed at once.
 * FACE_PERMISSION_DENIED without those seals: whoever could shrink the memory could end this process. */
FACE_API face_status face_memory_import(int descriptor, face_memory **out_memory);

/* Where the memory is, and its size. `data` is valid until face_memory_destroy. Either pointer may be NULL. */
FACE_API face_status face_memory_map(const face_memory *memory, void **out_data, size_t *out_size);

/* Frees the memory once no call or session uses it any more. NULL does nothing. */
FACE_API void face_memory_destroy(face_memory *memory);

/* One image. The pixels stay the caller's and are only read. A call such as face_detect reads them until it returns;
 * face_session_submit copies them, unless `release` or `memory` is given. */
typedef struct face_image {
  uint32_t struct_size;         /* set by face_image_init */
  face_format format;
  uint32_t width, height;       /* pixels as stored, 16 to 8192 each */
  const void *planes[4];        /* as many as the format has */
  size_t plane_sizes[4];        /* bytes readable at planes[i], checked before a pixel is read; a file has 1 GiB at most */
  size_t strides[4];            /* bytes from row to row, at most 65536; 0: rows without a gap */
  face_orientation orientation; /* a given one wins over what a file says */
  face_colour colour;           /* of YUV formats */
  uint32_t mirrored;            /* 1: the upright picture is a mirror image, as from a front camera; it is mirrored back,
                                   and coordinates are those of the picture mirrored back */
  uint32_t reserved;            /* 0 */
  face_box region;              /* where to look, in pixels of the upright image; all zeros: everywhere. Coordinates of
                                   results stay those of the whole image */
  uint64_t timestamp_ns;        /* the caller's own clock; handed back with the frame's event */
  const face_memory *memory;    /* NULL, or where the pixels lie: then planes are NULL and offsets count */
  size_t offsets[4];            /* bytes from the memory's start to planes[i] */
  /* For face_session_submit: NULL, or called exactly once, from any thread, when the pixels are not needed any more,
   * also when the submission failed, unless for a struct_size that is none. It must not call the library. Other calls do
   * not call it. */
  void (*release)(void *release_data);
  void *release_data;
} face_image;

FACE_API void face_image_init_sized(face_image *image, size_t size);

/* Fills `image` with defaults: encoded, no bytes. NULL does nothing. */
static inline void face_image_init(face_image *image)
{
  face_image_init_sized(image, sizeof *image);
}

/* ---- Options -------------------------------------------------------------------------------------------------- */

/* What to tell of each face beyond its box, confidence and five points. What is not asked for costs nothing. */
typedef uint32_t face_outputs;

#define FACE_OUTPUT_LANDMARKS 0x1u
#define FACE_OUTPUT_POSE 0x2u
#define FACE_OUTPUT_EYES 0x4u
#define FACE_OUTPUT_MOUTH 0x8u
#define FACE_OUTPUT_EXPRESSIONS 0x10u
#define FACE_OUTPUT_QUALITY 0x20u
#define FACE_OUTPUT_ALL 0x3fu

/* How time is weighed against faces found. */
typedef uint32_t face_accuracy;

enum {
  FACE_ACCURACY_DEFAULT = 0,  /* balanced */
  FACE_ACCURACY_LOW = 1,      /* at least three times as fast as balanced; small faces are missed */
  FACE_ACCURACY_BALANCED = 2, /* where a face is larger than 320 pixels of the picture searched, which networks see badly,
                                 that is searched once more, at a long side of 448 */
  FACE_ACCURACY_HIGH = 3      /* several networks and scales together: YuNet with CenterFace, where the folder "centerface"
                                 lies beside YuNet's or is loaded too; without it, or for any other model, that model by
                                 itself, several times */
};

/* For max_side: the image's own size. */
#define FACE_OWN_SIZE UINT32_MAX

/* Ends calls from another thread. */
typedef struct face_canceller face_canceller;

/* Makes a canceller; the caller destroys it with face_canceller_destroy. */
FACE_API face_status face_canceller_create(face_canceller **out_canceller);

/* Ends with FACE_CANCELLED every call that was or will be given this canceller. From any thread. */
FACE_API face_status face_canceller_cancel(face_canceller *canceller);

/* Frees a canceller; calls that have it go on. NULL does nothing. */
FACE_API void face_canceller_destroy(face_canceller *canceller);

/* What to look for. */
typedef struct face_options {
  uint32_t struct_size;    /* set by face_options_init */
  float min_confidence;    /* 0 to 1, default 0.6: less certain faces are left out */
  float overlap_threshold; /* 0 to 1, default 0.3: of two boxes with a larger intersection over union one is left out */
  uint32_t max_faces;      /* default 0: all (of the 5000 most certain boxes); else so many at most, the most certain ones */
  float min_face_size;     /* pixels, default 0: faces with a shorter box side are left out */
  uint32_t max_side;       /* pixels, 16 to 8192: a larger image is searched scaled down to this long side; default 0: what
                              the accuracy brings (low 448, balanced 1024, high its own size); FACE_OWN_SIZE: never scaled.
                              With any of these low and balanced are exactly one search, large faces or not; high searches
                              at no more */
  face_outputs outputs;    /* default 0: box, confidence and five points only */
  face_accuracy accuracy;  /* default balanced */
  const char *model;       /* default NULL: the engine's own choice; else the name of a model that the engine was loaded
                              with, UTF-8; one that only helps with accuracy high is none of them */
  uint64_t timeout_ns;     /* default 0: 60 s on a connection, no bound in process; a call that takes longer ends with
                              FACE_DEADLINE_EXCEEDED */
  face_canceller *canceller; /* default NULL. In process it and the timeout are looked at between the stages of the call
                              (decoding, each network, each face), so what runs comes to its end first */
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
 * FACE_UNIMPLEMENTED for an animated WebP or a struct member that this version does not know, FACE_RESOURCE_EXHAUSTED where
 * memory or a limit of the engine does not suffice (YuNet takes about 15 bytes for each pixel that it sees,
 * CenterFace in accuracy high about 53, networks that run on ncnn 110 or more),
 * FACE_FAILED_PRECONDITION where the model does not fit its own description. Of a connected engine also FACE_UNAVAILABLE
 * where it is gone, FACE_DEADLINE_EXCEEDED where it does not answer, FACE_DATA_LOSS where it is none. */
FACE_API face_status face_detect(face_engine *engine, const face_image *image, const face_options *options,
                                 face_result **out_result);

/* Finds the faces of several images, one after the other; one that fails does not fail the rest.
 *
 * images       `count` pointers, each borrowed until the call returns.
 * out_results  room for `count` results, which the caller destroys. The result of an image that failed has no faces;
 *              face_result_status tells why. Untouched when the call as a whole fails.
 *
 * The errors of the call as a whole are face_detect's. The listener is called once for each image. */
FACE_API face_status face_detect_batch(face_engine *engine, const face_image *const *images, uint32_t count,
                                       const face_options *options, face_result **out_results);

/* FACE_OK, or why this image of a batch has no result; then `out_message`, which may be NULL, receives the sentence that
 * belongs to it, valid as long as the result. */
FACE_API face_status face_result_status(const face_result *result, const char **out_message);

/* Bits of face_info.valid. */
#define FACE_VALID_POINTS 0x1u
#define FACE_VALID_ID 0x2u
#define FACE_VALID_POSE 0x4u
#define FACE_VALID_EYES 0x8u
#define FACE_VALID_MOUTH 0x10u
#define FACE_VALID_QUALITY 0x20u
#define FACE_VALID_LANDMARKS 0x40u
#define FACE_VALID_EXPRESSIONS 0x80u

/* One face. A group of fields is known where its bit in `valid` is set, and zero elsewhere. */
typedef struct face_info {
  uint32_t struct_size;   /* set by face_info_init */
  uint32_t valid;         /* FACE_VALID_... */
  face_box box;           /* may leave the image */
  face_box clamped_box;   /* the part of it inside the image */
  float confidence;       /* 0 to 1, as the detector gives it; in a session that asks for outputs, the presence that the
                             landmark network gives where it follows the face between searches of whole frames */
  face_point left_eye;    /* FACE_VALID_POINTS: these five */
  face_point right_eye;
  face_point nose_tip;
  face_point mouth_left;
  face_point mouth_right;
  uint32_t frame_count;   /* FACE_VALID_ID: frames in which this face was found, this one included */
  uint64_t id;            /* FACE_VALID_ID: from 1; unique in the session, never used again. It follows place, size and looks,
                             not identity: a person who takes another's place mostly has another id, not always
                             (docs/tracking.md). Who has to know compares pictures with a network for recognition */
  float yaw;              /* FACE_VALID_POSE, degrees: positive to the subject's left, the picture's right edge.
                             docs/coordinates.md has pictures of the signs */
  float pitch;            /* positive: chin up */
  float roll;             /* positive: clockwise as the picture shows it, towards the subject's left shoulder */
  float left_eye_open;    /* FACE_VALID_EYES: 0 closed, 1 wide open; below 0.5 an eye counts as closed */
  float right_eye_open;
  float smile;            /* FACE_VALID_MOUTH: 0 none, 1 full */
  float mouth_open;       /* 0 closed, 1 wide open */
  float quality;          /* FACE_VALID_QUALITY, 0 to 1 each: how good a picture of the face this is, all in all */
  float sharpness;
  float exposure;
  float size;             /* enough pixels */
  float frontality;       /* looking straight into the camera */
  float framing;          /* not cut off by the edge of the picture */
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

/* The parts of a face that have points of their own; left is the subject's left. */
typedef uint32_t face_region;

enum {
  FACE_REGION_ALL_POINTS = 0, /* the 478 points of MediaPipe's face mesh, in its order */
  FACE_REGION_FACE_CONTOUR = 1,
  FACE_REGION_LEFT_EYE = 2,
  FACE_REGION_RIGHT_EYE = 3,
  FACE_REGION_LEFT_EYEBROW = 4,
  FACE_REGION_RIGHT_EYEBROW = 5,
  FACE_REGION_LEFT_PUPIL = 6,
  FACE_REGION_RIGHT_PUPIL = 7,
  FACE_REGION_NOSE = 8,
  FACE_REGION_NOSE_CREST = 9,
  FACE_REGION_MEDIAN_LINE = 10,
  FACE_REGION_OUTER_LIPS = 11,
  FACE_REGION_INNER_LIPS = 12
};

typedef struct face_landmark {
  float x, y; /* as every coordinate */
  float z;    /* in the unit of x; smaller towards the camera, 0 at the head's centre */
} face_landmark;

/* Writes the points of a region of face `index` to `points`, which has room for `capacity` of them, and their number to
 * `out_count`, which may be NULL. With `points` NULL it only counts. FACE_FAILED_PRECONDITION where landmarks were not
 * asked for or are not known, FACE_OUT_OF_RANGE where there is no such face or too little room. */
FACE_API face_status face_result_landmarks(const face_result *result, uint32_t index, face_region region,
                                           face_landmark *points, uint32_t capacity, uint32_t *out_count);

/* Number of expression coefficients. */
#define FACE_EXPRESSION_COUNT 52

/* Writes the 52 coefficients of face `index`, 0 to 1 each, in the order of MediaPipe's blendshape model, to `values`,
 * which has room for `capacity`. Failures as face_result_landmarks. */
FACE_API face_status face_result_expressions(const face_result *result, uint32_t index, float *values,
                                             uint32_t capacity);

/* The name of a coefficient, as in "mouthSmileLeft" (ARKit's names); NULL for a number that is none. Static text. */
FACE_API const char *face_expression_name(uint32_t expression);

/* Frees a result. NULL does nothing. */
FACE_API void face_result_destroy(face_result *result);

/* ---- Coordinates ---------------------------------------------------------------------------------------------- */

/* Where the origin is and what the unit is. */
typedef uint32_t face_space_kind;

enum {
  FACE_SPACE_PIXELS = 0,                 /* of the upright image, origin top-left: what results have */
  FACE_SPACE_NORMALISED = 1,             /* 0 to 1 over the upright image, origin top-left (AVFoundation) */
  FACE_SPACE_NORMALISED_BOTTOM_LEFT = 2, /* the same, origin bottom-left, y up (Vision) */
  FACE_SPACE_VIEW = 3                    /* pixels of a view that shows the image, origin top-left */
};

/* How an image fills a view of another shape; it is centred. */
typedef uint32_t face_fit;

enum {
  FACE_FIT_CONTAIN = 0, /* all of the image is seen, with bars at two sides (aspect fit) */
  FACE_FIT_COVER = 1,   /* all of the view is filled, the image is cut at two sides (aspect fill) */
  FACE_FIT_STRETCH = 2  /* each axis for itself */
};

/* A coordinate space. */
typedef struct face_space {
  uint32_t struct_size;  /* set by face_space_init */
  face_space_kind kind;
  float view_width;      /* of FACE_SPACE_VIEW, as all below; above 0 */
  float view_height;
  face_fit fit;
  uint32_t rotation;     /* 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown */
  uint32_t mirrored;     /* 1: shown left to right exchanged, as a mirror does, after the turn */
} face_space;

FACE_API void face_space_init_sized(face_space *space, size_t size);

/* Fills `space` with pixels of the upright image. NULL does nothing. */
static inline void face_space_init(face_space *space)
{
  face_space_init_sized(space, sizeof *space);
}

/* Converts `count` points between pixels of an upright image of `width` × `height` and `space`, in place.
 * FACE_INVALID_ARGUMENT where a size is 0 or the space is not one. */
FACE_API face_status face_points_to_space(const face_space *space, uint32_t width, uint32_t height, face_point *points,
                                          uint32_t count);
FACE_API face_status face_points_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_point *points, uint32_t count);

/* The same for a box. It stays a box of positive size: its corners change places where the space is turned or mirrored. */
FACE_API face_status face_box_to_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);
FACE_API face_status face_box_from_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);

typedef struct face_circle {
  float x, y, radius; /* middle and radius */
} face_circle;

/* The same for a circle, such as the mask a face is to be held into. With FACE_FIT_STRETCH and in the normalised spaces it
 * would become an ellipse; it is then the circle of the same area. */
FACE_API face_status face_circle_to_space(const face_space *space, uint32_t width, uint32_t height,
                                          face_circle *circle);
FACE_API face_status face_circle_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_circle *circle);

/* Converts `count` points between the space that `box` is in and positions in the box, in place: 0 to 1 from the corner
 * (box->x, box->y). FACE_INVALID_ARGUMENT where the box has no area. */
FACE_API face_status face_points_to_box(const face_box *box, face_point *points, uint32_t count);
FACE_API face_status face_points_from_box(const face_box *box, face_point *points, uint32_t count);

/* The orientation of a camera's pixels in a device that may be turned.
 *
 * sensor       degrees clockwise, 0, 90, 180 or 270: the turn that makes the pixels upright while the device stands as it
 *              is meant to.
 * device       the same, how the device was turned since, as whoever looks at its screen sees it.
 * faces_user   1 for a front camera, which sees the device turn the other way round; else 0. Pixels that come as a mirror
 *              image are given as mirrored too: see face_image. */
FACE_API face_status face_orientation_of_camera(uint32_t sensor, uint32_t device, uint32_t faces_user,
                                                face_orientation *out_orientation);

/* As face_result_get, with box and points in `space`. Left stays the subject's left. */
FACE_API face_status face_result_get_in(const face_result *result, uint32_t index, const face_space *space,
                                        face_info *out_info);

/* ---- Listener ------------------------------------------------------------------------------------------------- */

/* Which image an event belongs to. */
typedef struct face_frame {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t number;        /* from 1, in the order of submission to this engine or session */
  uint64_t timestamp_ns;  /* as given with the image */
} face_frame;

/* What a guided check says of a frame; see "Guided check" below. */
typedef struct face_check face_check;

/* Who is told of images. Every member but user_data may be NULL. What is handed in is borrowed: it is valid until the
 * callback returns. */
typedef struct face_listener {
  uint32_t struct_size; /* set by face_listener_init */
  uint32_t reserved;    /* 0 */
  void *user_data;      /* handed back to the callbacks; never touched */
  /* Each image ends in exactly one of these three. */
  void (*on_faces)(const face_frame *frame, const face_result *result, void *user_data); /* possibly none */
  void (*on_dropped)(const face_frame *frame, uint64_t dropped_so_far, void *user_data); /* a newer one came */
  void (*on_failed)(const face_frame *frame, face_status status, const char *message, void *user_data);
  /* A tracked face is in view no more: after the on_faces of the frame that showed it. */
  void (*on_left)(const face_frame *frame, uint64_t face_id, void *user_data);
  /* A guided check has something to say, once for each event: after the on_faces of the frame, in the order of events. */
  void (*on_check)(const face_frame *frame, const face_check *check, void *user_data);
} face_listener;

FACE_API void face_listener_init_sized(face_listener *listener, size_t size);

/* Fills `listener` with no callback. NULL does nothing. */
static inline void face_listener_init(face_listener *listener)
{
  face_listener_init_sized(listener, sizeof *listener);
}

/* Binds `listener` to an engine in place of the one bound before; the struct is copied.
 *
 * Each face_detect on this engine that comes to search calls on_faces or on_failed exactly once, on the thread that called
 * it and before it returns; calls from several threads come one after the other. A callback may call face_detect on its
 * own engine, and is then called from inside itself; it must not use another engine that has a listener, since two that
 * wait for each other would wait for ever. Binding, unbinding and face_release from inside one are refused with
 * FACE_FAILED_PRECONDITION. */
FACE_API face_status face_bind_listener(face_engine *engine, const face_listener *listener);

/* Removes the listener. A callback that is running in another thread finishes first; none is called after the return.
 * Without a listener bound it does nothing. */
FACE_API face_status face_unbind_listener(face_engine *engine);

/* ---- Sessions ------------------------------------------------------------------------------------------------- */

/* One stream of frames, such as a camera's, searched in the background. */
typedef struct face_session face_session;

/* What happens to a frame that is submitted while others wait. */
typedef uint32_t face_session_mode;

enum {
  FACE_SESSION_NEWEST = 0, /* one frame runs and one waits; a newer one takes the place of the one that waits, which ends
                              in on_dropped. Of a connected engine it waits here, so that the engine's own count of
                              dropped frames has only those that came so far */
  FACE_SESSION_EVERY = 1   /* no frame is dropped: face_session_submit waits while 4 of them are unanswered */
};

/* How a stream is searched. */
typedef struct face_session_options {
  uint32_t struct_size;         /* set by face_session_options_init */
  face_session_mode mode;
  const face_options *options;  /* what to look for; NULL for the defaults. timeout_ns is the time from a submission within
                                   which the frame must be begun; a canceller ends submissions, and, where the model is
                                   loaded in this process, the frames that wait and the one that runs */
  uint32_t track;               /* default 1: faces have ids; 0: each frame for itself */
  uint32_t max_missed_frames;   /* 0 to 10000, default 15: a face not found in more frames than this, one after the other,
                                   has left */
  uint32_t detection_interval;  /* default 10: the whole picture is searched at least every so many frames, and
                                   every third while no face is in view; in between faces are followed. So no face is
                                   found later than that. 1: every frame is searched */
  uint32_t reserved;            /* 0 */
} face_session_options;

FACE_API void face_session_options_init_sized(face_session_options *options, size_t size);

/* Fills `options` with the defaults above. NULL does nothing. */
static inline void face_session_options_init(face_session_options *options)
{
  face_session_options_init_sized(options, sizeof *options);
}

/* Opens a session on an engine, which stays alive under it until the session is closed.
 *
 * options      NULL for the defaults; copied.
 * out_session  receives the session; the caller closes it with face_session_close.
 *
 * On a connected engine each session is a connection of its own, with the failures of face_connect: FACE_RESOURCE_EXHAUSTED
 * beyond the 32 that a user may have, other programs' included (--connections-per-user). */
FACE_API face_status face_session_open(face_engine *engine, const face_session_options *options,
                                       face_session **out_session);

/* Hands in a frame. Returns at once in mode NEWEST; in mode EVERY it waits for room. Without a listener the frame is
 * searched and nobody is told.
 *
 * image       copied before this returns, unless its `release` or `memory` is given: then the pixels must stay unchanged
 *             until the frame's event. A size or orientation other than the frame before it had is allowed.
 * out_number  receives the frame's number, from 1; may be NULL.
 *
 * On failure there is no event for the frame. FACE_FAILED_PRECONDITION from inside a listener of this session in mode
 * EVERY, where waiting would be for ever; FACE_UNAVAILABLE where a connected engine is gone: submit again later;
 * FACE_RESOURCE_EXHAUSTED where memory does not suffice, or for an image larger than a connected engine takes at all (see
 * face_connect). Where others have the memory that a connected engine allows, mode EVERY waits for the session's own frames
 * to give theirs back, and in mode NEWEST the frame takes the place of the one that waits, or else ends in on_dropped while
 * another one runs. A frame for which there is no memory though none runs ends in on_failed with FACE_RESOURCE_EXHAUSTED. */
FACE_API face_status face_session_submit(face_session *session, const face_image *image, uint64_t *out_number);

/* Binds `listener` in place of the one bound before; the struct is copied.
 *
 * It is called on one thread, the session's own, in the order of the frames and under no lock of the library. Each frame
 * submitted while it is bound ends in exactly one event. A callback may submit, and may destroy results; binding,
 * unbinding and closing from inside one are refused with FACE_FAILED_PRECONDITION. */
FACE_API face_status face_session_bind_listener(face_session *session, const face_listener *listener);

/* Removes the listener. A callback that is running finishes first; none is called after the return. */
FACE_API face_status face_session_unbind_listener(face_session *session);

/* Waits until every frame submitted before this call has had its event. FACE_DEADLINE_EXCEEDED after `timeout_ns`;
 * 0 waits without bound. FACE_FAILED_PRECONDITION from inside a listener. */
FACE_API face_status face_session_flush(face_session *session, uint64_t timeout_ns);

/* Ends a session. Frames that wait, and the one that runs unless it is nearly done, end in on_failed with FACE_CANCELLED;
 * those that a connected engine has already are waited for; after the return nothing is called. FACE_FAILED_PRECONDITION,
 * and nothing done, from inside its listener. NULL does nothing. */
FACE_API face_status face_session_close(face_session *session);

/* ---- Guided check --------------------------------------------------------------------------------------------- */

/* Guides a person in front of a camera until a good picture of the face is taken: the face is to be held into a circle on
 * the screen, tips say what to do better, things to do may be asked for, and at the end comes the best picture.
 *
 *     face_check_options options;
 *     face_check_options_init(&options);
 *     options.view = &view;                                  // how the preview shows the picture
 *     options.mask = (face_circle){360, 480, 300};           // the circle on it
 *     options.actions[0] = FACE_ACTION_BLINK;  options.action_count = 1;
 *     face_session *check = NULL;
 *     if (face_check_open(engine, NULL, &options, &check) != FACE_OK) ...
 *     listener.on_check = on_check;
 *     face_session_bind_listener(check, &listener);
 *     for (each frame of the camera) face_session_submit(check, &image, NULL);
 *     face_session_close(check);
 *
 * What it is not: actions make it harder to hold up a photo or a recorded video. They are no certified detection of
 * presentation attacks (ISO/IEC 30107), and whoever guards something of value needs that as well.
 *
 * Nor does it know who somebody is. Faces are told apart by their ids, and those follow place and looks (see face_info.id):
 * one that takes the place ends the check as "face_changed" (with start_over begins it anew) in most cases, not in all, and
 * then the picture is that one's. docs/guided-check.md says what a host can do. */

/* Where a guided check stands.
 *
 *     WAITING --- a face is in the circle ---> START --- stays for start_delay_ns ---> CHECKING --- right ---> FINISH
 *        ^----------- it left the circle ---------|                                       |--> TIME_OUT or FAILED
 *
 * FINISH, TIME_OUT and FAILED are the end of an attempt: faces are still told of, nothing is checked any more, and
 * face_check_restart begins a new one. */
typedef uint32_t face_check_state;

enum {
  FACE_CHECK_WAITING = 0,  /* for a face in the circle */
  FACE_CHECK_START = 1,    /* there is one, and it has to stay for a moment */
  FACE_CHECK_CHECKING = 2, /* the actions are asked for, then the face has to be right for hold_ns */
  FACE_CHECK_FINISH = 3,   /* the picture is taken */
  FACE_CHECK_TIME_OUT = 4,
  FACE_CHECK_FAILED = 5
};

/* The state's name, as in "waiting"; "unknown" for a number that is none. Static text. Never fails. */
FACE_API const char *face_check_state_name(face_check_state state);

/* What the person should do. Left and right of FACE_TIP_MOVE_... are those of the view, as the person sees them on the
 * screen; all others are the person's own. */
typedef uint32_t face_tip;

enum {
  FACE_TIP_PROMPT = 0,      /* nothing in particular: "Hold your face into the circle" */
  FACE_TIP_NO_FACE = 1,
  FACE_TIP_SEVERAL_FACES = 2,
  FACE_TIP_MOVE_LEFT = 3,
  FACE_TIP_MOVE_RIGHT = 4,
  FACE_TIP_MOVE_UP = 5,
  FACE_TIP_MOVE_DOWN = 6,
  FACE_TIP_COME_CLOSER = 7,
  FACE_TIP_MOVE_BACK = 8,
  FACE_TIP_TOO_DARK = 9,
  FACE_TIP_TOO_BRIGHT = 10,
  FACE_TIP_LOOK_LEFT = 11,  /* turn the head a little to the left to look straight ahead; so the next five */
  FACE_TIP_LOOK_RIGHT = 12,
  FACE_TIP_LOOK_UP = 13,
  FACE_TIP_LOOK_DOWN = 14,
  FACE_TIP_TILT_LEFT = 15,
  FACE_TIP_TILT_RIGHT = 16,
  FACE_TIP_OPEN_EYES = 17,
  FACE_TIP_BLURRED = 18,
  FACE_TIP_HOLD_STILL = 19, /* it moves too much, or it is right and has to stay so */
  FACE_TIP_LOOK_STRAIGHT = 20, /* before an action: relax, eyes open, look ahead */
  FACE_TIP_BLINK = 21,      /* the actions */
  FACE_TIP_TURN_LEFT = 22,
  FACE_TIP_TURN_RIGHT = 23,
  FACE_TIP_SMILE = 24,
  FACE_TIP_OPEN_MOUTH = 25,
  FACE_TIP_DONE = 26
};

/* How many tips this header knows; a library may know more. */
#define FACE_TIP_COUNT 27

/* A tip's stable name, as in "come_closer", and its English text, as in "Come closer": a host that speaks another language
 * has a table of its own by tip or name. NULL for a number that is none. Static text. Never fail. */
FACE_API const char *face_tip_name(face_tip tip);
FACE_API const char *face_tip_text(face_tip tip);

/* What the person may be asked to do. */
typedef uint32_t face_action;

enum {
  FACE_ACTION_BLINK = 1,      /* both eyes open, closed, open */
  FACE_ACTION_TURN_LEFT = 2,  /* the head, to the person's own left, by turn_angle */
  FACE_ACTION_TURN_RIGHT = 3,
  FACE_ACTION_SMILE = 4,
  FACE_ACTION_OPEN_MOUTH = 5
};

#define FACE_CHECK_MAX_ACTIONS 8

/* What a kiosk may tune. Sizes, offsets and motion are in parts of the circle or of the face, so that they hold for any
 * camera. A limit at the end of its range is not looked at, and what only it needs is not computed. */
typedef struct face_check_options {
  uint32_t struct_size;       /* set by face_check_options_init */
  uint32_t use_timestamps;    /* whose time counts: 0, the default: the clock of the machine that searches; 1: the
                                 images' timestamp_ns, as for frames of a recorded video */
  const face_space *view;     /* default NULL: pixels of the upright image; else the space of `mask`, as a rule the view
                                 that shows the preview. It is copied */
  face_circle mask;           /* the circle; default all zeros: in the middle, radius 0.4 of the view's shorter side */
  float hysteresis;           /* 0 to 0.5, default 0.1: a limit that was overstepped holds again only when it is kept
                                 by this part of itself, so that tips do not flicker */
  uint64_t start_delay_ns;    /* default 0.5 s: how long a face has to be in the circle before the check begins */
  uint64_t hold_ns;           /* default 1 s: how long the face has to be right at the end */
  uint64_t grace_ns;          /* default 0.25 s: an interruption no longer than this does not begin hold_ns anew. A face
                                 that was away for longer does all again, its actions too: it may be another's */
  uint64_t lost_ns;           /* default 1.5 s: a face that is away for longer is lost */
  uint64_t timeout_ns;        /* default 30 s: how long CHECKING may take; 0: without bound */
  uint64_t wait_timeout_ns;   /* default 0: how long WAITING and START together may take; 0: without bound */
  uint64_t tip_ns;            /* default 0.8 s: a tip stays for at least this long, unless the check ends */
  float min_face;             /* 0 to 2, default 0.45: the box's long side by the circle's diameter; 0: any */
  float max_face;             /* 0 to 2, default 1.0; 2: any */
  float max_offset;           /* 0 to 1, default 0.3: the box's middle from the circle's, by its radius */
  float max_other_face;       /* 0 to 1, default 0.5: larger ones beside it, by its own size, are one too many; 1: any */
  float max_yaw;              /* 0 to 90 degrees, default 15; 90: any. So the next two */
  float max_pitch;            /* default 15 */
  float max_roll;             /* default 15 */
  float min_eyes_open;        /* 0 to 1, default 0.5: each eye; 0: they may be closed */
  float min_brightness;       /* 0 to 1, default 0.2: of the face, its mean luma; 0: any */
  float max_brightness;       /* 0 to 1, default 0.9; 1: any */
  float min_sharpness;        /* 0 to 1, default 0.3: as in face_info; 0: any */
  float max_motion;           /* 0 to 10, default 0.5: of the box's middle, in long sides of the box a second; 10: any */
  float turn_angle;           /* 5 to 60 degrees, default 20: of the actions that turn the head */
  uint32_t action_count;      /* default 0 */
  face_action actions[FACE_CHECK_MAX_ACTIONS]; /* to be done one after the other */
  uint32_t shuffle_actions;   /* 1: in a fresh random order with each attempt */
  uint32_t start_over;        /* when the face is lost, or another takes its place, while CHECKING: 0, the default: the
                                 check fails; 1: it waits for the next one */
  uint64_t seed;              /* of the random order, for tests; default 0: another one each time */
  uint32_t crop_size;         /* pixels, 16 to 4096, default 512: the sides of the result's crop */
  float crop_margin;          /* 0 to 4, default 0.4: around the box on each side, by its long side */
} face_check_options;

FACE_API void face_check_options_init_sized(face_check_options *options, size_t size);

/* Fills `options` with the defaults above. NULL does nothing. */
static inline void face_check_options_init(face_check_options *options)
{
  face_check_options_init_sized(options, sizeof *options);
}

/* What kind of thing a check says. The events of a frame come in this order. */
typedef uint32_t face_check_event;

enum {
  FACE_CHECK_EVENT_STATUS = 1, /* `state` is a new one; the first frame says WAITING */
  FACE_CHECK_EVENT_TIP = 2,    /* `tip` is a new one */
  FACE_CHECK_EVENT_DRAW = 3,   /* every frame in which the person's face is: `faces`, `circle`, `progress` */
  FACE_CHECK_EVENT_CLEAR = 4,  /* there is no such face any more: what was drawn has to go */
  FACE_CHECK_EVENT_RESULT = 5, /* the check succeeded: `faces`, `picture`, `crop`, `crop_box` */
  FACE_CHECK_EVENT_FAILED = 6  /* it did not: `code`, `message` */
};

/* One event. Everything it points at is borrowed until the callback returns, but `text`. */
struct face_check {
  uint32_t struct_size;
  face_check_event event;
  face_check_state state;   /* of a STATUS the new one; else where the check stands after this frame */
  face_tip tip;             /* what is shown after this frame; so the next three */
  float progress;           /* 0 to 1: how much of hold_ns is done */
  uint32_t actions_done;
  uint32_t action_count;
  uint32_t attempt;         /* from 1; the next one with each face_check_restart */
  face_circle circle;       /* the mask in pixels of the upright image */
  uint32_t reserved;        /* 0 */
  const char *text;         /* English text of `tip`, as of face_tip_text: static, for as long as the library is loaded */
  const face_result *faces; /* DRAW, RESULT: one face, for face_result_get, face_result_get_in (in pixels of the view) and
                               face_result_landmarks; else NULL. Of a RESULT, the face in `picture` with its measurements */
  const face_image *picture; /* RESULT: the whole upright picture, FACE_FORMAT_BGRA; else NULL. One with a side of more
                               than 4096 pixels is scaled down. The library copies each frame that is the best so far */
  const face_image *crop;   /* RESULT: the square around the face, crop_size pixels wide and high, FACE_FORMAT_BGRA;
                               beyond the edge of the picture its last pixels are repeated */
  face_box crop_box;        /* RESULT: what of `picture` the crop shows; may leave it */
  const char *code;         /* FAILED: stable, one of "time_out", "wait_time_out", "face_lost", "face_changed" (another face
                               took its place), after FINISH "no_picture" (there is no memory for it), and of a photo
                               "not_right"; else NULL */
  const char *message;      /* FAILED: what went wrong, in one English sentence; else NULL */
};

/* Opens a guided check: a session, to which everything of "Sessions" applies. Besides, each frame that was searched tells
 * on_check of its events, after on_faces. A frame that was dropped or failed has none, unless it was searched and of a
 * connected engine its faces do not fit into a message: time passes for the check with the frames that are searched. The faces are followed from frame to frame, and only what the options need is computed.
 *
 * session      how frames are taken and searched; NULL for the defaults, with max_missed_frames 45. `track` must be 1.
 *              Outputs asked for there, such as landmarks to be drawn, are told of as well. Without a max_side the
 *              detector sees a picture just large enough for the smallest face that matters to the check.
 * options      NULL for the defaults; copied.
 * out_session  receives the session; the caller closes it with face_session_close.
 *
 * FACE_INVALID_ARGUMENT, naming it, for an option outside its range; FACE_NOT_FOUND where the models of landmarks and
 * expressions are missing, with which of a connected engine each frame fails; FACE_UNIMPLEMENTED where a connected engine is
 * older than this. When it goes away the attempt begins anew with the engine that comes. */
FACE_API face_status face_check_open(face_engine *engine, const face_session_options *session,
                                     const face_check_options *options, face_session **out_session);

/* Begins a new attempt with the next frame that is submitted. From any thread, also from inside a listener.
 * FACE_FAILED_PRECONDITION for a session that is no guided check. */
FACE_API face_status face_check_restart(face_session *session);

/* Checks one photo: it is right when no tip applies; actions, motion and times do not count.
 *
 * image     borrowed until the call returns.
 * detection, options   NULL for the defaults.
 * listener  NULL, or whose on_check is called on this thread, before the return: with STATUS; with a TIP for each tip that
 *           applies, the most important first, or FACE_TIP_DONE; with DRAW where there is a face; then with RESULT or FAILED.
 * out_tip   receives the most important tip, FACE_TIP_DONE for a photo that is right; may be NULL.
 *
 * Failures as face_detect. A photo that is not right is no failure of the call. */
FACE_API face_status face_check_image(face_engine *engine, const face_image *image, const face_options *detection,
                                      const face_check_options *options, const face_listener *listener,
                                      face_tip *out_tip);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_H */
