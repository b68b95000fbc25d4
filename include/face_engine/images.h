/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_IMAGES_H
#define FACE_ENGINE_IMAGES_H

#include "status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Images --------------------------------------------------------------------------------------------------- */

/* Describe images: files or pixels, in the program's memory or in shared memory. */

/* What the bytes of an image are. The name of a packed format gives the order of a pixel's bytes in memory. */
typedef uint32_t face_format;

enum {
  FACE_FORMAT_ENCODED = 0, /* a whole picture file: JPEG, PNG or WebP; also HEIC, AVIF, TIFF, BMP and GIF if the library
                              for them is installed, otherwise FACE_FAILED_PRECONDITION names that library. If a file
                              has several pictures, the first frame is read, the primary picture of a HEIC, or the first
                              page of a TIFF that is neither a thumbnail nor a mask. Other kinds, such as raw photos,
                              fail with FACE_INVALID_ARGUMENT. For untrusted HEIC and AVIF files set
                              face_load_options.decoder_process. In C, planes[0] and plane_sizes[0] have the file, and
                              width, height and strides stay 0. */
  FACE_FORMAT_RGBA = 1,
  FACE_FORMAT_BGRA = 2,
  FACE_FORMAT_RGB = 3,
  FACE_FORMAT_BGR = 4,
  FACE_FORMAT_GRAY = 5,
  FACE_FORMAT_NV12 = 6, /* planes[0] luma, planes[1] Cb and Cr interleaved at half the width and height (rounded up) */
  FACE_FORMAT_NV21 = 7, /* like FACE_FORMAT_NV12, with Cr before Cb */
  FACE_FORMAT_I420 = 8, /* planes[0] luma, planes[1] Cb, planes[2] Cr, the last two at half the width and height
                           (rounded up) */
  FACE_FORMAT_YUYV = 9, /* planes[0]: Y0 Cb Y1 Cr for every two pixels of a row */
  FACE_FORMAT_UYVY = 10, /* planes[0]: Cb Y0 Cr Y1 for every two pixels of a row */
  FACE_FORMAT_NV16 = 11  /* planes[0] luma, planes[1] Cb and Cr interleaved at half the width (rounded up), full height
                            */
};

/* How luma and chroma are coded (ITU-R BT.601-7, BT.709-6). "Full" is JFIF's range 0 to 255; "video" is 16 to 235 for
 * luma and 16 to 240 for chroma. */
typedef uint32_t face_colour;

enum {
  FACE_COLOUR_BT601_FULL = 0,
  FACE_COLOUR_BT601_VIDEO = 1,
  FACE_COLOUR_BT709_FULL = 2,
  FACE_COLOUR_BT709_VIDEO = 3
};

/* How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag. */
typedef uint32_t face_orientation;

enum {
  FACE_ORIENTATION_DEFAULT = 0,      /* the one that an encoded file gives, otherwise upright */
  FACE_ORIENTATION_UP = 1,
  FACE_ORIENTATION_UP_MIRRORED = 2,
  FACE_ORIENTATION_DOWN = 3,         /* turn by 180 degrees */
  FACE_ORIENTATION_DOWN_MIRRORED = 4,
  FACE_ORIENTATION_LEFT_MIRRORED = 5,
  FACE_ORIENTATION_RIGHT = 6,        /* turn by 90 degrees clockwise */
  FACE_ORIENTATION_RIGHT_MIRRORED = 7,
  FACE_ORIENTATION_LEFT = 8          /* turn by 90 degrees counter-clockwise */
};

/* A point, in the coordinates that its context defines. */
typedef struct face_point {
  float x, y;
} face_point;

/* An axis-parallel box. */
typedef struct face_box {
  float x, y, width, height; /* (x, y) is the top-left corner */
} face_box;

/* Memory that this process shares with the engine it is connected to, so that pixels in it are not copied. */
typedef struct face_memory face_memory;

/* Creates `size` bytes of shared memory, at most 1 GiB, filled with zeros. The caller destroys it with
 * face_memory_destroy. */
FACE_API face_status face_memory_create(size_t size, face_memory **out_memory);

/* Imports memory that another process or library created.
 *
 * descriptor  a memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. It stays the caller's, who may close
 *             it as soon as the call returns.
 *
 * Fails with FACE_PERMISSION_DENIED without those seals: a process that can shrink the memory could crash this one. */
