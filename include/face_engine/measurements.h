/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_MEASUREMENTS_H
#define FACE_ENGINE_MEASUREMENTS_H

#include "detection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measurements --------------------------------------------------------------------------------------------- */

/* Read what was measured of each face: landmarks, expressions, gaze and ISO quality. */

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

/* A set of landmarks: all of the mesh, or a smaller one with the same regions. The names, and of 65 and 76 points the numbers of
 * points and the shared points, are those of Apple Vision's VNRequestFaceLandmarksConstellation. The 98 points and their order
 * are those of WFLW (Wu and others, "Look at Boundary", CVPR 2018). Points of a smaller set lie between two points of the mesh,
 * which were fitted to WFLW's labels; Proto/faces.json lists them. Its contour is the outline of the face in the picture. */
typedef uint32_t face_constellation;

enum {
  FACE_CONSTELLATION_MESH = 0,      /* 478 points */
  FACE_CONSTELLATION_65_POINTS = 1,
  FACE_CONSTELLATION_76_POINTS = 2,
  FACE_CONSTELLATION_98_POINTS = 3
};

/* How the points of a region are joined; the values are those of VNPointsClassification. */
typedef uint32_t face_path;

enum {
  FACE_PATH_DISCONNECTED = 0,
  FACE_PATH_OPEN = 1,  /* each point to the next */
  FACE_PATH_CLOSED = 2 /* also the last to the first */
};

/* Does what face_result_landmarks does, with the points of a constellation. FACE_REGION_ALL_POINTS has each point once: of 98
 * points in the order of WFLW, otherwise in the order of the regions. */
FACE_API face_status face_result_constellation(const face_result *result, uint32_t index, face_constellation constellation,
                                               face_region region, face_landmark *points, uint32_t capacity,
                                               uint32_t *out_count);

/* Writes which point of the mesh is nearest to each point of a region, in drawing order: numbers from 0 to 477, as for
 * FACE_OUTPUT_PRECISION. Of the contour they are the points that are nearest on a face that looks into the camera.
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

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_MEASUREMENTS_H */
