/* check FRAMES.nv12 MODEL_DIR: what a guided check of 1920 × 1080 at 30 frames a second costs. See check.sh. */
#define _POSIX_C_SOURCE 200809L
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 1920, HEIGHT = 1080, SIZE = WIDTH * HEIGHT * 3 / 2, COUNT = 900 };

static unsigned char *frames;
static int frame_count;
static face_engine *engine;

static double now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void must(face_status status)
{
  if (status == FACE_OK) return;
  fprintf(stderr, "%s\n", face_last_error());
  exit(1);
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void tell(const char *what, double *times, int count)
{
  qsort(times, (size_t)count, sizeof *times, compare);
  printf("%-44s p50 %6.2f ms   p99 %6.2f ms   max %6.2f ms   of %d frames\n", what, times[count / 2],
         times[count * 99 / 100], times[count - 1], count);
}

/* There and back, so that faces go on from where they were. */
static face_image frame(int number)
{
  const int place = number % (2 * frame_count);
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_NV12;
  image.width = WIDTH;
  image.height = HEIGHT;
  image.planes[0] = frames + (size_t)(place < frame_count ? place : 2 * frame_count - 1 - place) * SIZE;
  image.planes[1] = (const unsigned char *)image.planes[0] + WIDTH * HEIGHT;
  image.plane_sizes[0] = WIDTH * HEIGHT;
  image.plane_sizes[1] = WIDTH * HEIGHT / 2;
  return image;
}

struct told {
  face_session *check; /* NULL for a plain session */
  int answered, faces, results, other;
  double last;
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct told *told = user_data;
  (void)frame;
  told->answered++;
  told->faces += face_result_count(result) > 0;
  told->last = now(CLOCK_MONOTONIC);
}

static void on_other(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)frame;
  fprintf(stderr, "%s: %s\n", face_status_name(status), message);
  ((struct told *)user_data)->other++;
}

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  struct told *told = user_data;
  (void)frame;
  told->last = now(CLOCK_MONOTONIC);
  if (check->event == FACE_CHECK_EVENT_RESULT) {
    told->results++;
    if (check->picture->width == 0 || check->crop->width == 0) told->other++;
  }
  if (check->event == FACE_CHECK_EVENT_FAILED) told->other++;
  if (check->event == FACE_CHECK_EVENT_RESULT || check->event == FACE_CHECK_EVENT_FAILED)
    must(face_check_restart(told->check));
}

/* The head is tilted in the clip. */
static face_check_options lenient(void)
{
  face_check_options options;
  face_check_options_init(&options);
  options.mask = (face_circle){1056, 510, 360};
  options.max_offset = 0.8f;
  options.max_other_face = 1;
  options.max_yaw = options.max_pitch = options.max_roll = 60;
  options.max_face = 2;
  options.max_motion = 9;
  options.min_sharpness = 0.01f;
  options.min_brightness = 0.01f;
  options.min_eyes_open = 0.01f;
  return options;
}

static face_session *opened(struct told *told, int is_check, uint32_t interval, const face_check_options *options)
{
  face_options search;
  face_options_init(&search);
  search.outputs = FACE_OUTPUT_LANDMARKS;
  if (!is_check) search.outputs |= FACE_OUTPUT_POSE | FACE_OUTPUT_EYES | FACE_OUTPUT_QUALITY;
  face_session_options session_options;
  face_session_options_init(&session_options);
  session_options.mode = FACE_SESSION_EVERY;
  session_options.options = &search;
  session_options.detection_interval = interval;
  face_session *session = NULL;
  must(is_check ? face_check_open(engine, &session_options, options, &session)
                : face_session_open(engine, &session_options, &session));
  memset(told, 0, sizeof *told);
  told->check = session;
  face_listener listener;
  face_listener_init(&listener);
  listener.user_data = told;
  listener.on_faces = on_faces;
  listener.on_failed = on_other;
  listener.on_check = on_check;
  must(face_session_bind_listener(session, &listener));
  return session;
}

/* One frame after the other, 30 a second; the processor's time is that of this process alone. */
static void live(const char *name, int is_check, uint32_t interval)
{
  static double latency[COUNT], processor[COUNT], at_result[COUNT];
  struct told told;
  const face_check_options options = lenient();
  face_session *session = opened(&told, is_check, interval, &options);
  int late = 0, results = 0;
  double due = now(CLOCK_MONOTONIC);
  for (int i = 0; i < COUNT; i++) {
    const double begin = now(CLOCK_MONOTONIC), spent = now(CLOCK_PROCESS_CPUTIME_ID);
    const face_image image = frame(i);
    must(face_session_submit(session, &image, NULL));
    must(face_session_flush(session, 0));
    latency[i] = told.last - begin;
    if (told.results > results) at_result[results++] = latency[i];
    processor[i] = now(CLOCK_PROCESS_CPUTIME_ID) - spent;
    due += 1000.0 / 30;
    const double left = due - now(CLOCK_MONOTONIC);
    if (left < 0) late++;
    struct timespec rest = {0, (long)(left * 1e6)};
    if (left > 0) nanosleep(&rest, NULL);
  }
  must(face_session_close(session));
  char line[96];
  snprintf(line, sizeof line, "%s: frame in to last event out", name);
  tell(line, latency, COUNT);
  snprintf(line, sizeof line, "%s: the same with a result", name);
  if (results > 0) tell(line, at_result, results);
  snprintf(line, sizeof line, "%s: processor", name);
  tell(line, processor, COUNT);
  printf("%s: %d of %d frames answered, %d with a face, %d late, %d results, %d failed\n", name, told.answered, COUNT,
         told.faces, late, told.results, told.other);
}

int main(int argc, char **argv)
{
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 2;
  const long size = ftell(file);
  rewind(file);
  frame_count = (int)(size / SIZE);
  frames = malloc((size_t)size);
  if (frames == NULL || frame_count == 0 || fread(frames, SIZE, (size_t)frame_count, file) != (size_t)frame_count)
    return 2;
  fclose(file);
  must(face_load_model(argv[2], &engine));
  live("guided check", 1, 10);
  live("every frame searched", 0, 1);
  face_release(engine);
  free(frames);
  return 0;
}
