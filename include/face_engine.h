/* FaceEngine: finds faces in images.
 *
 * How a program uses it
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
 * Status       Every function that can fail returns a face_status: FACE_OK, which is 0, or one of gRPC's codes. On failure it
 *              writes no output, and face_last_error() describes the failure of the calling thread in one sentence.
 * Ownership    The caller destroys what a function returns through a pointer to a pointer. Arguments are borrowed until the
 *              call returns, unless the function says otherwise. Destroying NULL does nothing.
 * Structs      Every public struct that a caller fills or receives starts with struct_size and has a function face_..._init,
 *              which must be called before use. It tells the library which size the program was compiled with (through
 *              face_..._init_sized), so that a program built against an older header keeps working.
 * Threads      Any number of threads may use an engine at once; for a connected engine see face_connect. A result never
 *              changes, so any number of threads may read it; destroy it when none reads it any more. One thread at a time
 *              submits to a session.
 * Cancellation The library disables cancellation while it works, also in its callbacks, and restores the thread's state on
 *              return. A thread that pthread_cancel ends inside a call therefore ends after that call. A callback must return:
 *              it must not end its thread, and must not leave by longjmp or an exception.
 * Memory       A call fails with FACE_RESOURCE_EXHAUSTED if memory does not suffice for something large: the pixels of a
 *              picture (decoded, scaled, cropped, drawn on, or copied for a session), the bytes of a picture file, the files
 *              of a model, the workspace of a network, or shared memory. Everything else is small: handles, results, texts,
 *              lists of faces. If a small allocation fails, the process ends, as any Swift program does, and Swift's runtime
 *              may write a message and a stack trace to standard error. The process also ends if other threads take the memory
 *              for a file after the library has checked that it is there.
 * Fork         After fork() a connected engine works on both sides: the child makes its own connection. A loaded model works
 *              in the child too, unless a thread or a session was searching with it at the time of the fork: then its calls
 *              in the child fail with FACE_FAILED_PRECONDITION, and the child has to load the model again. A session belongs
 *              to the process that opened it: in the child its functions fail with FACE_FAILED_PRECONDITION.
 * Coordinates  Positions are pixels of the upright image (the image after its orientation was applied): origin at the
 *              top-left corner, x to the right, y down. A position is a real number; the first pixel covers 0 to 1. See
 *              face_space for other coordinate spaces.
 * Sides        Left and right are the subject's own: in an unmirrored picture the left eye is nearer the right edge.
 * Signals      The library installs no signal handler, raises no SIGPIPE and opens no network connection. It prints nothing,
 *              unless the process ends for lack of memory.
 * Unloading    dlclose leaves the library in memory; a later dlopen returns the same one.
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

/* The versions of the header and of the loaded library. */

/* The ABI that this header describes. It changes only when an existing program would break. */
#define FACE_ABI_VERSION 1

/* Returns the ABI of the loaded library. A program that opens the library with dlopen compares it with FACE_ABI_VERSION.
 * Never fails. */
FACE_API uint32_t face_abi_version(void);

/* Returns the library's version, as in "0.2.0". The text is static. Never fails. */
FACE_API const char *face_version_string(void);

/* ---- Status --------------------------------------------------------------------------------------------------- */

/* How calls end, what went wrong, and log lines. */

/* How a call ended: FACE_OK, or one of gRPC's codes with gRPC's meaning. */
typedef int32_t face_status;

enum {
  FACE_OK = 0,
  FACE_CANCELLED = 1,
  FACE_UNKNOWN = 2,
  FACE_INVALID_ARGUMENT = 3,   /* the call can never work with these arguments: NULL, a wrong size, a damaged image */
  FACE_DEADLINE_EXCEEDED = 4,
  FACE_NOT_FOUND = 5,          /* no such folder, file or index */
  FACE_ALREADY_EXISTS = 6,
  FACE_PERMISSION_DENIED = 7,
  FACE_RESOURCE_EXHAUSTED = 8, /* no memory for something large (see Memory above), or a limit of the engine */
  FACE_FAILED_PRECONDITION = 9, /* for example a model that is damaged or cannot be used */
  FACE_ABORTED = 10,
  FACE_OUT_OF_RANGE = 11,      /* an image that is too small or too large, an index beyond the end */
  FACE_UNIMPLEMENTED = 12,
  FACE_INTERNAL = 13,          /* a bug in the library: please report it */
  FACE_UNAVAILABLE = 14,       /* no engine at the socket, or it stopped: try again */
  FACE_DATA_LOSS = 15,
  FACE_UNAUTHENTICATED = 16
};

/* Returns the name of a status, as in "INVALID_ARGUMENT"; "UNKNOWN" for an unknown number. Static text. Never fails. */
FACE_API const char *face_status_name(face_status status);

/* Returns one sentence about the last call of this thread that failed: what was wrong and what to do about it. Returns ""
 * if no call has failed. A call that succeeds does not change it. The text is valid, and stays as it is, while the next 7 calls
 * of this thread fail, so that an expression may hold several; the 8th, or the end of the thread, ends it. Never fails. */
FACE_API const char *face_last_error(void);

/* How important a log line is. */
typedef uint32_t face_log_level;

enum {
  FACE_LOG_ERROR = 1,
  FACE_LOG_WARNING = 2,
  FACE_LOG_INFO = 3,
  FACE_LOG_DEBUG = 4
};

/* Receives one log line without a line end, borrowed until the callback returns. Control characters, which a path may
 * contain, are escaped as in "\x0a". */
typedef void (*face_log_callback)(face_log_level level, const char *line, void *user_data);

/* Sets the callback that receives log lines up to `max_level`; NULL, the initial value, turns logging off. The callback runs
 * on whichever thread logs, one line at a time, and must not call the library. When this function returns, the previous
 * callback is not running and will not be called again. Nothing that a picture shows is ever logged. Never fails. */
FACE_API void face_set_log_callback(face_log_callback callback, face_log_level max_level, void *user_data);

/* ---- Engine --------------------------------------------------------------------------------------------------- */

/* Load models into this process, or connect to an engine process. */

/* A loaded model, or a connection to an engine process. */
typedef struct face_engine face_engine;

/* Loads the model package in the folder `model_dir`, to run it in this process.
 *
 * model_dir   path of a folder with a model.json, or with only the .param and .bin files of a detector whose family
 *             this library recognises from its graph; or of an .onnx file of such a detector, or a folder with only that. Or,
 *             where there is nothing of that name, an installed model's name without a slash, as in "centerface". NULL: yunet,
 *             the installed detector. Installed models are in the folder that the environment's FACE_ENGINE_MODELS names, else
 *             in share/face-engine/Models of the prefix that the library lies in, wherever that was moved.
 * out_engine  receives the engine; the caller releases it with face_release.
 *
 * Fails with FACE_NOT_FOUND if there is no such folder or the model's weights are missing, with FACE_FAILED_PRECONDITION if
 * a file is damaged or is no model that this library supports, and with FACE_UNIMPLEMENTED, naming operator and node, if an
 * .onnx file has an operator that this library cannot run. */
FACE_API face_status face_load_model(const char *model_dir, face_engine **out_engine);

/* The numbers that a detector's network is run with. */
typedef uint32_t face_precision;

enum {
  FACE_PRECISION_BEST = 0,  /* eight bits if the model has them, several times as fast; else 32-bit floats */
  FACE_PRECISION_FLOAT = 1  /* 32-bit floats */
};

/* How models run in this process. */
typedef struct face_load_options {
  uint32_t struct_size;       /* set by face_load_options_init */
  uint32_t threads_per_frame; /* 1 to 16, default 1: how many threads share the rows of one image; 0: one for each processor
                                 core that the process may run on. There are never more than such cores, since two processors
                                 of one core gain nothing. It applies to detectors that the library's own kernels run; a network
                                 that runs on ncnn uses one thread */
  uint64_t max_input_pixels;  /* default 0, unbounded: the most pixels that a network may take as its input; a larger image
                                 fails with FACE_RESOURCE_EXHAUSTED. See face_detect for the memory that a pixel takes */
  face_precision precision;   /* default FACE_PRECISION_BEST. What is found may differ a little: Models/README.md says how
                                 much. In eight bits, every processor computes the same */
  uint32_t decoder_process;   /* default 0. 1: picture files are decoded in a process of their own, which is killed when its call
                                 ends early, whatever the library for that kind is doing; a fault in such a library ends that process
                                 alone. It is the program face-engine, which is looked for beside this library, in the bin folder of
                                 its prefix, and in PATH; without it loading fails with FACE_NOT_FOUND. Two more processes of
                                 some MB. The program is started again when it has ended or does not answer. After fork(2) the
                                 child has to load again before it can use files */
  const char *engine;         /* default NULL or "", which is "automatic": the library's own kernels run the networks of the
                                 detectors that are given, and the plug-in ncnn those with other layers. "kernels": they alone.
                                 "ncnn", "onnxruntime" (.onnx files alone) or another plug-in's name: it does, in floats;
                                 options of the plug-in follow a colon, as in "onnxruntime:CUDA". Loading fails with
                                 FACE_FAILED_PRECONDITION if the plug-in is not installed. docs/plug-ins.md says more */
} face_load_options;

/* Does what face_load_options_init does, for a struct of `size` bytes. */
FACE_API void face_load_options_init_sized(face_load_options *options, size_t size);

/* Fills `options` with the defaults that face_load_options lists. NULL does nothing. */
static inline void face_load_options_init(face_load_options *options)
{
  face_load_options_init_sized(options, sizeof *options);
}

/* The most models that an engine can be loaded with. */
#define FACE_MAX_MODELS 16

/* Loads several models; each call can choose one of them by its name (face_options.model). face_load_model is this function
 * with one folder and the default options.
 *
 * model_dirs  `count` folders, .onnx files or names, 1 to FACE_MAX_MODELS; NULL among them is the installed detector. The
 *             first one's model is used if a call names none. The models for landmarks and expressions are looked for
 *             beside the first folder.
 * options     NULL for the defaults.
 *
 * Fails as face_load_model does, and with FACE_ALREADY_EXISTS if two of the models have the same name. */
