/*
 * cancel SOCKET PID STAGE END ROUNDS: time from the end of a call to the freedom of the engine's only worker, for one stage.
 *
 *   PID    of the engine
 *   STAGE  NAME=FILE, a picture file to be decoded; or scale, turn, network, high, analysis or crowd
 *   END    cancel, deadline, or death of the client
 *
 * A call that works on the stage is ended after a while that differs from round to round; a call for a picture of 16×16
 * pixels, sent at once, is answered when the worker is free. Prints median and maximum beside those of that small call alone;
 * the processor time that the engine's threads took meanwhile, which other programs on the machine do not change, without
 * decoders that the call left behind; how many calls were ended; and how long the call takes that nobody ends.
 */
#include <dirent.h>
#include <face_engine.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 1000, BOXES = 1000, CROWD_SIDE = 640, CROWD = 200 };
enum end { CANCEL, DEADLINE, DEATH };

extern char **environ;

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
  switch (call->status) {
  case FACE_OK:
  case FACE_CANCELLED:
  case FACE_DEADLINE_EXCEEDED:
  case FACE_INVALID_ARGUMENT: break;
  default: fail("the call");
  }
  return NULL;
}

/* Nanoseconds of processor time that the engine's threads have taken, without decoders that a call may leave behind.
 * proc(5), /proc/pid/task/tid/schedstat */
static uint64_t processor_time(const char *pid)
{
  char path[300], text[64];
  uint64_t sum = 0;
  snprintf(path, sizeof path, "/proc/%s/task", pid);
  DIR *threads = opendir(path);
  if (!threads) return 0;
  for (struct dirent *thread; (thread = readdir(threads));) {
    if (thread->d_name[0] == '.') continue;
    int is_counted = 0;
    for (int i = 0; i < 2; i++) {
      snprintf(path, sizeof path, "/proc/%s/task/%.20s/%s", pid, thread->d_name, i == 0 ? "comm" : "schedstat");
      FILE *file = fopen(path, "r");
      if (!file) break;
      const int is_read = fgets(text, sizeof text, file) != NULL;
      fclose(file);
      if (!is_read) break;
      if (i == 0) is_counted = strcmp(text, "face-decode\n") != 0;
      else if (is_counted) sum += strtoull(text, NULL, 10);
    }
  }
  closedir(threads);
  return sum;
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
  } else if (strcmp(stage, "crowd") == 0) {
    make_pixels(CROWD_SIDE, CROWD_SIDE, &call->image);
    call->options.min_confidence = 0;
    call->options.overlap_threshold = 1;
    call->options.outputs = FACE_OUTPUT_LANDMARKS;
    call->options.max_analysed_faces = CROWD;
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

/* The process that dies: says that its call begins, and calls. */
static int make_call(const char *socket, const char *stage)
{
  struct call call = {0};
  face_image_init(&call.image);
  face_options_init(&call.options);
  set_stage(stage, &call);
  if (face_connect(socket, &call.engine) != FACE_OK) fail("connect");
  if (write(STDOUT_FILENO, "", 1) != 1) return 1;
  run(&call);
  return 0;
}

/* Returns when its call begins. */
static pid_t start_process(char **arguments)
{
  char *child[] = {arguments[0], arguments[1], arguments[3], NULL};
  int pipes[2];
  pid_t process;
  posix_spawn_file_actions_t actions;
  char byte;
  if (pipe(pipes) != 0 || posix_spawn_file_actions_init(&actions) != 0) exit(1);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipes[0]);
  if (posix_spawn(&process, "/proc/self/exe", &actions, NULL, child, environ) != 0) exit(1);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  if (read(pipes[0], &byte, 1) != 1) exit(1);
  close(pipes[0]);
  return process;
}

static uint64_t small_call(struct call *small, uint64_t start)
{
  run(small);
  return now() - start;
}

struct round {
  uint64_t alone, after, work;
  int is_ended;
};

static struct round end_call(enum end end, char **arguments, struct call *call, struct call *small, uint64_t delay)
{
  struct round round = {0};
  const char *engine = arguments[2];
  round.alone = small_call(small, now());
  pthread_t thread;
  pid_t process = 0;
  if (end == DEATH) {
    process = start_process(arguments);
  } else {
    if (face_canceller_create(&call->options.canceller) != FACE_OK) fail("canceller");
    call->options.timeout_ns = end == DEADLINE ? delay : 0;
    if (pthread_create(&thread, NULL, run, call) != 0) exit(1);
  }
  usleep((useconds_t)(delay / 1000));
  const uint64_t work = processor_time(engine), start = now();
  if (end == CANCEL) face_canceller_cancel(call->options.canceller);
  if (end == DEATH) kill(process, SIGKILL);
  round.after = small_call(small, start);
  /* A thread that has ended is counted no more. */
  const uint64_t after = processor_time(engine);
  round.work = after > work ? after - work : 0;
  if (end == DEATH) {
    int status = 0;
    waitpid(process, &status, 0);
    round.is_ended = WIFSIGNALED(status);
  } else {
    pthread_join(thread, NULL);
    face_canceller_destroy(call->options.canceller);
    call->options.canceller = NULL;
    call->options.timeout_ns = 0;
    round.is_ended = call->status == FACE_CANCELLED || call->status == FACE_DEADLINE_EXCEEDED;
  }
  return round;
}

static int find_end(const char *name)
{
  static const char *const names[] = {"cancel", "deadline", "death"};
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

static void print_milliseconds(uint64_t *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare);
  printf(" %8.2f %8.2f", (double)values[count / 2] / 1e6, (double)values[count - 1] / 1e6);
}

int main(int count, char **arguments)
{
  static uint64_t alone[MOST_ROUNDS], after[MOST_ROUNDS], work[MOST_ROUNDS];
  if (count == 3) return make_call(arguments[1], arguments[2]);
  const int rounds = count == 6 ? atoi(arguments[5]) : 0, end = count == 6 ? find_end(arguments[4]) : -1;
  if (rounds < 1 || rounds > MOST_ROUNDS || end < 0) {
    fprintf(stderr, "usage: cancel SOCKET PID STAGE cancel|deadline|death ROUNDS\n");
    return 2;
  }
  struct call call = {0}, small = {0};
  face_image_init(&call.image);
  face_image_init(&small.image);
  face_options_init(&call.options);
  face_options_init(&small.options);
  set_stage(arguments[3], &call);
  make_pixels(16, 16, &small.image);
  if (face_connect(arguments[1], &call.engine) != FACE_OK) fail("connect");
  if (face_connect(arguments[1], &small.engine) != FACE_OK) fail("connect");
  run(&small);
  const uint64_t start = now();
  run(&call);
  const uint64_t whole = now() - start;
  int ended = 0;
  for (int i = 0; i < rounds; i++) {
    const uint64_t delay = whole * (uint64_t)(i + 1) / (uint64_t)(rounds + 1);
    const struct round round = end_call((enum end)end, arguments, &call, &small, delay);
    alone[i] = round.alone;
    after[i] = round.after;
    work[i] = round.work;
    ended += round.is_ended;
  }
  printf("%-10.*s %-8s %8.1f", (int)strcspn(arguments[3], "="), arguments[3], arguments[4], (double)whole / 1e6);
  print_milliseconds(alone, rounds);
  print_milliseconds(after, rounds);
  print_milliseconds(work, rounds);
  printf(" %5d of %d\n", ended, rounds);
  return 0;
}
