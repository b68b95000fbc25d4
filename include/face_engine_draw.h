/* FaceEngine: marks faces on pictures and crops them (libfaceengine-draw).
 *
 *     face_picture *picture = NULL;
 *     if (face_picture_create(&image, &picture) != FACE_OK)          // a copy; or face_picture_attach, in place
 *       return fail(face_draw_last_error());
 *     face_draw_result(picture, result, NULL);                       // what face_detect found
 *     face_picture_save(picture, "marked.png");
 *     face_picture_destroy(picture);
 *
 *     face_crop_options crop;
 *     face_crop_options_init(&crop);                                 // 300 x 300, exactly one face
 *     if (face_crop_result(&image, result, &crop, &picture) == FACE_OK) ...
 *
 * The conventions are those of face_engine.h: statuses, ownership, structs with struct_size, coordinates in pixels of
 * the upright image, left as the subject's left. The library has an error text of its own: face_draw_last_error().
 *
 * Alone      A program that gets its faces from elsewhere, such as the socket, need not link libfaceengine. It fills
 *            face_image and face_info with zeros instead of calling their _init functions, sets struct_size to their
 *            sizeof, and does not use the functions at the end, which take a face_result.
 * Threads    One thread at a time uses a picture; different pictures are independent.
 * Numbers    A mark whose position is not finite, or too far away to draw, is left out. A mark that extends beyond the
 *            picture is cut off.
 */
#ifndef FACE_ENGINE_DRAW_H
#define FACE_ENGINE_DRAW_H

#include "face_engine.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pictures ------------------------------------------------------------------------------------------------- */

/* Pictures to draw on: copies of images, or a program's own pixels. */

/* Returns one sentence about the last call to this library that failed on this thread, as face_last_error does. Never
 * fails. */
FACE_API const char *face_draw_last_error(void);

/* A picture to draw on. */
typedef struct face_picture face_picture;

/* Makes an upright copy of an image, with its orientation and mirroring applied, so that the coordinates of its faces
 * fit the picture. If the image is a file, face_picture_save keeps its RGB profile (ICC) and resolution, and the
 * transparency of a PNG or WebP; transparent pixels are blended with white for drawing.
 *
 * image        in any format that face_detect accepts; `region` is ignored, `memory` must be NULL.
 * out_picture  receives the picture; the caller destroys it with face_picture_destroy. */
FACE_API face_status face_picture_create(const face_image *image, face_picture **out_picture);

/* Makes a picture that draws on the caller's pixels in place: a drawing call has written them when it returns. Alpha
 * does not change. This call reads the pixels; nobody else may change them until face_picture_destroy.
 *
 * format       FACE_FORMAT_RGBA, BGRA, RGB, BGR or GRAY (then the marks' luma is drawn).
 * stride       bytes from one row to the next; 0: rows without padding.
 * size         bytes at `pixels`.
 * out_picture  receives the picture; the caller destroys it with face_picture_destroy. */
FACE_API face_status face_picture_attach(face_format format, uint32_t width, uint32_t height, size_t stride,
                                         void *pixels, size_t size, face_picture **out_picture);

/* Writes a view of the picture's own pixels to `out_image`, which must have been initialised: FACE_FORMAT_BGRA with
 * meaningless alpha, valid until the next call that draws on the picture or destroys it. */
FACE_API face_status face_picture_image(const face_picture *picture, face_image *out_image);

/* Copies the picture to `pixels`, which has room for `size` bytes, in one of the formats of face_picture_attach. Alpha
 * becomes 255. Fails with FACE_INVALID_ARGUMENT if there is too little room. */
FACE_API face_status face_picture_copy(const face_picture *picture, face_format format, size_t stride, void *pixels,
                                       size_t size);

/* Saves the picture as a file. The extension of the path chooses the kind: .png, or with quality 90 .jpg, .jpeg or
 * .webp; any other fails with FACE_INVALID_ARGUMENT. The path need not be UTF-8. JPEG has no transparency (it is
 * white), WebP no resolution. An existing file is replaced atomically: readers see the old file or the new one. */
