/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_MESH_H
#define FACE_ENGINE_MESH_H

#include "measurements.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The mesh ------------------------------------------------------------------------------------------------- */

/* Describes the face mesh as data: its edges, triangles and contours, and the points that have names. All numbers are
 * indices of points, 0 to 477, in the order of FACE_REGION_ALL_POINTS, which is MediaPipe's. The tables are static:
 * they never change, and nobody frees them. */

/* Returns the edges of the mesh: two indices for each, the smaller one first, in ascending order. Never fails.
 * Since 0.3.
 *
 * out_count  receives the number of edges, 1322; may be NULL. */
FACE_API const uint16_t *face_mesh_edges(uint32_t *out_count);

/* Returns the triangles of the mesh: three indices for each, as an index buffer of a graphics library has them. Seen by
 * the camera, the points of each triangle run counter-clockwise. Both eyes and the mouth are holes; the points of the
 * irises, 468 to 477, belong to no triangle. Never fails. Since 0.3.
 *
 * out_count  receives the number of triangles, 852; may be NULL. */
FACE_API const uint16_t *face_mesh_triangles(uint32_t *out_count);

/* The contours of ML Kit's face detector, with its names, numbers and numbers of points. Left is the subject's left.
 * Contours of the left and the right side have mirrored points in the same order. Since 0.3. */
typedef uint32_t face_contour;

enum {
  FACE_CONTOUR_FACE = 1, /* 36 points: the outline, from the top of the forehead by the left side */
  FACE_CONTOUR_LEFT_EYEBROW_TOP = 2,     /* 5 points, from the inner to the outer end */
  FACE_CONTOUR_LEFT_EYEBROW_BOTTOM = 3,  /* 5 points, from the inner to the outer end */
  FACE_CONTOUR_RIGHT_EYEBROW_TOP = 4,    /* 5 points, from the inner to the outer end */
  FACE_CONTOUR_RIGHT_EYEBROW_BOTTOM = 5, /* 5 points, from the inner to the outer end */
  FACE_CONTOUR_LEFT_EYE = 6,             /* 16 points, from the inner corner over the upper lid */
  FACE_CONTOUR_RIGHT_EYE = 7,            /* 16 points, from the inner corner over the upper lid */
  FACE_CONTOUR_UPPER_LIP_TOP = 8,        /* 11 points, from the right to the left corner of the mouth */
  FACE_CONTOUR_UPPER_LIP_BOTTOM = 9,     /* 9 points, from right to left, without the corners */
  FACE_CONTOUR_LOWER_LIP_TOP = 10,       /* 9 points, from right to left, without the corners */
  FACE_CONTOUR_LOWER_LIP_BOTTOM = 11,    /* 9 points, from right to left, without the corners */
  FACE_CONTOUR_NOSE_BRIDGE = 12,         /* 2 points: the root and the tip of the nose */
  FACE_CONTOUR_NOSE_BOTTOM = 13,         /* 3 points, from right to left: the base of the nose is in the middle */
  FACE_CONTOUR_LEFT_CHEEK = 14,          /* 1 point */
  FACE_CONTOUR_RIGHT_CHEEK = 15          /* 1 point */
};

/* Returns the points of a contour, in drawing order; NULL if there is no such contour. Since 0.3.
 *
 * out_count  receives the number of points, 0 if there is no such contour; may be NULL. */
FACE_API const uint16_t *face_contour_indices(face_contour contour, uint32_t *out_count);

/* Returns how the points of a contour are joined; FACE_PATH_DISCONNECTED for one point, and if there is no such
 * contour. Never fails. Since 0.3. */
FACE_API face_path face_contour_path(face_contour contour);

/* Returns the name of a contour, as in "leftEyebrowTop"; NULL if there is no such contour. Static text. Never fails.
 * Since 0.3. */
FACE_API const char *face_contour_name(face_contour contour);

/* The points of the mesh that have a name. The number of a value is the index of the point, as in
 * points[FACE_MESH_POINT_CHIN]. Left is the subject's left. Since 0.3. */
typedef uint32_t face_mesh_point;

enum {
  FACE_MESH_POINT_UPPER_LIP_TOP = 0,            /* the middle of the upper lip's upper edge */
  FACE_MESH_POINT_NOSE_BASE = 2,                /* where the nose meets the groove above the upper lip */
  FACE_MESH_POINT_NOSE_TIP = 4,                 /* the foremost point of the nose; 1, often called the tip, is below */
  FACE_MESH_POINT_GLABELLA = 9,                 /* between the eyebrows */
  FACE_MESH_POINT_FOREHEAD_TOP = 10,            /* the uppermost point of the mesh, near the hairline */
  FACE_MESH_POINT_UPPER_LIP_INNER = 13,         /* the middle of the upper lip's lower edge */
  FACE_MESH_POINT_LOWER_LIP_INNER = 14,         /* the middle of the lower lip's upper edge */
  FACE_MESH_POINT_MOUTH_BOTTOM = 17,            /* the middle of the lower lip's lower edge */
  FACE_MESH_POINT_RIGHT_EYE_OUTER_CORNER = 33,  /* the corner at the temple */
  FACE_MESH_POINT_MOUTH_RIGHT = 61,             /* the right corner of the mouth */
  FACE_MESH_POINT_RIGHT_EYE_INNER_CORNER = 133, /* the corner at the nose */
  FACE_MESH_POINT_RIGHT_LOWER_LID = 145,        /* the middle of the lid's edge */
  FACE_MESH_POINT_FOREHEAD = 151,               /* the middle of the forehead */
  FACE_MESH_POINT_CHIN = 152,                   /* the lowest point of the chin */
  FACE_MESH_POINT_RIGHT_UPPER_LID = 159,        /* the middle of the lid's edge */
  FACE_MESH_POINT_NOSE_ROOT = 168,              /* between the eyes */
  FACE_MESH_POINT_RIGHT_CHEEK = 205,            /* the middle of the cheek */
  FACE_MESH_POINT_RIGHT_EAR_ROOT = 234,         /* where the ear meets the cheek; the mesh has no ears */
  FACE_MESH_POINT_LEFT_EYE_OUTER_CORNER = 263,  /* the corner at the temple */
  FACE_MESH_POINT_MOUTH_LEFT = 291,             /* the left corner of the mouth */
  FACE_MESH_POINT_LEFT_EYE_INNER_CORNER = 362,  /* the corner at the nose */
  FACE_MESH_POINT_LEFT_LOWER_LID = 374,         /* the middle of the lid's edge */
  FACE_MESH_POINT_LEFT_UPPER_LID = 386,         /* the middle of the lid's edge */
  FACE_MESH_POINT_LEFT_CHEEK = 425,             /* the middle of the cheek */
  FACE_MESH_POINT_LEFT_EAR_ROOT = 454,          /* where the ear meets the cheek; the mesh has no ears */
  FACE_MESH_POINT_RIGHT_PUPIL = 468,            /* the centre of the iris */
  FACE_MESH_POINT_LEFT_PUPIL = 473              /* the centre of the iris */
};

/* Returns the name of a point, as in "leftCheek"; NULL for a point without a name. Static text. Never fails.
 * Since 0.3. */
FACE_API const char *face_mesh_point_name(face_mesh_point point);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_MESH_H */
