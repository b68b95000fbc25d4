/* Bytes become calls of the C API: struct sizes, images, options, spaces, sessions and guided checks. Whatever comes,
 * the answer is a status; nothing is read beyond what plane_sizes says and nothing leaks.
 *
 * As a libFuzzer target (see Tools/fuzz-abi.sh) it reads FACE_FUZZ_MODEL and FACE_FUZZ_PHOTO; as a program (-DREPLAY)
 * it runs the files of a corpus:  abi_fuzz MODEL_DIR PHOTO FILE... */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rest of the input; zeros after its end. */
struct input {
  const uint8_t *bytes;
  size_t size;
};

static void take(struct input *input, void *out, size_t size)
{
  const size_t some = size < input->size ? size : input->size;
  memset(out, 0, size);
  if (some > 0) memcpy(out, input->bytes, some);
  input->bytes += some;
  input->size -= some;
}

static uint32_t number(struct input *input)
{
  uint32_t value;
  take(input, &value, sizeof value);
  return value;
}

static face_engine *engine;

/* A JPEG file of a face: with it a check ends, as it would not with bytes of the input. */
static uint8_t photo[1 << 17];
static size_t photo_size;

static size_t read_file(const char *path, uint8_t *bytes, size_t size)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    abort();
  }
  size = fread(bytes, 1, size, file);
  fclose(file);
  return size;
}

static void load(const char *model, const char *photo_path)
{
  if (engine != NULL) return;
  if (model == NULL || photo_path == NULL) {
    fprintf(stderr, "a model's folder and a photo are needed\n");
    abort();
  }
  if (face_load_model(model, &engine) != FACE_OK) {
    fprintf(stderr, "%s\n", face_last_error());
    abort();
  }
  photo_size = read_file(photo_path, photo, sizeof photo);
}

/* A plane that ends with its memory, so that reading a byte too many is noticed. */
static void *pixels(struct input *input, size_t size)
{
  uint8_t *plane = malloc(size == 0 ? 1 : size);
  if (plane == NULL) abort();
  for (size_t i = 0; i < size; i++) plane[i] = (uint8_t)(i * 37 + size);
  take(input, plane, size < 64 ? size : 64);
  return plane;
}

/* Any image. Pointers and sizes match, as they must; the input chooses all else. */
static void make_image(struct input *input, face_image *image, void *planes[4])
{
  take(input, image, sizeof *image);
  const uint32_t kind = number(input);
  if (kind & 1) image->struct_size = sizeof *image;
  if (kind & 2) image->format %= 12, image->width = 16 + image->width % 64, image->height = 16 + image->height % 64;
  if (kind & 4) image->reserved = 0, image->colour %= 4, image->mirrored %= 2, image->orientation %= 9;
  if (kind & 8) memset(&image->region, 0, sizeof image->region);
  if (kind & 16) memset(image->strides, 0, sizeof image->strides);
  image->memory = NULL;
  image->release = NULL;
  for (int i = 0; i < 4; i++) {
    image->plane_sizes[i] %= 32768;
    planes[i] = pixels(input, image->plane_sizes[i]);
    image->planes[i] = (kind >> 8 & 1 << i) ? NULL : planes[i];
  }
}

static void make_options(struct input *input, face_options *options)
{
  const uint32_t kind = number(input);
  face_options_init(options);
  if (kind & 1) take(input, options, sizeof *options);
  if (kind & 2) options->struct_size = sizeof *options;
  options->model = kind & 4 ? "yunet" : NULL;
  options->canceller = NULL;
  /* This is as many as the library may read. */
  static const face_box boxes[1000] = {{1, 2, 30, 40}, {0, 0, 8, 8}};
  options->boxes = kind & 8 ? boxes : NULL;
}

static void read_result(struct input *input, const face_result *result)
{
  for (uint32_t i = 0; i <= face_result_count(result); i++) {
    face_info info;
    face_space space;
    take(input, &space, sizeof space);
    if (number(input) & 1) space.struct_size = sizeof space;
    face_info_init(&info);
    face_result_get(result, i, &info);
    face_result_get_in(result, i, &space, &info);
    face_landmark points[478];
    float expressions[FACE_EXPRESSION_COUNT];
    face_result_landmarks(result, i, number(input), points, 478, NULL);
    face_result_expressions(result, i, expressions, FACE_EXPRESSION_COUNT);
    face_result_values(result, i, 1u << i % 32, expressions, FACE_EXPRESSION_COUNT, NULL);
    face_point point = {1, 2};
    face_points_to_space(&space, number(input), number(input), &point, 1);
    face_points_from_space(&space, 64, 64, &point, 1);
  }
}

