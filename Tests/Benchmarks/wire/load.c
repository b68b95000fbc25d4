/*
 * load: what an engine costs its callers, beside the null call.
 *
 *   load detect SOCKET MODEL COUNT   a 1080p frame, max_side 64, by turns in this process, in a child that maps it
 *                                    by a byte on a socketpair (the least that two processes can do), and in an offered
 *                                    buffer
 *   load idle SOCKET PID COUNT       memory of so many connections that said one thing and stay
 *   load churn SOCKET PID COUNT      connect, call, close, twice; descriptors, threads and memory of the engine
 *   load flood SOCKET PHOTO COUNT    a caller alone, then beside 8 streams that always have two frames unanswered
 */
#include <dirent.h>
#include <face_engine.h>
#include <pthread.h>

#include "raw.h"

static const char detector[] = "faceengine.v1.Detector";
static uint8_t answer_room[1 << 20];

static int compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void print_percentiles(const char *name, uint64_t *times, size_t count)
{
  qsort(times, count, sizeof *times, compare);
  printf("%s: p50 %.1f us, p99 %.1f us\n", name, (double)times[count / 2] / 1e3, (double)times[count * 99 / 100] / 1e3);
}

static bytes health_request(void) { return envelope("faceengine.v1.Health", "Check", (bytes){(uint8_t *)"", 0}); }

static void say_hello(int fd, const char *feature, bytes *answer)
{
  uint8_t room[64];
  bytes hello = {room, 0};
  put_number(&hello, 1, 1);
  put_number(&hello, 2, 1);
  put_bytes(&hello, 4, feature, strlen(feature));
  if (!call(fd, 1, envelope("faceengine.v1.Session", "Hello", hello), answer)) fail("Hello");
}

/* ---- detect */

static int is_ok_offer(bytes body) { return body.size == 8 && memcmp(body.data + 4, "\0\0\0\0", 4) == 0; }

/* A process that detects whenever a byte comes, and answers with one. */
static int start_child(const char *model, const face_image *image, const face_options *options)
{
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) fail("socketpair");
  if (fork() == 0) {
    char byte;
    face_engine *engine = NULL;
    face_result *result = NULL;
    close(pair[0]);
    if (face_load_model(model, &engine) != FACE_OK) fail(face_last_error());
    while (read(pair[1], &byte, 1) == 1) {
      if (face_detect(engine, image, options, &result) != FACE_OK) fail(face_last_error());
      face_result_destroy(result);
      if (write(pair[1], &byte, 1) != 1) break;
    }
    _exit(0);
  }
  close(pair[1]);
  return pair[0];
}

static double added(const uint64_t *times, const uint64_t *base, size_t index)
{
  return ((double)times[index] - (double)base[index]) / 1e3;
}

