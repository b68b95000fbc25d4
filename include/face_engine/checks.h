/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_CHECKS_H
#define FACE_ENGINE_CHECKS_H

#include "coordinates.h"
#include "sessions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Guided check --------------------------------------------------------------------------------------------- */

/* A guided check helps a person in front of a camera to take a good picture of their face. The person moves the face
 * into a circle on the screen. Tips say what to improve, and the check may request actions, such as blinking. At the
 * end the program receives the best picture.
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
 * A check is not a proof of life. Actions make it harder to hold up a photo or a recorded video, but they are not
 * certified presentation attack detection (ISO/IEC 30107); to guard something of value, use certified detection as
 * well.
 *
 * A check also does not know who a person is. It tells faces apart by their ids, which follow place and appearance (see
 * face_info.id). If another person takes the first one's place, the check usually ends with "face_changed", or starts
 * over if start_over is 1. If the check does not notice the change, the picture may show the other person.
 * docs/guided-check.md says what a program can do about it. */

/* The state of a guided check.
 *
 *     WAITING --- a face is in the circle ---> START --- stays for start_delay_ns ---> CHECKING --- right ---> FINISH
 *        ^----------- it left the circle ---------|                                       |--> TIME_OUT or FAILED
 *
 * FINISH, TIME_OUT and FAILED end an attempt: faces are still reported, but not checked, until face_check_restart
 * begins a new attempt. */
typedef uint32_t face_check_state;

enum {
  /* generated: c-values CheckState FACE_CHECK_ */
  FACE_CHECK_WAITING = 0, /* Waiting for a face in the circle. */
  FACE_CHECK_START = 1, /* A face is in the circle and has to stay there for a moment. */
  FACE_CHECK_CHECKING = 2, /* The person does the actions, then the face must meet all limits for hold_ns. */
  FACE_CHECK_FINISH = 3, /* The picture is taken. */
  FACE_CHECK_TIME_OUT = 4,
  FACE_CHECK_FAILED = 5
  /* end of generated */
};

/* Returns the name of a state, as in "waiting"; "unknown" for an unknown number. Static text. Never fails. */
FACE_API const char *face_check_state_name(face_check_state state);

/* What the person should do. Left and right in FACE_TIP_MOVE_LEFT and FACE_TIP_MOVE_RIGHT are those of the view, as the
 * person sees them on the screen; in all others they are the person's own. */
typedef uint32_t face_tip;

enum {
  /* generated: c-values Tip FACE_TIP_ */
  FACE_TIP_PROMPT = 0, /* Nothing in particular. "Put your face in the circle" */
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
  FACE_TIP_LOOK_LEFT = 11, /* Asks the person to look straight ahead, like the next five. "Turn your head a little to
                              the left" */
  FACE_TIP_LOOK_RIGHT = 12, /* "Turn your head a little to the right" */
  FACE_TIP_LOOK_UP = 13, /* "Raise your chin a little" */
  FACE_TIP_LOOK_DOWN = 14, /* "Lower your chin a little" */
  FACE_TIP_TILT_LEFT = 15, /* "Tilt your head a little to the left" */
  FACE_TIP_TILT_RIGHT = 16, /* "Tilt your head a little to the right" */
  FACE_TIP_OPEN_EYES = 17, /* "Open your eyes" */
  FACE_TIP_BLURRED = 18, /* "The picture is blurred: hold still, or clean the lens" */
  FACE_TIP_HOLD_STILL = 19, /* The face moves too much, or it meets all limits and must stay like that. "Hold still" */
  FACE_TIP_LOOK_STRAIGHT = 20, /* Before an action: the person should relax, open the eyes and look ahead. "Look
                                  straight into the camera" */
  FACE_TIP_BLINK = 21, /* An action, like the next four. "Blink with both eyes" */
  FACE_TIP_TURN_LEFT = 22, /* "Turn your head to the left" */
  FACE_TIP_TURN_RIGHT = 23, /* "Turn your head to the right" */
  FACE_TIP_SMILE = 24, /* "Smile" */
  FACE_TIP_OPEN_MOUTH = 25, /* "Open your mouth" */
  FACE_TIP_DONE = 26, /* "Done" */
  FACE_TIP_UNEVEN_LIGHT = 27, /* Only with limits of min_iso, like the next two. "Turn so that the light falls on all of
                                 your face" */
  FACE_TIP_COLOURED_LIGHT = 28, /* "Coloured light: find white light" */
  FACE_TIP_CLOSE_MOUTH = 29, /* "Close your mouth" */
  FACE_TIP_NOD = 30, /* An action, like the next one. "Nod your head" */
  FACE_TIP_SHAKE = 31 /* "Shake your head" */
  /* end of generated */
};

