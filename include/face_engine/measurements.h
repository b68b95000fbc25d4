/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_MEASUREMENTS_H
#define FACE_ENGINE_MEASUREMENTS_H

#include "detection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measurements --------------------------------------------------------------------------------------------- */

/* Read what was measured of each face: landmarks, expressions, gaze and ISO quality. */

/* The parts of a face that have their own landmarks; left is the subject's left. */
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
 * Fails with FACE_FAILED_PRECONDITION if landmarks were not requested or are not known, and with FACE_OUT_OF_RANGE if
 * there is no such face or too little room. */
FACE_API face_status face_result_landmarks(const face_result *result, uint32_t index, face_region region,
                                           face_landmark *points, uint32_t capacity, uint32_t *out_count);

/* A set of landmarks: the whole mesh, or a smaller set with the same regions. The names are those of Apple Vision's
 * VNRequestFaceLandmarksConstellation. The sets of 65 and 76 points also have Vision's numbers of points for each
 * region, and share points as Vision's do. The 98 points and their order are those of WFLW (Wu and others, "Look at
 * Boundary", CVPR 2018). Each point of a smaller set lies between two points of the mesh. Proto/faces.json lists these
 * places, which were fitted to the points that people marked by hand in WFLW's photos. The contour of a smaller set is
 * the outline of the face in the picture. */
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

/* Does what face_result_landmarks does, with the points of a constellation. FACE_REGION_ALL_POINTS has each point once:
 * the 98 points in the order of WFLW, those of other constellations in the order of the regions. */
FACE_API face_status face_result_constellation(const face_result *result, uint32_t index,
                                               face_constellation constellation, face_region region,
                                               face_landmark *points, uint32_t capacity, uint32_t *out_count);

/* Writes which point of the mesh is nearest to each point of a region, in drawing order: numbers from 0 to 477, as for
 * FACE_OUTPUT_PRECISION. For the contour, "nearest" is on a face that looks into the camera.
 *
 * indices    has room for `capacity` numbers; NULL: only count them.
 * out_count  receives how many there are; may be NULL.
 *
 * Fails with FACE_INVALID_ARGUMENT for an unknown constellation or region, and with FACE_OUT_OF_RANGE for too little
 * room. */
FACE_API face_status face_constellation_indices(face_constellation constellation, face_region region, uint32_t *indices,
                                                uint32_t capacity, uint32_t *out_count);

/* Writes how the points of a region are joined. Fails with FACE_INVALID_ARGUMENT for an unknown constellation or
   region. */
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

/* Returns the name of a coefficient, as in "mouthSmileLeft" (ARKit's names); NULL if there is no such coefficient.
 * Static text. Never fails. */
FACE_API const char *face_expression_name(uint32_t expression);

/* Writes the numbers that one output measured of one face: in the order of the members of face_info, or in the order
 * that the comment of the FACE_OUTPUT_ bit gives.
 *
 * index      of the face, as in face_result_get.
 * output     one FACE_OUTPUT_ bit other than FACE_OUTPUT_LANDMARKS.
 * values     has room for `capacity` numbers; NULL: only count them.
 * out_count  receives the number of values; may be NULL.
 *
 * Fails with FACE_INVALID_ARGUMENT for any other `output`, otherwise as face_result_landmarks does. */
FACE_API face_status face_result_values(const face_result *result, uint32_t index, face_outputs output, float *values,
                                        uint32_t capacity, uint32_t *out_count);

/* A flat screen: three of its corners, named as the person in front of it sees them. Each is x, y and z in centimetres,
 * in the camera's space of FACE_OUTPUT_TRANSFORM. For example, a screen of 34 × 19 cm lies in the camera's plane, with
 * its upper edge 1 cm below the camera. Its corners are (17, -1, 0), (-17, -1, 0) and (17, -20, 0): its left edge is at
 * the right of the picture. */
typedef struct face_screen {
  float top_left[3], top_right[3], bottom_left[3];
} face_screen;

/* Writes where a face looks on a screen, by the mean of both eyes' lines of sight: (0, 0) is the screen's upper left
 * corner and (1, 1) its lower right corner; other values are outside it.
 *
 * Fails with FACE_FAILED_PRECONDITION if FACE_OUTPUT_GAZE was not requested or is not known; with FACE_OUT_OF_RANGE if
 * there is no such face, or the eyes do not look towards the screen's plane; and with FACE_INVALID_ARGUMENT for a
 * screen whose corners lie on one line or are not finite numbers. */