/* Functions that need no engine, with the input's last part. */
static void convert(struct input *input)
{
  face_space space;
  face_box box;
  face_circle circle;
  face_point points[2];
  face_orientation orientation;
  take(input, &space, sizeof space);
  take(input, &box, sizeof box);
  take(input, &circle, sizeof circle);
  take(input, points, sizeof points);
  const uint32_t kind = number(input), width = number(input), height = number(input);
  if (kind & 1) space.struct_size = sizeof space;
  face_points_to_box(&box, points, 2);
  face_points_from_box(&box, points, 2);
  face_box_to_space(&space, width, height, &box);
  face_box_from_space(&space, width, height, &box);
  face_circle_to_space(&space, width, height, &circle);
  face_circle_from_space(&space, width, height, &circle);
  face_orientation_of_camera(kind & 2 ? kind : kind / 4 % 4 * 90, number(input), number(input), &orientation);
}

static void stream(struct input *input, const face_image *image, const face_options *options)
{
  face_session_options how;
  face_session_options_init(&how);
  if (number(input) & 1) take(input, &how, sizeof how);
  if (number(input) & 1) how.struct_size = sizeof how;
  how.options = options;
  face_session *session = NULL;
  if (face_session_open(engine, &how, &session) != FACE_OK) return;
  for (int i = 0; i < 3; i++) face_session_submit(session, image, NULL);
  if (face_session_flush(session, 0) != FACE_OK || face_session_close(session) != FACE_OK) abort();
}

/* The state of a check's listener. */
struct watched {
  face_session *session; /* NULL for a photo */
  int restarts;
};

static volatile unsigned seen; /* keeps the compiler from dropping reads */

static unsigned sum(const face_image *picture)
{
  unsigned total = 0;
  for (size_t i = 0; i < picture->plane_sizes[0]; i++) total += ((const uint8_t *)picture->planes[0])[i];
  return total;
}

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  struct watched *watched = user_data;
  (void)frame;
  if (strcmp(check->text, face_tip_text(check->tip)) != 0 || face_tip_name(check->tip) == NULL) abort();
  if (face_check_state_name(check->state) == NULL || !(check->progress >= 0 && check->progress <= 1)) abort();
  if (check->faces != NULL) {
    face_info face;
    face_info_init(&face);
    if (face_result_count(check->faces) != 1 || face_result_get(check->faces, 0, &face) != FACE_OK) abort();
  }
  if (check->event == FACE_CHECK_EVENT_RESULT) seen = sum(check->picture) + sum(check->crop);
  if (check->event == FACE_CHECK_EVENT_FAILED) seen = (unsigned)(strlen(check->code) + strlen(check->message));
  if (check->state >= FACE_CHECK_FINISH && watched->session != NULL && watched->restarts-- > 0)
    face_check_restart(watched->session);
}

/* Options in memory of exactly their size, so that reading a byte too many is noticed; NULL for none. Caller frees. */
static face_check_options *make_check(struct input *input, const face_space *view)
{
  const uint32_t kind = number(input), known = sizeof(face_check_options);
  if (kind % 16 == 15) return NULL;
  const uint32_t size = kind & 1 ? known : 4 + number(input) % (known + 32);
  uint8_t *bytes = malloc(size);
  if (bytes == NULL) abort();
  memset(bytes, 0, size);
  face_check_options_init_sized((face_check_options *)bytes, size);
  face_check_options whole;
  face_check_options_init(&whole);
  if (kind & 2) { /* right at once: around the face of the photo */
    whole.mask = (face_circle){268, 227, 160};
    whole.start_delay_ns = whole.hold_ns = whole.tip_ns = 0;
    whole.use_timestamps = 1;
    whole.crop_size = 64;
  }
  if (kind & 4) take(input, (uint8_t *)&whole + 4, sizeof whole - 4);
  for (uint32_t i = kind >> 8 & 7; i > 0; i--) {
    const uint32_t place = number(input) % (known / 4), value = number(input);
    memcpy((uint8_t *)&whole + 4 * place, &value, sizeof value);
  }
  whole.struct_size = kind & 8 ? number(input) % (size + 1) : size;
  whole.view = kind & 16 ? view : NULL;
  memcpy(bytes, &whole, size < known ? size : known);
  return (face_check_options *)bytes;
}

