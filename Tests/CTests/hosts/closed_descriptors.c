/* A daemon that has closed standard descriptors and ignores SIGCHLD: no descriptor of the libraries is 0, 1 or 2, so
 * that what it prints goes nowhere, and decoders start.
 *     closed_descriptors MASK load MODEL_DIR PHOTO.jpg FOLDER
 *     closed_descriptors MASK connect SOCKET PHOTO.jpg FOLDER
 * MASK has the bits of the closed descriptors. */
#define _GNU_SOURCE
#include <face_engine_draw.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *report;
static int failures, mask;

static void check_descriptors(int line)
{
  printf("a line to the closed standard output\n");
  fflush(stdout);
  fprintf(stderr, "and one to the closed standard error\n");
  for (int i = 0; i < 3; i++) {
    if ((mask >> i & 1) == 0 || fcntl(i, F_GETFD) == -1) continue;
    failures++;
    fprintf(report, "line %d: descriptor %d is open\n", line, i);
  }
}

#define EXPECT(condition)                                                                                      \
  do {                                                                                                         \
    if (!(condition)) {                                                                                        \
      failures++;                                                                                              \
      fprintf(report, "line %d: expected %s; last errors: %s / %s\n", __LINE__, #condition, face_last_error(), \
              face_draw_last_error());                                                                         \
    }                                                                                                          \
    check_descriptors(__LINE__);                                                                               \
  } while (0)

static void count_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  *(unsigned *)user_data += face_result_count(result);
}

/* `own` is memory of the host. */
static void use_memory(face_engine *engine, int own)
{
  face_memory *memory = NULL, *imported = NULL;
  face_result *result = NULL;
  face_image image;
  EXPECT(face_memory_create(1 << 20, &memory) == FACE_OK);
  EXPECT(ftruncate(own, 4096) == 0 && fcntl(own, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  EXPECT(face_memory_import(own, &imported) == FACE_OK);
  face_image_init(&image);
  image.format = FACE_FORMAT_RGB;
  image.width = 640;
  image.height = 480;
  image.memory = memory;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK);
  face_result_destroy(result);
  face_memory_destroy(memory);
  face_memory_destroy(imported);
  close(own);
}

static void use_session(face_engine *engine, const face_image *photo)
{
  unsigned faces = 0;
  face_session *session = NULL;
  face_listener listener;
  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;
  face_listener_init(&listener);
  listener.user_data = &faces;
  listener.on_faces = count_faces;
  EXPECT(face_session_open(engine, &options, &session) == FACE_OK);
  EXPECT(face_session_bind_listener(session, &listener) == FACE_OK);
  for (int i = 0; i < 3; i++) EXPECT(face_session_submit(session, photo, NULL) == FACE_OK);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_close(session) == FACE_OK);
  EXPECT(faces == 3);
}

static void use_drawing(const char *folder, const face_image *photo)
{
  char path[1024];
  face_picture *picture = NULL;
  snprintf(path, sizeof path, "%s/out.png", folder);
  EXPECT(face_picture_create(photo, &picture) == FACE_OK);
  EXPECT(face_draw_text(picture, "text", (face_point){10, 40}, FACE_DRAW_ANCHOR_LEFT, NULL) == FACE_OK);
  EXPECT(face_picture_save(picture, path) == FACE_OK);
  face_picture_destroy(picture);
}

int main(int argc, char **argv)
{
  if (argc != 6) return 2;
  mask = atoi(argv[1]);
  report = fdopen(fcntl(2, F_DUPFD_CLOEXEC, 100), "w");
  const int own = memfd_create("host", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  for (int i = 0; i < 3; i++)
    if (mask >> i & 1) close(i);
  signal(SIGCHLD, SIG_IGN);
  face_engine *engine = NULL;
  face_result *result = NULL;
  face_load_options options;
  face_image photo;
  face_load_options_init(&options);
  options.decoder_process = 1;
  face_image_init(&photo);
  const char *const models[] = {argv[3]};
  if (strcmp(argv[2], "connect") == 0) {
    EXPECT(face_connect(argv[3], &engine) == FACE_OK);
  } else {
    EXPECT(face_load_models(models, 1, &options, &engine) == FACE_OK);
  }
  EXPECT(face_image_from_file(argv[4], &photo) == FACE_OK);
  for (int i = 0; i < 3 && engine != NULL; i++) {
    EXPECT(face_detect(engine, &photo, NULL, &result) == FACE_OK);
    EXPECT(face_result_count(result) == 1);
    face_result_destroy(result);
    result = NULL;
  }
  if (engine != NULL) {
    use_memory(engine, own);
    use_session(engine, &photo);
  }
  use_drawing(argv[5], &photo);
  EXPECT(signal(SIGCHLD, SIG_IGN) == SIG_IGN);
  face_image_release(&photo);
  face_release(engine);
  fflush(report);
  return failures != 0;
}