FACE_API face_status face_load_models(const char *const *model_dirs, uint32_t count, const face_load_options *options,
                                      face_engine **out_engine);

/* Connects to a running engine process (`face-engine serve`). All other functions work as after face_load_model.
 *
 * socket_path  path of its Unix socket. NULL for the default socket: face-engine.sock in the folder that
 *              XDG_RUNTIME_DIR names or, if that is not set, in /run/user/UID, or in /run for root; if no socket is there,
 *              /run/face-engine/face-engine.sock, which is the system service's.
 * out_engine   receives the engine; the caller releases it with face_release.
 *
 * Fails with FACE_UNAVAILABLE if no engine answers there, with FACE_PERMISSION_DENIED if the socket's permissions or the
 * engine's list of users do not admit this user, or if what listens there runs as a user that face_connect_options does not
 * accept, and with FACE_RESOURCE_EXHAUSTED if this user has all the connections it
 * may have. A call that is not answered within 60 s ends with FACE_DEADLINE_EXCEEDED.
 *
 * If the engine stops later, calls that it has not answered end with FACE_UNAVAILABLE, and each further call connects again.
 * While no engine listens, a call fails with FACE_UNAVAILABLE at once, in some microseconds and whatever its timeout_ns: a
 * program that repeats it should pause in between, 20 ms for example. The first call after an engine listens again succeeds; while
 * that engine still loads its models the call waits for it, for as long as its timeout_ns allows. Sessions open again by
 * themselves within 50 ms; until then face_session_submit fails with FACE_UNAVAILABLE.
 *
 * A running engine has limits that a loaded model does not have. `face-engine serve --limit NAME=VALUE` sets them:
 *
 * connections-per-user     32 connections: one for each face_connect and one for each open session, counted over all
 *                          programs of a user.
 * calls-per-connection     16 calls of one face_engine are sent to the engine at a time; further calls wait in this library
 *                          for as long as their timeout_ns allows.
 * analysed-faces-per-image 1000 faces: `outputs` are measured of no more; see face_result_unanalysed_count.
 * mapped-bytes-per-user    128 MiB of shared memory, counted over all programs of a user. Images of 4 MiB and more need
 *                          shared memory. A larger image fails with FACE_RESOURCE_EXHAUSTED, and so does one that finds the
 *                          memory used by others; send a JPEG or PNG below 4 MiB then. The library returns unused memory:
 *                          what exceeds 32 MiB at once, the rest with the first call a second or more after its last use,
 *                          and the memory of a session after a second. */
FACE_API face_status face_connect(const char *socket_path, face_engine **out_engine);

/* Ends calls from another thread. */
typedef struct face_canceller face_canceller;

/* Creates a canceller; the caller destroys it with face_canceller_destroy. */
FACE_API face_status face_canceller_create(face_canceller **out_canceller);

/* Ends every call that was or will be given this canceller with FACE_CANCELLED. May be called from any thread. */
FACE_API face_status face_canceller_cancel(face_canceller *canceller);

/* Destroys a canceller; calls that were given it continue. NULL does nothing. */
FACE_API void face_canceller_destroy(face_canceller *canceller);

/* No user: the default of face_connect_options.engine_user. */
#define FACE_NO_USER UINT32_MAX

/* Who may be at the other end of a connection. */
typedef struct face_connect_options {
  uint32_t struct_size; /* set by face_connect_options_init */
  uint32_t engine_user; /* default FACE_NO_USER: a user, by number, that the engine may run as. Always accepted are the caller's
                           own user, root, and the owner of the socket's folder where that folder and those above it can be
                           changed by nobody else but root, to whom those above it belong, as /run/face-engine */
  uint64_t timeout_ns;  /* default 0: 60 s. The longest that the engine is waited for: by face_connect_with, by opening, feeding
                           and closing a session, and by a call whose own timeout_ns is 0 */
  face_canceller *canceller; /* default NULL. It ends face_connect_with, and nothing later */
} face_connect_options;

/* Does what face_connect_options_init does, for a struct of `size` bytes. */
FACE_API void face_connect_options_init_sized(face_connect_options *options, size_t size);

/* Fills `options` with the defaults that face_connect_options lists. NULL does nothing. */
static inline void face_connect_options_init(face_connect_options *options)
{
  face_connect_options_init_sized(options, sizeof *options);
}

/* Connects as face_connect does, which is this function with the default options.
 *
 * options  NULL for the defaults. All but the canceller hold also for connections that are made later: after a restart of the
 *          engine, and for sessions. */
FACE_API face_status face_connect_with(const char *socket_path, const face_connect_options *options,
                                       face_engine **out_engine);

/* Releases an engine. Calls that run in other threads still finish, and the memory is freed after the last one. The function
 * waits for a listener callback that is running; no callback is called after it returns. Every later call refuses the
 * handle. Open sessions continue and keep the engine alive until they are closed, so their listeners may call this function.
 * Fails with FACE_FAILED_PRECONDITION, and does nothing, inside the engine's own listener. NULL does nothing. */
FACE_API face_status face_release(face_engine *engine);

/* ---- Images --------------------------------------------------------------------------------------------------- */

/* Describe images: files or pixels, in the program's memory or in shared memory. */

/* What the bytes of an image are. The names of packed formats give the order of a pixel's bytes in memory. */
typedef uint32_t face_format;

enum {
  FACE_FORMAT_ENCODED = 0, /* a whole picture file: planes[0] and plane_sizes[0]; no width, height or strides. JPEG, PNG
                              and WebP; HEIC, AVIF, TIFF, BMP and GIF (its first picture) where the library for them is
                              installed, else FACE_FAILED_PRECONDITION names it */
  FACE_FORMAT_RGBA = 1,
  FACE_FORMAT_BGRA = 2,
  FACE_FORMAT_RGB = 3,
  FACE_FORMAT_BGR = 4,
  FACE_FORMAT_GRAY = 5,
  FACE_FORMAT_NV12 = 6, /* planes[0] luma, planes[1] Cb and Cr interleaved at half the width and height (rounded up) */
  FACE_FORMAT_NV21 = 7, /* the same with Cr before Cb */
  FACE_FORMAT_I420 = 8, /* planes[0] luma, planes[1] Cb, planes[2] Cr, the last two at half the width and height (rounded up) */
  FACE_FORMAT_YUYV = 9, /* planes[0]: Y0 Cb Y1 Cr for every two pixels of a row */
  FACE_FORMAT_UYVY = 10, /* planes[0]: Cb Y0 Cr Y1 for every two pixels of a row */
  FACE_FORMAT_NV16 = 11  /* planes[0] luma, planes[1] Cb and Cr interleaved at half the width (rounded up), full height */
};

/* How luma and chroma are coded (ITU-R BT.601-7, BT.709-6). "Full" is JFIF's range 0 to 255; "video" is 16 to 235 for luma
 * and 16 to 240 for chroma. */
typedef uint32_t face_colour;

enum {
  FACE_COLOUR_BT601_FULL = 0,
  FACE_COLOUR_BT601_VIDEO = 1,
  FACE_COLOUR_BT709_FULL = 2,
  FACE_COLOUR_BT709_VIDEO = 3
};

/* How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag. */
typedef uint32_t face_orientation;

enum {
  FACE_ORIENTATION_DEFAULT = 0,      /* the one that an encoded file gives, otherwise upright */
  FACE_ORIENTATION_UP = 1,
  FACE_ORIENTATION_UP_MIRRORED = 2,
  FACE_ORIENTATION_DOWN = 3,         /* turn by 180 degrees */
  FACE_ORIENTATION_DOWN_MIRRORED = 4,
  FACE_ORIENTATION_LEFT_MIRRORED = 5,
  FACE_ORIENTATION_RIGHT = 6,        /* turn by 90 degrees clockwise */
  FACE_ORIENTATION_RIGHT_MIRRORED = 7,
  FACE_ORIENTATION_LEFT = 8          /* turn by 90 degrees counter-clockwise */
};

/* A point, in the coordinates that its context defines. */
typedef struct face_point {
  float x, y;
} face_point;

/* An axis-parallel box. */
typedef struct face_box {
  float x, y, width, height; /* (x, y) is the top-left corner */
} face_box;

/* Memory that this process shares with the engine it is connected to, so that pixels in it are not copied. */
typedef struct face_memory face_memory;

/* Creates `size` bytes of shared memory, at most 1 GiB, filled with zeros. The caller destroys it with
 * face_memory_destroy. */
FACE_API face_status face_memory_create(size_t size, face_memory **out_memory);

/* Imports memory that another process or library created.
 *
 * descriptor  a memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. It stays the caller's, who may close it
 *             as soon as the call returns.
 *
 * Fails with FACE_PERMISSION_DENIED without those seals: a process that can shrink the memory could crash this one. */
FACE_API face_status face_memory_import(int descriptor, face_memory **out_memory);

/* Writes where the memory is mapped, and its size. `*out_data` is valid until face_memory_destroy. Either pointer may be
 * NULL. */
FACE_API face_status face_memory_map(const face_memory *memory, void **out_data, size_t *out_size);

/* Frees the memory as soon as no call and no session uses it. NULL does nothing. */
FACE_API void face_memory_destroy(face_memory *memory);

/* One image. The pixels stay the caller's and are only read. A call such as face_detect reads them until it returns;
 * face_session_submit copies them, unless `release` or `memory` is set. */
