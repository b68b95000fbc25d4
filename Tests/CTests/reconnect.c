/* Detects once for every line on standard input and prints how it ended, with one connection handle for the whole time.
 * reconnect SOCKET PHOTO.jpg */
#include <face_engine.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  static unsigned char file[1 << 20];
  FILE *photo = argc == 3 ? fopen(argv[2], "rb") : NULL;
  face_engine *engine = NULL;
  if (photo == NULL || face_connect(argv[1], &engine) != FACE_OK) return 2;

  face_image image;
  face_image_init(&image);
  image.planes[0] = file;
  image.plane_sizes[0] = fread(file, 1, sizeof file, photo);
  fclose(photo);
  while (getchar() != EOF) {
    face_result *result = NULL;
    face_status status = face_detect(engine, &image, NULL, &result);
    printf("%s %u\n", face_status_name(status), face_result_count(result));
    fflush(stdout);
    face_result_destroy(result);
  }
  return face_release(engine) == FACE_OK ? 0 : 1;
}