/* How many tips this header knows; a newer library may know more. */
/* generated: c-count Tip FACE_TIP_COUNT */
#define FACE_TIP_COUNT 32
/* end of generated */

/* Returns the stable name of a tip, as in "come_closer"; NULL for an unknown number. Programs in other languages keep a
 * table of their own texts by number or name. Static text. Never fails. */
FACE_API const char *face_tip_name(face_tip tip);

/* Returns the English text of a tip, as in "Come closer"; NULL for an unknown number. Static text. Never fails. */
FACE_API const char *face_tip_text(face_tip tip);

/* What the person may have to do. */
typedef uint32_t face_action;

enum {
  /* generated: c-values CheckAction FACE_ACTION_ */
  FACE_ACTION_BLINK = 1, /* Both eyes open, then closed, then open. */
  FACE_ACTION_TURN_LEFT = 2, /* Turn the head to the person's own left by turn_angle. */
  FACE_ACTION_TURN_RIGHT = 3, /* Turn the head to the person's own right by turn_angle. */
  FACE_ACTION_SMILE = 4,
  FACE_ACTION_OPEN_MOUTH = 5,
  FACE_ACTION_NOD = 6, /* Lower or raise the head by half of turn_angle, and come back, within 3 s. */
  FACE_ACTION_SHAKE = 7 /* Turn the head to both sides by half of turn_angle, within 3 s. */
  /* end of generated */
};

/* Returns the stable name of an action, as in "turn_left", which is also the name of its tip; NULL for an unknown
 * number. Actions are numbered from 1 without gaps. Static text. Never fails. */
FACE_API const char *face_action_name(face_action action);

/* The most actions that one check can request. */
#define FACE_CHECK_MAX_ACTIONS 8

/* Room for the measures of ISO/IEC 29794-5 that a check can limit, with space for later ones. */
#define FACE_CHECK_MAX_ISO 32

/* What a check requires. Sizes, offsets and motion are relative to the circle or the face, so that they suit any
 * camera. A limit at the end of its range is off: it is not checked, and nothing is computed for it. */
