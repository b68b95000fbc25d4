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
                                 of one core gain nothing. A plug-in may use fewer: ncnn uses one */
  uint64_t max_input_pixels;  /* default 0, unbounded: the most pixels that a network may take as its input; a larger image
                                 fails with FACE_RESOURCE_EXHAUSTED. See face_detect for the memory that a pixel takes */
  face_precision precision;   /* default FACE_PRECISION_BEST. What is found may differ a little: Models/README.md says how
                                 much. In eight bits, every processor computes the same */
  uint32_t decoder_process;   /* default 0. 1: picture files are decoded in a process of their own, which is killed when its
                                 call ends early, whatever the library for that kind is doing; a fault in such a library ends
                                 that process alone. Set it if you take HEIC or AVIF files of strangers: a small one can keep
                                 libheif busy for minutes, or crash it. Its program is face-engine, which is looked for beside
                                 this library, in the bin folder of its prefix, and in PATH. Loading fails with FACE_NOT_FOUND
                                 without it, and with FACE_UNAVAILABLE if it does not start within ten seconds. Two more
                                 processes of some MB. The program is started again when it has ended or does not answer.
                                 After fork(2) the child has to load again before it can use files */
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
 * engine's list of users do not admit this user, or if its user is one that face_connect_options does not
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

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_ENGINE_H */
