/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_DETECTION_H
#define FACE_ENGINE_DETECTION_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Detection ------------------------------------------------------------------------------------------------ */

/* Find faces and read the results. */

/* The faces of one image. Immutable. */
typedef struct face_result face_result;

/* Finds the faces of one image. If the model is loaded in this process, the search runs on the calling thread.
 *
 * image       borrowed until the call returns.
 * options     NULL for the defaults.
 * out_result  receives the result, which is empty if the image has no face; the caller destroys it with
 *             face_result_destroy. May be NULL if only the listener needs the result.
 *
 * Fails with FACE_INVALID_ARGUMENT for an image or option that cannot be used; FACE_OUT_OF_RANGE for an image that is
 * too small or too large; FACE_UNIMPLEMENTED for a struct member that this version does not know;
 * FACE_FAILED_PRECONDITION if the model's network does not fit its model.json; and FACE_RESOURCE_EXHAUSTED if there is
 * too little memory (face_load_options.max_input_pixels says how much a search needs), or if a limit of the engine is
 * reached. On a connected engine also with FACE_UNAVAILABLE if the engine stopped, FACE_DEADLINE_EXCEEDED if it does
 * not answer, and FACE_DATA_LOSS if the process at the socket is not an engine. */
FACE_API face_status face_detect(face_engine *engine, const face_image *image, const face_options *options,
                                 face_result **out_result);

/* Finds the faces of several images, one after the other; an image that fails does not affect the others.
 *
 * images       `count` pointers, each borrowed until the call returns.
 * out_results  room for `count` results, which the caller destroys. The result of an image that failed has no faces;
 *              face_result_status says why it failed. Not written if the call as a whole fails.
 *
 * The call as a whole fails as face_detect does. The listener is called once for each image. */
FACE_API face_status face_detect_batch(face_engine *engine, const face_image *const *images, uint32_t count,
                                       const face_options *options, face_result **out_results);

/* Returns FACE_OK, or why this image of a batch failed. For a failed image `*out_message` receives the error as a
 * sentence, valid as long as the result; `out_message` may be NULL. */
FACE_API face_status face_result_status(const face_result *result, const char **out_message);

/* Bits of face_info.valid: which members are known. An output has the same bit here as in FACE_OUTPUT_. */
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

/* One face. A group of members is known if its bit in `valid` is set; otherwise its members are zero. The bit is also 0
 * if the library, or a connected engine, is too old to know the group. */
