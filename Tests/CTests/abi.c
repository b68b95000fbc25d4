/* What the C ABI promises beside finding faces: a status for every misuse, outputs untouched on failure, the listener's
 * contract.  abi load MODEL_DIR PHOTO.jpg, or abi connect SOCKET PHOTO.jpg */
#include <face_engine.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      failures++;                                                                \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);   \
    }                                                                            \
  } while (0)

static face_engine *engine;
static void *file_bytes;
static size_t file_size;

static face_image photo(void)
{
  face_image image;
  face_image_init(&image);
  image.planes[0] = file_bytes;
  image.plane_sizes[0] = file_size;
  return image;
}

static void versions(void)
{
  EXPECT(face_abi_version() == FACE_ABI_VERSION);
  EXPECT(strlen(face_version_string()) > 0);
  EXPECT(strcmp(face_status_name(FACE_OK), "OK") == 0);
  EXPECT(strcmp(face_status_name(FACE_UNAUTHENTICATED), "UNAUTHENTICATED") == 0);
  EXPECT(strcmp(face_status_name(-7), "UNKNOWN") == 0);
  EXPECT(strcmp(face_last_error(), "") == 0);
}

static void null_arguments(void)
{
  face_engine *none = (face_engine *)&failures;
  face_result *result = (face_result *)&failures;
  face_image image = photo();
  EXPECT(face_load_model(NULL, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_model("", &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_model("no such folder", NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_model("no such folder", &none) == FACE_NOT_FOUND);
  EXPECT(strstr(face_last_error(), "no such folder") != NULL);
  EXPECT(face_connect("no such socket", &none) == FACE_UNAVAILABLE);
  EXPECT(none == (face_engine *)&failures);
  EXPECT(face_detect(NULL, &image, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect(engine, NULL, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(result == (face_result *)&failures);
  EXPECT(face_release(NULL) == FACE_OK);
  EXPECT(face_bind_listener(engine, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_bind_listener(NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_result_count(NULL) == 0);
  EXPECT(face_result_get(NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_image_size(NULL, NULL, NULL) == FACE_INVALID_ARGUMENT);
  face_result_destroy(NULL);
  face_image_init(NULL);
  face_options_init(NULL);
  face_info_init(NULL);
  face_listener_init(NULL);
}

static face_status detect_with(face_image image)
{
  face_result *result = NULL;
  face_status status = face_detect(engine, &image, NULL, &result);
  EXPECT((status == FACE_OK) == (result != NULL));
  face_result_destroy(result);
  return status;
}

static void wrong_images(void)
{
  unsigned char pixels[32 * 32 * 3] = {0};
  face_image raw;
  face_image_init(&raw);
  raw.format = FACE_FORMAT_RGB;
  raw.width = raw.height = 32;
  raw.planes[0] = pixels;
  raw.plane_sizes[0] = sizeof pixels;
  EXPECT(detect_with(raw) == FACE_OK);

  face_image image = raw;
  image.plane_sizes[0] -= 1;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.strides[0] = 95;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.strides[0] = SIZE_MAX;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.plane_sizes[0] = SIZE_MAX;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = photo(), image.plane_sizes[0] = SIZE_MAX / 2;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = photo(), image.plane_sizes[0] = SIZE_MAX;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.planes[0] = NULL;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.width = 15;
  EXPECT(detect_with(image) == FACE_OUT_OF_RANGE);
  image = raw, image.width = UINT32_MAX, image.height = UINT32_MAX;
  EXPECT(detect_with(image) == FACE_OUT_OF_RANGE);
  image = raw, image.format = 99;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.orientation = 9;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = raw, image.format = FACE_FORMAT_ENCODED;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image = photo(), image.plane_sizes[0] /= 2;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
}

static void struct_sizes(void)
{
  face_image image = photo();
  image.struct_size = 0;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image.struct_size = UINT32_MAX;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);

  /* A newer program's longer struct: fine as long as it uses nothing that is not known here. */
  struct {
    face_image known;
    uint64_t unknown;
  } newer = {photo(), 0};
  newer.known.struct_size = sizeof newer;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &newer.known, NULL, &result) == FACE_OK);
  newer.unknown = 1;
  EXPECT(face_detect(engine, &newer.known, NULL, NULL) == FACE_UNIMPLEMENTED);

  struct {
    face_info known;
    uint64_t unknown;
  } info;
  face_info_init(&info.known);
  info.known.struct_size = sizeof info;
  info.unknown = 7;
  EXPECT(face_result_get(result, 0, &info.known) == FACE_OK);
  EXPECT(info.unknown == 0 && info.known.struct_size == sizeof info);
  info.known.struct_size = 4;
  info.known.confidence = -1;
  EXPECT(face_result_get(result, 0, &info.known) == FACE_INVALID_ARGUMENT);
  EXPECT(info.known.confidence == -1);
  face_result_destroy(result);
}

/* What a program compiled against an older header has on its stack: a struct without the last members. */
static void shorter_structs(void)
{
  unsigned char room[sizeof(face_info) + 16];
  memset(room, 0xAA, sizeof room);
  face_info_init_sized((face_info *)(void *)room, sizeof(face_info) - 8);
  for (size_t i = sizeof(face_info) - 8; i < sizeof room; i++) EXPECT(room[i] == 0xAA);
  uint32_t size;
  memcpy(&size, room, sizeof size);
  EXPECT(size == sizeof(face_info) - 8);
  memset(room, 0xAA, sizeof room);
  face_info_init_sized((face_info *)(void *)room, 3);
  EXPECT(room[0] == 0xAA);
}

static void options(void)
{
  face_image image = photo();
  face_options wanted;
  face_options_init(&wanted);
  EXPECT(wanted.max_side == 0 && wanted.max_faces == 0);
  wanted.min_confidence = 1;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &wanted, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 0);
  face_result_destroy(result);
  wanted.min_confidence = -0.1f;
  EXPECT(face_detect(engine, &image, &wanted, NULL) == FACE_INVALID_ARGUMENT);
  face_options_init(&wanted);
  wanted.max_side = 15;
  EXPECT(face_detect(engine, &image, &wanted, NULL) == FACE_INVALID_ARGUMENT);
  wanted.max_side = UINT32_MAX - 1;
  EXPECT(face_detect(engine, &image, &wanted, NULL) == FACE_INVALID_ARGUMENT);
}

static void results(void)
{
  face_image image = photo();
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 1);
  uint32_t width = 0, height = 0;
  EXPECT(face_result_image_size(result, &width, &height) == FACE_OK);
  EXPECT(width == 512 && height == 600);
  face_info face;
  face_info_init(&face);
  EXPECT(face_result_get(result, 1, &face) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get(result, 0, &face) == FACE_OK);
  EXPECT(face.valid & FACE_VALID_POINTS);
  EXPECT(face.left_eye.x > face.right_eye.x); /* the subject's left is at the picture's right */
  EXPECT(face.clamped_box.x >= 0 && face.clamped_box.width <= face.box.width);
  face_result_destroy(result);
  EXPECT(face_result_count(result) == 0);
  EXPECT(face_result_get(result, 0, &face) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
}

struct seen {
  int calls;
  uint32_t faces;
  face_status rebound, unbound, released;
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  struct seen *seen = user_data;
  face_listener other;
  face_listener_init(&other);
  seen->calls++;
  seen->faces += face_result_count(result);
  seen->rebound = face_bind_listener(engine, &other);
  seen->unbound = face_unbind_listener(engine);
  seen->released = face_release(engine);
}

static void listener(void)
{
  unsigned char gray[64 * 64] = {0};
  face_image empty, image = photo();
  face_image_init(&empty);
  empty.format = FACE_FORMAT_GRAY;
  empty.width = empty.height = 64;
  empty.planes[0] = gray;
  empty.plane_sizes[0] = sizeof gray;

  struct seen seen = {0, 0, 0, 0, 0};
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = on_faces;
  listener.user_data = &seen;
  EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  EXPECT(face_detect(engine, &empty, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 1 && seen.faces == 0); /* an event for a frame without faces too */
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 2 && seen.faces == 1);
  EXPECT(seen.rebound == FACE_FAILED_PRECONDITION);
  EXPECT(seen.unbound == FACE_FAILED_PRECONDITION);
  EXPECT(seen.released == FACE_FAILED_PRECONDITION);
  image.plane_sizes[0] = 10;
  EXPECT(face_detect(engine, &image, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(seen.calls == 2);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_detect(engine, &empty, NULL, NULL) == FACE_OK);
  EXPECT(seen.calls == 2);
}

static void *detect_often(void *unused)
{
  (void)unused;
  for (int i = 0; i < 5; i++) EXPECT(detect_with(photo()) == FACE_OK);
  return NULL;
}

static void count_call(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  int *calls = user_data;
  EXPECT(face_result_count(result) == 1);
  ++*calls; /* without a lock: calls come one after the other */
}

/* Eight threads detect while this one binds and unbinds; nothing is called after unbind returned. */
static void threads(void)
{
  int calls = 0;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = count_call;
  listener.user_data = &calls;
  EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  pthread_t all[8];
  for (int i = 0; i < 8; i++) EXPECT(pthread_create(&all[i], NULL, detect_often, NULL) == 0);
  for (int i = 0; i < 20; i++) {
    EXPECT(face_unbind_listener(engine) == FACE_OK);
    int before = calls;
    sched_yield();
    EXPECT(calls == before);
    EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  }
  for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
  EXPECT(calls <= 40);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
}

static void released_handle(void)
{
  EXPECT(face_release(engine) == FACE_OK);
  EXPECT(face_release(engine) == FACE_INVALID_ARGUMENT);
  EXPECT(detect_with(photo()) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(engine) == FACE_INVALID_ARGUMENT);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  FILE *file = fopen(argv[3], "rb");
  if (file == NULL) return 2;
  file_bytes = malloc(1 << 20);
  file_size = file_bytes == NULL ? 0 : fread(file_bytes, 1, 1 << 20, file);
  fclose(file);

  versions();
  if ((argv[1][0] == 'l' ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine)) != FACE_OK) {
    fprintf(stderr, "%s\n", face_last_error());
    return 2;
  }
  null_arguments();
  wrong_images();
  struct_sizes();
  shorter_structs();
  options();
  results();
  listener();
  threads();
  released_handle();
  free(file_bytes);
  return failures == 0 ? 0 : 1;
}