FACE_API face_status face_result_look_at(const face_result *result, uint32_t index, const face_screen *screen,
                                         face_point *out_point);

/* Does what face_result_look_at does, with the 12 numbers of FACE_OUTPUT_GAZE that the program kept. */
FACE_API face_status face_gaze_look_at(const float *gaze, const face_screen *screen, face_point *out_point);

/* The measures of FACE_OUTPUT_ISO_QUALITY, with their native values. They are the measures of ISO/IEC 29794-5:2025 that
 * need no network but the face mesh, with the formulas of the standard's reference implementation, OFIQ 1.0.3 of the
 * German BSI. The left and the right eye are the subject's; an eye's centre is the middle between its corners. T is the
 * distance from the middle between the eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1. It is measured inside the
 * convex hull of contour and eyebrows, in a picture scaled so that the eyes are about 113 pixels apart. */
typedef uint32_t face_iso_measure;

enum {
  FACE_ISO_HEAD_POSE_YAW = 0,   /* degrees, with the signs of ISO/IEC 39794-5: positive to the subject's left */
  FACE_ISO_HEAD_POSE_PITCH = 1, /* degrees, positive down: face_info.pitch with the opposite sign */
  FACE_ISO_HEAD_POSE_ROLL = 2,  /* degrees, positive to the right shoulder: face_info.roll with the opposite sign */
  FACE_ISO_INTER_EYE_DISTANCE = 3, /* pixels between the eyes' centres, divided by the cosine of yaw */
  FACE_ISO_HEAD_SIZE = 4,          /* T divided by the picture's height; best at 0.45 */
  FACE_ISO_LEFTWARD_CROP_OF_THE_FACE_IMAGE = 5,  /* from the picture's left edge to the left eye, divided by the
                                                    distance of the eyes */
  FACE_ISO_RIGHTWARD_CROP_OF_THE_FACE_IMAGE = 6, /* from the right edge to the right eye, divided by the distance of the
                                                    eyes */
  FACE_ISO_MARGIN_ABOVE_OF_THE_FACE_IMAGE = 7,   /* from the upper edge to the eyes, divided by T */
  FACE_ISO_MARGIN_BELOW_OF_THE_FACE_IMAGE = 8,   /* from the eyes to the lower edge, divided by T */
  FACE_ISO_SINGLE_FACE_PRESENT = 9, /* area of the second largest box of the result, divided by that of the largest; 0
                                       if there is only one face. Only faces in the result count: see
                                       face_options.max_faces, min_confidence */
  FACE_ISO_ILLUMINATION_UNIFORMITY = 10,   /* 0 to 1: how similar the luminances of the two cheeks are (intersection of
                                              their histograms) */
  FACE_ISO_LUMINANCE_MEAN = 11,            /* 0 to 1 */
  FACE_ISO_LUMINANCE_VARIANCE = 12,        /* the variance of luminances between 0 and 1 */
  FACE_ISO_UNDER_EXPOSURE_PREVENTION = 13, /* the fraction of pixels with a luminance up to 25/255 */
  FACE_ISO_OVER_EXPOSURE_PREVENTION = 14,  /* the fraction of pixels with a luminance of 247/255 or more */
  FACE_ISO_DYNAMIC_RANGE = 15,             /* bits, 0 to 8: the entropy of the luminances */
  FACE_ISO_NATURAL_COLOUR = 16, /* 0 to 100: how far the cheeks' mean colour is from the colours that skin has in CIELAB
                                   */
  FACE_ISO_EYES_OPEN = 17,      /* the distance between the lids of the eye that is less open, divided by T */
  FACE_ISO_MOUTH_CLOSED = 18    /* the distance between the lips, divided by T */
};

#define FACE_ISO_MEASURE_COUNT 19

/* Returns the name of a measure, as in "headPoseYaw": ISO's name in the spelling of the JSON output; NULL if there is
 * no such measure. Static text. Never fails. */
FACE_API const char *face_iso_measure_name(face_iso_measure measure);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_MEASUREMENTS_H */
