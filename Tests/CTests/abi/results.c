/* The values of faces, for one image and for several. */
#include "abi.h"

static void one_face(void)
{
  face_image image = photo();
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 1);
  const char *message = NULL;
  EXPECT(face_result_status(result, &message) == FACE_OK && message == NULL);
  uint32_t width = 0, height = 0;
  EXPECT(face_result_image_size(result, &width, &height) == FACE_OK);
  EXPECT(width == 512 && height == 600);
  face_info face;
  face_info_init(&face);
  EXPECT(face_result_get(result, 1, &face) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get(result, UINT32_MAX, &face) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get(result, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_get(result, 0, &face) == FACE_OK);
  EXPECT(face.valid == FACE_VALID_POINTS); /* outputs that were not requested are not valid */
  EXPECT(face.id == 0 && face.yaw == 0 && face.quality == 0);
  EXPECT(face.left_eye.x > face.right_eye.x); /* the subject's left is at the picture's right */
  EXPECT(face.clamped_box.x >= 0 && face.clamped_box.width <= face.box.width);

  float values[FACE_EXPRESSION_COUNT];
  uint32_t count = 7;
  EXPECT(face_result_landmarks(result, 0, FACE_REGION_NOSE, NULL, 0, &count) == FACE_FAILED_PRECONDITION);
  EXPECT(face_result_landmarks(result, 0, 13, NULL, 0, &count) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_landmarks(result, 1, FACE_REGION_NOSE, NULL, 0, &count) == FACE_OUT_OF_RANGE);
  EXPECT(count == 7);
  EXPECT(face_result_expressions(result, 0, values, FACE_EXPRESSION_COUNT) == FACE_FAILED_PRECONDITION);
  EXPECT(face_result_expressions(result, 0, NULL, 0) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_expressions(result, 1, values, 1) == FACE_OUT_OF_RANGE);

  face_result_destroy(result);
  EXPECT(face_result_count(result) == 0);
  EXPECT(face_result_get(result, 0, &face) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
}

void results(void) { one_face(); }

struct told {
  int faces, failed;
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct told *told = user_data;
  EXPECT(frame->timestamp_ns == 40 || face_result_count(result) == 0);
  told->faces++;
}

static void on_failed(const face_frame *frame, face_status status, const char *message, void *user_data)
{
  struct told *told = user_data;
  EXPECT(frame->timestamp_ns == 41);
  EXPECT(status != FACE_OK && strlen(message) > 0);
  told->failed++;
}

/* One image that fails does not fail the rest. */
void batches(void)
{
  face_image good = photo(), damaged = photo(), empty = empty_picture(), wrong = photo();
  good.timestamp_ns = 40;
  damaged.plane_sizes[0] = 10;
  damaged.timestamp_ns = 41;
  wrong.orientation = 99;
  const face_image *all[] = {&good, &damaged, NULL, &empty, &wrong};
  face_result *found[5] = {NULL};

  struct told told = {0, 0};
  face_listener listener = listener_of(&told);
  listener.on_faces = on_faces;
  listener.on_failed = on_failed;
  EXPECT(face_bind_listener(engine, &listener) == FACE_OK);
  EXPECT(face_detect_batch(engine, all, 5, NULL, found) == FACE_OK);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(told.faces == 2 && told.failed == 1); /* the images that were searched */

  const face_status expected[] = {FACE_OK, FACE_INVALID_ARGUMENT, FACE_INVALID_ARGUMENT, FACE_OK,
                                  FACE_INVALID_ARGUMENT};
  for (int i = 0; i < 5; i++) {
    const char *message = NULL;
    EXPECT(face_result_status(found[i], &message) == expected[i]);
    EXPECT((message != NULL && strlen(message) > 0) == (expected[i] != FACE_OK));
  }
  EXPECT(face_result_count(found[0]) == 1);
  EXPECT(face_result_count(found[1]) == 0);
  EXPECT(face_result_count(found[3]) == 0);
  face_info face;
  face_info_init(&face);
  EXPECT(face_result_get(found[1], 0, &face) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_image_size(found[1], NULL, NULL) == FACE_FAILED_PRECONDITION);
  EXPECT(face_result_image_size(found[3], NULL, NULL) == FACE_OK);
  for (int i = 0; i < 5; i++) face_result_destroy(found[i]);

  face_options options;
  face_options_init(&options);
  options.min_confidence = 2;
  found[0] = NULL;
  EXPECT(face_detect_batch(engine, all, 5, &options, found) == FACE_INVALID_ARGUMENT);
  EXPECT(found[0] == NULL);
}
