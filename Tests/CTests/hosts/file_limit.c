/* A host with RLIMIT_FSIZE, which counts for shared memory, too: calls above it are answered in another way, or refused
 * with the reason, and SIGXFSZ does not come.
 *     file_limit load MODEL_DIR PHOTO.jpg FOLDER
 *     file_limit connect SOCKET PHOTO.jpg FOLDER */
#define _GNU_SOURCE
#include <face_engine_draw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../host.h"

static int names_the_limit(const char *message)
{
  return strstr(message, "102400 bytes") != NULL && strstr(message, "ulimit -f") != NULL;
}

static face_image frame(unsigned width, unsigned height)
{
  face_image image;
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = width;
  image.height = height;
  image.plane_sizes[0] = (size_t)width * height * 3;
  image.planes[0] = calloc(1, image.plane_sizes[0]);
  return image;
}

int main(int argc, char **argv)
{
  if (argc != 5) return 2;
  const int is_connected = strcmp(argv[1], "connect") == 0;
  const struct rlimit limit = {100 << 10, 100 << 10};
  const char *const models[] = {argv[2]};
  struct sigaction action;
  sigset_t set;
  face_engine *engine = NULL;
  face_load_options options;
  face_load_options_init(&options);
  options.decoder_process = 1;
  EXPECT((is_connected ? face_connect(argv[2], &engine) : face_load_models(models, 1, &options, &engine)) == FACE_OK);
  if (engine == NULL || setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;

  face_result *result = NULL;
  face_image photo;
  face_image_init(&photo);
  EXPECT(face_image_from_file(argv[3], &photo) == FACE_OK);
  EXPECT(face_detect(engine, &photo, NULL, &result) == FACE_OK && face_result_count(result) == 1);
  face_result_destroy(result);
  face_image small = frame(640, 480), large = frame(2000, 2000);
  EXPECT(face_detect(engine, &small, NULL, NULL) == FACE_OK);
  const face_status status = face_detect(engine, &large, NULL, NULL);
  EXPECT(status == (is_connected ? FACE_RESOURCE_EXHAUSTED : FACE_OK) &&
         (!is_connected || names_the_limit(face_last_error())));

  face_memory *memory = NULL;
  EXPECT(face_memory_create(1 << 20, &memory) == FACE_RESOURCE_EXHAUSTED && names_the_limit(face_last_error()));
  EXPECT(face_memory_create(50 << 10, &memory) == FACE_OK);
  face_memory_destroy(memory);

  char path[1024];
  struct stat information;
  face_picture *picture = NULL;
  snprintf(path, sizeof path, "%s/out.png", argv[4]);
  EXPECT(face_picture_create(&photo, &picture) == FACE_OK);
  EXPECT(face_picture_save(picture, path) == FACE_RESOURCE_EXHAUSTED && names_the_limit(face_draw_last_error()));
  EXPECT(stat(path, &information) != 0);

  EXPECT(sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
  EXPECT(sigpending(&set) == 0 && !sigismember(&set, SIGXFSZ));
  EXPECT(sigprocmask(SIG_BLOCK, NULL, &set) == 0 && !sigismember(&set, SIGXFSZ));
  face_picture_destroy(picture);
  face_image_release(&photo);
  face_release(engine);
  free((void *)(size_t)small.planes[0]);
  free((void *)(size_t)large.planes[0]);
  return failures != 0;
}