typedef struct face_image {
  uint32_t struct_size;         /* set by face_image_init */
  face_format format;
  uint32_t width, height;       /* pixels as stored, 16 to 16384 each. A JPEG file of more than 67108864 pixels in all is
                                   searched at half of its size, other files of more are refused: FACE_OUT_OF_RANGE */
  const void *planes[4];        /* as many as the format has */
  size_t plane_sizes[4];        /* bytes readable at planes[i], checked before a pixel is read; at most 1 GiB for a file */
  size_t strides[4];            /* bytes from one row to the next, at most 131072; 0: rows without padding */
  face_orientation orientation; /* overrides the orientation in a file */
  face_colour colour;           /* for YUV formats */
  uint32_t mirrored;            /* 1: the upright picture is a mirror image, as from a front camera. It is mirrored back, and
                                   coordinates are those of the picture mirrored back */
  uint32_t reserved;            /* 0 */
  face_box region;              /* the part to search, in pixels of the upright image; all zeros: the whole image. Results
                                   keep the coordinates of the whole image */
  uint64_t timestamp_ns;        /* in the caller's own clock; returned with the frame's event */
  const face_memory *memory;    /* NULL, or the memory that holds the pixels: then the planes are NULL and offsets count */
  size_t offsets[4];            /* bytes from the start of `memory` to each plane */
  /* For face_session_submit only: NULL, or a function that the library calls exactly once for each submission, from any
   * thread, when it no longer needs the pixels. It is also called if the submission fails, except if struct_size is invalid
   * or the library still has the image from an earlier submission. It must not call the library. */
  void (*release)(void *release_data);
  void *release_data;           /* the argument of `release` */
  float pixel_aspect;           /* 0.1 to 10: the width of a stored pixel by its height; default 0: squares. A picture whose
                                   pixels are no squares, as from DV or an anamorphic lens, is searched as it looks; results,
                                   boxes and `region` are in its own pixels. Not for a guided check */
  uint32_t reserved_2;          /* 0 */
} face_image;

/* Does what face_image_init does, for a struct of `size` bytes. */
FACE_API void face_image_init_sized(face_image *image, size_t size);

/* Fills `image` with the defaults: an encoded file without bytes. NULL does nothing. */
static inline void face_image_init(face_image *image)
{
  face_image_init_sized(image, sizeof *image);
}

/* Reads a picture file into memory and makes `image` an image of it.
 *
 * path   a file of at most 1 GiB. Paths are bytes and need not be UTF-8; a byte that is not is U+EF00 plus the byte in
 *        the text of an error.
 * image  after face_image_init. Its format, size, planes, memory, release and release_data are set, the others stay.
 *
 * The bytes have a reference count. The caller ends its own reference with face_image_release, once no call uses the image any
 * more. Each submitted frame has a reference of its own: an image may be submitted any number of times, to any sessions, and
 * released right after. Copies of the struct share the bytes, so release only one of them. After that, every function of this
 * library refuses the others with FACE_INVALID_ARGUMENT; the drawing library cannot recognise them.
 *
 * Fails with FACE_NOT_FOUND and others of files, naming the path. Whether it is a picture shows when it is searched. */
FACE_API face_status face_image_from_file(const char *path, face_image *image);

/* Ends the caller's reference to the bytes of an image of face_image_from_file: calls image->release once and sets it, and the
 * plane, to NULL. NULL, and an image without `release`, do nothing. */
FACE_API void face_image_release(face_image *image);

/* ---- Options -------------------------------------------------------------------------------------------------- */

/* What a call looks for and how much work it does, and how to cancel it. */

/* What to measure of each face beyond its box, confidence and five points: FACE_OUTPUT_ bits. Outputs that are not requested
 * cost nothing. A face has none of them if the landmark network does not see it, or if its landmarks contradict the
 * detector's line of eyes: by more than 25 degrees in faces under 48 pixels, by more than 45 in larger ones with
 * FACE_ROTATIONS_UPRIGHT. */
typedef uint32_t face_outputs;

/* generated: c-outputs */
/* The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour. */
#define FACE_OUTPUT_LANDMARKS 0x1u
/* The rotation of the head in degrees. */
#define FACE_OUTPUT_POSE 0x2u
/* How far each eye is open. */
#define FACE_OUTPUT_EYES 0x4u
/* The smile, and how far the mouth is open. */
#define FACE_OUTPUT_MOUTH 0x8u
/* 52 expression coefficients. */
#define FACE_OUTPUT_EXPRESSIONS 0x10u
/* How good a picture of the face this is, 0 to 1. */
#define FACE_OUTPUT_QUALITY 0x20u
/* Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to the camera's
 * space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin is between the outer
 * corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and looks along -z at the middle of
 * the picture, with a vertical field of view of 63 degrees. With another lens the distance differs in proportion. */
#define FACE_OUTPUT_TRANSFORM 0x40u
/* The measures of ISO/IEC 29794-5 that need no further network. 2 × 19 numbers: the native value of each measure, then the
 * quality component of each, a whole number from 0 (worst) to 100, or -1 where it could not be assessed. */
#define FACE_OUTPUT_ISO_QUALITY 0x80u
/* How far off each of the 478 points is expected to be, in pixels. A point that something covers has its true place under
 * the cover, where the landmark is a guess. Expect larger numbers there, on a blurred or dark face, and for all points of a
 * face whose landmarks contradict the detector's five points. (A detector without such points, boxes of your own, and faces
 * that a session follows without searching do not show this.) The numbers are means over many faces, not bounds: single
 * points can be several times as far off. Takes two more runs of the landmark network. */
#define FACE_OUTPUT_PRECISION 0x100u
/* Where each eye is, in centimetres, and in which direction it looks. 12 numbers in the camera's space of `transform`: x, y
 * and z of the left eye's centre, then of its direction, of length 1; then the same for the right eye. Expect an error of 5
 * degrees on a large face (docs/gaze.md). The numbers mean nothing while the eyes are closed. */
#define FACE_OUTPUT_GAZE 0x200u
#define FACE_OUTPUT_ALL 0x3ffu /* all of them */
/* end of generated */

/* How time is weighed against faces found. */
typedef uint32_t face_accuracy;

enum {
  FACE_ACCURACY_DEFAULT = 0,  /* balanced */
  FACE_ACCURACY_LOW = 1,      /* at least three times as fast as balanced; misses small faces */
  FACE_ACCURACY_BALANCED = 2, /* if a face is larger than 320 pixels of the network's input, which networks detect badly, the
                                 picture is searched once more at a long side of 448 */
  FACE_ACCURACY_HIGH = 3      /* several networks and scales together: YuNet with CenterFace, if the folder "centerface"
                                 lies beside YuNet's or is loaded too; otherwise, and for any other model, that one model
                                 several times */
};

/* How heads may be tilted to be found. */
typedef uint32_t face_rotations;

enum {
  FACE_ROTATIONS_UPRIGHT = 0, /* by up to some 45 degrees to either side */
  FACE_ROTATIONS_ANY = 1      /* by any angle, also upside down, as from a camera under the ceiling. The picture is searched
                                 as it is, and turned back by the tilt of most heads; what is tilted otherwise one by one.
                                 What the first search finds is not lost; it is left out where the turned picture shows one
                                 large head alone. Takes some 1.4 times as long for upright heads, 2 to 2.5 times for
                                 tilted ones. Between quarter turns some faces of less than 30 pixels of the network's
                                 input are lost. The five points are exact if landmarks or another output are requested.
                                 In a session without outputs every frame is searched whole */
};

/* For face_options.max_side: search the image at its own size. */
#define FACE_OWN_SIZE UINT32_MAX

/* What to look for. */
typedef struct face_options {
  uint32_t struct_size;    /* set by face_options_init */
  /* generated: c-options DetectOptions */
  float min_confidence; /* 0 to 1, default 0.6. Leave out faces with a lower confidence. */
  float overlap_threshold; /* 0 to 1, default 0.3. Of two boxes with a larger intersection over union, leave out the less
                              confident one. Accuracy high, whose boxes are means of several, allows half as much again. */
  uint32_t max_faces; /* 0 or more, default 0. At most this many faces, the most confident ones; 0 for all. A network's 5000
                         most confident boxes are considered. */
  float min_face_size; /* 0 or more pixels, default 0. Leave out faces whose box has a shorter side. */
  float min_face_share; /* 0 to 1, default 0. Leave out faces narrower than this share of the upright image's width. */
  uint32_t model_revision; /* 0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for
                              any. */
  uint32_t max_analysed_faces; /* 0 to 4294967295, default 1000. Measure outputs of at most this many faces: the most
                                  confident ones, or the first boxes. 0 for as many as the engine's limit
                                  analysed_faces_per_image allows. */
  /* end of generated */
  uint32_t max_side;       /* pixels, 16 to 8192: scale a larger image down to this long side before the search; default 0:
                              as the accuracy says (low 448, balanced 1024, high the image's own size); FACE_OWN_SIZE: never
                              scale. With a value in pixels, low and balanced make exactly one search, whatever the faces'
                              sizes; with any but 0, high searches at no larger size. By default, and with FACE_OWN_SIZE,
                              faces too large for the network are searched for at smaller sizes, too */
  face_outputs outputs;    /* default 0: only box, confidence and five points */
  face_accuracy accuracy;  /* default balanced */
  const char *model;       /* default NULL: the engine's first model; otherwise the name of a model that the engine was
                              loaded with, UTF-8. A model that was loaded only for accuracy high cannot be named */
  uint64_t timeout_ns;     /* default 0: 60 s on a connection, unbounded in process; a longer call ends with
                              FACE_DEADLINE_EXCEEDED */
  face_canceller *canceller; /* default NULL. In process, a call asks the canceller and the timeout every few
                              milliseconds of its work; a network that runs on ncnn is not interrupted */
  const face_box *boxes;   /* default NULL: search the faces. Otherwise `box_count` boxes of faces that you know already, in
                              pixels of the upright image: `outputs` are measured of these, and no detector runs. Faces of
                              the result are in this order, with confidence 1. Borrowed until the call returns. For
                              face_detect only, and `outputs` must not be 0 */
  uint32_t box_count;      /* 0 to 1000; each box has an area and lies inside the image at least in part */
  uint32_t prominent_only; /* default 0; 1: only the most prominent face, which is the largest, where one nearer to the
                              middle of the image counts as larger */
  face_rotations rotations; /* default FACE_ROTATIONS_UPRIGHT */
} face_options;

/* Does what face_options_init does, for a struct of `size` bytes. */
FACE_API void face_options_init_sized(face_options *options, size_t size);

/* Fills `options` with the defaults that face_options lists. NULL does nothing. */
static inline void face_options_init(face_options *options)
{
  face_options_init_sized(options, sizeof *options);
}

