/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_STATUS_H
#define FACE_ENGINE_STATUS_H

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

/* The number of the ABI that this header describes. It changes only when an existing program would break. */
#define FACE_ABI_VERSION 1

/* Returns the number of the ABI of the loaded library. A program that opens the library with dlopen compares it with
 * FACE_ABI_VERSION. Never fails. */
FACE_API uint32_t face_abi_version(void);

/* Returns the library's version, as in "0.2.0". The text is static. Never fails. */
FACE_API const char *face_version_string(void);

/* Whether the struct that `pointer` points to has a member. Needed for a struct that the library or another program
 * made: a struct of an older library is shorter than in this header, and its struct_size says how long it is. */
#define FACE_HAS_MEMBER(pointer, member)                                                                       \
  ((const char *)&(pointer)->member - (const char *)(pointer) + sizeof (pointer)->member <= (pointer)->struct_size)

/* ---- Status --------------------------------------------------------------------------------------------------- */

/* How calls end, what went wrong, and log lines. */

/* How a call ended: FACE_OK, or one of gRPC's codes with gRPC's meaning. */
typedef int32_t face_status;

enum {
  FACE_OK = 0,
  FACE_CANCELLED = 1,            /* a canceller ended the call, or the session was closed */
  FACE_UNKNOWN = 2,              /* a status that the library does not know, from a newer engine */
  FACE_INVALID_ARGUMENT = 3,     /* the call can never work with these arguments: NULL, a wrong size, a damaged image */
  FACE_DEADLINE_EXCEEDED = 4,    /* the time of the call ran out */
  FACE_NOT_FOUND = 5,            /* no such folder, file, model or index */
  FACE_ALREADY_EXISTS = 6,       /* two models with the same name */
  FACE_PERMISSION_DENIED = 7,    /* the permissions of a file or a socket do not admit this user */
  FACE_RESOURCE_EXHAUSTED = 8,   /* not enough memory for something large, or a limit of the engine is reached */
  FACE_FAILED_PRECONDITION = 9,  /* the call is not possible now: inside a listener, or with a damaged model */
  FACE_ABORTED = 10,             /* another process interfered: try again */
  FACE_OUT_OF_RANGE = 11,        /* an image that is too small or too large, an index beyond the end */
  FACE_UNIMPLEMENTED = 12,       /* the library or the engine is too old for this, or does not support it */
  FACE_INTERNAL = 13,            /* a bug in the library: please report it */
  FACE_UNAVAILABLE = 14,         /* no engine at the socket, or it stopped: try again */
  FACE_DATA_LOSS = 15,           /* the process at the socket is not an engine */
  FACE_UNAUTHENTICATED = 16      /* not used by the library */
};

/* Returns the name of a status, as in "INVALID_ARGUMENT"; "UNKNOWN" for an unknown number. Static text. Never fails. */
FACE_API const char *face_status_name(face_status status);

/* Returns one sentence about the last failed call of this thread: what was wrong and what to do about it. Returns "" if
 * no call has failed. A call that succeeds does not change it. The text stays valid until eight more calls of this
 * thread have failed, or the thread ends. Never fails. */
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

/* Sets the callback that receives log lines up to `max_level`; NULL, the initial value, turns logging off. The callback
 * runs on whichever thread logs, one line at a time, and must not call the library. When this function returns, the
 * previous callback is not running and will not be called again. Nothing that a picture shows is ever logged. Never
 * fails. */
FACE_API void face_set_log_callback(face_log_callback callback, face_log_level max_level, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_STATUS_H */