static void detect(const char *socket, const char *model, size_t count)
{
  enum { width = 1920, height = 1080, size = width * height * 3, side = 64 };
  bytes answer = {answer_room, 0};
  uint8_t room[256];
  int fd = connect_to(socket);

  say_hello(fd, "buffers", &answer);
  int memfd = memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memfd < 0 || ftruncate(memfd, size) != 0) fail("memfd_create");
  if (fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("F_ADD_SEALS");
  uint8_t *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  if (pixels == MAP_FAILED) fail("mmap");
  for (size_t i = 0; i < size; i++) pixels[i] = (uint8_t)(i * 2654435761u >> 24);
  uint32_t offer[3] = {htonl(1), 0, htonl(size)};
  send_frame(fd, 0, 0x15, (bytes){(uint8_t *)offer, sizeof offer}, memfd);
  if (receive_frame(fd, &answer) != 0x15 || !is_ok_offer(answer)) fail("the offer");

  /* DetectRequest{image{shared_pixels{buffer, format, width, height}}, options{max_side}} */
  uint8_t shared_room[64], image_room[80], options_room[8];
  bytes shared = {shared_room, 0}, image = {image_room, 0}, choice = {options_room, 0}, payload = {room, 0};
  put_number(&shared, 1, 1);
  put_number(&shared, 3, 3);
  put_number(&shared, 4, width);
  put_number(&shared, 5, height);
  put_bytes(&image, 4, shared.data, shared.size);
  put_number(&choice, 5, side);
  put_bytes(&payload, 1, image.data, image.size);
  put_bytes(&payload, 2, choice.data, choice.size);
  bytes request = envelope(detector, "Detect", payload);

  face_image local;
  face_image_init(&local);
  local.format = FACE_FORMAT_RGB;
  local.width = width;
  local.height = height;
  local.planes[0] = pixels;
  local.plane_sizes[0] = size;
  face_options options;
  face_options_init(&options);
  options.max_side = side;
  int child = start_child(model, &local, &options); /* before this process has threads */
  face_engine *engine = NULL;
  face_result *result = NULL;
  if (face_load_model(model, &engine) != FACE_OK) fail(face_last_error());

  uint64_t *here = calloc(count, sizeof *here), *bare = calloc(count, sizeof *bare), *there = calloc(count, sizeof *there);
  for (long i = -WARM_UP; i < (long)count; i++) {
    uint64_t start = now_ns();
    if (face_detect(engine, &local, &options, &result) != FACE_OK) fail(face_last_error());
    face_result_destroy(result);
    uint64_t told = now_ns();
    if (write(child, "", 1) != 1 || read(child, room, 1) != 1) fail("the child");
    uint64_t middle = now_ns();
    if (!call(fd, (uint32_t)(2 * (i + WARM_UP) + 3), request, &answer)) fail("Detect");
    uint64_t end = now_ns();
    if (i >= 0) {
      here[i] = told - start;
      bare[i] = middle - told;
      there[i] = end - middle;
    }
  }
  print_percentiles("detect in this process", here, count);
  print_percentiles("detect in a child behind a bare socketpair", bare, count);
  print_percentiles("detect in an offered buffer", there, count);
  printf("detect: the bare socketpair adds p50 %.1f us, p99 %.1f us\n", added(bare, here, count / 2),
         added(bare, here, count * 99 / 100));
  printf("detect: the engine adds p50 %.1f us, p99 %.1f us\n", added(there, here, count / 2),
         added(there, here, count * 99 / 100));
}

/* ---- idle and churn */

typedef struct usage {
  long descriptors, threads, kilobytes;
} usage;

static long entries(const char *pid, const char *name)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
  DIR *folder = opendir(path);
  if (folder == NULL) fail(path);
  long count = -2;
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static usage usage_of(const char *pid)
{
  char path[64], line[256];
  usage usage = {entries(pid, "fd"), entries(pid, "task"), 0};
  snprintf(path, sizeof path, "/proc/%s/status", pid);
  FILE *file = fopen(path, "r");
  if (file == NULL) fail(path);
  while (fgets(line, sizeof line, file) != NULL) sscanf(line, "VmRSS: %ld", &usage.kilobytes);
  fclose(file);
  return usage;
}

static void print_usage(const char *when, usage usage)
{
  printf("%s: %ld descriptors, %ld threads, %ld KiB\n", when, usage.descriptors, usage.threads, usage.kilobytes);
}

static void idle(const char *socket, const char *pid, int count)
{
  bytes answer = {answer_room, 0}, request = health_request();
  int first = connect_to(socket); /* what the first one costs is paid once */
  if (!call(first, 1, request, &answer)) fail("Health/Check");
  usage before = usage_of(pid);
  int open = 0;
  while (open < count && call(connect_to(socket), 1, request, &answer)) open++;
  usage after = usage_of(pid);
  printf("idle: %d connections cost %ld KiB in all%s\n", open, after.kilobytes - before.kilobytes,
         open < count ? "; the engine takes no more" : "");
}

static void cycle(const char *socket, int count)
{
  bytes answer = {answer_room, 0}, request = health_request();
  for (int i = 0; i < count; i++) {
    int fd = connect_to(socket);
    if (!call(fd, 1, request, &answer)) fail("Health/Check");
    close(fd);
  }
  free(request.data);
  usleep(200000); /* the last one's end is noticed */
}

