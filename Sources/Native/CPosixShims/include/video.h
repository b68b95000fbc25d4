/* Video4Linux, as far as a camera needs it: Swift does not see ioctl requests, which are macros, nor the
   unions of their structures. Source: the kernel's "Video for Linux API", part I of the Linux Media
   Infrastructure userspace API. */
#ifndef FACE_ENGINE_CPOSIX_VIDEO_H
#define FACE_ENGINE_CPOSIX_VIDEO_H

#include <stdint.h>

/* All of these return 0, or -1 with errno. `device` is an open /dev/videoN. */

struct face_posix_video_capability {
  char name[33];
  /* Whether it delivers pictures in one piece. */
  int captures;
  /* Whether it supports memory-mapped buffers. */
  int streams;
};

/* Gets the description of the device. VIDIOC_QUERYCAP */
int face_posix_video_capability(int device, struct face_posix_video_capability *capability);

/* Gets a pixel format by its index from 0; EINVAL past the last one. VIDIOC_ENUM_FMT */
int face_posix_video_pixel_format(int device, uint32_t index, uint32_t *fourcc);

/* Ranges of widths and heights; for a single size the least and the largest are the same. */
struct face_posix_video_sizes {
  uint32_t least_width, largest_width, width_step;
  uint32_t least_height, largest_height, height_step;
};

/* Gets the sizes by index from 0; EINVAL past the last one. VIDIOC_ENUM_FRAMESIZES */
int face_posix_video_sizes(int device, uint32_t fourcc, uint32_t index, struct face_posix_video_sizes *sizes);

/* Gets the seconds from frame to frame as a fraction, the shortest if the driver has a range, by index
   from 0; EINVAL past the last one. VIDIOC_ENUM_FRAMEINTERVALS */
int face_posix_video_interval(int device, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index,
                              uint32_t *numerator, uint32_t *denominator);

struct face_posix_video_format {
  uint32_t fourcc, width, height;
  /* Bytes from row to row, and the most bytes of the whole picture. */
  uint32_t stride, size;
  /* The matrix and range of luma and chroma; otherwise BT.601 and video range. */
  int is_bt709, is_full_range;
};

/* Requests fourcc, width and height, and sets `format` to what the driver chose. VIDIOC_S_FMT */
int face_posix_video_set_format(int device, struct face_posix_video_format *format);

/* Requests an interval, and sets it to the one the driver chose; ENOTTY if the driver does not control it.
   VIDIOC_S_PARM */
int face_posix_video_set_interval(int device, uint32_t *numerator, uint32_t *denominator);

/* Requests buffers for mapping, and sets `count` to their number. 0 frees them. VIDIOC_REQBUFS */
int face_posix_video_request_buffers(int device, uint32_t *count);

/* Gets the place at which to map a buffer, and its length in bytes. VIDIOC_QUERYBUF */
int face_posix_video_buffer_place(int device, uint32_t index, int64_t *offset, uint64_t *length);

/* Passes the buffer to the driver to be filled. VIDIOC_QBUF */
int face_posix_video_queue(int device, uint32_t index);

struct face_posix_video_buffer {
  uint32_t index;
  /* Bytes that were filled. */
  uint32_t used;
  /* Nanoseconds of CLOCK_MONOTONIC; 0 if the driver uses another clock. */
  int64_t timestamp;
  /* Whether the driver reports that the data may be wrong. */
  int is_broken;
};

/* Takes a filled buffer; EAGAIN when there is none. VIDIOC_DQBUF */
int face_posix_video_dequeue(int device, struct face_posix_video_buffer *buffer);

/* Start and stop streaming. VIDIOC_STREAMON, VIDIOC_STREAMOFF */
int face_posix_video_start(int device);
int face_posix_video_stop(int device);

#endif
