/* Bytes become files that the C API reads: a picture that is searched, or a network that is loaded. Whatever comes, the
 * answer is a status with a message, and nothing leaks.
 *
 * The first byte chooses: 0 a picture, 1 an ONNX file, 2 a folder with a graph and, behind a zero byte, weights, 3 a
 * folder with a model.json. As a libFuzzer target (see Tools/fuzz-abi.sh) it reads FACE_FUZZ_MODEL; as a program
 * (-DREPLAY) it runs the files of a corpus:  files_fuzz MODEL_DIR FILE... */
#define _GNU_SOURCE
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { PICTURE, ONNX, GRAPH, PACKAGE, KINDS };

static face_engine *engine;
static char folder[64] = "/tmp/files-fuzz-XXXXXX";

static void fail(const char *what)
{
  fprintf(stderr, "files_fuzz: %s: %s\n", what, face_last_error());
  abort();
}

static void start(const char *model)
{
  if (engine != NULL) return;
  if (model == NULL || face_load_model(model, &engine) != FACE_OK) fail("the model");
  if (mkdtemp(folder) == NULL) fail("a folder");
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (file == NULL || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) fail(path);
}

static void remove_file(const char *name)
{
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

/* A failure has an error text. */
static void check(face_status status)
{
  if (status != FACE_OK && strlen(face_last_error()) == 0) abort();
}

static void search(face_engine *searcher, face_image *image)
{
  face_options options;
  face_options_init(&options);
  options.max_side = 64;
  options.timeout_ns = 5000000000;
  face_result *result = NULL;
  const face_status status = face_detect(searcher, image, &options, &result);
  check(status);
  if ((status == FACE_OK) != (result != NULL)) abort();
  face_result_destroy(result);
}

static void run_picture(const char *path)
{
  face_image image;
  face_image_init(&image);
  const face_status status = face_image_from_file(path, &image);
  check(status);
  if (status != FACE_OK) return;
  search(engine, &image);
  face_image_release(&image);
}

static void run_model(const char *path)
{
  static uint8_t pixels[64 * 64 * 3];
  face_engine *loaded = NULL;
  const face_status status = face_load_model(path, &loaded);
  check(status);
  if ((status == FACE_OK) != (loaded != NULL)) abort();
  if (status != FACE_OK) return;
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_BGR;
  image.width = image.height = 64;
  image.planes[0] = pixels;
  image.plane_sizes[0] = sizeof pixels;
  search(loaded, &image);
  face_release(loaded);
}

static void run(const uint8_t *bytes, size_t size)
{
  if (size < 1) return;
  const enum kind kind = bytes[0] % KINDS;
  bytes++;
  size--;
  char path[100];
  switch (kind) {
  case PICTURE:
    write_file("picture", bytes, size);
    snprintf(path, sizeof path, "%s/picture", folder);
    run_picture(path);
    remove_file("picture");
    break;
  case ONNX:
    write_file("network.onnx", bytes, size);
    snprintf(path, sizeof path, "%s/network.onnx", folder);
    run_model(path);
    remove_file("network.onnx");
    break;
  case GRAPH: {
    const uint8_t *end = memchr(bytes, 0, size);
    const size_t graph = end ? (size_t)(end - bytes) : size;
    write_file("network.param", bytes, graph);
    write_file("network.bin", end ? end + 1 : bytes, end ? size - graph - 1 : 0);
    run_model(folder);
    remove_file("network.param");
    remove_file("network.bin");
    break;
  }
  case PACKAGE:
    write_file("model.json", bytes, size);
    run_model(folder);
    remove_file("model.json");
    break;
  case KINDS: break;
  }
}

#ifdef REPLAY
int main(int argc, char **argv)
{
  static uint8_t bytes[1 << 20];
  start(argc > 1 ? argv[1] : NULL);
  for (int i = 2; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) fail(argv[i]);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run(bytes, size);
  }
  rmdir(folder);
  return face_release(engine) == FACE_OK ? 0 : 1;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  start(getenv("FACE_FUZZ_MODEL"));
  run(bytes, size);
  return 0;
}
#endif
