/*
 * cancel SOCKET STAGE ROUNDS: time from a CANCEL to the freedom of the engine's only worker, for one stage of a call.
 *
 *   STAGE  NAME=FILE, a picture file to be decoded; or scale, turn, network, high or analysis
 *
 * A call that works on the stage is cancelled after a while that differs from round to round; a call for a picture of 16×16
 * pixels, sent at once, is answered when the worker is free. Prints median and maximum beside those of that small call alone,
 * and how long the call takes that nobody cancels.
 */
#include <face_engine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1000, BOXES = 1000 };

struct call {
  face_engine *engine;
  face_image image;
  face_options options;
  face_status status;
};

static uint64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void fail(const char *what)
{
  fprintf(stderr, "cancel: %s: %s\n", what, face_last_error());
  exit(1);
}

static void *run(void *pointer)
{
  struct call *call = pointer;
  call->status = face_detect(call->engine, &call->image, &call->options, NULL);
  if (call->status != FACE_OK && call->status != FACE_CANCELLED && call->status != FACE_INVALID_ARGUMENT) fail("the call");
  return NULL;
}

static void read_file(const char *path, face_image *image)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    fprintf(stderr, "cancel: cannot read %s\n", path);
    exit(1);
  }
  const size_t size = (size_t)ftell(file);
  rewind(file);
  void *bytes = malloc(size);
  if (!bytes || fread(bytes, 1, size, file) != size) exit(1);
  fclose(file);
  image->planes[0] = bytes;
  image->plane_sizes[0] = size;
}

static void make_pixels(uint32_t width, uint32_t height, face_image *image)
{
  const size_t size = (size_t)width * height * 4;
  uint8_t *bytes = malloc(size);
  if (!bytes) exit(1);
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * i >> 7);
  image->format = FACE_FORMAT_BGRA;
  image->width = width;
  image->height = height;
  image->planes[0] = bytes;
  image->plane_sizes[0] = size;
}

static void set_stage(const char *stage, struct call *call)
{
  const char *path = strchr(stage, '=');
  if (path) {
    read_file(path + 1, &call->image);
  } else if (strcmp(stage, "scale") == 0) {
    make_pixels(5600, 5600, &call->image);
  } else if (strcmp(stage, "turn") == 0) {
    make_pixels(5600, 5600, &call->image);
    call->image.orientation = FACE_ORIENTATION_RIGHT;
    call->options.max_side = 4000;
  } else if (strcmp(stage, "network") == 0) {
    make_pixels(4096, 4096, &call->image);
    call->options.max_side = 4096;
  } else if (strcmp(stage, "high") == 0) {
    make_pixels(2048, 2048, &call->image);
    call->options.accuracy = FACE_ACCURACY_HIGH;
  } else if (strcmp(stage, "analysis") == 0) {
    static face_box boxes[BOXES];
    for (int i = 0; i < BOXES; i++) boxes[i] = (face_box){.x = 100, .y = 100, .width = 200, .height = 200};
    make_pixels(640, 640, &call->image);
    call->options.outputs = FACE_OUTPUT_ALL;
    call->options.boxes = boxes;
    call->options.box_count = BOXES;
  } else {
    fprintf(stderr, "cancel: there is no stage %s\n", stage);
    exit(2);
  }
}

static int compare(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

int main(int count, char **arguments)
{
  static uint64_t alone[MOST_ROUNDS], after[MOST_ROUNDS];
  const int rounds = count == 4 ? atoi(arguments[3]) : 0;
  if (rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: cancel SOCKET STAGE ROUNDS\n");
    return 2;
  }
  struct call call = {0}, small = {0};
  face_image_init(&call.image);
  face_image_init(&small.image);
  face_options_init(&call.options);
  face_options_init(&small.options);
  set_stage(arguments[2], &call);
  make_pixels(16, 16, &small.image);
  if (face_connect(arguments[1], &call.engine) != FACE_OK) fail("connect");
  if (face_connect(arguments[1], &small.engine) != FACE_OK) fail("connect");
  run(&small);
  uint64_t start = now();
  run(&call);
  const uint64_t whole = now() - start;
  int ended = 0;
  for (int round = 0; round < rounds; round++) {
    start = now();
    run(&small);
    alone[round] = now() - start;
    if (face_canceller_create(&call.options.canceller) != FACE_OK) fail("canceller");
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &call) != 0) return 1;
    usleep((useconds_t)(whole / 1000 * (uint64_t)(round + 1) / (uint64_t)(rounds + 1)));
    start = now();
    face_canceller_cancel(call.options.canceller);
    run(&small);
    after[round] = now() - start;
    pthread_join(thread, NULL);
    ended += call.status == FACE_CANCELLED;
    face_canceller_destroy(call.options.canceller);
  }
  qsort(alone, (size_t)rounds, sizeof *alone, compare);
  qsort(after, (size_t)rounds, sizeof *after, compare);
  const int name = (int)strcspn(arguments[2], "=");
  printf("%-14.*s %9.1f %9.2f %9.2f %9.2f %9.2f %5d of %d\n", name, arguments[2], (double)whole / 1e6,
         (double)alone[rounds / 2] / 1e6, (double)alone[rounds - 1] / 1e6, (double)after[rounds / 2] / 1e6,
         (double)after[rounds - 1] / 1e6, ended, rounds);
  return 0;
}
