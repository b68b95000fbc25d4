/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_SESSIONS_H
#define FACE_ENGINE_SESSIONS_H

#include "detection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Listener ------------------------------------------------------------------------------------------------- */

/* Receive results through callbacks. */

/* Identifies the image that an event belongs to. */
typedef struct face_frame {
  uint32_t struct_size;   /* set by the library */
  uint32_t reserved;
  uint64_t number;        /* from 1, in the order of submission to this engine or session */
  uint64_t timestamp_ns;  /* face_image.timestamp_ns of the image */
} face_frame;

/* One event of a guided check; see the section "Guided check". */
typedef struct face_check face_check;

/* The best picture of a tracked face so far. What it points to is borrowed until the callback returns. Since 0.3. */
typedef struct face_best {
  uint32_t struct_size;     /* set by the library. Since 0.3. */
  uint32_t left;            /* 1: the face has left, and the session has forgotten the picture; 0: face_session_best
                               asked for it. Since 0.3. */
  uint64_t face_id;         /* the id of the face. Since 0.3. */
  float score;              /* 0 to 1: face_info.quality times 0.5 plus the openness of the eye that is less open, up to
                               0.5. A closed eye halves the score. Since 0.3. */
  uint32_t reserved;        /* 0. Since 0.3. */
  const face_result *faces; /* the one face as it was in that frame, for face_result_get: its quality, sharpness,
                               exposure, size, frontality and framing, and how far its eyes are open, say why this
                               picture is the best. Since 0.3. */
  const face_image *crop;   /* the square around the face, best_size pixels wide and high, FACE_FORMAT_BGRA. Beyond the
                               edge of the frame its last pixels are repeated. Since 0.3. */
  face_box crop_box;        /* the part of the upright frame that the crop shows; may extend beyond it. Since 0.3. */
} face_best;

/* Callbacks for the results of images. Every member except user_data may be NULL. Arguments are borrowed: they are
 * valid until the callback returns. */
typedef struct face_listener {
  uint32_t struct_size; /* set by face_listener_init */
  uint32_t reserved;    /* 0 */
  void *user_data;      /* passed to the callbacks; the library never reads what it points to */
  /* The faces of an image, possibly none. Each image ends in exactly one of on_faces, on_dropped and on_failed. */
  void (*on_faces)(const face_frame *frame, const face_result *result, void *user_data);
  /* The frame was dropped, because a newer frame came before this one was searched. */
  void (*on_dropped)(const face_frame *frame, uint64_t dropped_so_far, void *user_data);
  /* The image failed; `message` is one sentence. */
  void (*on_failed)(const face_frame *frame, face_status status, const char *message, void *user_data);
  /* A tracked face has left: called after on_faces, in the frame in which the session noticed it. With
   * face_session_options.reidentify the face may return: then on_faces has its id again, and on_left is called again
   * when the face leaves. */
  void (*on_left)(const face_frame *frame, uint64_t face_id, void *user_data);
  /* One event of a guided check: called after the on_faces of its frame, once for each event, in the order of
     events. */
  void (*on_check)(const face_frame *frame, const face_check *check, void *user_data);
  /* The best picture of a face, in a session with best_size: called after the on_left of the face, and by
   * face_session_best. `frame` is the frame of the picture. Since 0.3. */
  void (*on_best)(const face_frame *frame, const face_best *best, void *user_data);
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
 * Each face_detect on this engine that starts to search calls on_faces or on_failed exactly once, on the calling thread
 * and before it returns; calls from several threads run their callbacks one after the other. A callback may call
 * face_detect on its own engine, and is called recursively then. It must not use another engine that has a listener,
 * because two callbacks that wait for each other would deadlock. Binding, unbinding and face_release fail with
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
  FACE_SESSION_NEWEST = 0, /* one frame is searched and one waits; a newer frame replaces the waiting frame, which ends
                              in on_dropped. On a connected engine the frame waits in this library, so the engine's own
                              count of dropped frames includes only frames that were sent to it */
  FACE_SESSION_EVERY = 1   /* no frame is dropped: while 4 frames have not had their event, face_session_submit waits */
};

