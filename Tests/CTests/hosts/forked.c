/* The child of a fork detects from several threads at once with the engine that its parent loaded or connected, while the
 * parent does the same. forked load MODEL_DIR PHOTO.jpg, or forked connect SOCKET PHOTO.jpg */
#define _POSIX_C_SOURCE 200809L
#include <face_engine.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static face_engine *engine;
static unsigned char file[1 << 20];
static size_t size;

static void *detect_often(void *failed)
{
  face_image image;
  face_image_init(&image);
  image.planes[0] = file;
  image.plane_sizes[0] = size;
  for (int i = 0; i < 20; i++) {
    face_result *result = NULL;
    if (face_detect(engine, &image, NULL, &result) != FACE_OK || face_result_count(result) != 1) {
      __sync_fetch_and_add((int *)failed, 1);
      fprintf(stderr, "%s\n", face_last_error());
    }
    face_result_destroy(result);
  }
  return NULL;
}

static int detect_in_threads(void)
{
  int failed = 0;
  pthread_t all[4];
  for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, detect_often, &failed);
  detect_often(&failed);
  for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
  return failed;
}

int main(int argc, char **argv)
{
  FILE *photo = argc == 4 ? fopen(argv[3], "rb") : NULL;
  if (photo == NULL) return 2;
  size = fread(file, 1, sizeof file, photo);
  fclose(photo);
  if ((argv[1][0] == 'l' ? face_load_model(argv[2], &engine) : face_connect(argv[2], &engine)) != FACE_OK) return 2;
  int failed = 0;
  detect_often(&failed);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(failed + detect_in_threads());
  }
  failed += detect_in_threads();
  int status = -1;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "the child ended with %x\n", status);
    failed++;
  }
  return failed + (face_release(engine) != FACE_OK);
}
