/* Who frees the pixels of a submitted image: nothing is read after it was freed, and nothing is freed twice. */
#include "abi.h"

struct seen {
  volatile int faces, failed, hold, is_inside;
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct seen *seen = user_data;
  (void)frame;
  seen->faces += (int)face_result_count(result);
  seen->is_inside = 1;
  while (seen->hold) rest(1);
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  (void)frame, (void)status;
  fprintf(stderr, "%s\n", message);
  ((struct seen *)user_data)->failed++;
}

static face_listener listener_to(struct seen *seen)
{
  memset(seen, 0, sizeof *seen);
  face_listener listener = listener_of(seen);
  listener.on_faces = on_faces;
  listener.on_failed = on_failed;
  return listener;
}

static face_session *open_session(struct seen *seen)
{
  const face_session_options options = options_of(FACE_SESSION_EVERY);
  return open_with(&options, listener_to(seen));
}

static void close_after(face_session *session, const struct seen *seen, int faces)
{
  flush_and_close(session);
  EXPECT(seen->faces == faces && seen->failed == 0);
}

static face_image read_photo(void)
{
  face_image image;
  face_image_init(&image);
  EXPECT(face_image_from_file(photo_path, &image) == FACE_OK);
  return image;
}

/* Once read, a file is submitted to sessions, again and again, and to calls in between. */
static void file_is_submitted_again(void)
{
  struct seen seen, others;
  face_session *session = open_session(&seen), *other = open_session(&others);
  face_image image = read_photo();
  for (int i = 0; i < 4; i++) {
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    EXPECT(face_session_submit(other, &image, NULL) == FACE_OK);
    EXPECT(face_session_flush(session, 0) == FACE_OK);
    EXPECT(detect_with(image) == FACE_OK);
  }
  face_image_release(&image);
  close_after(session, &seen, 8);
  close_after(other, &others, 4);
}

/* The frame keeps the file until its event. */
static void file_is_released_after_it_was_submitted(void)
{
  struct seen seen;
  face_session *session = open_session(&seen);
  seen.hold = 1;
  for (int i = 0; i < 3; i++) {
    face_image image = read_photo();
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    face_image_release(&image);
    EXPECT(face_session_submit(session, &image, NULL) == FACE_INVALID_ARGUMENT);
  }
  seen.hold = 0;
  close_after(session, &seen, 3);
}

/* Every function that takes an image refuses a copy of the struct whose file was released through another one. */
static void copy_of_a_released_image_is_refused(void)
{
  struct seen seen;
  face_session *session = open_session(&seen);
  face_image image = read_photo(), copy = image;
  face_image_release(&image);
  EXPECT(detect_with(copy) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "released") != NULL);
  EXPECT(face_check_image(engine, &copy, NULL, NULL, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_submit(session, &copy, NULL) == FACE_INVALID_ARGUMENT);
  const face_image good = photo();
  const face_image *both[] = {&copy, &good};
  face_result *results[2] = {NULL, NULL};
  EXPECT(face_detect_batch(engine, both, 2, NULL, results) == FACE_OK);
  EXPECT(face_result_status(results[0], NULL) == FACE_INVALID_ARGUMENT && face_result_count(results[1]) == 1);
  for (int i = 0; i < 2; i++) face_result_destroy(results[i]);
  face_image_release(&copy);
  EXPECT(copy.planes[0] == NULL);
  close_after(session, &seen, 0);
}

/* Bytes that are not the file's are copied, although the image still has the file's `release`. */
static void other_bytes_of_a_file_image_are_copied(void)
{
  struct seen seen;
  face_session *session = open_session(&seen);
  face_image image = read_photo(), other = image;
  void *bytes = malloc(image.plane_sizes[0]);
  memcpy(bytes, image.planes[0], image.plane_sizes[0]);
  other.planes[0] = bytes;
  seen.hold = 1;
  EXPECT(face_session_submit(session, &other, NULL) == FACE_OK);
  EXPECT(face_session_submit(session, &other, NULL) == FACE_OK);
  memset(bytes, 0, image.plane_sizes[0]);
  free(bytes);
  seen.hold = 0;
  face_image_release(&image);
  close_after(session, &seen, 2);
}

static void count_release(void *data) { __sync_fetch_and_add((int *)data, 1); }

/* As long as the library has the pixels, the same image would be freed twice. */
static void own_image_is_not_submitted_twice(void)
{
  struct seen seen;
  face_session *session = open_session(&seen), *other = NULL;
  face_image image = photo();
  volatile int released = 0, others = 0;
  EXPECT(face_session_open(engine, NULL, &other) == FACE_OK);
  seen.hold = 1;
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  while (!seen.is_inside) rest(1); /* what comes now waits */
  image.release = count_release;
  image.release_data = (void *)&released;
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  /* A connected engine has a copy of the pixels already, and they are the caller's again. */
  const int had = released;
  for (int i = 0; i < 3; i++) {
    const face_status status = face_session_submit(i % 2 ? session : other, &image, NULL);
    EXPECT(status == (had ? FACE_OK : FACE_FAILED_PRECONDITION));
  }
  EXPECT(released == (had ? 4 : 0));
  /* The same pixels with a `release_data` of their own are another image. */
  face_image second = image;
  second.release_data = (void *)&others;
  EXPECT(face_session_submit(session, &second, NULL) == FACE_OK);
  seen.hold = 0;
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(released == (had ? 4 : 1) && others == 1);
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
  close_after(session, &seen, had ? 5 : 4);
  EXPECT(face_session_close(other) == FACE_OK);
  EXPECT(released == (had ? 5 : 2) && others == 1);
}

/* In both modes, whether or not anybody listens, and also of frames that were dropped. */
static void flush_waits_for_release(void)
{
  for (int way = 0; way < 4; way++) {
    struct seen seen;
    const face_session_options options = options_of(way < 2 ? FACE_SESSION_NEWEST : FACE_SESSION_EVERY);
    face_session *session = open_with(&options, way % 2 ? listener_to(&seen) : listener_of(NULL));
    for (int round = 0; round < 10; round++) {
      volatile int released[3] = {0, 0, 0};
      for (int i = 0; i < 3; i++) {
        face_image image = photo();
        image.release = count_release;
        image.release_data = (void *)&released[i];
        EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
      }
      EXPECT(face_session_flush(session, 0) == FACE_OK);
      EXPECT(released[0] == 1 && released[1] == 1 && released[2] == 1);
    }
    EXPECT(face_session_close(session) == FACE_OK);
  }
}

void ownership(void)
{
  file_is_submitted_again();
  file_is_released_after_it_was_submitted();
  copy_of_a_released_image_is_refused();
  other_bytes_of_a_file_image_are_copied();
  own_image_is_not_submitted_twice();
  flush_waits_for_release();
}
