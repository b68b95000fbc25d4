/* Results, R1 to R5 of docs/features.md. */
#include "features.h"

/* R1, K1: normalised from the bottom left. R3: normalised from the top left. R4: pixels. */
static void boxes(void)
{
  face_result *result = found(photo(), 0);
  const face_info pixels = told(result, NULL);
  face_space space;
  face_space_init(&space);
  EXPECT(same_place(told(result, &space), pixels, 0));
  const face_box box = pixels.box;
  const float width = WIDTH, height = HEIGHT;
  space.kind = FACE_SPACE_NORMALISED;
  const face_info top = told(result, &space);
  EXPECT(near(top.box.x, box.x / width, 1e-5f) && near(top.box.y, box.y / height, 1e-5f));
  EXPECT(near(top.box.width, box.width / width, 1e-5f) && near(top.box.height, box.height / height, 1e-5f));
  space.kind = FACE_SPACE_NORMALISED_BOTTOM_LEFT;
  const face_info bottom = told(result, &space);
  EXPECT(near(bottom.box.y, 1 - (box.y + box.height) / height, 1e-5f));
  EXPECT(near(bottom.left_eye.y, 1 - pixels.left_eye.y / height, 1e-5f));
  EXPECT(bottom.left_eye.y > bottom.mouth_left.y);
  face_result_destroy(result);
}

static face_box around(const face_landmark *points, uint32_t count)
{
  float left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (uint32_t i = 1; i < count; i++) {
    left = fminf(left, points[i].x), right = fmaxf(right, points[i].x);
    top = fminf(top, points[i].y), bottom = fmaxf(bottom, points[i].y);
  }
  return (face_box){left, top, right - left, bottom - top};
}

static int inside(face_box inner, face_box outer)
{
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

/* R2: landmarks by region; left is the subject's left. */
static void landmarks(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_LANDMARKS);
  const face_info face = told(result, NULL);
  face_landmark points[478];
  face_box at[13];
  for (face_region region = FACE_REGION_ALL_POINTS; region <= FACE_REGION_INNER_LIPS; region++) {
    uint32_t count = 0, counted = 0;
    EXPECT(face_result_landmarks(result, 0, region, NULL, 0, &counted) == FACE_OK);
    EXPECT(face_result_landmarks(result, 0, region, points, counted - 1, &count) == FACE_OUT_OF_RANGE);
    EXPECT(face_result_landmarks(result, 0, region, points, 478, &count) == FACE_OK);
    EXPECT(count == counted && count > 0);
    EXPECT((count == 478) == (region == FACE_REGION_ALL_POINTS));
    at[region] = around(points, count);
    EXPECT(inside(at[region], at[FACE_REGION_ALL_POINTS]));
  }
  EXPECT(inside(at[FACE_REGION_LEFT_PUPIL], at[FACE_REGION_LEFT_EYE]));
  EXPECT(inside(at[FACE_REGION_RIGHT_PUPIL], at[FACE_REGION_RIGHT_EYE]));
  EXPECT(inside(at[FACE_REGION_INNER_LIPS], at[FACE_REGION_OUTER_LIPS]));
  EXPECT(at[FACE_REGION_LEFT_EYE].x > at[FACE_REGION_RIGHT_EYE].x + at[FACE_REGION_RIGHT_EYE].width);
  EXPECT(at[FACE_REGION_LEFT_EYEBROW].y < at[FACE_REGION_LEFT_EYE].y);
  EXPECT(at[FACE_REGION_RIGHT_EYEBROW].y < at[FACE_REGION_RIGHT_EYE].y);
  EXPECT(at[FACE_REGION_NOSE].y < at[FACE_REGION_OUTER_LIPS].y);
  EXPECT(at[FACE_REGION_NOSE_CREST].height < at[FACE_REGION_MEDIAN_LINE].height);
  EXPECT(at[FACE_REGION_FACE_CONTOUR].width > at[FACE_REGION_OUTER_LIPS].width);
  const face_box pupil = at[FACE_REGION_LEFT_PUPIL];
  EXPECT(near_points((face_point){pupil.x, pupil.y}, face.left_eye, face.box.width / 10));
  face_result_destroy(result);
}

