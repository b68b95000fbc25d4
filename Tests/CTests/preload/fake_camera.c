/* A camera where there is none: preloaded into a program, it answers the calls that Video4Linux would, by the kernel's
   own structures. The environment says what it is:

   FAKE_CAMERA_PATH    the device's path, where no other may be
   FAKE_CAMERA_FORMAT  YUYV, UYVY, NV12, NV16 or MJPG
   FAKE_CAMERA_SIZE    as in 640x480
   FAKE_CAMERA_PICTURE a file with one picture of that format, which it shows again and again
   FAKE_CAMERA_RATE    pictures a second, which is also the only rate it offers
   FAKE_CAMERA_UNPLUG  it is unplugged after so many pictures, once, and is back 0.3 s later; 0 for never

   Its descriptor is a timer that is readable when a picture is due. It is made, and the picture read, before the
   program begins, which may forbid itself both. One thread at a time opens and maps. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { most_buffers = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int timer;
  int descriptor;
  uint32_t width, height, stride, size, format;
  unsigned buffers;
  unsigned char *memory[most_buffers];
  /* Buffers to be filled, in order. */
  unsigned queue[most_buffers], queued;
  int is_streaming;
  unsigned long shown, unplug_after;
  double back_at;
  unsigned char *picture;
  size_t picture_size;
} camera = {.timer = -1, .descriptor = -1};

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static const char *setting(const char *name)
{
  const char *value = getenv(name);
  if (value == NULL) {
    fprintf(stderr, "fake camera: %s is not set\n", name);
    abort();
  }
  return value;
}

static long rate(void) { return atol(setting("FAKE_CAMERA_RATE")); }

static int failed(int code)
{
  errno = code;
  return -1;
}

static int real_open(const char *path, int flags, mode_t mode)
{
  int (*function)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return function(path, flags, mode);
}

static void load_picture(void)
{
  FILE *file = fopen(setting("FAKE_CAMERA_PICTURE"), "rb");
  if (file == NULL) abort();
  fseek(file, 0, SEEK_END);
  camera.picture_size = (size_t)ftell(file);
  rewind(file);
  camera.picture = malloc(camera.picture_size);
  if (fread(camera.picture, 1, camera.picture_size, file) != camera.picture_size) abort();
  fclose(file);
  camera.unplug_after = strtoul(setting("FAKE_CAMERA_UNPLUG"), NULL, 10);
}

static void start_timer(void)
{
  long nanoseconds = 1000000000 / rate();
  struct itimerspec time = {.it_interval = {.tv_nsec = nanoseconds}, .it_value = {.tv_nsec = nanoseconds}};
  camera.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (timerfd_settime(camera.timer, 0, &time, NULL) != 0) abort();
}

__attribute__((constructor)) static void prepare(void)
{
  if (getenv("FAKE_CAMERA_PATH") == NULL) return;
  load_picture();
  start_timer();
}

static void offer(void)
{
  const char *format = setting("FAKE_CAMERA_FORMAT");
  camera.format = v4l2_fourcc(format[0], format[1], format[2], format[3]);
  if (sscanf(setting("FAKE_CAMERA_SIZE"), "%ux%u", &camera.width, &camera.height) != 2) abort();
  switch (camera.format) {
  case V4L2_PIX_FMT_YUYV:
  case V4L2_PIX_FMT_UYVY:
    camera.stride = 2 * camera.width;
    camera.size = camera.stride * camera.height;
    break;
  case V4L2_PIX_FMT_NV12:
    camera.stride = camera.width;
    camera.size = camera.stride * camera.height * 3 / 2;
    break;
  case V4L2_PIX_FMT_NV16:
    camera.stride = camera.width;
    camera.size = camera.stride * camera.height * 2;
    break;
  default: camera.stride = 0; camera.size = camera.width * camera.height * 2;
  }
  if (camera.size < camera.picture_size) camera.size = (uint32_t)camera.picture_size;
}

