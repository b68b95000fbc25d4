#include "video.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>

static const uint32_t capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;

int face_posix_video_capability(int device, struct face_posix_video_capability *result)
{
  struct v4l2_capability capability;
  memset(&capability, 0, sizeof capability);
  if (ioctl(device, VIDIOC_QUERYCAP, &capability) != 0) return -1;
  /* The capabilities of this node, if the driver has several. */
  uint32_t abilities =
      capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
  memcpy(result->name, capability.card, sizeof capability.card);
  result->name[sizeof result->name - 1] = 0;
  result->captures = (abilities & V4L2_CAP_VIDEO_CAPTURE) != 0;
  result->streams = (abilities & V4L2_CAP_STREAMING) != 0;
  return 0;
}

int face_posix_video_pixel_format(int device, uint32_t index, uint32_t *fourcc)
{
  struct v4l2_fmtdesc format;
  memset(&format, 0, sizeof format);
  format.index = index;
  format.type = capture;
  if (ioctl(device, VIDIOC_ENUM_FMT, &format) != 0) return -1;
  *fourcc = format.pixelformat;
  return 0;
}

int face_posix_video_sizes(int device, uint32_t fourcc, uint32_t index, struct face_posix_video_sizes *sizes)
{
  struct v4l2_frmsizeenum size;
  memset(&size, 0, sizeof size);
  size.index = index;
  size.pixel_format = fourcc;
  if (ioctl(device, VIDIOC_ENUM_FRAMESIZES, &size) != 0) return -1;
  if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
    sizes->least_width = sizes->largest_width = size.discrete.width;
    sizes->least_height = sizes->largest_height = size.discrete.height;
    sizes->width_step = sizes->height_step = 1;
    return 0;
  }
  if (index > 0) {
    /* There is only one range; not every driver reports its end. */
    errno = EINVAL;
    return -1;
  }
  sizes->least_width = size.stepwise.min_width;
  sizes->largest_width = size.stepwise.max_width;
  sizes->width_step = size.stepwise.step_width;
  sizes->least_height = size.stepwise.min_height;
  sizes->largest_height = size.stepwise.max_height;
  sizes->height_step = size.stepwise.step_height;
  return 0;
}

int face_posix_video_interval(int device, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index,
                              uint32_t *numerator, uint32_t *denominator)
{
  struct v4l2_frmivalenum interval;
  memset(&interval, 0, sizeof interval);
  interval.index = index;
  interval.pixel_format = fourcc;
  interval.width = width;
  interval.height = height;
  if (ioctl(device, VIDIOC_ENUM_FRAMEINTERVALS, &interval) != 0) return -1;
  int is_discrete = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
  if (!is_discrete && index > 0) {
    errno = EINVAL;
    return -1;
  }
  struct v4l2_fract time = is_discrete ? interval.discrete : interval.stepwise.min;
  *numerator = time.numerator;
  *denominator = time.denominator;
  return 0;
}

int face_posix_video_set_format(int device, struct face_posix_video_format *result)
{
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = capture;
  format.fmt.pix.width = result->width;
  format.fmt.pix.height = result->height;
  format.fmt.pix.pixelformat = result->fourcc;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  if (ioctl(device, VIDIOC_S_FMT, &format) != 0) return -1;
  const struct v4l2_pix_format *granted = &format.fmt.pix;
  result->fourcc = granted->pixelformat;
  result->width = granted->width;
  result->height = granted->height;
  result->stride = granted->bytesperline;
  result->size = granted->sizeimage;
  uint32_t colours = granted->colorspace;
  /* A driver older than these fields leaves them unchanged: 0, the default. */
  uint32_t encoding = granted->ycbcr_enc ? granted->ycbcr_enc : V4L2_MAP_YCBCR_ENC_DEFAULT(colours);
  uint32_t range =
      granted->quantization ? granted->quantization : (uint32_t)V4L2_MAP_QUANTIZATION_DEFAULT(0, colours, encoding);
  result->is_bt709 = encoding == V4L2_YCBCR_ENC_709 || encoding == V4L2_YCBCR_ENC_XV709;
  result->is_full_range = range == V4L2_QUANTIZATION_FULL_RANGE;
  return 0;
}

int face_posix_video_set_interval(int device, uint32_t *numerator, uint32_t *denominator)
{
  struct v4l2_streamparm parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.type = capture;
  if (ioctl(device, VIDIOC_G_PARM, &parameters) != 0) return -1;
  if (!(parameters.parm.capture.capability & V4L2_CAP_TIMEPERFRAME)) {
    errno = ENOTTY;
    return -1;
  }
  parameters.parm.capture.timeperframe.numerator = *numerator;
  parameters.parm.capture.timeperframe.denominator = *denominator;
  if (ioctl(device, VIDIOC_S_PARM, &parameters) != 0) return -1;
  *numerator = parameters.parm.capture.timeperframe.numerator;
  *denominator = parameters.parm.capture.timeperframe.denominator;
  return 0;
}

int face_posix_video_request_buffers(int device, uint32_t *count)
{
  struct v4l2_requestbuffers request;
  memset(&request, 0, sizeof request);
  request.count = *count;
  request.type = capture;
  request.memory = V4L2_MEMORY_MMAP;
  if (ioctl(device, VIDIOC_REQBUFS, &request) != 0) return -1;
  *count = request.count;
  return 0;
}

static struct v4l2_buffer buffer_at(uint32_t index)
{
  struct v4l2_buffer buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.index = index;
  buffer.type = capture;
  buffer.memory = V4L2_MEMORY_MMAP;
  return buffer;
}

int face_posix_video_buffer_place(int device, uint32_t index, int64_t *offset, uint64_t *length)
{
  struct v4l2_buffer buffer = buffer_at(index);
  if (ioctl(device, VIDIOC_QUERYBUF, &buffer) != 0) return -1;
  *offset = buffer.m.offset;
  *length = buffer.length;
  return 0;
}

int face_posix_video_queue(int device, uint32_t index)
{
  struct v4l2_buffer buffer = buffer_at(index);
  return ioctl(device, VIDIOC_QBUF, &buffer);
}

int face_posix_video_dequeue(int device, struct face_posix_video_buffer *result)
{
  struct v4l2_buffer buffer = buffer_at(0);
  if (ioctl(device, VIDIOC_DQBUF, &buffer) != 0) return -1;
  int is_monotonic = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  result->index = buffer.index;
  result->used = buffer.bytesused;
  result->timestamp =
      is_monotonic ? (int64_t)buffer.timestamp.tv_sec * 1000000000 + (int64_t)buffer.timestamp.tv_usec * 1000 : 0;
  result->is_broken = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0;
  return 0;
}

int face_posix_video_start(int device) { return ioctl(device, VIDIOC_STREAMON, &capture); }

int face_posix_video_stop(int device) { return ioctl(device, VIDIOC_STREAMOFF, &capture); }