/* R3: pose in degrees; an undeclared mirror image shows its signs. */
static void poses(void)
{
  const face_info face = face_of(upright(), FACE_OUTPUT_POSE);
  face_image mirror = stored_as(FACE_ORIENTATION_UP, 1);
  mirror.mirrored = 0;
  const face_info mirrored = face_of(mirror, FACE_OUTPUT_POSE);
  EXPECT(fabsf(face.yaw) + fabsf(face.roll) > 2);
  EXPECT(near(mirrored.yaw, -face.yaw, 4) && near(mirrored.roll, -face.roll, 3));
  EXPECT(near(mirrored.pitch, face.pitch, 5));
  /* The line between the eyes has the same roll. */
  const float roll = atan2f(face.left_eye.y - face.right_eye.y, face.left_eye.x - face.right_eye.x) * 57.29578f;
  EXPECT(near(face.roll, roll, 6));
}

/* The head's transform; and the values of an output are those of face_info. */
static void transforms(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_POSE | FACE_OUTPUT_TRANSFORM);
  float values[16];
  uint32_t count = 0;
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_TRANSFORM, NULL, 0, &count) == FACE_OK && count == 16);
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_TRANSFORM, values, 16, NULL) == FACE_OK);
  EXPECT(values[12] == 0 && values[13] == 0 && values[14] == 0 && values[15] == 1);
  for (int row = 0; row < 3; row++) {
    const float *line = values + 4 * row;
    EXPECT(near(line[0] * line[0] + line[1] * line[1] + line[2] * line[2], 1, 0.001f));
  }
  /* The head is in front of the camera; its origin appears between the eyes. */
  uint32_t width = 0, height = 0;
  EXPECT(face_result_image_size(result, &width, &height) == FACE_OK);
  const face_info face = told(result, NULL);
  const float focal = height / 2.f / tanf(31.5f / 57.29578f);
  const float x = width / 2.f - focal * values[3] / values[11], y = height / 2.f + focal * values[7] / values[11];
  EXPECT(values[11] < -10);
  EXPECT(near(x, (face.left_eye.x + face.right_eye.x) / 2, face.box.width / 10));
  EXPECT(near(y, (face.left_eye.y + face.right_eye.y) / 2, face.box.width / 10));
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_POSE, values, 3, &count) == FACE_OK && count == 3);
  EXPECT(values[0] == face.yaw && values[1] == face.pitch && values[2] == face.roll);
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_QUALITY, values, 16, NULL) == FACE_FAILED_PRECONDITION);
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_LANDMARKS, values, 16, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_POSE | FACE_OUTPUT_EYES, values, 16, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_values(result, 1, FACE_OUTPUT_POSE, values, 16, NULL) == FACE_OUT_OF_RANGE);
  face_result_destroy(result);
}

/* The measures of ISO/IEC 29794-5. */
static void iso_measures(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_POSE | FACE_OUTPUT_ISO_QUALITY);
  float values[2 * FACE_ISO_MEASURE_COUNT];
  const float *components = values + FACE_ISO_MEASURE_COUNT;
  uint32_t count = 0, width = 0, height = 0;
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_ISO_QUALITY, values, 2 * FACE_ISO_MEASURE_COUNT, &count) == FACE_OK);
  EXPECT(count == 2 * FACE_ISO_MEASURE_COUNT);
  for (uint32_t i = 0; i < FACE_ISO_MEASURE_COUNT; i++) {
    EXPECT(components[i] >= 0 && components[i] <= 100 && components[i] == floorf(components[i]));
    EXPECT(face_iso_measure_name(i) != NULL);
  }
  const face_info face = told(result, NULL);
  EXPECT(values[FACE_ISO_HEAD_POSE_YAW] == face.yaw && values[FACE_ISO_HEAD_POSE_PITCH] == -face.pitch);
  EXPECT(values[FACE_ISO_HEAD_POSE_ROLL] == -face.roll);
  EXPECT(face_result_image_size(result, &width, &height) == FACE_OK);
  const float eyes = hypotf(face.left_eye.x - face.right_eye.x, face.left_eye.y - face.right_eye.y);
  EXPECT(near(values[FACE_ISO_INTER_EYE_DISTANCE] * cosf(face.yaw / 57.29578f), eyes, eyes / 10));
  EXPECT(near(values[FACE_ISO_LEFTWARD_CROP_OF_THE_FACE_IMAGE], face.left_eye.x / eyes, 0.3f));
  EXPECT(near(values[FACE_ISO_RIGHTWARD_CROP_OF_THE_FACE_IMAGE], (width - face.right_eye.x) / eyes, 0.3f));
  EXPECT(values[FACE_ISO_SINGLE_FACE_PRESENT] == 0 && components[FACE_ISO_SINGLE_FACE_PRESENT] == 100);
  EXPECT(components[FACE_ISO_EYES_OPEN] > 80);
  face_result_destroy(result);
}

