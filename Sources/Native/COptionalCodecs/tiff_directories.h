#ifndef FACE_ENGINE_COPTIONALCODECS_TIFF_DIRECTORIES_H
#define FACE_ENGINE_COPTIONALCODECS_TIFF_DIRECTORIES_H

#include "COptionalCodecs.h"

/* The picture of a TIFF file. */
struct tiff_picture {
  uint64_t place; /* of its directory in the file */
  uint32_t pages; /* number of full pictures in the file; this is the first */
};

/* Finds the picture: the first directory that is neither a thumbnail nor a mask, else the largest of the others.
 * Refuses raw photos, and a directory that libtiff could not read in proportion to the file.
 * - reason: FACE_CODEC_REASON_SIZE characters, set after a failure. */
enum face_codec_status tiff_find_picture(const void *data, size_t size, struct tiff_picture *picture, char *reason);

#endif
