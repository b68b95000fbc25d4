/* Points and boxes in the named spaces, compared with hand-calculated values. */
#include "abi.h"
#include <math.h>

static int near(float a, float b) { return fabsf(a - b) < 1e-3f; }

static void expect_box(const face_space *space, face_box box, face_box wanted)
{
  const face_box start = box;
  EXPECT(face_box_to_space(space, 200, 100, &box) == FACE_OK);
  EXPECT(near(box.x, wanted.x) && near(box.y, wanted.y));
  EXPECT(near(box.width, wanted.width) && near(box.height, wanted.height));
  EXPECT(face_box_from_space(space, 200, 100, &box) == FACE_OK);
  EXPECT(near(box.x, start.x) && near(box.y, start.y));
  EXPECT(near(box.width, start.width) && near(box.height, start.height));
}

static void expect_point(const face_space *space, face_point point, face_point wanted)
{
  face_point two[2] = {point, point};
  EXPECT(face_points_to_space(space, 200, 100, two, 2) == FACE_OK);
  for (int i = 0; i < 2; i++) EXPECT(near(two[i].x, wanted.x) && near(two[i].y, wanted.y));
  EXPECT(face_points_from_space(space, 200, 100, two, 2) == FACE_OK);
  for (int i = 0; i < 2; i++) EXPECT(near(two[i].x, point.x) && near(two[i].y, point.y));
}

static void spaces(void)
{
  const face_box box = {20, 10, 40, 20};
  const face_point point = {20, 10};
  face_space space;
  face_space_init(&space);
  EXPECT(space.kind == FACE_SPACE_PIXELS);
  expect_box(&space, box, box);
  space.kind = FACE_SPACE_NORMALISED;
  expect_box(&space, box, (face_box){0.1f, 0.1f, 0.2f, 0.2f});
  space.kind = FACE_SPACE_NORMALISED_BOTTOM_LEFT;
  expect_box(&space, box, (face_box){0.1f, 0.7f, 0.2f, 0.2f});
  expect_point(&space, point, (face_point){0.1f, 0.9f});
  space.kind = FACE_SPACE_PIXELS_BOTTOM_LEFT;
  expect_box(&space, box, (face_box){20, 70, 40, 20});
  expect_point(&space, point, (face_point){20, 90});

  /* 200 × 100 in a view of 100 × 100: half the size with bars of 25, or its own with 50 cut off at each side. */
  space.kind = FACE_SPACE_VIEW;
  space.view_width = space.view_height = 100;
  space.fit = FACE_FIT_CONTAIN;
  expect_point(&space, point, (face_point){10, 30});
  expect_box(&space, box, (face_box){10, 30, 20, 10});
  space.fit = FACE_FIT_COVER;
  expect_point(&space, point, (face_point){-30, 10});
  space.fit = FACE_FIT_STRETCH;
  expect_point(&space, point, (face_point){10, 10});
  space.mirrored = 1;
  expect_point(&space, point, (face_point){90, 10});
  expect_box(&space, box, (face_box){70, 10, 20, 20});
  /* A clockwise quarter turn moves the top-left corner to the top right. */
  space.mirrored = 0;
  space.rotation = 90;
  expect_point(&space, point, (face_point){90, 10});
  expect_point(&space, (face_point){0, 100}, (face_point){0, 0});
  space.rotation = 180;
  expect_point(&space, point, (face_point){90, 90});
  space.rotation = 270;
  expect_point(&space, point, (face_point){10, 90});
}

static void wrong_spaces(void)
{
  face_space space;
  face_point point = {1, 2};
  face_box box = {1, 2, 3, 4};
  face_space_init(&space);
  EXPECT(face_points_to_space(&space, 0, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_to_space(NULL, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_to_space(&space, 10, 10, NULL, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_to_space(&space, 10, 10, NULL, 0) == FACE_OK);
  EXPECT(face_points_from_space(&space, 10, 0, &point, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(face_box_to_space(&space, 10, 10, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_box_from_space(NULL, 10, 10, &box) == FACE_INVALID_ARGUMENT);
  space.kind = 5;
  EXPECT(face_box_from_space(&space, 10, 10, &box) == FACE_INVALID_ARGUMENT);
  space.kind = FACE_SPACE_VIEW;
  EXPECT(face_points_to_space(&space, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT); /* a view without size */
  space.view_width = NAN;
  space.view_height = 10;
  EXPECT(face_points_to_space(&space, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  space.view_width = 10;
  space.rotation = 45;
  EXPECT(face_points_to_space(&space, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  space.rotation = 0;
  space.fit = 3;
  EXPECT(face_points_to_space(&space, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  space.fit = 0;
  space.mirrored = 2;
  EXPECT(face_points_to_space(&space, 10, 10, &point, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(point.x == 1 && point.y == 2 && box.x == 1 && box.height == 4);
}

/* A face's points go with its box, and left stays the subject's left. */
static void faces_in_a_space(void)
{
  face_image image = photo();
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK);
  face_info plain, there;
  face_info_init(&plain);
  face_info_init(&there);
  face_space space;
  face_space_init(&space);
  space.kind = FACE_SPACE_VIEW;
  space.view_width = 512;
  space.view_height = 600;
  space.mirrored = 1;
  EXPECT(face_result_get(result, 0, &plain) == FACE_OK);
  EXPECT(face_result_get_in(result, 0, &space, &there) == FACE_OK);
  EXPECT(near(there.box.x, 512 - plain.box.x - plain.box.width));
  EXPECT(near(there.box.width, plain.box.width));
  EXPECT(near(there.left_eye.x, 512 - plain.left_eye.x) && near(there.left_eye.y, plain.left_eye.y));
  EXPECT(there.left_eye.x < there.right_eye.x);
  EXPECT(face_result_get_in(result, 0, NULL, &there) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_get_in(result, 1, &space, &there) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get_in(result, 0, &space, NULL) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
}

void coordinates(void)
{
  spaces();
  wrong_spaces();
  faces_in_a_space();
}
