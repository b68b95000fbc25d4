/* Coordinates, K1 to K6 of docs/features.md, compared with hand-calculated values. */
#include "features.h"

static int same(float a, float b) { return near(a, b, 1e-3f); }

static void expect_box(const face_space *space, face_box box, face_box wanted)
{
  const face_box start = box;
  EXPECT(face_box_to_space(space, 200, 100, &box) == FACE_OK);
  EXPECT(same(box.x, wanted.x) && same(box.y, wanted.y));
  EXPECT(same(box.width, wanted.width) && same(box.height, wanted.height));
  EXPECT(face_box_from_space(space, 200, 100, &box) == FACE_OK);
  EXPECT(same(box.x, start.x) && same(box.y, start.y));
  EXPECT(same(box.width, start.width) && same(box.height, start.height));
}

static void expect_point(const face_space *space, face_point point, face_point wanted)
{
  face_point two[2] = {point, point};
  EXPECT(face_points_to_space(space, 200, 100, two, 2) == FACE_OK);
  for (int i = 0; i < 2; i++) EXPECT(same(two[i].x, wanted.x) && same(two[i].y, wanted.y));
  EXPECT(face_points_from_space(space, 200, 100, two, 2) == FACE_OK);
  for (int i = 0; i < 2; i++) EXPECT(same(two[i].x, point.x) && same(two[i].y, point.y));
}

/* K4: from the sensor to a view, and the other spaces. */
static void views(void)
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

/* K2: points in the box. K3: mirrored, points too. K5: a mask circle. */
static void conversions(void)
{
  const face_box box = {20, 10, 40, 20}, empty = {1, 2, 0, 4};
  const face_point start[2] = {{30, 15}, {20, 30}};
  face_point points[2] = {start[0], start[1]};
  EXPECT(face_points_to_box(&box, points, 2) == FACE_OK);
  EXPECT(near_points(points[0], (face_point){0.25f, 0.25f}, 1e-5f));
  EXPECT(near_points(points[1], (face_point){0, 1}, 1e-5f));
  EXPECT(face_points_from_box(&box, points, 2) == FACE_OK);
  EXPECT(near_points(points[0], start[0], 1e-3f) && near_points(points[1], start[1], 1e-3f));
  EXPECT(face_points_to_box(&empty, points, 2) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_from_box(NULL, points, 2) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_to_box(&box, NULL, 2) == FACE_INVALID_ARGUMENT);

  face_space space;
  face_space_init(&space);
  space.kind = FACE_SPACE_VIEW;
  space.view_width = space.view_height = 100;
  face_circle circle = {40, 50, 30};
  EXPECT(face_circle_from_space(&space, 200, 100, &circle) == FACE_OK);
  EXPECT(same(circle.x, 80) && same(circle.y, 50) && same(circle.radius, 60));
  EXPECT(face_circle_to_space(&space, 200, 100, &circle) == FACE_OK);
  EXPECT(same(circle.x, 40) && same(circle.y, 50) && same(circle.radius, 30));
  EXPECT(face_circle_to_space(&space, 200, 100, NULL) == FACE_INVALID_ARGUMENT);

  face_result *result = found(photo(), 0);
  const face_info face = told(result, NULL);
  space.view_width = WIDTH;
  space.view_height = HEIGHT;
  space.mirrored = 1;
  const face_info mirrored = told(result, &space);
  EXPECT(same(mirrored.box.x, WIDTH - face.box.x - face.box.width) && same(mirrored.box.width, face.box.width));
  EXPECT(same(mirrored.clamped_box.x, WIDTH - face.clamped_box.x - face.clamped_box.width));
  EXPECT(same(mirrored.left_eye.x, WIDTH - face.left_eye.x) && same(mirrored.left_eye.y, face.left_eye.y));
  EXPECT(same(mirrored.mouth_right.x, WIDTH - face.mouth_right.x));
  face_info there;
  face_info_init(&there);
  EXPECT(face_result_get_in(result, 0, NULL, &there) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_get_in(result, 1, &space, &there) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get_in(result, 0, &space, NULL) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
}

/* K6: a device that is turned. */
static void devices(void)
{
  const struct {
    uint32_t sensor, device, front;
    face_orientation expected;
  } all[] = {{0, 0, 0, FACE_ORIENTATION_UP},     {90, 0, 0, FACE_ORIENTATION_RIGHT},
             {90, 90, 0, FACE_ORIENTATION_DOWN}, {90, 90, 1, FACE_ORIENTATION_UP},
             {0, 90, 1, FACE_ORIENTATION_LEFT},  {270, 180, 0, FACE_ORIENTATION_RIGHT}};
  face_orientation orientation = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    EXPECT(face_orientation_of_camera(all[i].sensor, all[i].device, all[i].front, &orientation) == FACE_OK);
    EXPECT(orientation == all[i].expected);
  }
  orientation = 77;
  EXPECT(face_orientation_of_camera(45, 0, 0, &orientation) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, UINT32_MAX, 0, &orientation) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, 0, 2, &orientation) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, 0, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(orientation == 77);
}

void coordinates(void)
{
  views();
  conversions();
  devices();
  wrong_spaces();
}
