/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_ENGINE_H
#define FACE_ENGINE_ENGINE_H

#include "status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Engine --------------------------------------------------------------------------------------------------- */

/* Load models into this process, or connect to an engine process. */

/* A loaded model, or a connection to an engine process. */
typedef struct face_engine face_engine;

/* Loads a model package, to run it in this process.
 *
 * model_dir   path of a folder with a model.json; of a folder with only the .param and .bin files of a detector, whose
 *             family the library recognises from its graph; or of such a detector's .onnx file, or a folder with only
 *             that file. If nothing has that path, the name of an installed model, as in "centerface" (without a
 *             slash). NULL: yunet, the installed detector. Installed models are in the folder that the environment
 *             variable FACE_ENGINE_MODELS names; without it, in share/face-engine/Models of the prefix in which the
 *             library is, also after that prefix was moved.
 * out_engine  receives the engine; the caller releases it with face_release.
 *
 * Fails with FACE_NOT_FOUND if there is no such folder or the model's weights are missing; with
 * FACE_FAILED_PRECONDITION if a file is damaged, or is not a model that this library supports; and with
 * FACE_UNIMPLEMENTED if an .onnx file has an operator that this library cannot run (the error names operator and
 * node). */
FACE_API face_status face_load_model(const char *model_dir, face_engine **out_engine);

/* The numbers that a detector's network computes with. */
typedef uint32_t face_precision;

enum {
  FACE_PRECISION_BEST = 0,  /* eight bits if the model has them, several times as fast as floats; otherwise 32-bit
                               floats */
  FACE_PRECISION_FLOAT = 1  /* 32-bit floats */
};