/* ---- What there is to set -------------------------------------------------------------------------------------- */

/* The library describes its options and outputs, so that bindings, settings pages and kiosks need no list of their own. */

/* A struct with numeric options. */
typedef uint32_t face_option_group;

enum {
  FACE_OPTION_GROUP_DETECTION = 0, /* face_options */
  FACE_OPTION_GROUP_TRACKING = 1,  /* face_session_options */
  FACE_OPTION_GROUP_CHECK = 2      /* face_check_options */
};

/* The C type of an option. */
typedef uint32_t face_option_kind;

enum {
  FACE_OPTION_KIND_FLOAT = 0,      /* float */
  FACE_OPTION_KIND_COUNT = 1,      /* uint32_t */
  FACE_OPTION_KIND_NANOSECONDS = 2 /* uint64_t */
};

/* A numeric option. Texts are static. */
typedef struct face_option {
  const char *name;      /* the member of the struct, as in "min_confidence" */
  const char *flag;      /* the name on the command line and in queries, as in "min-confidence"; durations are in seconds there */
  const char *meaning;   /* one English sentence */
  double least;          /* the smallest value that is accepted */
  double most;           /* the largest one; INFINITY if there is no limit */
  double standard;       /* the default */
  face_option_kind kind;
  uint32_t offset;       /* bytes from the start of the struct to the member */
} face_option;

/* Returns the option of a group by its index from 0; NULL for a group or an index that does not exist. Never fails. */
FACE_API const face_option *face_option_at(face_option_group group, uint32_t index);

/* Something that can be measured of each face. Texts are static. */
typedef struct face_output {
  const char *name;    /* as in "iso_quality" */
  const char *flag;    /* the name on the command line and in queries, which may request several outputs */
  const char *meaning; /* one English sentence */
  face_outputs bit;    /* FACE_OUTPUT_ */
  uint32_t count;      /* how many numbers face_result_values writes; 0 for the landmarks, which are points */
} face_output;

/* Returns an output by its index from 0; NULL for an index that does not exist. Never fails. */
FACE_API const face_output *face_output_at(uint32_t index);

/* ---- Detection ------------------------------------------------------------------------------------------------ */

/* Find faces and read the results. */

/* The faces of one image. Immutable. */
typedef struct face_result face_result;

/* Finds the faces of one image. If the model is loaded in this process, the search runs on the calling thread.
 *
 * image       borrowed until the call returns.
 * options     NULL for the defaults.
 * out_result  receives the result, which has no faces if none was found; the caller destroys it with face_result_destroy.
 *             May be NULL if only the listener needs the result.
 *
 * Fails with FACE_INVALID_ARGUMENT for an image or option that cannot be used; FACE_OUT_OF_RANGE for an image that is too
 * small or too large; FACE_UNIMPLEMENTED for a struct member that this version does not know;
 * FACE_FAILED_PRECONDITION if the model does not match its own description; and FACE_RESOURCE_EXHAUSTED if memory or a limit
 * of the engine does not suffice. For each pixel of its input YuNet takes about 15 bytes, CenterFace in accuracy high about
 * 53, and a network that runs on ncnn 110 or more. A connected engine also gives FACE_UNAVAILABLE if it stopped,
 * FACE_DEADLINE_EXCEEDED if it does not answer, and FACE_DATA_LOSS if the process at the socket is no engine. */
FACE_API face_status face_detect(face_engine *engine, const face_image *image, const face_options *options,
                                 face_result **out_result);

/* Finds the faces of several images, one after the other; one that fails does not fail the others.
 *
 * images       `count` pointers, each borrowed until the call returns.
 * out_results  room for `count` results, which the caller destroys. The result of an image that failed has no faces;
 *              face_result_status says why. Untouched if the call as a whole fails.
 *
 * The call as a whole fails as face_detect does. The listener is called once for each image. */
FACE_API face_status face_detect_batch(face_engine *engine, const face_image *const *images, uint32_t count,
                                       const face_options *options, face_result **out_results);

/* Returns FACE_OK, or why this image of a batch has no result. In that case `*out_message` receives the sentence that
 * describes it, valid as long as the result; `out_message` may be NULL. */
FACE_API face_status face_result_status(const face_result *result, const char **out_message);

/* Bits of face_info.valid: which members are known. Those of outputs are the bits FACE_OUTPUT_. */
#define FACE_VALID_POINTS 0x80000000u /* left_eye to mouth_right */
#define FACE_VALID_ID 0x40000000u     /* id and frame_count */
/* generated: c-valid */
#define FACE_VALID_LANDMARKS 0x1u
#define FACE_VALID_POSE 0x2u
#define FACE_VALID_EYES 0x4u
#define FACE_VALID_MOUTH 0x8u
#define FACE_VALID_EXPRESSIONS 0x10u
#define FACE_VALID_QUALITY 0x20u
#define FACE_VALID_TRANSFORM 0x40u
#define FACE_VALID_ISO_QUALITY 0x80u
#define FACE_VALID_PRECISION 0x100u
#define FACE_VALID_GAZE 0x200u
/* end of generated */

/* One face. A group of members is known if its bit in `valid` is set, and zero otherwise. */
typedef struct face_info {
  uint32_t struct_size;   /* set by face_info_init */
  uint32_t valid;         /* FACE_VALID_ bits */
  face_box box;           /* may extend beyond the image */
  face_box clamped_box;   /* the part of `box` inside the image */
  float confidence;       /* 0 to 1, from the detector. In a session that requests outputs, while the landmark network follows
                             the face between searches of whole frames: that network's probability of a face */
  face_point left_eye;    /* FACE_VALID_POINTS, like the next four: the detector's, which hardly follow a tilted head, or, if
                             landmarks or another output were requested and found, those of the landmarks */
  face_point right_eye;   /* FACE_VALID_POINTS */
  face_point nose_tip;    /* FACE_VALID_POINTS */
  face_point mouth_left;  /* FACE_VALID_POINTS: the corner of the mouth */
  face_point mouth_right; /* FACE_VALID_POINTS: the corner of the mouth */
  uint32_t frame_count;   /* FACE_VALID_ID: frames in which this face was found under its id, this one included */
  uint64_t id;            /* FACE_VALID_ID, which a session sets from the frame on that min_hits says: from 1, unique in the
                             session, never used for another face. A face that left and returns has a new one, unless
                             face_session_options.reidentify knows it again. It follows place, size and appearance, not
                             identity: a person who takes another's place gets another id in most cases, not in all
                             (docs/tracking.md). To know who a person is, compare pictures with a recognition network */
  float yaw;              /* FACE_VALID_POSE, degrees: positive to the subject's left, the picture's right edge.
                             docs/coordinates.md has pictures of the signs */
  float pitch;            /* FACE_VALID_POSE, degrees: positive with the chin up */
  float roll;             /* FACE_VALID_POSE, degrees: positive clockwise as the picture shows it, to the subject's left shoulder: the
                             angle of the line through the eyes */
  float left_eye_open;    /* FACE_VALID_EYES: 0 closed, 1 wide open; below 0.5 an eye counts as closed. In a session that
                             tracks, relative to the person's own open eyes, once they were seen in a few frames */
  float right_eye_open;   /* FACE_VALID_EYES: the same */
  float smile;            /* FACE_VALID_MOUTH: 0 none, 1 full */
  float mouth_open;       /* FACE_VALID_MOUTH: 0 closed, 1 wide open */
  float quality;          /* FACE_VALID_QUALITY, 0 to 1, like its five parts below: how good a picture of the face this is */
  float sharpness;        /* FACE_VALID_QUALITY: how much detail the face has */
  float exposure;         /* FACE_VALID_QUALITY: neither too dark nor too bright */
  float size;             /* FACE_VALID_QUALITY: enough pixels */
  float frontality;       /* FACE_VALID_QUALITY: looking straight into the camera */
  float framing;          /* FACE_VALID_QUALITY: not cut off by the edge of the picture */
  uint32_t predicted;     /* 1: not searched for in this frame of a session with an analysis_rate: box and points are where the
                             face's last movement leads, confidence is that of the last search, nothing else is known */
} face_info;

/* Does what face_info_init does, for a struct of `size` bytes. */
FACE_API void face_info_init_sized(face_info *info, size_t size);

/* Prepares `info` to receive a face. NULL does nothing. */
static inline void face_info_init(face_info *info)
{
  face_info_init_sized(info, sizeof *info);
}

/* Returns the number of faces; 0 for NULL. Never fails. */
FACE_API uint32_t face_result_count(const face_result *result);

/* Writes one face to `out_info`.
 *
 * index     from 0, the most confident face.
 * out_info  must have been initialised.
 *
 * Fails with FACE_OUT_OF_RANGE if there is no such face. */
FACE_API face_status face_result_get(const face_result *result, uint32_t index, face_info *out_info);

/* Writes the size in pixels of the upright image, whose coordinates the faces have. Either pointer may be NULL. */
FACE_API face_status face_result_image_size(const face_result *result, uint32_t *out_width, uint32_t *out_height);

/* The parts of a face that have landmarks of their own; left is the subject's left. */
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

/* One point of the face mesh. */
typedef struct face_landmark {
  float x, y; /* pixels of the upright image */
  float z;    /* in the unit of x; smaller towards the camera, 0 at the head's centre */
} face_landmark;

/* Writes the landmarks of a region of one face.
 *
 * index      of the face, as in face_result_get.
 * points     has room for `capacity` points; NULL: only count them.
 * out_count  receives the number of points; may be NULL.
 *
 * Fails with FACE_FAILED_PRECONDITION if landmarks were not requested or are not known, and with FACE_OUT_OF_RANGE if there
 * is no such face or too little room. */
FACE_API face_status face_result_landmarks(const face_result *result, uint32_t index, face_region region,
                                           face_landmark *points, uint32_t capacity, uint32_t *out_count);

/* A set of landmarks: all of the mesh, or a smaller one with the same regions, whose names, numbers of points and shared points
 * are those of Apple Vision's VNRequestFaceLandmarksConstellation. Each of its points is one of the mesh's: which one was chosen
 * by this project, and Proto/PROTOCOL.md lists them. */
