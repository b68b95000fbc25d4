/* A host with OpenMP and protobuf-c of its own, at work in the same process and at the same time.
 * neighbours MODEL_DIR PHOTO.jpg */
#include <face_engine.h>
#include <omp.h>
#include <protobuf-c/protobuf-c.h>

#include "../host.h"

int main(int argc, char **argv)
{
  face_engine *engine = NULL;
  if (argc != 3 || face_load_model(argv[1], &engine) != FACE_OK) return 2;
  const face_image image = read_photo(argv[2]);

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
