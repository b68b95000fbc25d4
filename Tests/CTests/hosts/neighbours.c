/* A host with OpenMP and protobuf-c of its own, at work in the same process and at the same time.
 * neighbours MODEL_DIR PHOTO.jpg */
#include <face_engine.h>
#include <omp.h>
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  static unsigned char file[1 << 20];
  FILE *photo = argc == 3 ? fopen(argv[2], "rb") : NULL;
  face_engine *engine = NULL;
  if (photo == NULL || face_load_model(argv[1], &engine) != FACE_OK) return 2;
  face_image image;
  face_image_init(&image);
  image.planes[0] = file;
  image.plane_sizes[0] = fread(file, 1, sizeof file, photo);
  fclose(photo);

  const int threads = omp_get_max_threads();
  int failed = protobuf_c_version_number() == 0;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum, failed)
  for (int i = 0; i < 64; i++) {
    sum += i;
    if (i % 8 == 0) {
      face_result *result = NULL;
      failed += face_detect(engine, &image, NULL, &result) != FACE_OK || face_result_count(result) != 1;
      face_result_destroy(result);
    }
  }
  failed += sum != 2016 || omp_get_max_threads() != threads;
  return failed + (face_release(engine) != FACE_OK);
}
