/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_OPTIONS_H
#define FACE_ENGINE_OPTIONS_H

#include "engine.h"
#include "images.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options -------------------------------------------------------------------------------------------------- */

/* What a call looks for and how much work it does, and how to cancel it. */

/* What to measure of each face beyond its box, confidence and five points: FACE_OUTPUT_ bits. Outputs that are not
 * requested cost nothing. A face has no outputs if the landmark network does not see it, or if its landmarks contradict
 * the detector's points. They do so if the line through the eyes differs between the two by more than 25 degrees in a
 * face under 48 pixels, or by more than 45 degrees in a larger face with FACE_ROTATIONS_UPRIGHT. */
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
/* Capture quality: how good a picture of the face this is, 0 to 1. */
#define FACE_OUTPUT_QUALITY 0x20u
/* Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to the
 * camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin is
 * between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and looks
 * along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another lens the distance
 * differs in proportion. */
#define FACE_OUTPUT_TRANSFORM 0x40u
/* The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute. 2 × 19 numbers: the native value of each
 * measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 if it could not be
 * assessed. */
#define FACE_OUTPUT_ISO_QUALITY 0x80u
/* Expected error of each of the 478 points, in pixels. If something covers a point, its landmark is a guess, and the
 * error is the distance from its true place under the cover. Expect larger numbers for such points, on a blurred or
 * dark face, and for all points of a face whose landmarks contradict the detector's five points. (A contradiction is
 * not noticed if the five points are missing: with a detector that finds none, for boxes of your own, and for faces
 * that a session follows without searching.) The numbers are means over many faces, not bounds: a single point can be
 * several times as far off. Costs two more runs of the landmark network. */
#define FACE_OUTPUT_PRECISION 0x100u
/* Position of each eye, in centimetres, and the direction in which it looks. 12 numbers in the camera's space of
 * `transform`: x, y and z of the left eye's centre, x, y and z of its direction (a vector of length 1), then the same
 * for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean nothing while the
 * eyes are closed. */
#define FACE_OUTPUT_GAZE 0x200u
#define FACE_OUTPUT_ALL 0x3ffu /* all of them */
/* end of generated */

/* The trade-off between speed and faces found. */
typedef uint32_t face_accuracy;

enum {
  FACE_ACCURACY_DEFAULT = 0,  /* balanced */
  FACE_ACCURACY_LOW = 1,      /* at least three times as fast as balanced; misses small faces */
  FACE_ACCURACY_BALANCED = 2, /* if a face is larger than 320 pixels of the network's input, which networks detect
                                 badly, the picture is searched a second time, scaled down to a long side of 448 */
  FACE_ACCURACY_HIGH = 3      /* several searches together: with YuNet and CenterFace, if CenterFace is loaded or its
                                 folder "centerface" is beside YuNet's; otherwise, and for any other model, with that
                                 one model several times */
};

/* How heads may be tilted to be found. */
typedef uint32_t face_rotations;

enum {
  FACE_ROTATIONS_UPRIGHT = 0, /* up to about 45 degrees to either side */
  FACE_ROTATIONS_ANY = 1      /* any angle, also upside down, as from a camera under the ceiling. The picture is
                                 searched as it is, and a second time turned back by the tilt of most heads. Heads with
                                 another tilt are searched one by one. Faces of the first search are kept, unless the
                                 turned picture shows just one large head. Takes about 1.4 times as long for upright
                                 heads, 2 to 2.5 times for tilted ones. At angles between quarter turns, some faces
                                 below 30 pixels of the network's input are lost. The five points are exact only if
                                 landmarks or another output are requested. A session without outputs searches every
                                 frame whole */
};

/* For face_options.max_side: search the image at its own size. */
#define FACE_OWN_SIZE UINT32_MAX