static void check(struct input *input, const face_image *any, const face_options *detection)
{
  const uint32_t kind = number(input);
  face_space view;
  face_space_init(&view);
  if (kind & 1) take(input, &view, sizeof view);
  view.struct_size = kind & 2 ? sizeof view : view.struct_size % (sizeof view + 1);
  face_check_options *options = make_check(input, &view);
  face_image image = *any;
  if (kind & 4) {
    face_image_init(&image);
    image.planes[0] = photo;
    image.plane_sizes[0] = photo_size;
  }
  struct watched watched = {NULL, kind >> 8 & 3};
  face_listener listener;
  face_listener_init(&listener);
  listener.user_data = &watched;
  listener.on_check = on_check;
  face_tip tip = number(input);
  face_tip_name(tip), face_tip_text(tip), face_check_state_name(tip);

  face_session_options how;
  face_session_options_init(&how);
  if (kind & 8) take(input, &how, sizeof how);
  how.struct_size = kind & 16 ? sizeof how : how.struct_size % (sizeof how + 1);
  if (kind & 32) how.mode = FACE_SESSION_EVERY;
  how.options = detection;
  face_session *session = NULL;
  if (kind & 64) {
    const face_status status =
        face_check_image(engine, &image, detection, options, kind & 128 ? &listener : NULL, &tip);
    if (status == FACE_OK && face_tip_name(tip) == NULL) abort();
  } else if (face_check_open(engine, kind & 128 ? &how : NULL, options, &session) == FACE_OK) {
    watched.session = session;
    if (face_session_bind_listener(session, &listener) != FACE_OK) abort();
    const uint64_t step = number(input);
    for (uint64_t i = 0; i < 4; i++) {
      image.timestamp_ns = any->timestamp_ns + i * step;
      face_session_submit(session, &image, NULL);
      if (kind >> 10 & 1 << i && face_check_restart(session) != FACE_OK) abort();
    }
    if (face_session_flush(session, 0) != FACE_OK || face_session_close(session) != FACE_OK) abort();
    if (face_check_restart(session) == FACE_OK) abort();
  }
  free(options);
}

static void run(const uint8_t *bytes, size_t size)
{
  struct input input = {bytes, size};
  face_image images[2];
  void *planes[8];
  face_options options;
  const uint32_t kind = number(&input);
  make_options(&input, &options);
  make_image(&input, &images[0], planes);
  make_image(&input, &images[1], planes + 4);

  const face_image *all[] = {&images[0], &images[1], NULL};
  face_result *results[3] = {NULL, NULL, NULL};
  if (kind % 4 == 0) {
    face_detect_batch(engine, all, 3, &options, results);
  } else if (kind % 4 == 1) {
    stream(&input, &images[0], &options);
  } else if (kind % 8 == 3) {
    check(&input, &images[0], &options);
  } else {
    const face_status status = face_detect(engine, &images[0], kind & 4 ? &options : NULL, &results[0]);
    if ((status == FACE_OK) != (results[0] != NULL)) abort();
  }
  for (int i = 0; i < 3; i++) {
    read_result(&input, results[i]);
    face_result_destroy(results[i]);
  }
  convert(&input);
  for (int i = 0; i < 8; i++) free(planes[i]);
}

#ifdef REPLAY
int main(int argc, char **argv)
{
  static uint8_t bytes[1 << 20];
  load(argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
  for (int i = 3; i < argc; i++) run(bytes, read_file(argv[i], bytes, sizeof bytes));
  return face_release(engine) == FACE_OK ? 0 : 1;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  load(getenv("FACE_FUZZ_MODEL"), getenv("FACE_FUZZ_PHOTO"));
  run(bytes, size);
  return 0;
}
#endif