typedef uint32_t face_constellation;

enum {
  FACE_CONSTELLATION_MESH = 0,      /* 478 points */
  FACE_CONSTELLATION_65_POINTS = 1,
  FACE_CONSTELLATION_76_POINTS = 2
};

/* How the points of a region are joined; the values are those of VNPointsClassification. */
typedef uint32_t face_path;

enum {
  FACE_PATH_DISCONNECTED = 0,
  FACE_PATH_OPEN = 1,  /* each point to the next */
  FACE_PATH_CLOSED = 2 /* also the last to the first */
};

/* Does what face_result_landmarks does, with the points of a constellation. FACE_REGION_ALL_POINTS has each point once, in the
 * order of the regions. */
FACE_API face_status face_result_constellation(const face_result *result, uint32_t index, face_constellation constellation,
                                               face_region region, face_landmark *points, uint32_t capacity,
                                               uint32_t *out_count);

/* Writes which points of the mesh make up a region, in drawing order: numbers from 0 to 477, as of FACE_OUTPUT_PRECISION.
 *
 * indices    has room for `capacity` numbers; NULL: only count them.
 * out_count  receives how many there are; may be NULL.
 *
 * Fails with FACE_INVALID_ARGUMENT for an unknown constellation or region, and with FACE_OUT_OF_RANGE for too little room. */
FACE_API face_status face_constellation_indices(face_constellation constellation, face_region region, uint32_t *indices,
                                                uint32_t capacity, uint32_t *out_count);

/* Writes how the points of a region are joined. Fails with FACE_INVALID_ARGUMENT for an unknown constellation or region. */
FACE_API face_status face_constellation_path(face_constellation constellation, face_region region, face_path *out_path);

/* Number of expression coefficients. */
#define FACE_EXPRESSION_COUNT 52

/* Writes the 52 expression coefficients of one face, 0 to 1 each, in the order of MediaPipe's blendshape model.
 *
 * index   of the face, as in face_result_get.
 * values  has room for `capacity` numbers.
 *
 * Fails as face_result_landmarks does. */
FACE_API face_status face_result_expressions(const face_result *result, uint32_t index, float *values,
                                             uint32_t capacity);

/* Returns the name of a coefficient, as in "mouthSmileLeft" (ARKit's names); NULL for a number out of range. Static text. */
FACE_API const char *face_expression_name(uint32_t expression);

/* Writes the numbers that `output` measured of face `index` to `values`, which has room for `capacity` numbers, and their
 * count to `out_count`, which may be NULL. With `values` NULL it only counts. `output` is one FACE_OUTPUT_ bit other than
 * landmarks; its numbers are in the order of the members of face_info, or of the output's own comment. Fails with
 * FACE_INVALID_ARGUMENT for any other `output`, else as face_result_landmarks. */
FACE_API face_status face_result_values(const face_result *result, uint32_t index, face_outputs output, float *values,
                                        uint32_t capacity, uint32_t *out_count);

/* One of the models that made a result. Equal ones have the same weights. */
typedef struct face_model {
  uint32_t struct_size;       /* set by face_model_init */
  uint32_t revision;          /* from 1; raised when the same pixels begin to give other faces: face_options.model_revision
                                 asks for one */
  char name[64];              /* as in "yunet", UTF-8, cut off after 63 bytes */
  uint8_t weights_sha256[32]; /* of the file with the numbers that run; those in eight bits have a file of their own */
} face_model;

/* Does what face_model_init does, for a struct of `size` bytes. */
FACE_API void face_model_init_sized(face_model *model, size_t size);

/* Sets struct_size and zeroes the rest. NULL does nothing. */
static inline void face_model_init(face_model *model)
{
  face_model_init_sized(model, sizeof *model);
}

/* Returns how many models made the result: the detectors, then, if something was measured, those for landmarks and
 * expressions. 0 for an image that failed. Never fails. */
FACE_API uint32_t face_result_model_count(const face_result *result);

/* Returns how many faces at the end of the result nothing was measured of although it was asked for, since a call does no more:
 * see face_options.max_analysed_faces. 0 for NULL. Never fails. */
FACE_API uint32_t face_result_unanalysed_count(const face_result *result);

/* Describes model `index` of the result. Fails with FACE_OUT_OF_RANGE if there is no such model. */
FACE_API face_status face_result_model(const face_result *result, uint32_t index, face_model *out_model);
/* A flat screen in the camera's space of FACE_OUTPUT_TRANSFORM: x, y, z in centimetres of three corners, as who sits before it
 * sees them. A screen of 34 × 19 cm whose upper edge is 1 cm below the camera, in the camera's plane, has the corners
 * (17, -1, 0), (-17, -1, 0) and (17, -20, 0): its left edge is at the picture's right. */
typedef struct face_screen {
  float top_left[3], top_right[3], bottom_left[3];
} face_screen;

/* Writes where the mean of both eyes' lines of sight meets a screen: (0, 0) at its upper left corner and (1, 1) at the lower right
 * one; other values are outside it. Fails with FACE_FAILED_PRECONDITION if FACE_OUTPUT_GAZE was not requested or is not known,
 * with FACE_OUT_OF_RANGE if there is no such face or the eyes do not look towards the screen's plane, and with
 * FACE_INVALID_ARGUMENT for a screen whose corners lie on one line or are no finite numbers. */
FACE_API face_status face_result_look_at(const face_result *result, uint32_t index, const face_screen *screen,
                                         face_point *out_point);

/* The measures of FACE_OUTPUT_ISO_QUALITY, with their native values. They are those of ISO/IEC 29794-5:2025 that need no
 * network beyond the face mesh, by the formulas of the standard's reference implementation, OFIQ 1.0.3 of the German BSI.
 * Left and right eye are the subject's; an eye's centre lies between its corners. T is the distance from the middle between the
 * eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1, in the convex hull of contour and eyebrows, scaled so that about 113
 * pixels lie between the eyes. */
typedef uint32_t face_iso_measure;

enum {
  FACE_ISO_HEAD_POSE_YAW = 0,   /* degrees, with the signs of ISO/IEC 39794-5: positive to the subject's left */
  FACE_ISO_HEAD_POSE_PITCH = 1, /* degrees, positive down: face_info.pitch with the other sign */
  FACE_ISO_HEAD_POSE_ROLL = 2,  /* degrees, positive to the right shoulder: face_info.roll with the other sign */
  FACE_ISO_INTER_EYE_DISTANCE = 3, /* pixels between the eyes' centres, by the cosine of yaw */
  FACE_ISO_HEAD_SIZE = 4,          /* T by the picture's height; best at 0.45 */
  FACE_ISO_LEFTWARD_CROP_OF_THE_FACE_IMAGE = 5,  /* from the picture's left edge to the left eye, by the distance of the eyes */
  FACE_ISO_RIGHTWARD_CROP_OF_THE_FACE_IMAGE = 6, /* from the right edge to the right eye, by the same */
  FACE_ISO_MARGIN_ABOVE_OF_THE_FACE_IMAGE = 7,   /* from the upper edge to the eyes, by T */
  FACE_ISO_MARGIN_BELOW_OF_THE_FACE_IMAGE = 8,   /* from the eyes to the lower edge, by T */
  FACE_ISO_SINGLE_FACE_PRESENT = 9, /* area of the second largest box of the result by that of the largest; 0: a face alone.
                                       Only faces in the result count: see face_options.max_faces, min_confidence */
  FACE_ISO_ILLUMINATION_UNIFORMITY = 10,   /* 0 to 1: what the luminances of both cheeks have in common (histogram
                                              intersection) */
  FACE_ISO_LUMINANCE_MEAN = 11,            /* 0 to 1 */
  FACE_ISO_LUMINANCE_VARIANCE = 12,        /* of 0 to 1 */
  FACE_ISO_UNDER_EXPOSURE_PREVENTION = 13, /* the share of pixels with a luminance of 0 to 25 of 255 */
  FACE_ISO_OVER_EXPOSURE_PREVENTION = 14,  /* the share of pixels with a luminance of 247 to 255 */
  FACE_ISO_DYNAMIC_RANGE = 15,             /* bits, 0 to 8: the entropy of the luminances */
  FACE_ISO_NATURAL_COLOUR = 16, /* 0 to 100: how far the cheeks' mean colour lies outside what skin has in CIELAB */
  FACE_ISO_EYES_OPEN = 17,      /* the distance of the lids, of the eye that is less open, by T */
  FACE_ISO_MOUTH_CLOSED = 18    /* the distance of the lips by T */
};

#define FACE_ISO_MEASURE_COUNT 19

/* Returns the name of a measure, as in "headPoseYaw": ISO's, as JSON output has it; NULL for a number out of range. Static
 * text. */
FACE_API const char *face_iso_measure_name(face_iso_measure measure);

/* Destroys a result. NULL does nothing. */
FACE_API void face_result_destroy(face_result *result);

/* ---- Coordinates ---------------------------------------------------------------------------------------------- */

/* Convert positions between the upright image, normalised spaces and a view. docs/coordinates.md has the formulas. */

/* The origin and unit of a coordinate space. */
typedef uint32_t face_space_kind;

enum {
  FACE_SPACE_PIXELS = 0,                 /* pixels of the upright image, origin top-left: what results have */
  FACE_SPACE_NORMALISED = 1,             /* 0 to 1 over the upright image, origin top-left (AVFoundation) */
  FACE_SPACE_NORMALISED_BOTTOM_LEFT = 2, /* the same with origin bottom-left, y up (Vision) */
  FACE_SPACE_VIEW = 3                    /* pixels of a view that shows the image, origin top-left */
};

/* How an image fills a view of another shape. It is centred. */
typedef uint32_t face_fit;

enum {
  FACE_FIT_CONTAIN = 0, /* the whole image is visible, with bars at two sides (aspect fit) */
  FACE_FIT_COVER = 1,   /* the image fills the view and is cut off at two sides (aspect fill) */
  FACE_FIT_STRETCH = 2  /* each axis is scaled by itself */
};