/* What to look for. */
typedef struct face_options {
  uint32_t struct_size;    /* set by face_options_init */
  /* generated: c-options DetectOptions 0.2 */
  float min_confidence; /* 0 to 1, default 0.6. Leave out faces with a lower confidence than this. */
  float overlap_threshold; /* 0 to 1, default 0.3. Leave out the less confident of two boxes whose intersection over
                              union is larger than this. The accuracies balanced and high average several boxes, and
                              allow 1.5 times this overlap. */
  uint32_t max_faces; /* 0 or more, default 0. At most this many faces, the most confident ones; 0 for all. Only a
                         network's 5000 most confident boxes count, also with 0 for all: any others are lost. */
  float min_face_size; /* 0 or more pixels, default 0. Leave out faces whose box is narrower or lower than this, in
                          pixels. */
  float min_face_share; /* 0 to 1, default 0. Leave out faces narrower than this share of the upright image's width. */
  uint32_t model_revision; /* 0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for
                              any. */
  uint32_t max_analysed_faces; /* 0 to 4294967295, default 1000. Measure landmarks and other outputs of at most this
                                  many faces: the most confident ones, or the first of the given boxes. 0 for as many as
                                  the engine's limit analysed_faces_per_image allows. */
  /* end of generated */
  uint32_t max_side;       /* 16 to 8192 pixels, default 0: an image with a longer side is scaled down to this side
                              before the search. 0: the size that the accuracy chooses (low 448, balanced 1024, high the
                              image's own). FACE_OWN_SIZE: never scaled. With a size in pixels, low and balanced search
                              exactly once. With any value but 0, high searches at no larger size. With 0 and
                              FACE_OWN_SIZE, faces that are too large for the network are also searched for at smaller
                              sizes */
  face_outputs outputs;    /* default 0: only box, confidence and five points */
  face_accuracy accuracy;  /* default balanced */
  const char *model;       /* default NULL: the engine's first model; otherwise the name of a model that the engine was
                              loaded with, UTF-8. A model that was loaded only for accuracy high cannot be named */
  uint64_t timeout_ns;     /* default 0: 60 s on a connection, no limit in process. A longer call ends with
                              FACE_DEADLINE_EXCEEDED */
  face_canceller *canceller; /* default NULL. In process, a call checks the canceller and the timeout every few
                                milliseconds; a network that a plug-in runs is not interrupted */
  const face_box *boxes;   /* default NULL: search for faces. Otherwise boxes of faces that you know already, in pixels
                              of the upright image, at most 1000, each with an area and at least partly inside the
                              image. No detector runs: `outputs`, which must be requested, are measured for these boxes.
                              The result has the faces in this order, with confidence 1; without boxes it is empty. Only
                              for face_detect. In C, `box_count` is their number, and the array is borrowed until the
                              call returns. */
  uint32_t box_count;      /* 0 to 1000. If it is 0 and `boxes` is not NULL, nothing is searched or measured */
  uint32_t prominent_only; /* default 0; 1: report only the most prominent face: the largest, where a face nearer to the
                              middle of the image counts as larger */
  face_rotations rotations; /* default FACE_ROTATIONS_UPRIGHT */
  uint32_t reserved;       /* 0 */
} face_options;

/* Does what face_options_init does, for a struct of `size` bytes. */
FACE_API void face_options_init_sized(face_options *options, size_t size);

/* Fills `options` with the defaults that face_options lists. NULL does nothing. */
static inline void face_options_init(face_options *options)
{
  face_options_init_sized(options, sizeof *options);
}

/* ---- Descriptions of options and outputs ----------------------------------------------------------------------- */

/* The library describes its options and outputs, so that bindings, settings pages and kiosks need no list of their own.
 * A newer library may describe more than this header knows; an older one describes less. */

/* A struct with numeric options. */
typedef uint32_t face_option_group;

enum {
  FACE_OPTION_GROUP_DETECTION = 0, /* face_options */
  FACE_OPTION_GROUP_TRACKING = 1,  /* face_session_options */
  FACE_OPTION_GROUP_CHECK = 2      /* face_check_options */
};

/* The C type of an option. Leave out an option of a kind that you do not know. */
typedef uint32_t face_option_kind;

enum {
  FACE_OPTION_KIND_FLOAT = 0,      /* float */
  FACE_OPTION_KIND_COUNT = 1,      /* uint32_t */
  FACE_OPTION_KIND_NANOSECONDS = 2, /* uint64_t */
  FACE_OPTION_KIND_SWITCH = 3 /* uint32_t, 0 or 1 */
};

/* An option that is a number or a switch. Texts are static. */
typedef struct face_option {
  uint32_t struct_size;  /* set by the library */
  face_option_kind kind;
  const char *name;      /* the member of the struct, as in "min_confidence" */
  const char *flag;      /* the name on the command line and in queries, as in "min-confidence"; durations are in
                            seconds there */
  const char *meaning;   /* one English sentence */
  double least;          /* the smallest value that is accepted */
  double most;           /* the largest value that is accepted; INFINITY if there is no limit */
  double standard;       /* the default */
  uint32_t offset;       /* bytes from the start of the struct to the member */
  uint32_t reserved;     /* 0 */
} face_option;

/* Returns the option of a group by its index from 0; NULL for a group or an index that does not exist. Never fails.
 *
 * size  the size of your struct of the group, as in sizeof(face_options): members beyond that size are not listed. */
FACE_API const face_option *face_option_at(face_option_group group, uint32_t index, size_t size);

/* Something that can be measured of each face. Texts are static. */
typedef struct face_output {
  uint32_t struct_size; /* set by the library */
  face_outputs bit;     /* FACE_OUTPUT_ */
  const char *name;     /* as in "iso_quality" */
  const char *flag;     /* the name on the command line and in queries, which may request several outputs */
  const char *meaning;  /* one English sentence */
  uint32_t count;       /* how many numbers face_result_values writes; 0 for the landmarks, which are points */
  uint32_t reserved;    /* 0 */
} face_output;

/* Returns an output by its index from 0; NULL for an index that does not exist. Never fails. */
FACE_API const face_output *face_output_at(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_OPTIONS_H */
