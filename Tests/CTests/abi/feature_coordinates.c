/* Coordinates, K2 to K6 of docs/features.md; K1 is in the results. */
#include "features.h"

/* K2: points in the box. K3: mirrored, points too. */
static void conversions(void)
{
  face_result *result = found(photo(), 0);
  const face_info face = told(result, NULL);
  face_point points[2] = {face.left_eye, {face.box.x, face.box.y + face.box.height}};
  EXPECT(face_points_to_box(&face.box, points, 2) == FACE_OK);
  EXPECT(near(points[0].x, (face.left_eye.x - face.box.x) / face.box.width, 1e-5f));
  EXPECT(near_points(points[1], (face_point){0, 1}, 1e-5f));
  EXPECT(face_points_from_box(&face.box, points, 2) == FACE_OK);
  EXPECT(near_points(points[0], face.left_eye, 1e-3f));
  const face_box empty = {1, 2, 0, 4};
  EXPECT(face_points_to_box(&empty, points, 2) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_from_box(NULL, points, 2) == FACE_INVALID_ARGUMENT);
  EXPECT(face_points_to_box(&face.box, NULL, 2) == FACE_INVALID_ARGUMENT);

  face_space space;
  face_space_init(&space);
  space.kind = FACE_SPACE_VIEW;
  space.view_width = WIDTH;
  space.view_height = HEIGHT;
  space.mirrored = 1;
  const face_info mirrored = told(result, &space);
  EXPECT(near(mirrored.box.x, WIDTH - face.box.x - face.box.width, 1e-3f));
  EXPECT(near(mirrored.left_eye.x, WIDTH - face.left_eye.x, 1e-3f));
  EXPECT(near(mirrored.mouth_right.x, WIDTH - face.mouth_right.x, 1e-3f));
  EXPECT(near(mirrored.clamped_box.x, WIDTH - face.clamped_box.x - face.clamped_box.width, 1e-3f));
  EXPECT(near(mirrored.box.width, face.box.width, 1e-3f) && near(mirrored.left_eye.y, face.left_eye.y, 1e-3f));
  face_info there;
  face_info_init(&there);
  EXPECT(face_result_get_in(result, 0, NULL, &there) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_get_in(result, 1, &space, &there) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_get_in(result, 0, &space, NULL) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
}

/* K4: from the sensor to a view. K5: a mask circle by the same transform. */
static void views(void)
{
  face_result *result = found(stored_as(FACE_ORIENTATION_RIGHT, 0), 0);
  const face_info face = told(result, NULL);
  face_space space;
  face_space_init(&space);
  space.kind = FACE_SPACE_VIEW;
  space.view_width = 300;
  space.view_height = 300;
  space.fit = FACE_FIT_COVER;
  const float cover = 300.0f / WIDTH; /* the larger scale: too high, cut at top and bottom */
  const float cut = (300 - HEIGHT * cover) / 2;
  const face_info covered = told(result, &space);
  EXPECT(near(covered.box.x, face.box.x * cover, 1e-3f) && near(covered.box.y, face.box.y * cover + cut, 1e-3f));
  face_circle circle = {150, 150, 120};
  EXPECT(face_circle_from_space(&space, WIDTH, HEIGHT, &circle) == FACE_OK);
  EXPECT(near(circle.x, WIDTH / 2, 1e-3f) && near(circle.y, HEIGHT / 2, 1e-3f));
  EXPECT(near(circle.radius, 120 / cover, 1e-3f));
  EXPECT(face_circle_to_space(&space, WIDTH, HEIGHT, &circle) == FACE_OK);
  EXPECT(near(circle.x, 150, 1e-3f) && near(circle.radius, 120, 1e-3f));
  EXPECT(face_circle_to_space(&space, WIDTH, HEIGHT, NULL) == FACE_INVALID_ARGUMENT);

  space.fit = FACE_FIT_CONTAIN;
  const float contain = 300.0f / HEIGHT, bar = (300 - WIDTH * contain) / 2;
  EXPECT(near(told(result, &space).left_eye.x, face.left_eye.x * contain + bar, 1e-3f));
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
  const face_info face = face_of(upright(), 0);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    face_orientation orientation = 0;
    EXPECT(face_orientation_of_camera(all[i].sensor, all[i].device, all[i].front, &orientation) == FACE_OK);
    EXPECT(orientation == all[i].expected);
    EXPECT(same_place(face_of(stored_as(orientation, 0), 0), face, 0.5f));
  }
  face_orientation untouched = 77;
  EXPECT(face_orientation_of_camera(45, 0, 0, &untouched) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, UINT32_MAX, 0, &untouched) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, 0, 2, &untouched) == FACE_INVALID_ARGUMENT);
  EXPECT(face_orientation_of_camera(0, 0, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(untouched == 77);
}

void coordinate_features(void)
{
  conversions();
  views();
  devices();
}
