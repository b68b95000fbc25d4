/* Memory, cancellers, and handles that were released. */
#define _POSIX_C_SOURCE 200809L
#include "abi.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void memories(void)
{
  face_memory *memory = NULL;
  EXPECT(face_memory_create(0, &memory) == FACE_INVALID_ARGUMENT);
  EXPECT(face_memory_create(SIZE_MAX, &memory) == FACE_INVALID_ARGUMENT);
  char said[32];
  snprintf(said, sizeof said, "is %zu bytes", SIZE_MAX);
  EXPECT(strstr(face_last_error(), said) != NULL);
  EXPECT(face_memory_create(((size_t)1 << 30) + 1, &memory) == FACE_INVALID_ARGUMENT);
  EXPECT(face_memory_import(-1, &memory) == FACE_INVALID_ARGUMENT);
  EXPECT(memory == NULL);
  face_image file = photo();
  EXPECT(face_memory_create(file.plane_sizes[0] + 4096, &memory) == FACE_OK);
  void *data = NULL;
  size_t size = 0;
  EXPECT(face_memory_map(memory, &data, &size) == FACE_OK);
  EXPECT(size == file.plane_sizes[0] + 4096);
  memcpy((char *)data + 4096, file.planes[0], file.plane_sizes[0]);

  face_image image;
  face_image_init(&image);
  image.memory = memory;
  image.offsets[0] = 4096;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK); /* reaches the end of the memory */
  EXPECT(face_result_count(result) == 1);
  face_result_destroy(result);
  image.plane_sizes[0] = file.plane_sizes[0];
  EXPECT(detect_with(image) == FACE_OK);
  const face_image good = image;
#define REFUSED(change) REFUSED_AS(FACE_INVALID_ARGUMENT, change, detect_with(image), image = good)
  REFUSED(image.plane_sizes[0] += 1);
  REFUSED(image.plane_sizes[0] = SIZE_MAX);
  REFUSED((image.plane_sizes[0] = 1, image.offsets[0] = size));
  REFUSED((image.plane_sizes[0] = 1, image.offsets[0] = SIZE_MAX));
  REFUSED(image.planes[0] = data);
  REFUSED(face_memory_destroy(memory));
#undef REFUSED
  EXPECT(face_memory_map(memory, &data, &size) == FACE_INVALID_ARGUMENT);
  face_memory_destroy(memory);
}

static void cancel_soon(void *argument)
{
  rest(20);
  EXPECT(face_canceller_cancel(argument) == FACE_OK);
}

void cancellers(void)
{
  face_canceller *canceller = NULL;
  EXPECT(face_canceller_create(&canceller) == FACE_OK);
  face_image image = photo();
  face_options options;
  face_options_init(&options);
  options.canceller = canceller;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_OK);
  /* Running calls and later ones end. */
  task *thread = start(cancel_soon, canceller);
  face_status status = FACE_OK;
  while (status == FACE_OK) status = face_detect(engine, &image, &options, NULL);
  EXPECT(status == FACE_CANCELLED);
  join(thread);
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_CANCELLED);
  face_canceller_destroy(canceller);
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_canceller_cancel(canceller) == FACE_INVALID_ARGUMENT);
  face_canceller_destroy(canceller);
}

/* What listens at `path` accepts nothing; its backlog has room for one connection. */
static int listen_silently(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 0) == 0);
  return listener;
}

/* Connecting ends with its timeout and its canceller, also while the backlog is full. */
void silent_engines(void)
{
  char folder[] = "/tmp/face-engine-XXXXXX", path[64];
  EXPECT(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/socket", folder);
  int listener = listen_silently(path);
  for (int i = 0; i < 4; i++) {
    face_engine *none = NULL;
    face_connect_options options;
    face_connect_options_init(&options);
    options.timeout_ns = 20000000;
    EXPECT(face_connect_with(path, &options, &none) == FACE_DEADLINE_EXCEEDED);
    EXPECT(face_canceller_create(&options.canceller) == FACE_OK);
    options.timeout_ns = UINT64_MAX;
    task *thread = start(cancel_soon, options.canceller);
    EXPECT(face_connect_with(path, &options, &none) == FACE_CANCELLED);
    join(thread);
    face_canceller_destroy(options.canceller);
    EXPECT(face_connect_with(path, &options, &none) == FACE_INVALID_ARGUMENT);
    EXPECT(none == NULL);
  }
  close(listener);
  unlink(path);
  rmdir(folder);
}

static void use_until_refused(void *argument)
{
  int *refused = argument;
  for (int i = 0; i < 100000 && *refused < 3; i++) {
    if (detect_with(empty_picture()) == FACE_INVALID_ARGUMENT) ++*refused;
  }
}

static void release_engine(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)result;
  if (frame->number == 1) *(face_status *)user_data = face_release(engine);
}

/* A session keeps an engine that is released inside its listener. */
static void release_in_a_session(void)
{
  face_status released = FACE_UNKNOWN;
  face_image image = photo();
  face_listener listener = listener_of(&released);
  listener.on_faces = release_engine;
  face_session *session = open_with(NULL, listener);
  for (int i = 0; i < 2; i++) {
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    EXPECT(face_session_flush(session, 0) == FACE_OK);
  }
  EXPECT(released == FACE_OK);
  EXPECT(face_session_close(session) == FACE_OK);
}

/* A second thread uses the handle while the session's thread releases it. */
void stale_handles(void)
{
  int refused = 0;
  task *thread = start(use_until_refused, &refused);
  rest(10);
  release_in_a_session();
  join(thread);
  EXPECT(refused == 3);
  EXPECT(face_release(engine) == FACE_INVALID_ARGUMENT);
  EXPECT(detect_with(photo()) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(engine) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener((face_engine *)(void *)&refused) == FACE_INVALID_ARGUMENT);
  face_session *session = NULL;
  EXPECT(face_session_open(engine, NULL, &session) == FACE_INVALID_ARGUMENT && session == NULL);
  /* A handle of one kind is not valid as another kind. */
  EXPECT(face_session_flush((face_session *)(void *)engine, 1) == FACE_INVALID_ARGUMENT);
}