/* A coordinate space. */
typedef struct face_space {
  uint32_t struct_size;  /* set by face_space_init */
  face_space_kind kind;
  float view_width;      /* for FACE_SPACE_VIEW, like all members below; above 0 */
  float view_height;
  face_fit fit;
  uint32_t rotation;     /* 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown */
  uint32_t mirrored;     /* 1: after the turn, left and right are exchanged, as in a mirror */
} face_space;

/* Does what face_space_init does, for a struct of `size` bytes. */
FACE_API void face_space_init_sized(face_space *space, size_t size);

/* Fills `space` with pixels of the upright image. NULL does nothing. */
static inline void face_space_init(face_space *space)
{
  face_space_init_sized(space, sizeof *space);
}

/* Converts `count` points from pixels of an upright image of `width` × `height` to `space`, in place.
 * Fails with FACE_INVALID_ARGUMENT if a size is 0 or the space is invalid. */
FACE_API face_status face_points_to_space(const face_space *space, uint32_t width, uint32_t height, face_point *points,
                                          uint32_t count);

/* Converts `count` points from `space` to pixels of an upright image of `width` × `height`, in place.
 * Fails as face_points_to_space does. */
FACE_API face_status face_points_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_point *points, uint32_t count);

/* Converts a box as face_points_to_space converts points. It remains a box of positive size: if the space is turned or
 * mirrored, its corners change places. */
FACE_API face_status face_box_to_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);

/* Converts a box as face_points_from_space converts points. It remains a box of positive size. */
FACE_API face_status face_box_from_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);

/* A circle, such as the mask of a guided check. */
typedef struct face_circle {
  float x, y, radius; /* (x, y) is the centre */
} face_circle;

/* Converts a circle as face_points_to_space converts points. With FACE_FIT_STRETCH and in the normalised spaces it would
 * become an ellipse; the result is then the circle of the same area. */
FACE_API face_status face_circle_to_space(const face_space *space, uint32_t width, uint32_t height,
                                          face_circle *circle);

/* Converts a circle as face_points_from_space converts points, with ellipses handled as in face_circle_to_space. */
FACE_API face_status face_circle_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_circle *circle);

/* Converts `count` points from the space of `box` to positions in the box, in place: 0 to 1 from the corner (box->x,
 * box->y). Fails with FACE_INVALID_ARGUMENT if the box has no area. */
FACE_API face_status face_points_to_box(const face_box *box, face_point *points, uint32_t count);

/* Converts `count` points from positions in the box to the space of `box`, in place: the inverse of face_points_to_box. */
FACE_API face_status face_points_from_box(const face_box *box, face_point *points, uint32_t count);

/* Computes the orientation of a camera's pixels in a device that may be turned.
 *
 * sensor           0, 90, 180 or 270 degrees clockwise: the turn that makes the pixels upright while the device is in its
 *                  normal position.
 * device           0, 90, 180 or 270 degrees clockwise: how far the device was turned from that position, as a person who
 *                  looks at its screen sees it.
 * faces_user       1 for a front camera, which sees the device turn the other way; otherwise 0. For pixels that arrive as a
 *                  mirror image, also set face_image.mirrored.
 * out_orientation  receives the value for face_image.orientation. */
FACE_API face_status face_orientation_of_camera(uint32_t sensor, uint32_t device, uint32_t faces_user,
                                                face_orientation *out_orientation);

/* Does what face_result_get does, with box and points in `space`. Left remains the subject's left. */
FACE_API face_status face_result_get_in(const face_result *result, uint32_t index, const face_space *space,
                                        face_info *out_info);

/* ---- Listener ------------------------------------------------------------------------------------------------- */

/* Receive results through callbacks. */

/* Identifies the image that an event belongs to. */
typedef struct face_frame {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t number;        /* from 1, in the order of submission to this engine or session */
  uint64_t timestamp_ns;  /* the image's */
} face_frame;

/* One event of a guided check; see the section "Guided check". */
typedef struct face_check face_check;

/* Callbacks for the results of images. Every member except user_data may be NULL. Arguments are borrowed: they are valid
 * until the callback returns. */
typedef struct face_listener {
  uint32_t struct_size; /* set by face_listener_init */
  uint32_t reserved;    /* 0 */
  void *user_data;      /* passed to the callbacks; the library never reads what it points to */
  /* The faces of an image, possibly none. Each image ends in exactly one of on_faces, on_dropped and on_failed. */
  void (*on_faces)(const face_frame *frame, const face_result *result, void *user_data);
  /* The frame was dropped, because a newer one came before it was searched. */
  void (*on_dropped)(const face_frame *frame, uint64_t dropped_so_far, void *user_data);
  /* The image failed; `message` is one sentence. */
  void (*on_failed)(const face_frame *frame, face_status status, const char *message, void *user_data);
  /* A tracked face has left: called after the on_faces of the frame in which that became known. With
   * face_session_options.reidentify it may return: then on_faces has its id again, and on_left follows once more when it leaves. */
  void (*on_left)(const face_frame *frame, uint64_t face_id, void *user_data);
  /* One event of a guided check: called after the on_faces of its frame, once for each event, in the order of events. */
  void (*on_check)(const face_frame *frame, const face_check *check, void *user_data);
} face_listener;

/* Does what face_listener_init does, for a struct of `size` bytes. */
FACE_API void face_listener_init_sized(face_listener *listener, size_t size);

/* Fills `listener` with no callbacks. NULL does nothing. */
static inline void face_listener_init(face_listener *listener)
{
  face_listener_init_sized(listener, sizeof *listener);
}

/* Binds a listener to an engine and replaces the previous one. The struct is copied.
 *
 * Each face_detect on this engine that gets as far as searching calls on_faces or on_failed exactly once, on the calling
 * thread and before it returns; calls from several threads run their callbacks one after the other. A callback may call
 * face_detect on its own engine and is then called recursively. It must not use another engine that has a listener, because
 * two callbacks that wait for each other would deadlock. Binding, unbinding and face_release fail with
 * FACE_FAILED_PRECONDITION inside a callback. */
FACE_API face_status face_bind_listener(face_engine *engine, const face_listener *listener);

/* Removes the listener. A callback that runs in another thread finishes first; no callback is called after the function
 * returns. Does nothing if no listener is bound. */
FACE_API face_status face_unbind_listener(face_engine *engine);

/* ---- Sessions ------------------------------------------------------------------------------------------------- */

/* Search the frames of a video in the background and follow the faces from frame to frame. */

/* A stream of frames, such as a camera's, that is searched in the background. */
typedef struct face_session face_session;

/* What happens to a frame that is submitted while others wait. */
typedef uint32_t face_session_mode;

enum {
  FACE_SESSION_NEWEST = 0, /* one frame is searched and one waits; a newer frame replaces the waiting one, which ends in
                              on_dropped. On a connected engine the frame waits in this library, so the engine's own count
                              of dropped frames includes only frames that were sent to it */
  FACE_SESSION_EVERY = 1   /* no frame is dropped: face_session_submit waits while 4 frames have not had their event */
};

/* How a stream is searched. */
typedef struct face_session_options {
  uint32_t struct_size;         /* set by face_session_options_init */
  face_session_mode mode;
  const face_options *options;  /* what to look for; NULL for the defaults. timeout_ns is the time from its submission within
                                   which the search of a frame must begin. A canceller ends the opening of the session,
                                   submissions, the frames that wait and the one that is searched. The session takes no
                                   more frames then, and closing it does not wait for a connected engine */
  uint32_t track;               /* default 1: faces have ids; 0: each frame is searched by itself */
  /* generated: c-options Tracking */
  uint32_t max_missed_frames; /* 0 to 10000, default 15. A face that is missed in more consecutive frames has left. A guided
                                 check has 45 by default. */
  uint32_t detection_interval; /* 1 or more, default 10. Search the whole picture at least once in this many frames; in
                                  between, faces are followed. While no face is in view, every third frame is searched. 1
                                  for every frame. */
  uint32_t min_hits; /* 1 to 1000, default 3. A face gets its id after this many consecutive frames with it, or as soon as
                        the landmark network confirms it. Until then it is reported without an id. 1 for an id at once. */
  float analysis_rate; /* 0 to 1000, default 0. Search at most this many frames a second; 0 for all. The frames between are
                          answered from the tracks, with faces that are `predicted`. Time is the frames' timestamp_ns, or
                          the engine's clock where that is 0. Not for a guided check. */
  /* end of generated */
  uint32_t followed_only;       /* default 0; 1: only the faces of face_session_follow are followed, and no others are searched
                                   for. Not for a guided check */
  uint32_t reidentify;          /* default 0; 1: a face that left, as on_left said, and comes back at most 10 seconds after it was
                                   last seen has its id again, and is reported with it as before, if it is clearly the same by
                                   its appearance. Many that come back have a new id all the same. Time is as for analysis_rate.
                                   For this, descriptors of small pictures of each face are kept in memory for as long, in the
                                   session alone. Not for a guided check, nor for faces of face_session_follow */
} face_session_options;

/* Does what face_session_options_init does, for a struct of `size` bytes. */
FACE_API void face_session_options_init_sized(face_session_options *options, size_t size);

/* Fills `options` with the defaults that face_session_options lists. NULL does nothing. */
static inline void face_session_options_init(face_session_options *options)
{
  face_session_options_init_sized(options, sizeof *options);
}

/* Opens a session on an engine, which stays alive until the session is closed.
 *
 * options      NULL for the defaults; copied.
 * out_session  receives the session; the caller closes it with face_session_close.
 *
 * On a connected engine each session has a connection of its own and fails as face_connect does: with
 * FACE_RESOURCE_EXHAUSTED beyond the 32 connections that a user may have, other programs' included
 * (`--limit connections-per-user`). */
FACE_API face_status face_session_open(face_engine *engine, const face_session_options *options,
                                       face_session **out_session);