static void churn(const char *socket, const char *pid, int count)
{
  cycle(socket, 1000);
  print_usage("churn before", usage_of(pid));
  cycle(socket, count);
  print_usage("churn after", usage_of(pid));
  sleep(31); /* the engine remembers for 30 s when a connection must have spoken */
  cycle(socket, count);
  print_usage("churn again", usage_of(pid));
}

/* ---- flood */

static struct {
  const char *socket;
  bytes image;   /* an encoded Image */
  bytes request; /* the same as a call of Detect */
} flooding;

enum { watched = 3 }; /* the stream */

static void send_watched(int fd, uint64_t number)
{
  bytes frame = {malloc(flooding.image.size + 64), 0}, message = {malloc(flooding.image.size + 80), 0};
  put_number(&frame, 1, number);
  put_bytes(&frame, 3, flooding.image.data, flooding.image.size);
  put_bytes(&message, 2, frame.data, frame.size);
  send_frame(fd, watched, 3, message, -1);
  free(frame.data);
  free(message.data);
}

/* One stream of Watch, EVERY, with two frames unanswered at any time. (NEWEST would measure how quickly frames can be
 * sent and dropped.) */
static void *flood_one(void *unused)
{
  int fd = connect_to(flooding.socket);
  uint8_t start[] = {0x0a, 2, 0x10, 1}; /* WatchRequest{start{mode EVERY}} */
  bytes answer = {malloc(1 << 20), 0};
  uint64_t number = 2;
  (void)unused;
  say_hello(fd, "credit", &answer);
  send_frame_flags(fd, watched, 1, 2, envelope(detector, "Watch", (bytes){(uint8_t *)"", 0}), -1);
  send_frame(fd, watched, 3, (bytes){start, sizeof start}, -1);
  if (receive_frame(fd, &answer) != 0x14) fail("the credit");
  send_watched(fd, 1);
  do send_watched(fd, number++);
  while (receive_frame(fd, &answer) == 3);
  fail("a stream of the flood");
  return NULL;
}

static void measure(const char *name, int fd, uint32_t stream, size_t count)
{
  bytes answer = {answer_room, 0};
  uint64_t *times = calloc(count, sizeof *times);
  for (size_t i = 0; i < count; i++, stream += 2) {
    uint64_t start = now_ns();
    if (!call(fd, stream, flooding.request, &answer)) fail("Detect");
    times[i] = now_ns() - start;
  }
  print_percentiles(name, times, count);
  free(times);
}

static void flood(const char *socket, const char *photo, size_t count)
{
  static uint8_t file[2 << 20], image_room[(2 << 20) + 16], payload_room[(2 << 20) + 32];
  FILE *input = fopen(photo, "rb");
  if (input == NULL) fail(photo);
  size_t size = fread(file, 1, sizeof file, input);
  fclose(input);
  bytes image = {image_room, 0}, payload = {payload_room, 0};
  put_bytes(&image, 1, file, size);
  put_bytes(&payload, 1, image.data, image.size);
  flooding.socket = socket;
  flooding.image = image;
  flooding.request = envelope(detector, "Detect", payload);

  int fd = connect_to(socket);
  measure("flood: alone", fd, 1, count);
  pthread_t thread;
  for (int i = 0; i < 8; i++)
    if (pthread_create(&thread, NULL, flood_one, NULL) != 0) fail("pthread_create");
  usleep(300000);
  measure("flood: beside 8 streams", fd, (uint32_t)(2 * count + 1), count);
  exit(0);
}

int main(int argc, char **argv)
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc != 5) fail("reading the arguments");
  if (strcmp(argv[1], "detect") == 0) detect(argv[2], argv[3], (size_t)atol(argv[4]));
  if (strcmp(argv[1], "idle") == 0) idle(argv[2], argv[3], atoi(argv[4]));
  if (strcmp(argv[1], "churn") == 0) churn(argv[2], argv[3], atoi(argv[4]));
  if (strcmp(argv[1], "flood") == 0) flood(argv[2], argv[3], (size_t)atol(argv[4]));
  return 0;
}
