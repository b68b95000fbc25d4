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
  REFUSED_AS(FACE_INVALID_ARGUMENT, space.kind = 5, face_box_from_space(&space, 10, 10, &box), (void)0);
  space.kind = FACE_SPACE_VIEW;
  space.view_width = space.view_height = 10;
  EXPECT(face_points_to_space(&space, 10, 10, &(face_point){1, 2}, 1) == FACE_OK);
  const face_space good = space;
#define REFUSED(change) \
  REFUSED_AS(FACE_INVALID_ARGUMENT, change, face_points_to_space(&space, 10, 10, &point, 1), space = good)
  REFUSED(space.view_width = space.view_height = 0);
  REFUSED(space.view_width = NAN);
  REFUSED(space.rotation = 45);
  REFUSED(space.fit = 3);
  REFUSED(space.mirrored = 2);
#undef REFUSED
  EXPECT(point.x == 1 && point.y == 2 && box.x == 1 && box.height == 4);
}

void coordinates(void)
{
  spaces();
  wrong_spaces();
}
