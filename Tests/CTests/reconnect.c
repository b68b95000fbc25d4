/* Detects once for every line on standard input and prints how it ended, with one connection handle for the whole time.
 * reconnect SOCKET PHOTO.jpg */
#include <face_engine.h>

#include "host.h"

int main(int argc, char **argv)
{
  face_engine *engine = NULL;
  if (argc != 3 || face_connect(argv[1], &engine) != FACE_OK) return 2;
  const face_image image = read_photo(argv[2]);
  while (getchar() != EOF) {
    face_result *result = NULL;
    face_status status = face_detect(engine, &image, NULL, &result);
    printf("%s %u\n", face_status_name(status), face_result_count(result));
    fflush(stdout);
    face_result_destroy(result);
  }
  return face_release(engine) == FACE_OK ? 0 : 1;
}
