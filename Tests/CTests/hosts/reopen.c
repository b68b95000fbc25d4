/* A host that opens the library by hand, uses it, closes it and opens it again.
 * reopen libfaceengine.so.1 MODEL_DIR PHOTO.jpg */
#include <dlfcn.h>
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* POSIX allows conversion of a data pointer to a function. */
static void *find(void *library, const char *name)
{
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return symbol;
}

#define FIND(library, name) __typeof__(&name) name##_ = (__typeof__(&name))(size_t)find(library, #name)

static int detect_once(const char *path, const char *model, unsigned char *file, size_t size)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  FIND(library, face_abi_version);
  FIND(library, face_load_model);
  FIND(library, face_image_init_sized);
  FIND(library, face_detect);
  FIND(library, face_result_count);
  FIND(library, face_result_destroy);
  FIND(library, face_session_open);
  FIND(library, face_session_submit);
  FIND(library, face_session_flush);
  FIND(library, face_session_close);
  FIND(library, face_release);
  FIND(library, face_last_error);
  int failed = face_abi_version_() != FACE_ABI_VERSION;

  face_engine *engine = NULL;
  face_session *session = NULL;
  face_result *result = NULL;
  face_image image;
  face_image_init_sized_(&image, sizeof image);
  image.planes[0] = file;
  image.plane_sizes[0] = size;
  failed += face_load_model_(model, &engine) != FACE_OK;
  failed += face_detect_(engine, &image, NULL, &result) != FACE_OK;
  failed += face_result_count_(result) != 1;
  face_result_destroy_(result);
  failed += face_session_open_(engine, NULL, &session) != FACE_OK;
  failed += face_session_submit_(session, &image, NULL) != FACE_OK;
  failed += face_session_flush_(session, 0) != FACE_OK;
  failed += face_session_close_(session) != FACE_OK;
  failed += face_release_(engine) != FACE_OK;
  if (failed) fprintf(stderr, "%s\n", face_last_error_());
  return failed + (dlclose(library) != 0);
}

int main(int argc, char **argv)
{
  static unsigned char file[1 << 20];
  FILE *photo = argc == 4 ? fopen(argv[3], "rb") : NULL;
  if (photo == NULL) return 2;
  const size_t size = fread(file, 1, sizeof file, photo);
  fclose(photo);
  int failed = 0;
  for (int i = 0; i < 5; i++) failed += detect_once(argv[1], argv[2], file, size);
  return failed;
}