int open(const char *path, int flags, ...)
{
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  const char *own = getenv("FAKE_CAMERA_PATH");
  if (own == NULL || strcmp(own, path) != 0) return real_open(path, flags, mode);
  pthread_mutex_lock(&lock);
  int result;
  if (camera.descriptor >= 0) {
    result = failed(EBUSY);
  } else if (now() < camera.back_at) {
    result = failed(ENOENT);
  } else {
    offer();
    camera.queued = camera.buffers = 0;
    camera.is_streaming = 0;
    result = camera.descriptor = fcntl(camera.timer, F_DUPFD_CLOEXEC, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor)
{
  pthread_mutex_lock(&lock);
  if (descriptor >= 0 && descriptor == camera.descriptor) camera.descriptor = -1;
  pthread_mutex_unlock(&lock);
  int (*function)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
  return function(descriptor);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
  void *(*function)(void *, size_t, int, int, int, off_t) =
      (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if (descriptor < 0 || descriptor != camera.descriptor)
    return function(address, length, protection, flags, descriptor, offset);
  void *memory = function(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  camera.memory[offset / 4096] = memory;
  return memory;
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap")));

static int set_stream(int is_on)
{
  camera.is_streaming = is_on;
  if (!is_on) camera.queued = 0;
  return 0;
}

static int dequeue(struct v4l2_buffer *buffer)
{
  if (!camera.is_streaming) return failed(EINVAL);
  if (camera.unplug_after > 0 && camera.shown == camera.unplug_after) {
    camera.shown++;
    camera.back_at = now() + 0.3;
    return failed(ENODEV);
  }
  uint64_t due;
  if (read(camera.descriptor, &due, sizeof due) != sizeof due) return failed(EAGAIN);
  if (camera.queued == 0) return failed(EAGAIN);
  unsigned index = camera.queue[0];
  memmove(camera.queue, camera.queue + 1, --camera.queued * sizeof camera.queue[0]);
  memcpy(camera.memory[index], camera.picture, camera.picture_size);
  camera.shown++;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  buffer->index = index;
  buffer->bytesused = (uint32_t)camera.picture_size;
  buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  buffer->timestamp.tv_sec = time.tv_sec;
  buffer->timestamp.tv_usec = time.tv_nsec / 1000;
  return 0;
}

static int answer(unsigned long request, void *argument)
{
  switch (request) {
  case VIDIOC_QUERYCAP: {
    struct v4l2_capability *capability = argument;
    memset(capability, 0, sizeof *capability);
    strcpy((char *)capability->card, "A fake camera");
    capability->capabilities = V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    return 0;
  }
  case VIDIOC_ENUM_FMT: {
    struct v4l2_fmtdesc *format = argument;
    if (format->index > 0 || format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return failed(EINVAL);
    format->pixelformat = camera.format;
    return 0;
  }
  case VIDIOC_ENUM_FRAMESIZES: {
    struct v4l2_frmsizeenum *size = argument;
    if (size->index > 0 || size->pixel_format != camera.format) return failed(EINVAL);
    size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size->discrete.width = camera.width;
    size->discrete.height = camera.height;
    return 0;
  }
  case VIDIOC_ENUM_FRAMEINTERVALS: {
    struct v4l2_frmivalenum *interval = argument;
    if (interval->index > 0 || interval->width != camera.width || interval->height != camera.height)
      return failed(EINVAL);
    interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval->discrete.numerator = 1;
    interval->discrete.denominator = (uint32_t)rate();
    return 0;
  }
  case VIDIOC_S_FMT: {
    struct v4l2_format *format = argument;
    if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return failed(EINVAL);
    format->fmt.pix.width = camera.width;
    format->fmt.pix.height = camera.height;
    format->fmt.pix.pixelformat = camera.format;
    format->fmt.pix.bytesperline = camera.stride;
    format->fmt.pix.sizeimage = camera.size;
    format->fmt.pix.colorspace = V4L2_COLORSPACE_SRGB;
    return 0;
  }
  case VIDIOC_G_PARM:
  case VIDIOC_S_PARM: {
    struct v4l2_streamparm *parameters = argument;
    parameters->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    parameters->parm.capture.timeperframe.numerator = 1;
    parameters->parm.capture.timeperframe.denominator = (uint32_t)rate();
    return 0;
  }
  case VIDIOC_REQBUFS: {
    struct v4l2_requestbuffers *buffers = argument;
    if (buffers->memory != V4L2_MEMORY_MMAP) return failed(EINVAL);
    if (buffers->count > most_buffers) buffers->count = most_buffers;
    camera.buffers = buffers->count;
    return 0;
  }
  case VIDIOC_QUERYBUF: {
    struct v4l2_buffer *buffer = argument;
    if (buffer->index >= camera.buffers) return failed(EINVAL);
    buffer->length = camera.size;
    buffer->m.offset = 4096 * buffer->index;
    return 0;
  }
  case VIDIOC_QBUF: {
    struct v4l2_buffer *buffer = argument;
    if (buffer->index >= camera.buffers || camera.queued == most_buffers) return failed(EINVAL);
    camera.queue[camera.queued++] = buffer->index;
    return 0;
  }
  case VIDIOC_DQBUF: return dequeue(argument);
  case VIDIOC_STREAMON: return set_stream(1);
  case VIDIOC_STREAMOFF: return set_stream(0);
  default: return failed(ENOTTY);
  }
}

int ioctl(int descriptor, unsigned long request, ...)
{
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (descriptor < 0 || descriptor != camera.descriptor) {
    int (*function)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    return function(descriptor, request, argument);
  }
  pthread_mutex_lock(&lock);
  int result = answer(request, argument);
  int code = errno;
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}
