/* Each kind of object once, and each kind of failure: for valgrind. leaks MODEL_DIR PHOTO.jpg */
#include <face_engine.h>
#include <stdio.h>

#include "../host.h"

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  *(uint32_t *)user_data += face_result_count(result);
}

int main(int argc, char **argv)
{
  face_engine *engine = NULL, *none = NULL;
  if (argc != 3 || face_load_model(argv[1], &engine) != FACE_OK) return 2;
  const face_image image = read_photo(argv[2]);

  int failed = face_load_model("no such folder", &none) != FACE_NOT_FOUND;
  face_canceller *canceller = NULL;
  face_memory *memory = NULL;
  face_session *session = NULL;
  failed += face_canceller_create(&canceller) != FACE_OK || face_memory_create(4096, &memory) != FACE_OK;
  face_options options;
  face_options_init(&options);
  options.canceller = canceller;
  options.max_side = 160; /* under valgrind everything takes thirty times as long */
  const face_image *all[] = {&image, NULL};
  face_result *results[2] = {NULL, NULL};
  failed += face_detect_batch(engine, all, 2, &options, results) != FACE_OK || face_result_count(results[0]) != 1;
  face_result_destroy(results[0]);
  face_result_destroy(results[1]);

  uint32_t faces = 0;
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = on_faces;
  listener.user_data = &faces;
  face_session_options how;
  face_session_options_init(&how);
  how.options = &options;
  failed += face_session_open(engine, &how, &session) != FACE_OK;
  failed += face_session_bind_listener(session, &listener) != FACE_OK;
  for (int i = 0; i < 3; i++) {
    failed += face_session_submit(session, &image, NULL) != FACE_OK;
    failed += face_session_flush(session, 0) != FACE_OK;
  }
  face_image read;
  face_image_init(&read);
  failed += face_image_from_file(argv[2], &read) != FACE_OK;
  for (int i = 0; i < 2; i++) failed += face_session_submit(session, &read, NULL) != FACE_OK;
  face_image_release(&read); /* before its frames are done */
  failed += face_session_submit(session, &read, NULL) != FACE_INVALID_ARGUMENT;
  failed += face_session_flush(session, 0) != FACE_OK;
  failed += faces < 4 || face_session_close(session) != FACE_OK;
  face_canceller_destroy(canceller);
  face_memory_destroy(memory);
  return failed + (face_release(engine) != FACE_OK);
}