FACE_API face_status face_picture_save(const face_picture *picture, const char *path);

/* Destroys a picture; attached pixels stay the caller's. NULL does nothing. */
FACE_API void face_picture_destroy(face_picture *picture);

/* ---- Style ---------------------------------------------------------------------------------------------------- */

/* Which marks are drawn, and how. */

/* A colour as 0xRRGGBBAA; AA is 00 for transparent and ff for opaque. */
typedef uint32_t face_draw_colour;

/* What to draw of each face: FACE_DRAW_ bits. A mark is left out if the face does not have what it shows. */
typedef uint32_t face_draw_marks;

#define FACE_DRAW_BOXES 0x1u   /* the box */
#define FACE_DRAW_CORNERS 0x2u /* only the corners of the box */
#define FACE_DRAW_POINTS 0x4u  /* the five points */
#define FACE_DRAW_IDS 0x8u     /* a tracked face's id, above its box */
#define FACE_DRAW_ANGLES 0x10u /* yaw, pitch and roll in degrees, below its box */
#define FACE_DRAW_LANDMARK_LINES 0x20u  /* outlines of eyes, eyebrows, nose, lips and face: face_draw_landmarks */
#define FACE_DRAW_LANDMARK_POINTS 0x40u /* all landmarks: face_draw_landmarks */
#define FACE_DRAW_FILLED 0x80u          /* the box filled, under everything else */
#define FACE_DRAW_TURNED_BOXES 0x100u   /* the box turned by the head's roll and foreshortened by its yaw; upright
                                              without a pose */
#define FACE_DRAW_AXES 0x200u           /* the head's axes: to the subject's left red, down green, out of the face blue
                                           */
#define FACE_DRAW_CONFIDENCES 0x400u    /* the confidence in percent, beside the id */
#define FACE_DRAW_MESH 0x800u           /* the triangles of the face mesh: face_draw_landmarks */
#define FACE_DRAW_CONTOURS 0x1000u      /* oval, eyes, eyebrows and lips in colours of their own: face_draw_landmarks */
#define FACE_DRAW_IRISES 0x2000u        /* the rims of the irises: face_draw_landmarks */
#define FACE_DRAW_ALL_LANDMARKS 0x3860u /* the five marks above that face_draw_landmarks draws */
#define FACE_DRAW_BLUR 0x4000u          /* the face blurred, under everything else: a cover */
#define FACE_DRAW_PIXELATE 0x8000u      /* the face in even cells, under everything else, instead of blurred: a cover */
#define FACE_DRAW_COVERS 0xc000u        /* the two marks above that cover a face. What a cover shows depends only on
                                           the means of its cells, at least 4 pixels large: nothing finer can be
                                           restored */

/* The shape of a cover. */
typedef uint32_t face_draw_cover_shape;

enum {
  FACE_DRAW_COVER_ELLIPSE = 0, /* the ellipse in the box with its margin */
  FACE_DRAW_COVER_BOX = 1      /* the box with its margin */
};

