/* Reads consecutive binary PPM pictures: a line of text, then RGB pixels. */
#define _POSIX_C_SOURCE 200809L
#include "kiosk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SIDE = 8192, STALLED_MS = 2000, POLL_MS = 50, RETRY_MS = 1000 };

struct frames {
  struct frame_source source;
  SDL_Thread *thread;
  SDL_atomic_t stop;
  FILE *input;        /* NULL: none */
  SDL_atomic_t child; /* the process of source.command, 0: none */
  struct frame reading;
  SDL_mutex *lock; /* of everything below */
  SDL_cond *changed;
  struct frame newest;
  uint64_t taken[2]; /* the newest that the window and the check have */
  Uint64 waiting; /* since when the thread waits for input, by SDL_GetTicks64; 0: it does not */
  int ended;
};

/* Makes room for the pixels of an image of that size. */
static int resize(struct frame *frame, uint32_t width, uint32_t height)
{
  const size_t size = (size_t)width * height * 3;
  unsigned char *pixels = size == frame->image.plane_sizes[0] ? frame->pixels : realloc(frame->pixels, size);
  if (pixels == NULL) return 0;
  frame->pixels = pixels;
  face_image_init(&frame->image);
  frame->image.format = FACE_FORMAT_RGB;
  frame->image.width = width;
  frame->image.height = height;
  frame->image.planes[0] = pixels;
  frame->image.plane_sizes[0] = size;
  return 1;
}

static int read_frame(frames *from)
{
  unsigned width, height, maximum;
  if (fscanf(from->input, " P6 %u %u %u", &width, &height, &maximum) != 3 || fgetc(from->input) == EOF) return 0;
  if (maximum != 255 || width == 0 || width > MAX_SIDE || height == 0 || height > MAX_SIDE) return 0;
  const size_t size = (size_t)width * height * 3;
  return resize(&from->reading, width, height) && fread(from->reading.pixels, 1, size, from->input) == size;
}

/* In a process group of its own, so that a shell's children end with it. */
static void start_command(frames *from)
{
  int ends[2];
  if (pipe(ends) != 0) return;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", from->source.command, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  from->input = fdopen(ends[0], "rb");
  SDL_AtomicSet(&from->child, child);
}

static void stop_command(frames *from)
{
  if (from->input != NULL && from->input != stdin) fclose(from->input);
  from->input = NULL;
  const pid_t child = SDL_AtomicSet(&from->child, 0);
  if (child <= 0) return;
  kill(-child, SIGKILL); /* a camera's driver may hold it: it need not agree */
  waitpid(child, NULL, 0);
}

static void publish(frames *from)
{
  SDL_LockMutex(from->lock);
  struct frame before = from->newest;
  from->newest = from->reading;
  from->newest.number = before.number + 1;
  from->reading = before;
  from->waiting = 0;
  SDL_CondBroadcast(from->changed);
  while (from->source.every && (from->taken[0] < from->newest.number || from->taken[1] < from->newest.number) &&
         !SDL_AtomicGet(&from->stop))
    SDL_CondWaitTimeout(from->changed, from->lock, POLL_MS);
  SDL_UnlockMutex(from->lock);
}

static int read_all(void *of)
{
  frames *from = of;
  const double interval = from->source.fps > 0 ? 1000 / from->source.fps : 0;
  double due = (double)SDL_GetTicks64();
  for (int started = 0;;) {
    SDL_LockMutex(from->lock);
    if (from->waiting == 0) from->waiting = SDL_GetTicks64();
    SDL_UnlockMutex(from->lock);
    if (from->input != NULL && read_frame(from)) {
      double time = (double)from->newest.number * (interval > 0 ? interval : 1000.0 / 30);
      from->reading.image.timestamp_ns = (uint64_t)(time * 1e6);
      double ahead = due - (double)SDL_GetTicks64();
      if (interval > 0 && ahead > 0 && !from->source.every) SDL_Delay((Uint32)ahead);
      due += ahead < -500 ? -ahead : interval; /* a clip that is late stays late rather than runs faster */
      publish(from);
    } else if (SDL_AtomicGet(&from->stop) || from->source.command == NULL) {
      break;
    } else { /* the camera has gone: again and again, until it is back */
      stop_command(from);
      for (int ms = 0; started && ms < RETRY_MS && !SDL_AtomicGet(&from->stop); ms += POLL_MS) SDL_Delay(POLL_MS);
      start_command(from);
      started = 1;
    }
  }
  SDL_LockMutex(from->lock);
  from->ended = 1;
  SDL_CondBroadcast(from->changed);
  SDL_UnlockMutex(from->lock);
  return 0;
}

frames *frames_open(const struct frame_source *source)
{
  frames *from = calloc(1, sizeof *from);
  if (from == NULL) return NULL;
  from->source = *source;
  if (source->command == NULL) from->input = source->path != NULL ? fopen(source->path, "rbe") : stdin;
  from->lock = SDL_CreateMutex();
  from->changed = SDL_CreateCond();
  if (from->input != NULL || source->command != NULL) from->thread = SDL_CreateThread(read_all, "frames", from);
  else fprintf(stderr, "kiosk: %s: %s\n", source->path, strerror(errno));
  if (from->thread != NULL) return from;
  frames_close(from);
  return NULL;
}

int frames_next(frames *from, struct frame *frame, int for_check, Uint32 wait_ms)
{
  SDL_LockMutex(from->lock);
  if (from->newest.number <= frame->number && !from->ended && wait_ms > 0)
    SDL_CondWaitTimeout(from->changed, from->lock, wait_ms);
  const face_image *image = &from->newest.image;
  const int newer = from->newest.number > frame->number && resize(frame, image->width, image->height);
  if (newer) {
    memcpy(frame->pixels, from->newest.pixels, image->plane_sizes[0]);
    frame->image.timestamp_ns = image->timestamp_ns;
    frame->number = from->newest.number;
    from->taken[for_check != 0] = frame->number;
    SDL_CondBroadcast(from->changed);
  }
  SDL_UnlockMutex(from->lock);
  return newer;
}

enum frames_state frames_state(frames *from, uint64_t *out_count)
{
  SDL_LockMutex(from->lock);
  enum frames_state state = from->ended ? FRAMES_ENDED : FRAMES_LIVE;
  if (!from->ended && from->waiting != 0 && SDL_GetTicks64() - from->waiting > STALLED_MS) state = FRAMES_STALLED;
  *out_count = from->newest.number;
  SDL_UnlockMutex(from->lock);
  return state;
}

void frames_close(frames *from)
{
  if (from == NULL) return;
  SDL_AtomicSet(&from->stop, 1);
  const pid_t child = SDL_AtomicGet(&from->child);
  if (child > 0) kill(-child, SIGKILL); /* the thread then reads its end */
  SDL_LockMutex(from->lock);
  const int blocked = child <= 0 && from->waiting != 0 && !from->ended;
  SDL_UnlockMutex(from->lock);
  if (blocked) { /* in a file that may never go on: the thread and what it uses end with the program */
    SDL_DetachThread(from->thread);
    return;
  }
  SDL_WaitThread(from->thread, NULL);
  stop_command(from);
  SDL_DestroyMutex(from->lock);
  SDL_DestroyCond(from->changed);
  free(from->reading.pixels);
  free(from->newest.pixels);
  free(from);
}