typedef struct face_check_options {
  uint32_t struct_size;       /* set by face_check_options_init */
  uint32_t use_timestamps;    /* default 0: the check's clock is that of the machine that searches; 1: it is the images'
                                 timestamp_ns, as for the frames of a recorded video */
  const face_space *view;     /* the space of `mask`, usually the view that shows the preview. Default NULL: pixels of
                                 the upright image. In C, the struct is copied. */
  face_circle mask;           /* the circle for the face. Default all zeros, which stand for a centred circle with a
                                 radius of 0.4 of the view's shorter side */
  /* generated: c-options CheckOptions 0.2 */
  uint64_t start_delay_ns; /* default 0.5 s. How long a face must be in the circle before the check begins. */
  uint64_t hold_ns; /* default 1 s. How long the face must meet all limits at the end of the check. */
  uint64_t grace_ns; /* default 0.25 s. An interruption up to this long does not restart the hold time. After a longer
                        absence the person must do everything again, including the actions: it may be someone else. */
  uint64_t lost_ns; /* default 1.5 s. A face that is out of sight for longer than this counts as lost. */
  uint64_t timeout_ns; /* default 30 s. How long a check may take once it has begun (state CHECKING); 0 for no limit. */
  uint64_t wait_timeout_ns; /* default 0 s. How long the person may take to begin the check (states WAITING and START);
                               0 for no limit. */
  uint64_t tip_ns; /* default 0.8 s. Shortest time for which a tip stays, unless the check ends. */
  float hysteresis; /* 0 to 0.5, default 0.1. Fraction of the limit by which a value must recover before the limit
                       counts as met again. It keeps tips from flickering. */
  float min_face; /* 0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any. */
  float max_face; /* 0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any. */
  float max_offset; /* 0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the
                       circle; 1 for any. */
  float max_other_face; /* 0 to 1, default 0.5. Largest other face in the picture, as a fraction of the checked face's
                           size; 1 for any. */
  float max_yaw; /* 0 to 90 degrees, default 15. Largest yaw to either side; 90 for any. */
  float max_pitch; /* 0 to 90 degrees, default 15. Largest pitch up or down; 90 for any. */
  float max_roll; /* 0 to 90 degrees, default 15. Largest roll to either side; 90 for any. */
  float min_eyes_open; /* 0 to 1, default 0.5. Smallest openness of each eye; 0 if eyes may be closed. */
  float min_brightness; /* 0 to 1, default 0.2. Smallest mean brightness (luma) of the face; 0 for any. */
  float max_brightness; /* 0 to 1, default 0.9. Largest mean brightness (luma) of the face; 1 for any. */
  float min_sharpness; /* 0 to 1, default 0.3. Smallest sharpness of the face, as in the capture quality; 0 for any. */
  float max_motion; /* 0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box per second;
                       10 for any. */
  float turn_angle; /* 5 to 60 degrees, default 20. How far the head must turn for the actions turn-left and turn-right.
                       Half of it counts for nod and shake. */
  uint32_t crop_size; /* 16 to 4096 pixels, default 512. Width and height of the result's crop. */
  float crop_margin; /* 0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box. */
  float max_blink_open; /* 0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the
                           action blink. */
  float min_smile; /* 0.1 to 1, default 0.7. Smallest smile that counts for the action smile. */
  /* end of generated */
  uint32_t action_count;      /* default 0 */
  face_action actions[FACE_CHECK_MAX_ACTIONS]; /* to do one after the other */
  uint32_t shuffle_actions;   /* default 0; 1: in a new random order with each attempt */
  uint32_t start_over;        /* default 0: the check fails if the face is lost, or another face takes its place, while
                                 CHECKING; 1: it waits for the next face instead */
  uint64_t seed;              /* for the random order, in tests; default 0: a different order each time */
  float min_iso[FACE_CHECK_MAX_ISO]; /* by face_iso_measure: the smallest quality component that the check accepts, 0 to
                                        100; default 0 accepts any. docs/iso-quality.md lists the tips for each. In C,
                                        elements from FACE_ISO_MEASURE_COUNT on must be 0. */
} face_check_options;

/* Does what face_check_options_init does, for a struct of `size` bytes. */
FACE_API void face_check_options_init_sized(face_check_options *options, size_t size);

/* Fills `options` with the defaults that face_check_options lists. NULL does nothing. */
static inline void face_check_options_init(face_check_options *options)
{
  face_check_options_init_sized(options, sizeof *options);
}

/* Named sets of limits for a guided check. */
typedef uint32_t face_check_preset;

enum {
  FACE_CHECK_PRESET_STANDARD = 0, /* the defaults: max_yaw, max_pitch and max_roll 15 */
  FACE_CHECK_PRESET_ISO = 1       /* the pose of a full frontal image by ISO/IEC 39794-5: max_yaw and max_pitch 5,
                                     max_roll 8 */
};