/* How marks are drawn. Lengths are pixels, 0 to 1000. */
typedef struct face_draw_style {
  uint32_t struct_size;             /* set by face_draw_style_init */
  face_draw_marks marks;            /* default boxes and points */
  float box_width;                  /* default 4 */
  float point_size;                 /* default 8: diameter of each of the five points */
  float line_width;                 /* default 2: width of landmark outlines */
  float landmark_size;              /* default 3: diameter of each landmark */
  float circle_width;               /* default 4: width of the mask's circle */
  float text_size;                  /* default 20 */
  float scale;                      /* default 1: every length is multiplied by this number; 0: by a factor that suits
                                       the picture, as if its long side were 1000 pixels */
  face_draw_colour box_colour;      /* default green */
  face_draw_colour point_colour;    /* default yellow */
  face_draw_colour landmark_colour; /* default light blue */
  face_draw_colour circle_colour;   /* default white */
  face_draw_colour text_colour;     /* default white, with a dark rim */
  face_draw_colour dim_colour;      /* default black, opacity 0.6: drawn around the circle of a hollow mask */
  uint32_t antialias;               /* default 1: smooth edges; 0: none */
  uint32_t reserved;                /* 0 */
  const char *font;                 /* default NULL: sans-serif; otherwise a family that fontconfig knows, UTF-8, or
                                       "@cairo:", which needs no installed font and has ASCII only */
  uint32_t scale_to_faces;          /* default 0; 1: lengths follow the size of each face. A box of 200 pixels gets the
                                       lengths above; lines stay visible and texts legible. If `scale` is 0, it counts as 1 */
  uint32_t colours_by_id;           /* default 0; 1: boxes, fills and plates of a face with an id have the colour of
                                       face_draw_colour_of_id */
  uint32_t plates;                  /* default 0: texts above and below the box; 1: texts on a plate in the box's
                                       colour, which avoids other plates, other faces and the picture's border. If there
                                       is no room, the least confident faces get no plate; at most 1000 faces have one
                                       */
  face_draw_colour fill_colour;     /* default green, opacity 0.35: colour of FACE_DRAW_FILLED */
  float mesh_width;                 /* default 1: width of the mesh's lines */
  float axis_width;                 /* default 3: width of the head's axes */
  face_draw_colour mesh_colour;     /* default 0xe0e0e0c0 */
  face_draw_colour contour_colour;  /* default 0xe0e0e0ff: oval and lips. This colour and the two below are MediaPipe's
                                       */
  face_draw_colour left_colour;     /* default 0x30ff30ff: the subject's left eye, eyebrow and iris */
  face_draw_colour right_colour;    /* default 0xff3030ff: the subject's right eye, eyebrow and iris */
  uint32_t cover_cells;             /* 1 to 16, default 6: cells of a cover along the longer side of the face's box */
  float cover_margin;               /* 0 to 2, default 0.3: space on each side of the box that a cover hides too, in
                                       units of the box. The default hides hair, ears and chin */
  face_draw_cover_shape cover_shape; /* default FACE_DRAW_COVER_ELLIPSE, which fades out around its rim */
  face_draw_colour cover_colour;    /* default transparent: laid over a cover; an opaque one leaves nothing of the face
                                       */
} face_draw_style;

/* Does what face_draw_style_init does, for a struct of `size` bytes. */
FACE_API void face_draw_style_init_sized(face_draw_style *style, size_t size);

/* Fills `style` with the defaults that face_draw_style lists. NULL does nothing. */
static inline void face_draw_style_init(face_draw_style *style)
{
  face_draw_style_init_sized(style, sizeof *style);
}

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

/* Draw faces, landmarks, masks, text, images and overlays on a picture. */

/* Returns the opaque colour of an id: the same in every picture, and different from the colours of the ids before and
 * after it. */
FACE_API face_draw_colour face_draw_colour_of_id(uint64_t id);

/* Reads a colour: a CSS name such as "orange", or "RRGGBB" or "RRGGBBAA" in hexadecimal digits, with or without '#'
 * before them. Fails with FACE_INVALID_ARGUMENT for other texts; the error lists the names. */
FACE_API face_status face_draw_colour_from_text(const char *text, face_draw_colour *out_colour);

/* Draws `count` faces, with every mark except landmarks.
 *
 * faces  an array of face_info as face_result_get fills them; struct_size is the distance from one to the next. NULL if
 *        `count` is 0.
 * style  NULL for the defaults, as in every call below. */
FACE_API face_status face_draw_faces(face_picture *picture, const face_info *faces, uint32_t count,
                                     const face_draw_style *style);

/* Does what face_draw_faces does, and writes a label at each face, before its id.
 *
 * labels  `count` texts in UTF-8; NULL or "" for a face without a label. Every script works for which the system has a
 *         font. */
