/* Tests the list of docs/features.md, id by id. Expected values come from the photo as it is, or from pixels that are
 * turned, mirrored and converted here, one at a time. */
#define _POSIX_C_SOURCE 200809L
#include "features.h"

unsigned char rgb[HEIGHT][WIDTH][3];
unsigned char other[(WIDTH + 64) * (HEIGHT + 64) * 4];

/* The photo's pixels. */
static void read_pixels(void)
{
  char command[4096];
  snprintf(command, sizeof command, "djpeg '%s'", photo_path);
  FILE *pixels = popen(command, "r");
  if (pixels == NULL) abort();
  int width = 0, height = 0;
  EXPECT(fscanf(pixels, "P6 %d %d 255", &width, &height) == 2 && fgetc(pixels) == '\n');
  EXPECT(width == WIDTH && height == HEIGHT);
  EXPECT(fread(rgb, 1, sizeof rgb, pixels) == sizeof rgb);
  EXPECT(pclose(pixels) == 0);
}

face_image raw(face_format format, const void *pixels, size_t size)
{
  face_image image;
  face_image_init(&image);
  image.format = format;
  image.width = WIDTH;
  image.height = HEIGHT;
  image.planes[0] = pixels;
  image.plane_sizes[0] = size;
  return image;
}

face_image upright(void) { return raw(FACE_FORMAT_RGB, rgb, sizeof rgb); }

face_result *found(face_image image, face_outputs outputs)
{
  face_options options;
  face_options_init(&options);
  options.outputs = outputs;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 1);
  return result;
}

face_info told(const face_result *result, const face_space *space)
{
  face_info face;
  face_info_init(&face);
  EXPECT((space == NULL ? face_result_get(result, 0, &face) : face_result_get_in(result, 0, space, &face)) == FACE_OK);
  return face;
}

face_info face_of(face_image image, face_outputs outputs)
{
  face_result *result = found(image, outputs);
  const face_info face = told(result, NULL);
  face_result_destroy(result);
  return face;
}

int near(float a, float b, float tolerance) { return fabsf(a - b) <= tolerance; }

int near_points(face_point a, face_point b, float tolerance)
{
  return near(a.x, b.x, tolerance) && near(a.y, b.y, tolerance);
}

int same_place(face_info a, face_info b, float tolerance)
{
  return near(a.box.x, b.box.x, tolerance) && near(a.box.y, b.box.y, tolerance) &&
         near(a.box.width, b.box.width, tolerance) && near(a.box.height, b.box.height, tolerance) &&
         near_points(a.left_eye, b.left_eye, tolerance) && near_points(a.right_eye, b.right_eye, tolerance) &&
         near_points(a.nose_tip, b.nose_tip, tolerance) && near_points(a.mouth_left, b.mouth_left, tolerance) &&
         near_points(a.mouth_right, b.mouth_right, tolerance);
}

face_image stored_as(face_orientation orientation, int mirrored)
{
  const int width = orientation >= 5 ? HEIGHT : WIDTH, height = orientation >= 5 ? WIDTH : HEIGHT;
  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++) {
      const int right = width - 1 - column, bottom = height - 1 - row;
      const int places[8][2] = {{column, row}, {right, row},     {right, bottom}, {column, bottom},
                                {row, column}, {bottom, column}, {bottom, right}, {row, right}};
      const int x = places[orientation - 1][0], y = places[orientation - 1][1];
      memcpy(other + 3 * (row * width + column), rgb[y][mirrored ? WIDTH - 1 - x : x], 3);
    }
  face_image image = raw(FACE_FORMAT_RGB, other, sizeof rgb);
  image.width = (uint32_t)width;
  image.height = (uint32_t)height;
  image.orientation = orientation;
  image.mirrored = mirrored != 0;
  return image;
}

void features(void)
{
  read_pixels();
  input_features();
  result_features();
  tracking_features();
  id_features();
  follow_features();
  rate_features();
  reidentify_features();
  best_features();
  visit_features();
  check_features();
  contract_features();
}
