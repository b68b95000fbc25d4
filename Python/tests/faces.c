/* Prints every number of each face of a photo as its bits, for test_faces.py: faces MODEL PHOTO ACCURACY */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const float *numbers, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    printf("%08x ", bits);
  }
}

int main(int argc, char **argv)
{
  static unsigned char file[8 << 20];
  static float points[478 * 3], values[64];
  FILE *photo = argc == 4 ? fopen(argv[2], "rb") : NULL;
  face_engine *engine = NULL;
  if (photo == NULL || face_load_model(argv[1], &engine) != FACE_OK) return 1;
  face_image image;
  face_image_init(&image);
  image.planes[0] = file;
  image.plane_sizes[0] = fread(file, 1, sizeof file, photo);
  face_options options;
  face_options_init(&options);
  options.outputs = 0x7f;
  options.accuracy = (face_accuracy)atoi(argv[3]);
  face_result *result = NULL;
  if (face_detect(engine, &image, &options, &result) != FACE_OK) return 1;
  for (uint32_t i = 0; i < face_result_count(result); i++) {
    face_info face;
    face_info_init(&face);
    uint32_t count = 0;
    if (face_result_get(result, i, &face) != FACE_OK) return 1;
    print(&face.box.x, 4);
    print(&face.clamped_box.x, 4);
    print(&face.confidence, 1);
    print(&face.left_eye.x, 10);
    print(&face.yaw, 3);
    print(&face.left_eye_open, 2);
    print(&face.smile, 2);
    print(&face.quality, 6);
    if (face_result_landmarks(result, i, FACE_REGION_ALL_POINTS, (face_landmark *)points, 478, &count) != FACE_OK) return 1;
    print(points, count * 3);
    if (face_result_expressions(result, i, values, 64) != FACE_OK) return 1;
    print(values, FACE_EXPRESSION_COUNT);
    if (face_result_values(result, i, FACE_OUTPUT_TRANSFORM, values, 64, &count) != FACE_OK) return 1;
    print(values, count);
    printf("\n");
  }
  face_result_destroy(result);
  face_release(engine);
  fclose(photo);
  return 0;
}
