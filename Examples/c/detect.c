/* Finds the faces of a picture that is raw pixels, in this process or with a running engine.
 *
 *     detect load MODEL_DIR PHOTO.ppm
 *     detect connect SOCKET PHOTO.ppm
 */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a binary PPM file: a line of text, then RGB pixels, which the caller frees. */
static unsigned char *read_ppm(const char *path, uint32_t *width, uint32_t *height)
{
  unsigned char *pixels = NULL;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  unsigned maximum;
  if (fscanf(file, "P6 %u %u %u", width, height, &maximum) == 3 && maximum == 255 && fgetc(file) != EOF && *width > 0 &&
      *width <= 8192 && *height > 0 && *height <= 8192) {
    size_t size = (size_t)*width * *height * 3;
    pixels = malloc(size);
    if (pixels != NULL && fread(pixels, 1, size, file) != size) {
      free(pixels);
      pixels = NULL;
    }
  }
  fclose(file);
  return pixels;
}

static int fail(const char *what, face_status status)
{
  fprintf(stderr, "%s: %s: %s\n", what, face_status_name(status), face_last_error());
  return 1;
}

int main(int argc, char **argv)
{
  if (argc != 4 || (strcmp(argv[1], "load") != 0 && strcmp(argv[1], "connect") != 0)) {
    fprintf(stderr, "usage: detect load MODEL_DIR PHOTO.ppm\n       detect connect SOCKET PHOTO.ppm\n");
    return 2;
  }
  face_engine *engine = NULL;
  face_status status = argv[1][0] == 'l' ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine);
  if (status != FACE_OK) return fail(argv[2], status);

  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  unsigned char *pixels = read_ppm(argv[3], &image.width, &image.height);
  if (pixels == NULL) {
    fprintf(stderr, "%s is no binary PPM picture of 8 bits a sample\n", argv[3]);
    face_release(engine);
    return 1;
  }
  image.planes[0] = pixels;
  image.plane_sizes[0] = (size_t)image.width * image.height * 3;

  face_result *result = NULL;
  status = face_detect(engine, &image, NULL, &result);
  for (uint32_t i = 0; i < face_result_count(result); i++) {
    face_info face;
    face_info_init(&face);
    face_result_get(result, i, &face);
    printf("%.3f at %.1f %.1f, %.1f x %.1f, left eye %.1f %.1f\n", face.confidence, face.box.x, face.box.y,
           face.box.width, face.box.height, face.left_eye.x, face.left_eye.y);
  }
  face_result_destroy(result);
  free(pixels);
  face_release(engine);
  return status == FACE_OK ? 0 : fail(argv[3], status);
}
