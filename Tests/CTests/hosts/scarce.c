/* A host whose thread has the least stack that the header promises to suffice, and which with "used" has used all keys
 *     of threads. scarce MODEL_DIR FOLDER STACK free|used PICTURE... */
#include <face_engine_draw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"

enum { MOST_KEYS = 4096 };
static pthread_key_t keys[MOST_KEYS];
static int key_count;
static char marks[MOST_KEYS];

static void use_all_keys(void)
{
  while (key_count < MOST_KEYS && pthread_key_create(&keys[key_count], NULL) == 0) key_count++;
  for (int i = 0; i < key_count; i++) EXPECT(pthread_setspecific(keys[i], &marks[i]) == 0);
}

static void expect_own_values(void)
{
  for (int i = 0; i < key_count; i++) EXPECT(pthread_getspecific(keys[i]) == &marks[i]);
}

static void expect_texts(void)
{
  const char *first = "no/such/model", *second = "no/other/model";
  face_engine *engine = NULL;
  EXPECT(face_last_error()[0] == 0 && face_draw_last_error()[0] == 0);
  EXPECT(face_load_model(first, &engine) == FACE_NOT_FOUND && strstr(face_last_error(), first) != NULL);
  const char *kept = face_last_error();
  EXPECT(face_load_model(second, &engine) == FACE_NOT_FOUND && strstr(face_last_error(), second) != NULL);
  EXPECT(strstr(kept, first) != NULL);
  EXPECT(face_picture_save(NULL, "none") == FACE_INVALID_ARGUMENT && face_draw_last_error()[0] != 0);
}

static const char *folder;

static void draw(const face_image *image, const face_result *result)
{
  static const char *const names[] = {"marked.png", "marked.jpg", "marked.webp"};
  face_picture *picture = NULL;
  EXPECT(face_picture_create(image, &picture) == FACE_OK);
  EXPECT(face_draw_result(picture, result, NULL) == FACE_OK);
  const face_point place = {30, 40};
  EXPECT(face_draw_text(picture, "Grüße, 你好, سلام", place, FACE_DRAW_ANCHOR_LEFT, NULL) == FACE_OK);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    EXPECT(face_picture_save(picture, path) == FACE_OK);
  }
  face_picture_destroy(picture);
  if (face_result_count(result) != 1) return;
  EXPECT(face_crop_result(image, result, NULL, &picture) == FACE_OK);
  face_picture_destroy(picture);
}

static char **arguments;

static void *work(void *unused)
{
  (void)unused;
  expect_texts();
  face_engine *engine = NULL;
  EXPECT(face_load_model(arguments[1], &engine) == FACE_OK);
  face_options options;
  face_options_init(&options);
  options.outputs = FACE_OUTPUT_ALL;
  options.accuracy = FACE_ACCURACY_HIGH;
  for (char **path = arguments + 5; *path != NULL && failures == 0; path++) {
    face_image image;
    face_image_init(&image);
    EXPECT(face_image_from_file(*path, &image) == FACE_OK);
    face_result *result = NULL;
    /* GdkPixbuf needs keys. */
    if (key_count > 0 && strstr(*path, ".gif") != NULL) {
      EXPECT(face_detect(engine, &image, &options, &result) == FACE_RESOURCE_EXHAUSTED);
      EXPECT(strstr(face_last_error(), "no thread key") != NULL);
    } else {
      EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
      EXPECT(face_check_image(engine, &image, NULL, NULL, NULL, NULL) == FACE_OK);
      draw(&image, result);
    }
    face_result_destroy(result);
    face_image_release(&image);
  }
  EXPECT(face_release(engine) == FACE_OK);
  return NULL;
}

int main(int argc, char **argv)
{
  if (argc < 6) return 2;
  arguments = argv;
  folder = argv[2];
  if (strcmp(argv[4], "used") == 0) use_all_keys();
  expect_texts();
  expect_own_values();
  pthread_attr_t attributes;
  pthread_t thread;
  EXPECT(pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setstacksize(&attributes, (size_t)atol(argv[3])) == 0);
  EXPECT(pthread_create(&thread, &attributes, work, NULL) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  expect_own_values();
  return failures == 0 ? 0 : 1;
}