/* The precision of each landmark: the corners of an eye are more precise than the outline of the cheeks. */
static void precisions(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_LANDMARKS | FACE_OUTPUT_PRECISION);
  float values[478];
  uint32_t count = 0;
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_PRECISION, values, 478, &count) == FACE_OK && count == 478);
  const face_info face = told(result, NULL);
  for (int i = 0; i < 478; i++) EXPECT(values[i] > 0 && values[i] < face.box.width);
  EXPECT(values[133] < values[58] && values[362] < values[288]);
  face_result_destroy(result);
}

/* The points of the mesh that form the constellations of 65, 76 and 98 points. */
static void constellations(void)
{
  const struct {
    face_constellation constellation;
    uint32_t count;
  } all[] = {{FACE_CONSTELLATION_MESH, 478},
             {FACE_CONSTELLATION_65_POINTS, 65},
             {FACE_CONSTELLATION_76_POINTS, 76},
             {FACE_CONSTELLATION_98_POINTS, 98}};
  face_result *result = found(photo(), FACE_OUTPUT_LANDMARKS);
  face_landmark mesh[478], points[478];
  uint32_t indices[478], count = 0, same = 0;
  face_path path = 9;
  EXPECT(face_result_landmarks(result, 0, FACE_REGION_ALL_POINTS, mesh, 478, NULL) == FACE_OK);
  const face_info face = told(result, NULL);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const face_constellation it = all[i].constellation;
    EXPECT(face_constellation_indices(it, FACE_REGION_ALL_POINTS, NULL, 0, &count) == FACE_OK && count == all[i].count);
    for (face_region region = 0; region <= FACE_REGION_INNER_LIPS; region++) {
      EXPECT(face_result_constellation(result, 0, it, region, points, 478, &count) == FACE_OK);
      EXPECT(face_constellation_indices(it, region, indices, count, &same) == FACE_OK && same == count);
      for (uint32_t k = 0; k < count; k++) {
        const face_landmark one = mesh[indices[k]];
        /* The mesh itself has its own points; others lie near the one that stands for them. */
        const float reach = it == FACE_CONSTELLATION_MESH ? 0 : face.box.width / 8;
        EXPECT(fabsf(points[k].x - one.x) <= reach && fabsf(points[k].y - one.y) <= reach);
      }
      EXPECT(face_constellation_path(it, region, &path) == FACE_OK && path <= FACE_PATH_CLOSED);
    }
  }
  EXPECT(face_constellation_path(FACE_CONSTELLATION_76_POINTS, FACE_REGION_LEFT_EYE, &path) == FACE_OK);
  EXPECT(path == FACE_PATH_CLOSED);
  EXPECT(face_constellation_path(FACE_CONSTELLATION_76_POINTS, FACE_REGION_FACE_CONTOUR, &path) == FACE_OK);
  EXPECT(path == FACE_PATH_OPEN);
  EXPECT(face_constellation_path(4, FACE_REGION_NOSE, &path) == FACE_INVALID_ARGUMENT);
  EXPECT(face_constellation_path(1, 13, &path) == FACE_INVALID_ARGUMENT);
  EXPECT(face_constellation_path(1, FACE_REGION_NOSE, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_constellation_indices(256, FACE_REGION_NOSE, NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_constellation_indices(1, FACE_REGION_NOSE, indices, 2, NULL) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_constellation(result, 0, 1, FACE_REGION_NOSE, points, 2, NULL) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_constellation(result, 0, 4, FACE_REGION_NOSE, points, 2, NULL) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
  result = found(photo(), 0);
  EXPECT(face_result_constellation(result, 0, 1, FACE_REGION_NOSE, points, 478, NULL) == FACE_FAILED_PRECONDITION);
  face_result_destroy(result);
}

/* G7: the position and direction of the eyes, and the point on a screen that they look at. */
static void gazes(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_TRANSFORM | FACE_OUTPUT_GAZE);
  float head[16], gaze[12];
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_TRANSFORM, head, 16, NULL) == FACE_OK);
  EXPECT(face_result_values(result, 0, FACE_OUTPUT_GAZE, gaze, 12, NULL) == FACE_OK);
  for (int eye = 0; eye < 2; eye++) {
    const float *center = gaze + 6 * eye, *direction = center + 3;
    EXPECT(near(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2], 1, 0.001f));
    EXPECT(direction[2] > 0.7f);
    EXPECT(near(hypotf(hypotf(center[0] - head[3], center[1] - head[7]), center[2] - head[11]), 3.2f, 1));
  }
  EXPECT(gaze[0] > gaze[6]); /* the subject's left eye is at the picture's right */
  face_screen screen = {{17, -1, 0}, {-17, -1, 0}, {17, -20, 0}};
  face_point point = {0}, larger = {0};
  EXPECT(face_result_look_at(result, 0, &screen, &point) == FACE_OK);
  /* The same for a screen twice as wide and high around the same middle. */
  const face_screen twice = {{34, 8.5f, 0}, {-34, 8.5f, 0}, {34, -29.5f, 0}};
  EXPECT(face_result_look_at(result, 0, &twice, &larger) == FACE_OK);
  EXPECT(near(larger.x - 0.5f, (point.x - 0.5f) / 2, 0.001f) && near(larger.y - 0.5f, (point.y - 0.5f) / 2, 0.001f));
  face_point kept = {0};
  EXPECT(face_gaze_look_at(gaze, &screen, &kept) == FACE_OK);
  EXPECT(kept.x == point.x && kept.y == point.y);
  EXPECT(face_gaze_look_at(NULL, &screen, &kept) == FACE_INVALID_ARGUMENT);
  EXPECT(face_gaze_look_at(gaze, NULL, &kept) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_look_at(result, 1, &screen, &point) == FACE_OUT_OF_RANGE);
  EXPECT(face_result_look_at(result, 0, NULL, &point) == FACE_INVALID_ARGUMENT);
  const face_screen behind = {{17, -1, -200}, {-17, -1, -200}, {17, -20, -200}};
  EXPECT(face_result_look_at(result, 0, &behind, &point) == FACE_OUT_OF_RANGE);
  memcpy(screen.top_right, screen.top_left, sizeof screen.top_left);
  EXPECT(face_result_look_at(result, 0, &screen, &point) == FACE_INVALID_ARGUMENT);
  face_result_destroy(result);
  result = found(photo(), 0);
  EXPECT(face_result_look_at(result, 0, &twice, &point) == FACE_FAILED_PRECONDITION);
  face_result_destroy(result);
}