typedef struct face_info {
  uint32_t struct_size;   /* set by face_info_init */
  uint32_t valid;         /* FACE_VALID_ bits */
  face_box box;           /* may extend beyond the image */
  face_box clamped_box;   /* the part of `box` inside the image */
  float confidence;       /* 0 to 1, from the detector. In a session that requests outputs, the landmark network follows
                             the face between searches of whole frames; in these frames, confidence is the landmark
                             network's probability of a face */
  face_point left_eye;    /* FACE_VALID_POINTS: The five points are the detector's, which hardly follow a tilted head.
                             If landmarks or another output were requested and found, the five points are taken from the
                             landmarks */
  face_point right_eye;   /* FACE_VALID_POINTS */
  face_point nose_tip;    /* FACE_VALID_POINTS */
  face_point mouth_left;  /* FACE_VALID_POINTS: the corner of the mouth */
  face_point mouth_right; /* FACE_VALID_POINTS: the corner of the mouth */
  uint32_t frame_count;   /* FACE_VALID_ID: frames in which this face was found under its id, this one included */
  uint64_t id;            /* FACE_VALID_ID: set by a session as soon as min_hits allows: from 1, unique in the session,
                             never used for another face. A face that left and returns gets a new id, unless
                             face_session_options.reidentify recognises it. The id follows place, size and appearance,
                             not identity: if another person takes the place of the face, the id usually changes, but
                             not always (docs/tracking.md). To know who a person is, compare pictures with a recognition
                             network */
  float yaw;              /* FACE_VALID_POSE, degrees: positive to the subject's left, the picture's right edge.
                             docs/coordinates.md has pictures of the signs */
  float pitch;            /* FACE_VALID_POSE, degrees: positive with the chin up */
  float roll;             /* FACE_VALID_POSE, degrees: positive clockwise as the picture shows it, to the subject's left
                             shoulder: the angle of the line through the eyes */
  float left_eye_open;    /* FACE_VALID_EYES: 0 closed, 1 wide open; below 0.5 an eye counts as closed. A session that
                             tracks measures relative to the person's own open eyes, once it has seen them in a few
                             frames */
  float right_eye_open;   /* FACE_VALID_EYES: the same for the right eye */
  float smile;            /* FACE_VALID_MOUTH: 0 none, 1 full; from 0.5 a face counts as smiling */
  float mouth_open;       /* FACE_VALID_MOUTH: 0 closed, 1 wide open */
  float quality;          /* FACE_VALID_QUALITY, 0 to 1, like its five parts below: how good a picture of the face this
                             is */
  float sharpness;        /* FACE_VALID_QUALITY: how much detail the face has */
  float exposure;         /* FACE_VALID_QUALITY: neither too dark nor too bright */
  float size;             /* FACE_VALID_QUALITY: enough pixels */
  float frontality;       /* FACE_VALID_QUALITY: looking straight into the camera */
  float framing;          /* FACE_VALID_QUALITY: not cut off by the edge of the picture */
  uint32_t predicted;     /* 1: this frame of a session with an analysis_rate was not searched. Box and points continue
                             the face's last movement, confidence is that of the last search, and nothing else is known
                             */
} face_info;

/* Does what face_info_init does, for a struct of `size` bytes. */
FACE_API void face_info_init_sized(face_info *info, size_t size);

/* Prepares `info` to receive a face. NULL does nothing. */
static inline void face_info_init(face_info *info)
{
  face_info_init_sized(info, sizeof *info);
}

/* Returns whether a face smiles, like CIDetector's hasSmile; 0 if face_info.valid says that this is not known.
 * docs/benchmarks.md says how often it is right. */
static inline int face_has_smile(const face_info *face)
{
  return (face->valid & FACE_VALID_MOUTH) != 0 && face->smile >= 0.5f;
}

/* Returns whether the subject's left eye is closed; 0 if that is not known. */
static inline int face_left_eye_closed(const face_info *face)
{
  return (face->valid & FACE_VALID_EYES) != 0 && face->left_eye_open < 0.5f;
}

/* Returns whether the subject's right eye is closed; 0 if that is not known. */
static inline int face_right_eye_closed(const face_info *face)
{
  return (face->valid & FACE_VALID_EYES) != 0 && face->right_eye_open < 0.5f;
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

/* Writes the size of the upright image in pixels; the coordinates of the faces refer to it. Either pointer may be
   NULL. */
FACE_API face_status face_result_image_size(const face_result *result, uint32_t *out_width, uint32_t *out_height);

/* One of the models that made a result. If two have the same weights_sha256, they are the same network. */
typedef struct face_model {
  uint32_t struct_size;       /* set by face_model_init */
  uint32_t revision;          /* from 1; raised when the same pixels give other faces than before.
                                 face_options.model_revision requires a revision */
  char name[64];              /* as in "yunet", UTF-8, cut off after 63 bytes */
  uint8_t weights_sha256[32]; /* of the file with the weights that were used; weights in eight bits have a file of their
                                 own */
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

/* Returns how many faces at the end of the result were not measured, because a call measures at most
 * face_options.max_analysed_faces. 0 for NULL. Never fails. */
FACE_API uint32_t face_result_unanalysed_count(const face_result *result);

/* Describes model `index` of the result. Fails with FACE_OUT_OF_RANGE if there is no such model. */
FACE_API face_status face_result_model(const face_result *result, uint32_t index, face_model *out_model);

/* Destroys a result. NULL does nothing. */
FACE_API void face_result_destroy(face_result *result);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_DETECTION_H */