FACE_API face_status face_draw_labelled_faces(face_picture *picture, const face_info *faces, const char *const *labels,
                                              uint32_t count, const face_draw_style *style);

/* Covers `count` faces and draws no other mark: blurred, or pixelated if `style->marks` has FACE_DRAW_PIXELATE.
 *
 * image  NULL, or an image that is drawn over each cover, undistorted and as large as needed to fill the box with its
 *        margin. Where it is transparent the cover is seen. */
FACE_API face_status face_draw_covers(face_picture *picture, const face_image *image, const face_info *faces,
                                      uint32_t count, const face_draw_style *style);

/* Draws the landmarks of one face: the marks of FACE_DRAW_ALL_LANDMARKS that `style->marks` has, or lines if it has no
 * such mark. With `scale_to_faces` lengths follow the box around the points.
 *
 * points  the 478 points of FACE_REGION_ALL_POINTS, as face_result_landmarks writes them.
 *
 * Fails with FACE_INVALID_ARGUMENT for another count. */
FACE_API face_status face_draw_landmarks(face_picture *picture, const face_landmark *points, uint32_t count,
                                         const face_draw_style *style);

/* Draws the circle that a face should fill; with `hollow` 1 it also dims the picture outside the circle. */
FACE_API face_status face_draw_mask(face_picture *picture, const face_circle *circle, uint32_t hollow,
                                    const face_draw_style *style);

/* How a text is aligned to its position. */
typedef uint32_t face_draw_anchor;

enum {
  FACE_DRAW_ANCHOR_LEFT = 0, /* the text begins at the position */
  FACE_DRAW_ANCHOR_MIDDLE = 1,
  FACE_DRAW_ANCHOR_RIGHT = 2
};

/* Draws a line of UTF-8 text with its baseline at `place`; an empty text draws nothing. */
FACE_API face_status face_draw_text(face_picture *picture, const char *text, face_point place,
                                    face_draw_anchor anchor, const face_draw_style *style);

/* Draws another image so that it fills `box`. Transparency is kept (RGBA, BGRA, PNG, WebP). */
FACE_API face_status face_draw_image(face_picture *picture, const face_image *image, const face_box *box);

/* Where the eyes are in an overlay. */
typedef struct face_draw_overlay_options {
  uint32_t struct_size;  /* set by face_draw_overlay_options_init */
  uint32_t mirrored;     /* default 0; 1: draw the overlay mirrored, for a picture that is a mirror image. `left_eye`
                            and `right_eye` still describe the overlay as it is stored */
  face_point left_eye;   /* the subject's left eye, 0 to 1 over the overlay from its top-left corner; default 0.75, 0.5
                            */
  face_point right_eye;  /* default 0.25, 0.5 */
  const float *transform; /* default NULL: not known; otherwise the face's 16 numbers of FACE_OUTPUT_TRANSFORM, measured
                             in an image of this picture's size. Borrowed */
  float arms;            /* how much of the overlay at each side reaches back to the ears, like the arms of glasses;
                            arms are visible only from their side. default 0: the overlay's thin ends, if it has any;
                            above 0, up to 0.45: this fraction of its width; below 0: no arms */
  uint32_t reserved;     /* 0 */
} face_draw_overlay_options;

/* Does what face_draw_overlay_options_init does, for a struct of `size` bytes. */
FACE_API void face_draw_overlay_options_init_sized(face_draw_overlay_options *options, size_t size);

/* Fills `options` with the defaults that face_draw_overlay_options lists. NULL does nothing. */
static inline void face_draw_overlay_options_init(face_draw_overlay_options *options)
{
  face_draw_overlay_options_init_sized(options, sizeof *options);
}

/* Draws an image with transparency, such as a pair of glasses, on a face, with the image's eyes on the face's eyes.
 * With `options->transform`, or else with the face's angles (FACE_VALID_POSE), the image is in the head's perspective.
 * If only the five points are known, the eyes give its position, scale and rotation. The image is never upside down,
 * whether the points are those of a picture or of a mirror image (face_result_get_in).
 *
 * overlay  borrowed; of any size.
 * options  NULL for the defaults.
 *
 * Fails with FACE_FAILED_PRECONDITION if the face's points are not known. */
