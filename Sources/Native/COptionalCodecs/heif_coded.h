#ifndef FACE_ENGINE_COPTIONALCODECS_HEIF_CODED_H
#define FACE_ENGINE_COPTIONALCODECS_HEIF_CODED_H

#include "bytes.h"

/* The pixels of the pictures in an item. */
struct coded_pixels {
  uint64_t largest; /* of one picture */
  uint64_t all;     /* of all pictures, shown or not */
};

/* - configuration: the content of the item's box 'av1C' or 'hvcC'. */
struct coded_pixels pixels_of_av1(struct bytes configuration, struct bytes data);
struct coded_pixels pixels_of_hevc(struct bytes configuration, struct bytes data);

#endif