/* Submits a frame. Returns at once in mode NEWEST; in mode EVERY it waits for room. Without a listener the frame is searched
 * and its result discarded.
 *
 * image       copied before the call returns, unless its `release` or `memory` is set: then the pixels must not change
 *             until the frame's event. Size and orientation may differ from the previous frame's. The library refuses an image
 *             whose `release`, `release_data` and pixels it still has from an earlier submission, of any session: it would be
 *             released twice. Submit it again once `release` was called, or give each submission its own `release_data`.
 * out_number  receives the frame's number, from 1; may be NULL.
 *
 * Fails with FACE_FAILED_PRECONDITION inside a listener of this session in mode EVERY, where it would wait forever, and for an
 * image that the library still has, whose `release` it does not call then; with FACE_UNAVAILABLE if a connected engine
 * stopped: submit again later; and with FACE_RESOURCE_EXHAUSTED if memory does not suffice, or for an image larger than a
 * connected engine ever accepts (see face_connect). A frame whose submission fails has no event.
 *
 * If other programs use all the shared memory that a connected engine allows, mode EVERY waits until earlier frames of this
 * session return theirs; in mode NEWEST the frame replaces the waiting one, or ends in on_dropped while another one is
 * searched. A frame that finds no memory although no other frame is searched ends in on_failed with
 * FACE_RESOURCE_EXHAUSTED. */
FACE_API face_status face_session_submit(face_session *session, const face_image *image, uint64_t *out_number);

/* Follows a face that you know already, from the next frame that is submitted on.
 *
 * box     the face, in pixels of the upright image of that frame, inside it at least in part: otherwise the id leaves with that
 *         frame. If that frame is dropped, the box goes with the frame that takes its place; if it fails, the face is not
 *         followed.
 * out_id  receives the face_info.id that the face has from then on, unique in the session: 4294967296 (2 to the power of 32) or
 *         more.
 *
 * If a face is tracked at that place, it goes on under the new id, and its old id leaves. If none is found there, the face is the
 * box itself, with confidence 1. A followed face that the detector does not see is followed by its pixels, with a confidence of at
 * most 0.5, as long as it looks as it did when it was found last; then it counts as missed, and leaves after max_missed_frames.
 *
 * May be called from any thread, also inside a listener. Fails with FACE_INVALID_ARGUMENT for a box without an area, with
 * FACE_FAILED_PRECONDITION for a session without `track` and for a guided check, and with FACE_RESOURCE_EXHAUSTED if 1000 boxes
 * wait for a frame. */
FACE_API face_status face_session_follow(face_session *session, const face_box *box, uint64_t *out_id);

/* Binds a listener to a session and replaces the previous one. The struct is copied.
 *
 * Callbacks run on the session's own thread, in the order of the frames, while the library holds no lock. Each frame that is
 * submitted while a listener is bound ends in exactly one of on_faces, on_dropped and on_failed. A callback may submit
 * frames and destroy results; binding, unbinding and closing fail with FACE_FAILED_PRECONDITION inside a callback. */
FACE_API face_status face_session_bind_listener(face_session *session, const face_listener *listener);

/* Removes the listener. A callback that is running finishes first; no callback is called after the function returns. */
FACE_API face_status face_session_unbind_listener(face_session *session);

/* Waits until every frame that was submitted before this call has had its event. Fails with FACE_DEADLINE_EXCEEDED after
 * `timeout_ns` (0: no limit), and with FACE_FAILED_PRECONDITION inside a listener. */
FACE_API face_status face_session_flush(face_session *session, uint64_t timeout_ns);

/* Closes a session. Frames that wait end in on_failed with FACE_CANCELLED, and so does the frame that is searched, unless it
 * is almost done. The function waits for the frames that a connected engine has received. No callback is called after it
 * returns. To close at once, even if the engine hangs, cancel the session's canceller first. A face_session_submit that is
 * running in another thread fails with FACE_FAILED_PRECONDITION; later calls refuse the handle. Fails with
 * FACE_FAILED_PRECONDITION, and does nothing, inside the session's listener. NULL does nothing. */
FACE_API face_status face_session_close(face_session *session);

/* ---- Guided check --------------------------------------------------------------------------------------------- */

/* A guided check leads a person in front of a camera to a good picture of the face. The person holds the face into a circle
 * on the screen, tips say what to improve, actions such as blinking may be requested, and at the end comes the best picture.
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
 * A check is not a proof of life. Actions make it harder to hold up a photo or a recorded video, but they are no certified
 * presentation attack detection (ISO/IEC 30107); to guard something of value, use that as well. Nor does a check know who a
 * person is. It tells faces apart by their ids, which follow place and appearance (see face_info.id): when another face
 * takes the place, the check ends with "face_changed" (or begins anew, with start_over) in most cases, not in all; otherwise
 * the picture may be the other person's. docs/guided-check.md says what a program can do about it. */

/* The state of a guided check.
 *
 *     WAITING --- a face is in the circle ---> START --- stays for start_delay_ns ---> CHECKING --- right ---> FINISH
 *        ^----------- it left the circle ---------|                                       |--> TIME_OUT or FAILED
 *
 * FINISH, TIME_OUT and FAILED end an attempt: faces are still reported, but not checked, until face_check_restart begins a
 * new attempt. */
typedef uint32_t face_check_state;

enum {
  FACE_CHECK_WAITING = 0,  /* for a face in the circle */
  FACE_CHECK_START = 1,    /* a face is in the circle and has to stay for a moment */
  FACE_CHECK_CHECKING = 2, /* the person does the actions, then the face has to be right for hold_ns */
  FACE_CHECK_FINISH = 3,   /* the picture is taken */
  FACE_CHECK_TIME_OUT = 4,
  FACE_CHECK_FAILED = 5
};

/* Returns the name of a state, as in "waiting"; "unknown" for an unknown number. Static text. Never fails. */
FACE_API const char *face_check_state_name(face_check_state state);

/* What the person should do. Left and right in FACE_TIP_MOVE_LEFT and FACE_TIP_MOVE_RIGHT are those of the view, as the
 * person sees them on the screen; in all others they are the person's own. */
typedef uint32_t face_tip;

enum {
  /* generated: c-values Tip FACE_TIP_ */
  FACE_TIP_PROMPT = 0, /* Nothing in particular. "Hold your face into the circle" */
  FACE_TIP_NO_FACE = 1, /* "No face in the picture" */
  FACE_TIP_SEVERAL_FACES = 2, /* "One person only, please" */
  FACE_TIP_MOVE_LEFT = 3, /* "Move to the left" */
  FACE_TIP_MOVE_RIGHT = 4, /* "Move to the right" */
  FACE_TIP_MOVE_UP = 5, /* "Move up" */
  FACE_TIP_MOVE_DOWN = 6, /* "Move down" */
  FACE_TIP_COME_CLOSER = 7, /* "Come closer" */
  FACE_TIP_MOVE_BACK = 8, /* "Move back a little" */
  FACE_TIP_TOO_DARK = 9, /* "Too dark: find more light" */
  FACE_TIP_TOO_BRIGHT = 10, /* "Too bright: avoid direct light" */
  FACE_TIP_LOOK_LEFT = 11, /* To look straight ahead, like the next five. "Turn your head a little to the left" */
  FACE_TIP_LOOK_RIGHT = 12, /* "Turn your head a little to the right" */
  FACE_TIP_LOOK_UP = 13, /* "Raise your chin a little" */
  FACE_TIP_LOOK_DOWN = 14, /* "Lower your chin a little" */
  FACE_TIP_TILT_LEFT = 15, /* "Tilt your head a little to the left" */
  FACE_TIP_TILT_RIGHT = 16, /* "Tilt your head a little to the right" */
  FACE_TIP_OPEN_EYES = 17, /* "Open your eyes" */
  FACE_TIP_BLURRED = 18, /* "The picture is blurred: hold still, or clean the lens" */
  FACE_TIP_HOLD_STILL = 19, /* The face moves too much, or it is right and has to stay so. "Hold still" */
  FACE_TIP_LOOK_STRAIGHT = 20, /* Before an action: relax, open the eyes, look ahead. "Look straight into the camera" */
  FACE_TIP_BLINK = 21, /* An action, like the next four. "Blink with both eyes" */
  FACE_TIP_TURN_LEFT = 22, /* "Turn your head to the left" */
  FACE_TIP_TURN_RIGHT = 23, /* "Turn your head to the right" */
  FACE_TIP_SMILE = 24, /* "Smile" */
  FACE_TIP_OPEN_MOUTH = 25, /* "Open your mouth" */
  FACE_TIP_DONE = 26, /* "Done" */
  FACE_TIP_UNEVEN_LIGHT = 27, /* Only with limits of min_iso, like the next two. "Turn so that the light falls on all of
                                 your face" */
  FACE_TIP_COLOURED_LIGHT = 28, /* "Coloured light: find white light" */
  FACE_TIP_CLOSE_MOUTH = 29 /* "Close your mouth" */
  /* end of generated */
};

/* How many tips this header knows; a newer library may know more. */
/* generated: c-count Tip FACE_TIP_COUNT */
#define FACE_TIP_COUNT 30
/* end of generated */

/* Returns the stable name of a tip, as in "come_closer"; NULL for an unknown number. Programs in other languages keep a
 * table of their own texts by number or name. Static text. Never fails. */
FACE_API const char *face_tip_name(face_tip tip);

/* Returns the English text of a tip, as in "Come closer"; NULL for an unknown number. Static text. Never fails. */
FACE_API const char *face_tip_text(face_tip tip);

/* What the person may be asked to do. */
typedef uint32_t face_action;

enum {
  /* generated: c-values CheckAction FACE_ACTION_ */
  FACE_ACTION_BLINK = 1, /* Both eyes open, then closed, then open. */
  FACE_ACTION_TURN_LEFT = 2, /* Turn the head to the person's own left by turn_angle. */
  FACE_ACTION_TURN_RIGHT = 3, /* Turn the head to the person's own right by turn_angle. */
  FACE_ACTION_SMILE = 4,
  FACE_ACTION_OPEN_MOUTH = 5
  /* end of generated */
};

/* Returns the stable name of an action, as in "turn_left", which is also that of its tip; NULL for an unknown number. Actions count
 * from 1 without gaps. Static text. Never fails. */
FACE_API const char *face_action_name(face_action action);

/* The most actions that one check can ask for. */
#define FACE_CHECK_MAX_ACTIONS 8