FACE_API face_status face_memory_import(int descriptor, face_memory **out_memory);

/* Writes where the memory is mapped, and its size. `*out_data` is valid until face_memory_destroy. Either pointer may
 * be NULL. */
FACE_API face_status face_memory_map(const face_memory *memory, void **out_data, size_t *out_size);

/* Frees the memory as soon as no call and no session uses it. NULL does nothing. */
FACE_API void face_memory_destroy(face_memory *memory);

/* One image. The pixels stay the caller's and are only read. A call such as face_detect reads them until it returns;
 * face_session_submit copies them, unless `release` or `memory` is set. */
typedef struct face_image {
  uint32_t struct_size;         /* set by face_image_init */
  face_format format;
  uint32_t width, height;       /* pixels as stored, 16 to 16384 each. A JPEG file with more than 67108864 pixels in all
                                   is searched at half its size; another image with more fails with FACE_OUT_OF_RANGE */
  const void *planes[4];        /* the address of each plane that the format has */
  size_t plane_sizes[4];        /* bytes readable at planes[i], checked before a pixel is read; at most 1 GiB for a file
                                   */
  size_t strides[4];            /* bytes from one row to the next, at most 131072; 0: rows without padding */
  face_orientation orientation; /* overrides the orientation in a file */
  face_colour colour;           /* for YUV formats */
  uint32_t mirrored;            /* 1: the upright picture is a mirror image, as from a front camera. The library mirrors
                                   it back before it searches, and coordinates are those of the picture mirrored back */
  uint32_t reserved;            /* 0 */
  face_box region;              /* the part to search, in pixels of the upright image; all zeros: the whole image.
                                   Results keep the coordinates of the whole image */
  uint64_t timestamp_ns;        /* in the caller's own clock; returned with the frame's event */
  const face_memory *memory;    /* NULL, or the memory that has the pixels: then `planes` are NULL, and `offsets` says
                                   where each plane begins */
  size_t offsets[4];            /* bytes from the start of `memory` to each plane */
  /* For face_session_submit only: NULL, or a function that the library calls exactly once for each submission, from any
   * thread, when it no longer needs the pixels. It is also called if the submission fails, except if struct_size is
   * invalid or the library still has the image from an earlier submission. It must not call the library. */
  void (*release)(void *release_data);
  void *release_data;           /* the argument of `release` */
  float pixel_aspect;           /* 0.1 to 10: the width of a stored pixel divided by its height; default 0: square
                                   pixels. A picture with other pixels, as from DV or an anamorphic lens, is searched in
                                   its true shape; results, boxes and `region` are in the picture's own pixels. Not for
                                   a guided check */
  uint32_t reserved_2;          /* 0 */
} face_image;

/* Does what face_image_init does, for a struct of `size` bytes. */
FACE_API void face_image_init_sized(face_image *image, size_t size);

/* Fills `image` with the defaults: an encoded file without bytes. NULL does nothing. */
static inline void face_image_init(face_image *image)
{
  face_image_init_sized(image, sizeof *image);
}

/* Reads a picture file into memory and makes `image` an image of it.
 *
 * path   a file of at most 1 GiB. Paths are bytes and need not be UTF-8. In error texts, a byte that is not valid UTF-8
 *        becomes the character U+EF00 plus that byte.
 * image  an image after face_image_init. The function sets its format, size, planes, memory, release and release_data,
 *        and leaves the other members.
 *
 * The bytes have a reference count. Call face_image_release to end your own reference, when no call uses the image any
 * more. Each submitted frame has a reference of its own: you may submit an image any number of times, to any sessions,
 * and release it right after. Copies of the struct share the bytes, so release only one of them. After the release,
 * every function of this library refuses the remaining copies with FACE_INVALID_ARGUMENT; the drawing library cannot
 * recognise them.
 *
 * Fails with FACE_NOT_FOUND or another status of files, and names the path. The function does not decode the file: a
 * file that is not a picture fails when it is searched. */
FACE_API face_status face_image_from_file(const char *path, face_image *image);

/* Ends the caller's reference to the bytes of an image of face_image_from_file: calls image->release once, then sets
 * `release` and the plane to NULL. Does nothing for NULL and for an image without `release`. */
FACE_API void face_image_release(face_image *image);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_IMAGES_H */