/* R4: eyes, mouth and smile, expressions; accuracy, least size, most faces. */
static void states(void)
{
  face_result *result = found(photo(), FACE_OUTPUT_EYES | FACE_OUTPUT_MOUTH | FACE_OUTPUT_EXPRESSIONS);
  const face_info face = told(result, NULL);
  EXPECT(face.left_eye_open > 0.5f && face.left_eye_open <= 1 && face.right_eye_open > 0.5f &&
         face.right_eye_open <= 1);
  EXPECT(!face_left_eye_closed(&face) && !face_right_eye_closed(&face) &&
         face_has_smile(&face) == (face.smile >= 0.5f));
  face_info other = face;
  other.smile = 0.5f, other.left_eye_open = 0.49f, other.right_eye_open = 0;
  EXPECT(face_has_smile(&other) && face_left_eye_closed(&other) && face_right_eye_closed(&other));
  other.valid &= ~(FACE_VALID_EYES | FACE_VALID_MOUTH);
  EXPECT(!face_has_smile(&other) && !face_left_eye_closed(&other) && !face_right_eye_closed(&other));
  EXPECT(face.smile >= 0 && face.smile <= 1 && face.mouth_open >= 0 && face.mouth_open < 0.5f);
  float values[FACE_EXPRESSION_COUNT];
  EXPECT(face_result_expressions(result, 0, values, FACE_EXPRESSION_COUNT) == FACE_OK);
  for (uint32_t i = 0; i < FACE_EXPRESSION_COUNT; i++)
    EXPECT(values[i] >= 0 && values[i] <= 1 && face_expression_name(i) != NULL);
  EXPECT(face_expression_name(FACE_EXPRESSION_COUNT) == NULL);
  face_result_destroy(result);

  face_image image = photo();
  for (face_accuracy accuracy = FACE_ACCURACY_LOW; accuracy <= FACE_ACCURACY_HIGH; accuracy++) {
    face_options options;
    face_options_init(&options);
    options.accuracy = accuracy;
    EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
    EXPECT(face_result_count(result) == 1);
    EXPECT(same_place(told(result, NULL), face, 12));
    face_result_destroy(result);
    options.min_face_size = face.box.height + 100;
    EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
    EXPECT(face_result_count(result) == 0);
    face_result_destroy(result);
    options.min_face_size = 0;
    options.min_confidence = 0.001f;
    options.max_faces = 1;
    EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
    EXPECT(face_result_count(result) == 1);
    face_result_destroy(result);
  }
}

