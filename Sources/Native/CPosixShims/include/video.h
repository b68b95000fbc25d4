/* Video4Linux, as far as a camera needs it: ioctl requests are macros, and their structures unions, which Swift does not
   see. Source: the kernel's "Video for Linux API", part I of the Linux Media Infrastructure userspace API. */
#ifndef FACE_ENGINE_CPOSIX_VIDEO_H
#define FACE_ENGINE_CPOSIX_VIDEO_H

#include <stdint.h>

/* All of these give 0, or -1 with errno. `device` is an open /dev/videoN. */

struct face_posix_video_capability {
  char name[33];
  /* Hands out pictures in one piece. */
  int captures;
  /* By memory-mapped buffers. */
  int streams;
};

/* VIDIOC_QUERYCAP */
int face_posix_video_capability(int device, struct face_posix_video_capability *capability);

/* A pixel format, by its index from 0; EINVAL past the last one. VIDIOC_ENUM_FMT */
int face_posix_video_pixel_format(int device, uint32_t index, uint32_t *fourcc);

/* Widths and heights; for a single size the least and the largest are the same. */
struct face_posix_video_sizes {
  uint32_t least_width, largest_width, width_step;
  uint32_t least_height, largest_height, height_step;
};

/* By its index from 0; EINVAL past the last one. VIDIOC_ENUM_FRAMESIZES */
int face_posix_video_sizes(int device, uint32_t fourcc, uint32_t index, struct face_posix_video_sizes *sizes);

/* Seconds from frame to frame as a fraction, the shortest where the driver has a range, by its index from 0; EINVAL past
   the last one. VIDIOC_ENUM_FRAMEINTERVALS */
int face_posix_video_interval(
    int device, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index, uint32_t *numerator,
    uint32_t *denominator);

struct face_posix_video_format {
  uint32_t fourcc, width, height;
  /* Bytes from row to row, and of the whole picture at most. */
  uint32_t stride, size;
  /* What luma and chroma mean; else BT.601, and video range. */
  int is_bt709, is_full_range;
};

/* Asks for fourcc, width and height; `format` becomes what the driver grants. VIDIOC_S_FMT */
int face_posix_video_set_format(int device, struct face_posix_video_format *format);

/* Asks for an interval, which becomes the one granted; ENOTTY where the driver has no say in it. VIDIOC_S_PARM */
int face_posix_video_set_interval(int device, uint32_t *numerator, uint32_t *denominator);

/* Asks for so many buffers to be mapped; `count` becomes how many there are. 0 gives them back. VIDIOC_REQBUFS */
int face_posix_video_request_buffers(int device, uint32_t *count);

/* Where to map a buffer, and how many bytes. VIDIOC_QUERYBUF */
int face_posix_video_buffer_place(int device, uint32_t index, int64_t *offset, uint64_t *length);

/* The driver may fill the buffer. VIDIOC_QBUF */
int face_posix_video_queue(int device, uint32_t index);

struct face_posix_video_buffer {
  uint32_t index;
  /* Bytes that were filled. */
  uint32_t used;
  /* Nanoseconds of CLOCK_MONOTONIC; 0 where the driver has another clock. */
  int64_t timestamp;
  /* The driver says that the data may be wrong. */
  int is_broken;
};

/* Takes a filled buffer; EAGAIN when there is none. VIDIOC_DQBUF */
int face_posix_video_dequeue(int device, struct face_posix_video_buffer *buffer);

/* VIDIOC_STREAMON, VIDIOC_STREAMOFF */
int face_posix_video_start(int device);
int face_posix_video_stop(int device);

#endif
