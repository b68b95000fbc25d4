/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_COORDINATES_H
#define FACE_ENGINE_COORDINATES_H

#include "detection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Coordinates ---------------------------------------------------------------------------------------------- */

/* Convert positions between the upright image, normalised spaces and a view. docs/coordinates.md has the formulas. */

/* The origin and unit of a coordinate space. */
typedef uint32_t face_space_kind;

enum {
  FACE_SPACE_PIXELS = 0,                 /* pixels of the upright image, origin top-left: what results have */
  FACE_SPACE_NORMALISED = 1,             /* 0 to 1 over the upright image, origin top-left (AVFoundation) */
  FACE_SPACE_NORMALISED_BOTTOM_LEFT = 2, /* the same with origin bottom-left, y up (Vision) */
  FACE_SPACE_VIEW = 3,                   /* pixels of a view that shows the image, origin top-left */
  FACE_SPACE_PIXELS_BOTTOM_LEFT = 4      /* pixels of the upright image, origin bottom-left, y up (CIDetector) */
};

/* How an image fills a view of another shape. It is centred. */
typedef uint32_t face_fit;

enum {
  FACE_FIT_CONTAIN = 0, /* the whole image is visible, with bars at two sides (aspect fit) */
  FACE_FIT_COVER = 1,   /* the image fills the view and is cut off at two sides (aspect fill) */
  FACE_FIT_STRETCH = 2  /* each axis is scaled by itself */
};

/* A coordinate space. */
typedef struct face_space {
  uint32_t struct_size;  /* set by face_space_init */
  face_space_kind kind;
  float view_width;      /* for FACE_SPACE_VIEW, like all members below; above 0 */
  float view_height;
  face_fit fit;
  uint32_t rotation;     /* 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown */
  uint32_t mirrored;     /* 1: after the turn, left and right are exchanged, as in a mirror */
} face_space;

/* Does what face_space_init does, for a struct of `size` bytes. */
FACE_API void face_space_init_sized(face_space *space, size_t size);

/* Fills `space` with pixels of the upright image. NULL does nothing. */
static inline void face_space_init(face_space *space)
{
  face_space_init_sized(space, sizeof *space);
}

/* Converts `count` points from pixels of an upright image of `width` × `height` to `space`, in place.
 * Fails with FACE_INVALID_ARGUMENT if a size is 0 or the space is invalid. */
FACE_API face_status face_points_to_space(const face_space *space, uint32_t width, uint32_t height, face_point *points,
                                          uint32_t count);

/* Converts `count` points from `space` to pixels of an upright image of `width` × `height`, in place.
 * Fails as face_points_to_space does. */
FACE_API face_status face_points_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_point *points, uint32_t count);

/* Converts a box as face_points_to_space converts points. It remains a box of positive size: if the space is turned or
 * mirrored, its corners change places. */
FACE_API face_status face_box_to_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);

/* Converts a box as face_points_from_space converts points. It remains a box of positive size. */
FACE_API face_status face_box_from_space(const face_space *space, uint32_t width, uint32_t height, face_box *box);

/* A circle, such as the mask of a guided check. */
typedef struct face_circle {
  float x, y, radius; /* (x, y) is the centre */
} face_circle;

/* Converts a circle as face_points_to_space converts points. With FACE_FIT_STRETCH and in the normalised spaces it
 * would become an ellipse; the result is then the circle of the same area. */
FACE_API face_status face_circle_to_space(const face_space *space, uint32_t width, uint32_t height,
                                          face_circle *circle);

/* Converts a circle as face_points_from_space converts points, with ellipses handled as in face_circle_to_space. */
FACE_API face_status face_circle_from_space(const face_space *space, uint32_t width, uint32_t height,
                                            face_circle *circle);

/* Converts `count` points from the space of `box` to positions in the box, in place: 0 to 1 from the corner (box->x,
 * box->y). Fails with FACE_INVALID_ARGUMENT if the box has no area. */
FACE_API face_status face_points_to_box(const face_box *box, face_point *points, uint32_t count);

/* Converts `count` points from positions in the box to the space of `box`, in place: the inverse of
   face_points_to_box. */
FACE_API face_status face_points_from_box(const face_box *box, face_point *points, uint32_t count);

/* Computes the orientation of a camera's pixels in a device that may be turned.
 *
 * sensor           0, 90, 180 or 270 degrees clockwise: the turn that makes the pixels upright while the device is in
 *                  its normal position.
 * device           0, 90, 180 or 270 degrees clockwise: how far the device was turned from that position, as a person
 *                  who looks at its screen sees it.
 * faces_user       1 for a front camera, which sees the device turn the other way; otherwise 0. For pixels that arrive
 *                  as a mirror image, also set face_image.mirrored.
 * out_orientation  receives the value for face_image.orientation. */
FACE_API face_status face_orientation_of_camera(uint32_t sensor, uint32_t device, uint32_t faces_user,
                                                face_orientation *out_orientation);

/* Does what face_result_get does, with box and points in `space`. Left remains the subject's left. */
FACE_API face_status face_result_get_in(const face_result *result, uint32_t index, const face_space *space,
                                        face_info *out_info);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_COORDINATES_H */