/* G6: heads of any roll. */
static void rotations(void)
{
  face_image image = photo();
  image.orientation = 3; /* the upright picture is then upside down */
  face_options options;
  face_options_init(&options);
  options.rotations = FACE_ROTATIONS_ANY;
  options.outputs = FACE_OUTPUT_POSE;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 1);
  const face_info face = told(result, NULL);
  EXPECT((face.valid & FACE_VALID_POSE) && (face.roll > 165 || face.roll < -165));
  EXPECT(face.left_eye.x < face.right_eye.x && face.left_eye.y > face.mouth_left.y);
  face_result_destroy(result);
}

/* R5: five points, and left, top, right and bottom. Confidence and capture quality. */
static void points_and_quality(void)
{
  const face_info face = face_of(photo(), FACE_OUTPUT_QUALITY);
  const float left = face.box.x, top = face.box.y, right = left + face.box.width, bottom = top + face.box.height;
  EXPECT(left < face.right_eye.x && face.right_eye.x < face.nose_tip.x && face.nose_tip.x < face.left_eye.x);
  EXPECT(face.left_eye.x < right && face.mouth_right.x < face.mouth_left.x);
  EXPECT(top < face.left_eye.y && face.left_eye.y < face.nose_tip.y && face.nose_tip.y < face.mouth_left.y);
  EXPECT(face.mouth_left.y < bottom);
  EXPECT(face.confidence > 0.6f && face.confidence <= 1);
  const float parts[] = {face.quality, face.sharpness, face.exposure, face.size, face.frontality, face.framing};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) EXPECT(parts[i] > 0 && parts[i] <= 1);

  /* The same person in worse light. */
  for (size_t i = 0; i < sizeof rgb; i++) other[i] = (&rgb[0][0][0])[i] / 4;
  const face_info dark = face_of(raw(FACE_FORMAT_RGB, other, sizeof rgb), FACE_OUTPUT_QUALITY);
  EXPECT(dark.exposure < face.exposure && dark.quality < face.quality);
}