FACE_API face_status face_draw_overlay(face_picture *picture, const face_image *overlay, const face_info *face,
                                       const face_draw_overlay_options *options);

/* ---- Crops ---------------------------------------------------------------------------------------------------- */

/* Crop faces from images. */

/* Which face to crop. */
typedef uint32_t face_crop_choice;

enum {
  FACE_CROP_ONLY_FACE = 0,   /* the only face: there must be exactly one */
  FACE_CROP_LARGEST_FACE = 1 /* the largest of several faces */
};

/* What happens if the face with its margin does not fit into the picture. */
typedef uint32_t face_crop_overflow;

enum {
  FACE_CROP_FAIL = 0,  /* the call fails with FACE_OUT_OF_RANGE */
  FACE_CROP_CLAMP = 1, /* the margin shrinks as far as needed */
  FACE_CROP_PAD = 2    /* the crop stays centred on the face; outside the picture its last pixels are repeated */
};

/* For face_crop_options.margin: the crop shows as much of the picture as its shape allows (aspect fill). */
#define FACE_CROP_FILL (-1.0f)

/* What a crop shows. */
typedef struct face_crop_options {
  uint32_t struct_size;    /* set by face_crop_options_init */
  face_crop_choice choice; /* default FACE_CROP_ONLY_FACE */
  uint32_t width, height;  /* 16 to 8192, default 300: pixels of the crop */
  float margin;            /* default FACE_CROP_FILL; otherwise 0 to 10: space on each side of the face's box, in units
                              of its longer side */
  float headroom;          /* -10 to 10, default 0: how far the crop's centre lies above the face's, in heights of its
                              box */
  face_crop_overflow overflow; /* default FACE_CROP_FAIL: what happens if the face with its margin does not fit into the
                                  picture */
} face_crop_options;

/* Does what face_crop_options_init does, for a struct of `size` bytes. */
FACE_API void face_crop_options_init_sized(face_crop_options *options, size_t size);

/* Fills `options` with the defaults that face_crop_options lists. NULL does nothing. */
static inline void face_crop_options_init(face_crop_options *options)
{
  face_crop_options_init_sized(options, sizeof *options);
}

/* Crops a face from an image, as an avatar. The face is in the centre, unless it is too near the picture's edge.
 *
 * image        as in face_picture_create; not changed.
 * faces        its `count` faces, as in face_draw_faces.
 * options      NULL for the defaults.
 * out_picture  receives the crop; the caller destroys it with face_picture_destroy.
 *
 * Fails with FACE_NOT_FOUND if there is no face; with FACE_FAILED_PRECONDITION if there are several and `choice` is
 * FACE_CROP_ONLY_FACE; and with FACE_OUT_OF_RANGE if the face does not fit: the picture is too small for the margin, or
 * the crop's shape would cut the face off. With `overflow` FACE_CROP_PAD every face fits, with FACE_CROP_CLAMP every
 * face that the shape does not cut off. */
FACE_API face_status face_crop_portrait(const face_image *image, const face_info *faces, uint32_t count,
                                        const face_crop_options *options, face_picture **out_picture);

/* Crops a face with level eyes in fixed places, for face recognition networks: the crop is turned, scaled and shifted
 * so that the five points are as near as possible to those of InsightFace's template (ArcFace). Beyond the picture's
 * edge its last pixels are repeated. Request landmarks of the face (FACE_OUTPUT_LANDMARKS): then the five points follow
 * a tilted head.
 *
 * side         pixels of the square crop; 0: 112, the template's own size. The template scales with the side.
 * out_picture  receives the crop; the caller destroys it with face_picture_destroy.
 *
 * Fails with FACE_FAILED_PRECONDITION if the face's points are not known. */
