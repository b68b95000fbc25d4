/* Bytes become calls of the C API: struct sizes, images, options, spaces and sessions. Whatever comes, the answer is a
 * status; nothing is read beyond what plane_sizes says and nothing leaks.
 *
 * As a libFuzzer target (see Tools/fuzz-abi.sh) it reads FACE_FUZZ_MODEL; as a program (-DREPLAY) it runs the files of a
 * corpus:  abi_fuzz MODEL_DIR FILE... */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is left of the input; zeros at its end. */
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

static void load(const char *model)
{
  if (engine == NULL && (model == NULL || face_load_model(model, &engine) != FACE_OK)) {
    fprintf(stderr, "%s\n", model == NULL ? "FACE_FUZZ_MODEL is not set" : face_last_error());
    abort();
  }
}

/* A plane that ends where the memory does, so that a byte too far is seen. */
static void *pixels(struct input *input, size_t size)
{
  uint8_t *plane = malloc(size == 0 ? 1 : size);
  if (plane == NULL) abort();
  for (size_t i = 0; i < size; i++) plane[i] = (uint8_t)(i * 37 + size);
  take(input, plane, size < 64 ? size : 64);
  return plane;
}

/* Any image. Pointers and sizes belong together, as they must; all else is the input's. */
static void make_image(struct input *input, face_image *image, void *planes[4])
{
  take(input, image, sizeof *image);
  const uint32_t kind = number(input);
  if (kind & 1) image->struct_size = sizeof *image;
  if (kind & 2) image->format %= 10, image->width = 16 + image->width % 64, image->height = 16 + image->height % 64;
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
    face_point point = {1, 2};
    face_points_to_space(&space, number(input), number(input), &point, 1);
    face_points_from_space(&space, 64, 64, &point, 1);
  }
}

/* What needs no engine; the input's last part. */
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
  load(argc > 1 ? argv[1] : NULL);
  for (int i = 2; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) return 1;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run(bytes, size);
  }
  return face_release(engine) == FACE_OK ? 0 : 1;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  load(getenv("FACE_FUZZ_MODEL"));
  run(bytes, size);
  return 0;
}
#endif