/* The mesh as data: what its tables say, and where their points lie on a face. */
static void mesh(void)
{
  uint32_t count = 0;
  const uint16_t *edges = face_mesh_edges(&count);
  EXPECT(count == 1322 && edges == face_mesh_edges(NULL));
  for (uint32_t i = 0; i < count; i++) EXPECT(edges[2 * i] < edges[2 * i + 1] && edges[2 * i + 1] < 468);
  const uint16_t *triangles = face_mesh_triangles(&count);
  EXPECT(count == 852 && triangles == face_mesh_triangles(NULL));

  face_result *result = found(photo(), FACE_OUTPUT_LANDMARKS);
  face_landmark points[478];
  EXPECT(face_result_landmarks(result, 0, FACE_REGION_ALL_POINTS, points, 478, NULL) == FACE_OK);
  face_result_destroy(result);
  /* Twice the area: negative where the points run counter-clockwise, since y points down. The face looks nearly into
   * the camera, so that few triangles show their backs. */
  uint32_t turned = 0;
  float area = 0;
  for (uint32_t i = 0; i < count; i++) {
    const face_landmark a = points[triangles[3 * i]], b = points[triangles[3 * i + 1]],
                        c = points[triangles[3 * i + 2]];
    const float twice = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    turned += twice > 0;
    area += twice;
  }
  EXPECT(area < 0 && turned < count / 10);

  face_contour contour = FACE_CONTOUR_FACE;
  for (uint32_t all = 0; face_contour_name(contour) != NULL; contour++) {
    const uint16_t *indices = face_contour_indices(contour, &count);
    EXPECT(indices != NULL && count > 0 && face_contour_path(contour) <= FACE_PATH_CLOSED);
    for (uint32_t i = 0; i < count; i++) EXPECT(indices[i] < 468);
    all += count;
    EXPECT(contour != FACE_CONTOUR_RIGHT_CHEEK || all == 133);
  }
  EXPECT(contour == FACE_CONTOUR_RIGHT_CHEEK + 1);
  EXPECT(strcmp(face_contour_name(FACE_CONTOUR_LEFT_EYEBROW_TOP), "leftEyebrowTop") == 0);
  EXPECT(face_contour_path(FACE_CONTOUR_LEFT_EYE) == FACE_PATH_CLOSED);
  EXPECT(face_contour_path(FACE_CONTOUR_UPPER_LIP_TOP) == FACE_PATH_OPEN);
  EXPECT(face_contour_path(FACE_CONTOUR_LEFT_CHEEK) == FACE_PATH_DISCONNECTED);
  const face_contour unknown[] = {0, 16, 256 + FACE_CONTOUR_FACE, UINT32_MAX};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    count = 9;
    EXPECT(face_contour_indices(unknown[i], &count) == NULL && count == 0);
    EXPECT(face_contour_indices(unknown[i], NULL) == NULL && face_contour_name(unknown[i]) == NULL);
    EXPECT(face_contour_path(unknown[i]) == FACE_PATH_DISCONNECTED);
  }

  EXPECT(strcmp(face_mesh_point_name(FACE_MESH_POINT_CHIN), "chin") == 0);
  EXPECT(face_mesh_point_name(1) == NULL && face_mesh_point_name(UINT32_MAX) == NULL);
  /* From the top of the face to its bottom. */
  const face_mesh_point downwards[] = {FACE_MESH_POINT_FOREHEAD_TOP,  FACE_MESH_POINT_FOREHEAD,
                                       FACE_MESH_POINT_GLABELLA,      FACE_MESH_POINT_NOSE_ROOT,
                                       FACE_MESH_POINT_NOSE_TIP,      FACE_MESH_POINT_NOSE_BASE,
                                       FACE_MESH_POINT_UPPER_LIP_TOP, FACE_MESH_POINT_UPPER_LIP_INNER,
                                       FACE_MESH_POINT_MOUTH_BOTTOM,  FACE_MESH_POINT_CHIN};
  for (size_t i = 1; i < sizeof downwards / sizeof downwards[0]; i++)
    EXPECT(points[downwards[i - 1]].y < points[downwards[i]].y);
  /* From the subject's right, which is the picture's left. */
  const face_mesh_point across[] = {FACE_MESH_POINT_RIGHT_EAR_ROOT, FACE_MESH_POINT_RIGHT_CHEEK,
                                    FACE_MESH_POINT_NOSE_TIP, FACE_MESH_POINT_LEFT_CHEEK,
                                    FACE_MESH_POINT_LEFT_EAR_ROOT};
  for (size_t i = 1; i < sizeof across / sizeof across[0]; i++) EXPECT(points[across[i - 1]].x < points[across[i]].x);
  /* The upper edges of the eyebrows and lips are above the lower ones. */
  for (contour = FACE_CONTOUR_LEFT_EYEBROW_TOP; contour <= FACE_CONTOUR_LOWER_LIP_TOP; contour += 2) {
    if (contour == FACE_CONTOUR_LEFT_EYE) continue;
    uint32_t above = 0, below = 0;
    const uint16_t *top = face_contour_indices(contour, &above), *bottom = face_contour_indices(contour + 1, &below);
    EXPECT(points[top[above / 2]].y < points[bottom[below / 2]].y);
  }
}

void result_features(void)
{
  boxes();
  landmarks();
  poses();
  transforms();
  iso_measures();
  precisions();
  constellations();
  mesh();
  gazes();
  rotations();
  states();
  points_and_quality();
}