/* Sets the members that a preset names, and leaves the others. `options` must have been initialised. Fails with
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

/* One event of a guided check. Everything it points to is borrowed until the callback returns, except `text`. */
struct face_check {
  uint32_t struct_size;     /* set by the library */
  face_check_event event;
  face_check_state state;   /* the state after this frame; in a STATUS event the new one */
  face_tip tip;             /* the tip to show after this frame */
  float progress;           /* 0 to 1: how much of hold_ns is done, after this frame */
  uint32_t actions_done;    /* how many actions are done, after this frame */
  uint32_t action_count;    /* how many actions there are */
  uint32_t attempt;         /* number of the attempt: from 1, each face_check_restart adds 1 */
  face_circle circle;       /* the mask in pixels of the upright image */
  uint32_t reserved;        /* 0 */
  const char *text;         /* English text of `tip`, as from face_tip_text: valid as long as the library is loaded */
  const face_result *faces; /* DRAW, RESULT: the one face, for face_result_get, face_result_get_in (in pixels of the
                               view) and face_result_landmarks; otherwise NULL. In a RESULT event, the face in `picture`
                               with its measurements */
  const face_image *picture; /* RESULT: the whole upright picture, FACE_FORMAT_BGRA, scaled down if a side has more than
                                4096 pixels; otherwise NULL. The library copies each frame that is the best so far */
  const face_image *crop;   /* RESULT: the square around the face, crop_size pixels wide and high, FACE_FORMAT_BGRA;
                               otherwise NULL. Beyond the edge of the picture its last pixels are repeated */
  face_box crop_box;        /* RESULT: the part of `picture` that the crop shows; may extend beyond it */
  const char *code;         /* FAILED: a stable code: "time_out", "wait_time_out", "face_lost", "face_changed" (another
                               face took its place), after FINISH "no_picture" (no memory for it), and for a photo
                               "not_right"; otherwise NULL */
  const char *message;      /* FAILED: what went wrong, in one English sentence; otherwise NULL */
};

/* Opens a guided check: a session, to which everything in the section "Sessions" applies. In addition, each frame that
 * was searched reports its events to on_check, after on_faces. A frame that was dropped or failed has no events, with
 * one exception: a connected engine searched the frame, but its faces do not fit into a message. The check's clock
 * advances only with frames that are searched. Faces are followed from frame to frame, and only what the options need
 * is computed.
 *
 * session      how frames are queued and searched; NULL for the defaults with max_missed_frames 45. `track` must be 1.
 *              Outputs that are requested here, such as landmarks to draw, are reported as well. Without a max_side the
 *              detector sees a picture just large enough for the smallest face that matters to the check.
 * options      NULL for the defaults; copied.
 * out_session  receives the session; the caller closes it with face_session_close.
 *
 * Fails with FACE_INVALID_ARGUMENT for an option outside its range (the message names the option); with FACE_NOT_FOUND
 * if the models for landmarks and expressions are missing (if a connected engine lacks them, each frame fails instead);
 * and with FACE_UNIMPLEMENTED if a connected engine is too old for checks. If a connected engine stops, the attempt
 * starts over with the next engine. */
FACE_API face_status face_check_open(face_engine *engine, const face_session_options *session,
                                     const face_check_options *options, face_session **out_session);

/* Begins a new attempt with the next submitted frame. May be called from any thread, also inside a listener. Frames
 * that were submitted before get no more events of the check, and no RESULT. The library frees its copies of their
 * pictures as soon as they are searched, even if no other frame comes. Fails with FACE_FAILED_PRECONDITION for a
 * session that is not a guided check. */
FACE_API face_status face_check_restart(face_session *session);

/* Checks one photo: it is right if no tip applies. Actions, motion and times do not count.
 *
 * image      borrowed until the call returns.
 * detection  what to look for; NULL for the defaults. `boxes` must be NULL, because a check finds its face itself;
 *            otherwise the call fails with FACE_INVALID_ARGUMENT.
 * options    NULL for the defaults.
 * listener   NULL, or the listener whose on_check is called on this thread before the call returns: with STATUS; with a
 *            TIP for each tip that applies, the most important first, or FACE_TIP_DONE; with DRAW if there is a face;
 *            and with RESULT or FAILED.
 * out_tip    receives the most important tip, FACE_TIP_DONE for a photo that is right; may be NULL.
 *
 * Fails as face_detect does. A photo that is not right is not a failure of the call. */
FACE_API face_status face_check_image(face_engine *engine, const face_image *image, const face_options *detection,
                                      const face_check_options *options, const face_listener *listener,
                                      face_tip *out_tip);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_CHECKS_H */