/* How a stream is searched. */
typedef struct face_session_options {
  uint32_t struct_size;         /* set by face_session_options_init */
  face_session_mode mode;
  const face_options *options;  /* what to look for; NULL for the defaults. If the search of a frame does not begin
                                   within timeout_ns after its submission, the frame fails. A canceller ends the opening
                                   of the session, submissions, waiting frames and the frame that is searched. After
                                   that the session accepts no frames, and closing it does not wait for a connected
                                   engine */
  uint32_t track;               /* default 1: faces have ids; 0: each frame is searched by itself */
  /* generated: c-options Tracking 0.2 */
  uint32_t max_missed_frames; /* 0 to 10000, default 15. A face has left when it is missed in more consecutive frames
                                 than this; the default in a guided check is 45. */
  uint32_t detection_interval; /* 1 or more, default 10. Search the whole picture at least once in this many frames; in
                                  between, faces are followed. While no face is in view, every third frame is searched.
                                  1 for every frame. */
  uint32_t min_hits; /* 1 to 1000, default 3. A face gets its id when it is found in this many consecutive frames, or as
                        soon as the landmark network confirms it. Until then it is reported without an id. 1 for an id
                        at once. */
  float analysis_rate; /* 0 to 1000, default 0. Search at most this many frames per second; 0 for all. The frames in
                          between get `predicted` faces: each continues its last movement. The rate is measured by the
                          frames' timestamp_ns, or by the engine's clock if timestamp_ns is 0. Not for a guided
                          check. */
  /* end of generated */
  uint32_t followed_only;       /* default 0; 1: follow only the faces of face_session_follow, and search for no others.
                                   Not for a guided check */
  uint32_t reidentify;          /* default 0; 1: a face that left and comes back within 10 seconds after it was last
                                   seen gets its old id, if it clearly looks the same. Otherwise the face gets a new id,
                                   which happens to many faces that come back. The 10 seconds are counted in the frames'
                                   timestamp_ns, or by the engine's clock if timestamp_ns is 0. For these 10 seconds the
                                   session keeps descriptors of small pictures of each face in memory, and nowhere else.
                                   Not for a guided check, nor for faces of face_session_follow */
  uint32_t reserved;            /* 0 */
  uint32_t best_size;           /* default 0: no pictures are kept; 16 to 1024: the library keeps the best picture so
                                   far of each tracked face for on_best, as a crop of this many pixels in width and
                                   height. It measures FACE_OUTPUT_QUALITY and FACE_OUTPUT_EYES of every face for that,
                                   and keeps pictures of at most 64 faces, in this process only. Not for a guided check,
                                   which has a picture of its own. Since 0.3. */
  float best_margin;            /* 0 to 4, default 0.4: space around the face's box in the crop on each side, in long
                                   sides of the box. Since 0.3. */
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

/* Submits a frame. Returns at once in mode NEWEST; in mode EVERY it waits while 4 frames have not had their event.
 * Without a listener the frame is searched and its result discarded.
 *
 * image       copied before the call returns. With `release` or `memory` set it is not copied: its pixels must not
 *             change until the frame's event. Size and orientation may differ from the previous frame's. The library
 *             refuses an image whose `release`, `release_data` and pixels it still has from an earlier submission, of
 *             any session: it would be released twice. Submit the image again after `release` was called, or give each
 *             submission its own `release_data`.
 * out_number  receives the frame's number, from 1; may be NULL.
 *
 * Fails with FACE_FAILED_PRECONDITION inside a listener of this session in mode EVERY, where it would wait forever, and
 * for an image that the library still has (then the library does not call its `release`); with FACE_UNAVAILABLE if a
 * connected engine stopped: submit again later; and with FACE_RESOURCE_EXHAUSTED if there is too little memory, or for
 * an image larger than a connected engine ever accepts (see face_connect). A frame whose submission fails has no event.
 *
 * If other programs use all the shared memory that a connected engine allows, mode EVERY waits until earlier frames of
 * this session return their shared memory. In mode NEWEST the frame replaces the frame that waits, or ends in
 * on_dropped while another frame is searched. If no other frame of the session is searched, the frame ends in on_failed
 * with FACE_RESOURCE_EXHAUSTED. */
FACE_API face_status face_session_submit(face_session *session, const face_image *image, uint64_t *out_number);

/* Follows a face that you know already, from the next submitted frame on.
 *
 * box     the face, in pixels of the upright image of that frame, at least partly inside it: otherwise the id leaves
 *         with that frame. If that frame is dropped, the box moves to the frame that replaces it; if that frame fails,
 *         the face is not followed.
 * out_id  receives the face_info.id that the face has from then on, unique in the session: 4294967296 (2 to the power
 *         of 32) or more.
 *
 * A face that is tracked at that place takes the new id, and its old id leaves. If no face is found there, the face is
 * the box itself, with confidence 1. While the detector does not see a followed face, the session follows it by its
 * pixels, with a confidence of at most 0.5, as long as it looks as it did when it was last found. After that it counts
 * as missed, and leaves after max_missed_frames.
 *
 * May be called from any thread, also inside a listener. Fails with FACE_INVALID_ARGUMENT for a box without an area,
 * with FACE_FAILED_PRECONDITION for a session without `track` and for a guided check, and with FACE_RESOURCE_EXHAUSTED
 * if 1000 boxes wait for a frame. */
FACE_API face_status face_session_follow(face_session *session, const face_box *box, uint64_t *out_id);

/* Calls on_best of the session's listener with the best picture so far of one face, or with those of all faces that the
 * session follows now. The session keeps the pictures. When a face leaves, on_best is called without a request; for the
 * faces that are still followed at the end of a stream, call this function before face_session_close, which forgets
 * their pictures.
 *
 * face_id  0 for all faces, in the order of their ids.
 *
 * The callback runs on this thread before the function returns, also inside another callback of the session. Fails with
 * FACE_FAILED_PRECONDITION for a session without best_size, and with FACE_NOT_FOUND if there is no picture of the face:
 * it is not followed, or was not measured in any frame. Since 0.3. */
FACE_API face_status face_session_best(face_session *session, uint64_t face_id);

/* Binds a listener to a session and replaces the previous one. The struct is copied.
 *
 * Callbacks run on the session's own thread, in the order of the frames, while the library holds no lock. Each frame
 * that is submitted while a listener is bound ends in exactly one of on_faces, on_dropped and on_failed. A callback may
 * submit frames and destroy results; binding, unbinding and closing fail with FACE_FAILED_PRECONDITION inside a
 * callback. */
FACE_API face_status face_session_bind_listener(face_session *session, const face_listener *listener);

/* Removes the listener. A callback that is running finishes first; no callback is called after the function returns. */
FACE_API face_status face_session_unbind_listener(face_session *session);

/* Waits until every frame that was submitted before this call has had its event and its image's `release`. Fails with
 * FACE_DEADLINE_EXCEEDED after `timeout_ns` (0: no limit), and with FACE_FAILED_PRECONDITION inside a listener. */
FACE_API face_status face_session_flush(face_session *session, uint64_t timeout_ns);

/* Closes a session. Frames that wait end in on_failed with FACE_CANCELLED, and so does the frame that is searched,
 * unless it is almost done. The function waits for the frames that a connected engine has received. No callback is
 * called after it returns. To close at once, even if the engine hangs, cancel the session's canceller first. A
 * face_session_submit that is running in another thread fails with FACE_FAILED_PRECONDITION; later calls refuse the
 * handle. Fails with FACE_FAILED_PRECONDITION, and does nothing, inside the session's listener. NULL does nothing. */
FACE_API face_status face_session_close(face_session *session);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_SESSIONS_H */