/* Room for the measures of ISO/IEC 29794-5 that a check can limit, later ones included. */
#define FACE_CHECK_MAX_ISO 32

/* What a check demands. Sizes, offsets and motion are relative to the circle or the face, so that they suit any camera. A
 * limit at the end of its range is not checked, and what only it needs is not computed. */
typedef struct face_check_options {
  uint32_t struct_size;       /* set by face_check_options_init */
  uint32_t use_timestamps;    /* the clock of the check. 0, the default: that of the machine that searches; 1: the images'
                                 timestamp_ns, as for the frames of a recorded video */
  const face_space *view;     /* the space of `mask`, usually the view that shows the preview; copied. Default NULL: pixels
                                 of the upright image */
  face_circle mask;           /* the circle; default all zeros: centred, with a radius of 0.4 of the view's shorter side */
  /* generated: c-options CheckOptions */
  uint64_t start_delay_ns; /* default 0.5 s. How long a face has to be in the circle before the check begins. */
  uint64_t hold_ns; /* default 1 s. How long the face has to be right at the end. */
  uint64_t grace_ns; /* default 0.25 s. An interruption up to this long does not restart hold_ns. After a longer absence the
                        person has to do everything again, the actions too: it may be someone else. */
  uint64_t lost_ns; /* default 1.5 s. A face that is away for longer is lost. */
  uint64_t timeout_ns; /* default 30 s. How long CHECKING may take; 0 for no limit. */
  uint64_t wait_timeout_ns; /* default 0 s. How long WAITING and START together may take; 0 for no limit. */
  uint64_t tip_ns; /* default 0.8 s. A tip stays for at least this long, unless the check ends. */
  float hysteresis; /* 0 to 0.5, default 0.1. Margin, as a fraction of the limit, by which a value must recover before the
                       limit counts as met again. It keeps tips from flickering. */
  float min_face; /* 0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any. */
  float max_face; /* 0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any. */
  float max_offset; /* 0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the circle;
                       1 for any. */
  float max_other_face; /* 0 to 1, default 0.5. Largest other face that is tolerated, in sizes of the checked face; 1 for
                           any. */
  float max_yaw; /* 0 to 90 degrees, default 15. Largest yaw to either side; 90 for any. */
  float max_pitch; /* 0 to 90 degrees, default 15. Largest pitch up or down; 90 for any. */
  float max_roll; /* 0 to 90 degrees, default 15. Largest roll to either side; 90 for any. */
  float min_eyes_open; /* 0 to 1, default 0.5. Least openness of each eye; 0 if eyes may be closed. */
  float min_brightness; /* 0 to 1, default 0.2. Least mean luma of the face; 0 for any. */
  float max_brightness; /* 0 to 1, default 0.9. Largest mean luma of the face; 1 for any. */
  float min_sharpness; /* 0 to 1, default 0.3. Least sharpness of the face, as in CaptureQuality; 0 for any. */
  float max_motion; /* 0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box a second; 10 for
                       any. */
  float turn_angle; /* 5 to 60 degrees, default 20. How far the head has to turn for the actions turn-left and
                       turn-right. */
  uint32_t crop_size; /* 16 to 4096 pixels, default 512. Width and height of the result's crop. */
  float crop_margin; /* 0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box. */
  float max_blink_open; /* 0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the action
                           blink. */
  float min_smile; /* 0.1 to 1, default 0.7. Least smile for the action smile. */
  /* end of generated */
  uint32_t action_count;      /* default 0 */
  face_action actions[FACE_CHECK_MAX_ACTIONS]; /* to be done one after the other */
  uint32_t shuffle_actions;   /* 1: in a new random order with each attempt */
  uint32_t start_over;        /* what happens if the face is lost, or another takes its place, while CHECKING. 0, the
                                 default: the check fails; 1: it waits for the next face */
  uint64_t seed;              /* of the random order, for tests; default 0: a different one each time */
  float min_iso[FACE_CHECK_MAX_ISO]; /* by face_iso_measure: 0 to 100, default 0, any: the least quality component. Tips say what
                                 to do, as docs/iso-quality.md lists. Those beyond FACE_ISO_MEASURE_COUNT must be 0 */
} face_check_options;

/* Does what face_check_options_init does, for a struct of `size` bytes. */
FACE_API void face_check_options_init_sized(face_check_options *options, size_t size);

/* Fills `options` with the defaults that face_check_options lists. NULL does nothing. */
static inline void face_check_options_init(face_check_options *options)
{
  face_check_options_init_sized(options, sizeof *options);
}

/* Limits of a guided check that belong together. */
typedef uint32_t face_check_preset;

enum {
  FACE_CHECK_PRESET_STANDARD = 0, /* the defaults: max_yaw, max_pitch and max_roll 15 */
  FACE_CHECK_PRESET_ISO = 1       /* the pose of a full frontal image by ISO/IEC 39794-5: max_yaw and max_pitch 5, max_roll 8 */
};

/* Sets the members that a preset names, and leaves the others as they are. `options` must have been initialised. Fails with
 * FACE_INVALID_ARGUMENT for an unknown preset. */
FACE_API face_status face_check_options_apply(face_check_options *options, face_check_preset preset);

/* The kind of an event. The events of a frame come in this order. */
typedef uint32_t face_check_event;

enum {
  FACE_CHECK_EVENT_STATUS = 1, /* `state` changed; the first frame reports WAITING */
  FACE_CHECK_EVENT_TIP = 2,    /* `tip` changed */
  FACE_CHECK_EVENT_DRAW = 3,   /* every frame that shows the person's face: `faces`, `circle`, `progress` */
  FACE_CHECK_EVENT_CLEAR = 4,  /* the face is no longer there: remove what was drawn */
  FACE_CHECK_EVENT_RESULT = 5, /* the check succeeded: `faces`, `picture`, `crop`, `crop_box` */
  FACE_CHECK_EVENT_FAILED = 6  /* the check failed: `code`, `message` */
};

/* One event. Everything it points to is borrowed until the callback returns, except `text`. */
struct face_check {
  uint32_t struct_size;
  face_check_event event;
  face_check_state state;   /* the state after this frame; in a STATUS event the new one */
  face_tip tip;             /* the tip to show after this frame */
  float progress;           /* 0 to 1: how much of hold_ns is done, after this frame */
  uint32_t actions_done;    /* how many actions are done, after this frame */
  uint32_t action_count;    /* how many actions there are */
  uint32_t attempt;         /* from 1, plus 1 with each face_check_restart */
  face_circle circle;       /* the mask in pixels of the upright image */
  uint32_t reserved;        /* 0 */
  const char *text;         /* English text of `tip`, as from face_tip_text: valid as long as the library is loaded */
  const face_result *faces; /* DRAW, RESULT: the one face, for face_result_get, face_result_get_in (in pixels of the view)
                               and face_result_landmarks; otherwise NULL. In a RESULT event, the face in `picture` with its
                               measurements */
  const face_image *picture; /* RESULT: the whole upright picture, FACE_FORMAT_BGRA, scaled down if a side has more than 4096
                               pixels; otherwise NULL. The library copies each frame that is the best so far */
  const face_image *crop;   /* RESULT: the square around the face, crop_size pixels wide and high, FACE_FORMAT_BGRA;
                               otherwise NULL. Beyond the edge of the picture its last pixels are repeated */
  face_box crop_box;        /* RESULT: the part of `picture` that the crop shows; may extend beyond it */
  const char *code;         /* FAILED: a stable code: "time_out", "wait_time_out", "face_lost", "face_changed" (another face
                               took its place), after FINISH "no_picture" (no memory for it), and for a photo "not_right";
                               otherwise NULL */
  const char *message;      /* FAILED: what went wrong, in one English sentence; otherwise NULL */
};

/* Opens a guided check: a session, to which everything in the section "Sessions" applies. In addition, each frame that was
 * searched reports its events to on_check, after on_faces. A frame that was dropped or failed has no events, except one that
 * was searched by a connected engine and whose faces do not fit into a message. The time of the check passes with the frames
 * that are searched. Faces are followed from frame to frame, and only what the options need is computed.
 *
 * session      how frames are queued and searched; NULL for the defaults with max_missed_frames 45. `track` must be 1.
 *              Outputs that are requested here, such as landmarks to draw, are reported as well. Without a max_side the
 *              detector sees a picture just large enough for the smallest face that matters to the check.
 * options      NULL for the defaults; copied.
 * out_session  receives the session; the caller closes it with face_session_close.
 *
 * Fails with FACE_INVALID_ARGUMENT for an option outside its range, which the message names; with FACE_NOT_FOUND if the
 * models for landmarks and expressions are missing (if a connected engine lacks them, each frame fails instead); and with
 * FACE_UNIMPLEMENTED if a connected engine is too old for checks. If a connected engine stops, the attempt begins anew with
 * the next engine. */
FACE_API face_status face_check_open(face_engine *engine, const face_session_options *session,
                                     const face_check_options *options, face_session **out_session);

/* Begins a new attempt with the next frame that is submitted. May be called from any thread, also inside a listener.
 * Fails with FACE_FAILED_PRECONDITION for a session that is no guided check. */
FACE_API face_status face_check_restart(face_session *session);

/* Checks one photo: it is right if no tip applies. Actions, motion and times do not count.
 *
 * image      borrowed until the call returns.
 * detection  what to look for; NULL for the defaults. With `boxes` it fails with FACE_INVALID_ARGUMENT: a check finds its face.
 * options    NULL for the defaults.
 * listener   NULL, or the listener whose on_check is called on this thread before the call returns: with STATUS; with a TIP
 *            for each tip that applies, the most important first, or FACE_TIP_DONE; with DRAW if there is a face; and with
 *            RESULT or FAILED.
 * out_tip    receives the most important tip, FACE_TIP_DONE for a photo that is right; may be NULL.
 *
 * Fails as face_detect does. A photo that is not right is not a failure of the call. */
FACE_API face_status face_check_image(face_engine *engine, const face_image *image, const face_options *detection,
                                      const face_check_options *options, const face_listener *listener,
                                      face_tip *out_tip);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_H */