/* How models run in this process. */
typedef struct face_load_options {
  uint32_t struct_size;       /* set by face_load_options_init */
  uint32_t threads_per_frame; /* 1 to 16, default 1: how many threads share the rows of one image; 0: one for each
                                 processor core that the process may run on. The library uses no more threads than
                                 cores, since two threads on one core are not faster than one. A plug-in may use fewer:
                                 ncnn uses one */
  uint64_t max_input_pixels;  /* default 0, no limit: the most pixels that a network may take as its input. A larger
                                 image fails with FACE_RESOURCE_EXHAUSTED. For each of these pixels YuNet needs about 15
                                 bytes of memory, CenterFace in accuracy high about 53, and a network that a plug-in
                                 runs 110 or more */
  face_precision precision;   /* default FACE_PRECISION_BEST. Eight bits and floats may find slightly different faces:
                                 Models/README.md says how different. In eight bits, every processor computes the same
                                 numbers */
  uint32_t decoder_process;   /* default 0. 1: picture files are decoded in a process of their own. That process is
                                 killed if its call ends early, whatever the decoder is doing, and a crash of the
                                 decoder ends only that process. Set it for untrusted HEIC or AVIF files: a small file
                                 can keep libheif busy for minutes, or crash it. The process runs the program
                                 face-engine, which the library looks for beside itself, in the bin folder of its
                                 prefix, and in PATH. Loading fails with FACE_NOT_FOUND without that program, and with
                                 FACE_UNAVAILABLE if it does not start within ten seconds. This option adds two
                                 processes of a few MB each. The library starts the program again if it has ended or
                                 does not answer. After fork(2) the child must load again before it can use files */
  const char *engine;         /* default NULL or "", which is "automatic": the library's own kernels run the networks of
                                 the included detectors, and the plug-in ncnn runs networks with other layers.
                                 "kernels": only the kernels. "ncnn", "onnxruntime" (only .onnx files) or another
                                 plug-in's name: that plug-in runs the networks, in 32-bit floats; its own options
                                 follow a colon, as in "onnxruntime:CUDA". Loading fails with FACE_FAILED_PRECONDITION
                                 if the plug-in is not installed. See docs/plug-ins.md */
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

/* Loads several models. A call chooses one of them by its name (face_options.model). face_load_model is this function
 * with one folder and the default options.
 *
 * model_dirs  `count` folders, .onnx files or names, 1 to FACE_MAX_MODELS; NULL among them is the installed detector. A
 *             call that names no model uses the first one. The models for landmarks and expressions are looked for
 *             beside the first folder.
 * options     NULL for the defaults.
 *
 * Fails as face_load_model does, and with FACE_ALREADY_EXISTS if two of the models have the same name. */
FACE_API face_status face_load_models(const char *const *model_dirs, uint32_t count, const face_load_options *options,
                                      face_engine **out_engine);

/* Connects to a running engine process (`face-engine serve`). All other functions work as after face_load_model.
 *
 * socket_path  path of its Unix socket. NULL for the default socket: face-engine.sock in the folder that
 *              XDG_RUNTIME_DIR names or, if that is not set, in /run/user/UID, or in /run for root. If no socket is
 *              there, the default is /run/face-engine/face-engine.sock, the socket of the system service.
 * out_engine   receives the engine; the caller releases it with face_release.
 *
 * Fails with FACE_UNAVAILABLE if no engine answers there; with FACE_PERMISSION_DENIED if the socket's permissions or
 * the engine's list of users do not admit this user, or if the engine runs as a user that face_connect_options does not
 * accept; and with FACE_RESOURCE_EXHAUSTED if this user has all the connections that a user may have. A call that is
 * not answered within 60 s ends with FACE_DEADLINE_EXCEEDED.
 *
 * If the engine stops later, calls that it has not answered end with FACE_UNAVAILABLE, and each further call connects
 * again. While no engine listens, a call fails with FACE_UNAVAILABLE within microseconds, whatever its timeout_ns: a
 * program that repeats the call should pause in between, for example 20 ms. The first call after an engine listens
 * again succeeds; if that engine is still loading its models, the call waits for it, at most for its timeout_ns.
 * Sessions open again by themselves within 50 ms; until then face_session_submit fails with FACE_UNAVAILABLE.
 *
 * A running engine has limits that a loaded model does not have. `face-engine serve --limit NAME=VALUE` sets them:
 *
 * connections-per-user      32 connections: one for each face_connect and one for each open session, counted over all
 *                           programs of a user.
 * calls-per-connection      16 calls of one face_engine are sent to the engine at a time; further calls wait in this
 *                           library, at most for their timeout_ns.
 * analysed-faces-per-image  1000 faces: `outputs` are measured for no more than this; see face_result_unanalysed_count.
 * mapped-bytes-per-user     128 MiB of shared memory, counted over all programs of a user. Images of 4 MiB and more
 *                           need shared memory. An image that is larger than the limit, or than the part of it that
 *                           other programs leave free, fails with FACE_RESOURCE_EXHAUSTED; send it as a JPEG or PNG
 *                           below 4 MiB instead. The library returns unused memory: anything above 32 MiB at once, the
 *                           rest with the first call a second or more after its last use, and the memory of a session
 *                           after a second. */
FACE_API face_status face_connect(const char *socket_path, face_engine **out_engine);

/* Ends calls from another thread. */
typedef struct face_canceller face_canceller;

/* Creates a canceller; the caller destroys it with face_canceller_destroy. */
FACE_API face_status face_canceller_create(face_canceller **out_canceller);

/* Ends every call that uses this canceller, now or later, with FACE_CANCELLED. May be called from any thread. */
FACE_API face_status face_canceller_cancel(face_canceller *canceller);

/* Destroys a canceller; calls that use it continue. NULL does nothing. */
FACE_API void face_canceller_destroy(face_canceller *canceller);

/* No user: the default of face_connect_options.engine_user. */
#define FACE_NO_USER UINT32_MAX

/* Which engine a connection accepts, and how long it waits. */
typedef struct face_connect_options {
  uint32_t struct_size; /* set by face_connect_options_init */
  uint32_t engine_user; /* default FACE_NO_USER: no further user. The number of a user that the engine may run as,
                           besides those that are always accepted: the caller's own user, root, and the owner of the
                           socket's folder, if only that owner and root can change the folder and only root the folders
                           above it, as for /run/face-engine */
  uint64_t timeout_ns;  /* default 0: 60 s. The longest wait for the engine: while connecting, while a session is
                           opened, fed or closed, and in a call whose own timeout_ns is 0 */
  face_canceller *canceller; /* default NULL. Ends face_connect_with; it has no effect later */
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
 * options  NULL for the defaults. All of them except the canceller also apply to connections that the library makes
 *          later: after a restart of the engine, and for sessions. */
FACE_API face_status face_connect_with(const char *socket_path, const face_connect_options *options,
                                       face_engine **out_engine);

/* Releases an engine. Calls that run in other threads still finish, and the memory is freed after the last of them. The
 * function waits for a listener callback that is running; no callback is called after it returns. Every later call
 * refuses the handle. Open sessions continue and keep the engine alive until they are closed, so their listeners may
 * call this function. Fails with FACE_FAILED_PRECONDITION, and does nothing, inside the engine's own listener. NULL
 * does nothing. */
FACE_API face_status face_release(face_engine *engine);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_ENGINE_H */