FACE_API face_status face_crop_aligned(const face_image *image, const face_info *face, uint32_t side,
                                       face_picture **out_picture);

/* ---- Results -------------------------------------------------------------------------------------------------- */

/* Inline functions that take a face_result, for programs that also link libfaceengine. */

/* Returns the faces of a result as an array, which the caller frees with free(); NULL if there are no faces or too
 * little memory. */
static inline face_info *face_draw_faces_of(const face_result *result)
{
  uint32_t count = face_result_count(result);
  face_info *faces = count == 0 ? NULL : (face_info *)malloc(count * sizeof *faces);
  if (faces == NULL) return NULL;
  for (uint32_t index = 0; index < count; index++) {
    face_info_init(&faces[index]);
    face_result_get(result, index, &faces[index]);
  }
  return faces;
}

/* Draws every face of a result, with its landmarks above the covers and below the other marks, if `style->marks` names
 * them and they were requested. */
static inline face_status face_draw_result(face_picture *picture, const face_result *result,
                                           const face_draw_style *style)
{
  uint32_t count = face_result_count(result);
  face_status status = FACE_OK;
  face_info *faces = face_draw_faces_of(result);
  if (count != 0 && faces == NULL) return FACE_RESOURCE_EXHAUSTED;
  face_draw_style marked;
  if (style != NULL && (style->marks & FACE_DRAW_COVERS) != 0 && FACE_HAS_MEMBER(style, cover_colour)) {
    status = face_draw_covers(picture, NULL, faces, count, style);
    marked = *style;
    marked.struct_size = sizeof marked;
    marked.marks &= ~FACE_DRAW_COVERS;
    style = &marked;
  }
  if (style != NULL && (style->marks & FACE_DRAW_ALL_LANDMARKS) != 0) {
    for (uint32_t index = 0; status == FACE_OK && index < count; index++) {
      face_landmark points[478];
      uint32_t found = 0;
      if (face_result_landmarks(result, index, FACE_REGION_ALL_POINTS, points, 478, &found) == FACE_OK && found == 478)
        status = face_draw_landmarks(picture, points, found, style);
    }
  }
  if (status == FACE_OK) status = face_draw_faces(picture, faces, count, style);
  free(faces);
  return status;
}

/* Does what face_draw_overlay does, for one face of a result: in perspective if its transform was requested
 * (FACE_OUTPUT_TRANSFORM). */
static inline face_status face_draw_overlay_result(face_picture *picture, const face_image *overlay,
                                                   const face_result *result, uint32_t index,
                                                   const face_draw_overlay_options *options)
{
  face_info face;
  face_info_init(&face);
  face_status status = face_result_get(result, index, &face);
  if (status != FACE_OK) return status;
  face_draw_overlay_options known;
  face_draw_overlay_options_init(&known);
  if (options != NULL) {
    known.mirrored = options->mirrored;
    known.left_eye = options->left_eye;
    known.right_eye = options->right_eye;
    if (FACE_HAS_MEMBER(options, arms)) known.arms = options->arms;
  }
  float transform[16];
  uint32_t found = 0;
  if ((face.valid & FACE_VALID_TRANSFORM) != 0 &&
      face_result_values(result, index, FACE_OUTPUT_TRANSFORM, transform, 16, &found) == FACE_OK && found == 16)
    known.transform = transform;
  return face_draw_overlay(picture, overlay, &face, &known);
}

/* Does what face_crop_portrait does, with the faces of a result. */
static inline face_status face_crop_result(const face_image *image, const face_result *result,
                                           const face_crop_options *options, face_picture **out_picture)
{
  uint32_t count = face_result_count(result);
  face_info *faces = face_draw_faces_of(result);
  if (count != 0 && faces == NULL) return FACE_RESOURCE_EXHAUSTED;
  face_status status = face_crop_portrait(image, faces, count, options, out_picture);
  free(faces);
  return status;
}

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_DRAW_H */
