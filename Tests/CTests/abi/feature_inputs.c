/* Input, I1 to I7 of docs/features.md. */
#include "features.h"

/* I1: a file's bytes, raw pixels with a stride, shared memory. */
static void sources(void)
{
  const face_info face = face_of(upright(), 0);
  EXPECT(same_place(face_of(photo(), 0), face, 1.5f)); /* djpeg may decode with other rounding */

  const size_t stride = 3 * WIDTH + 37;
  memset(other, 0xa5, sizeof other);
  for (int row = 0; row < HEIGHT; row++) memcpy(other + row * stride, rgb[row], sizeof rgb[row]);
  face_image image = raw(FACE_FORMAT_RGB, other, stride * HEIGHT);
  image.strides[0] = stride;
  EXPECT(same_place(face_of(image, 0), face, 0.01f));

  face_memory *memory = NULL;
  void *data = NULL;
  EXPECT(face_memory_create(sizeof rgb + 100, &memory) == FACE_OK);
  EXPECT(face_memory_map(memory, &data, NULL) == FACE_OK);
  memcpy((char *)data + 100, rgb, sizeof rgb);
  image = raw(FACE_FORMAT_RGB, NULL, sizeof rgb);
  image.memory = memory;
  image.offsets[0] = 100;
  EXPECT(same_place(face_of(image, 0), face, 0.01f));
  face_memory_destroy(memory);
}

/* I2: every orientation, mirrored or not; a given one overrides the file's. I6: a mirrored front camera. */
static void orientations(void)
{
  const face_info face = face_of(upright(), FACE_OUTPUT_POSE);
  for (face_orientation orientation = FACE_ORIENTATION_UP; orientation <= FACE_ORIENTATION_LEFT; orientation++)
    for (int mirrored = 0; mirrored <= 1; mirrored++) {
      const face_info turned = face_of(stored_as(orientation, mirrored), FACE_OUTPUT_POSE);
      EXPECT(same_place(turned, face, 0.5f));
      EXPECT(near(turned.yaw, face.yaw, 1) && near(turned.pitch, face.pitch, 1) && near(turned.roll, face.roll, 1));
    }

  /* The file says 6: TIFF, big-endian, one entry, tag 0x0112. */
  static const unsigned char says_right[] = {0xff, 0xd8, 0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0,    0, 'M',
                                             'M',  0,    42,   0,    0, 0,  8,   0,   1,   1,   0x12, 0, 3,
                                             0,    0,    0,    1,    0, 6,  0,   0,   0,   0,   0,    0};
  face_image file = photo();
  const size_t size = file.plane_sizes[0] + sizeof says_right - 2;
  unsigned char *bytes = malloc(size);
  if (bytes == NULL) abort();
  memcpy(bytes, says_right, sizeof says_right);
  memcpy(bytes + sizeof says_right, (const char *)file.planes[0] + 2, file.plane_sizes[0] - 2);
  const face_info as_it_is = face_of(file, 0);
  file.planes[0] = bytes;
  file.plane_sizes[0] = size;
  face_result *result = NULL;
  uint32_t width = 0, height = 0;
  EXPECT(face_detect(engine, &file, NULL, &result) == FACE_OK);
  EXPECT(face_result_image_size(result, &width, &height) == FACE_OK);
  EXPECT(width == HEIGHT && height == WIDTH);
  face_result_destroy(result);
  file.orientation = FACE_ORIENTATION_UP;
  EXPECT(same_place(face_of(file, 0), as_it_is, 0));
  free(bytes);
}

/* Luma, Cb and Cr of a pixel: BT.601-7 and BT.709-6. */
static void luma_chroma(const unsigned char *pixel, face_colour colour, unsigned char out[3])
{
  const double kr = colour >= FACE_COLOUR_BT709_FULL ? 0.2126 : 0.299;
  const double kb = colour >= FACE_COLOUR_BT709_FULL ? 0.0722 : 0.114;
  const int video = colour == FACE_COLOUR_BT601_VIDEO || colour == FACE_COLOUR_BT709_VIDEO;
  const double luma = kr * pixel[0] + (1 - kr - kb) * pixel[1] + kb * pixel[2];
  const double cb = (pixel[2] - luma) / 2 / (1 - kb), cr = (pixel[0] - luma) / 2 / (1 - kr);
  const double all[3] = {video ? 16 + luma * 219 / 255 : luma, 128 + (video ? cb * 224 / 255 : cb),
                         128 + (video ? cr * 224 / 255 : cr)};
  for (int i = 0; i < 3; i++) out[i] = (unsigned char)fmin(255, fmax(0, all[i] + 0.5));
}

/* The photo in a format, with a gap after every row. */
static face_image converted(face_format format, face_colour colour)
{
  static unsigned char second[(WIDTH + 64) * HEIGHT], third[(WIDTH + 64) * HEIGHT];
  face_image image = raw(format, other, 0);
  image.colour = colour;
  const int paired = format == FACE_FORMAT_YUYV || format == FACE_FORMAT_UYVY;
  const int packed = format <= FACE_FORMAT_BGRA ? 4 : format <= FACE_FORMAT_BGR ? 3 : paired ? 2 : 1;
  const int shared_rows = format == FACE_FORMAT_NV16 ? 1 : 2; /* that have the same chroma */
  const size_t luma_stride = image.strides[0] = (size_t)packed * WIDTH + 19;
  const size_t chroma_stride = format == FACE_FORMAT_I420 ? WIDTH / 2 + 7 : WIDTH + 7;
  image.plane_sizes[0] = luma_stride * HEIGHT;
  if (format > FACE_FORMAT_GRAY && !paired) {
    image.planes[1] = second, image.strides[1] = chroma_stride;
    image.plane_sizes[1] = chroma_stride * (size_t)(HEIGHT / shared_rows);
  }
  if (format == FACE_FORMAT_I420)
    image.planes[2] = third, image.strides[2] = chroma_stride, image.plane_sizes[2] = chroma_stride * HEIGHT / 2;
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < WIDTH; column++) {
      const unsigned char *pixel = rgb[row][column];
      unsigned char yuv[3], *to = other + luma_stride * (size_t)row + (size_t)(packed * column);
      luma_chroma(pixel, colour, yuv);
      const size_t chroma = chroma_stride * (size_t)(row / shared_rows);
      switch (format) {
      case FACE_FORMAT_RGBA:
      case FACE_FORMAT_RGB: to[0] = pixel[0], to[1] = pixel[1], to[2] = pixel[2]; break;
      case FACE_FORMAT_BGRA:
      case FACE_FORMAT_BGR: to[0] = pixel[2], to[1] = pixel[1], to[2] = pixel[0]; break;
      case FACE_FORMAT_YUYV: to[0] = yuv[0], to[1] = yuv[1 + column % 2]; break;
      case FACE_FORMAT_UYVY: to[1] = yuv[0], to[0] = yuv[1 + column % 2]; break;
      default: to[0] = yuv[0];
      }
      if (format == FACE_FORMAT_NV12) memcpy(second + chroma + column / 2 * 2, yuv + 1, 2);
      if (format == FACE_FORMAT_NV16) second[chroma + (size_t)column] = yuv[1 + column % 2];
      if (format == FACE_FORMAT_NV21)
        second[chroma + (size_t)(column / 2 * 2)] = yuv[2], second[chroma + (size_t)(column / 2 * 2) + 1] = yuv[1];
      if (format == FACE_FORMAT_I420)
        second[chroma + (size_t)(column / 2)] = yuv[1], third[chroma + (size_t)(column / 2)] = yuv[2];
    }
  return image;
}

/* I4: every format with a stride, YUV ones in all four colours. */
static void formats(void)
{
  const face_info face = face_of(upright(), 0);
  for (face_format format = FACE_FORMAT_RGBA; format <= FACE_FORMAT_NV16; format++)
    for (face_colour colour = FACE_COLOUR_BT601_FULL; colour <= FACE_COLOUR_BT709_VIDEO; colour++) {
      if (format <= FACE_FORMAT_GRAY && colour != FACE_COLOUR_BT601_FULL) continue;
      /* Without colour the network is a little less exact. */
      const float tolerance = format < FACE_FORMAT_GRAY ? 0.01f : format == FACE_FORMAT_GRAY ? 12 : 6;
      EXPECT(same_place(face_of(converted(format, colour), 0), face, tolerance));
    }
  /* The same samples in another order are the same picture, to the last bit. */
  const face_info whole = face_of(converted(FACE_FORMAT_YUYV, FACE_COLOUR_BT601_VIDEO), FACE_OUTPUT_ALL);
  const face_info swapped = face_of(converted(FACE_FORMAT_UYVY, FACE_COLOUR_BT601_VIDEO), FACE_OUTPUT_ALL);
  const face_info apart = face_of(converted(FACE_FORMAT_NV16, FACE_COLOUR_BT601_VIDEO), FACE_OUTPUT_ALL);
  EXPECT(memcmp(&whole, &swapped, sizeof whole) == 0);
  EXPECT(memcmp(&whole, &apart, sizeof whole) == 0);
}

/* I5: 16 × 16 to 16384 × 16384. */
static void sizes(void)
{
  const uint32_t sides[][2] = {{16, 16}, {16, 16384}, {16384, 16}, {17, 16383}, {16384, 4096}};
  unsigned char *gray = calloc(16385, 4096);
  if (gray == NULL) abort();
  face_image image = raw(FACE_FORMAT_GRAY, gray, (size_t)16385 * 4096);
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    image.width = sides[i][0];
    image.height = sides[i][1];
    image.plane_sizes[0] = (size_t)image.width * image.height;
    EXPECT(detect_with(image) == FACE_OK);
  }
  image.plane_sizes[0] = (size_t)16385 * 4096;
  image.width = 15;
  EXPECT(detect_with(image) == FACE_OUT_OF_RANGE);
  image.width = 16385;
  EXPECT(detect_with(image) == FACE_OUT_OF_RANGE);
  free(gray);
}

/* A region of interest: positions stay those of the whole image. */
static void regions_of_interest(void)
{
  face_image image = upright();
  const face_info face = face_of(image, 0);
  image.region = (face_box){face.box.x - 80, face.box.y - 80, face.box.width + 160, face.box.height + 160};
  /* The network sees other pixels of it: the place is the same to about a twentieth of the box. */
  EXPECT(same_place(face_of(image, 0), face, 12));
  image.region = (face_box){0, face.box.y + face.box.height + 20, WIDTH, 100};
  face_result *result = NULL;
  uint32_t width = 0;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK);
  EXPECT(face_result_count(result) == 0);
  EXPECT(face_result_image_size(result, &width, NULL) == FACE_OK && width == WIDTH);
  face_result_destroy(result);
}

/* Boxes that the caller brings: measured in their order, without a detector. */
static void given_boxes(void)
{
  face_image image = upright();
  const face_info face = face_of(image, FACE_OUTPUT_LANDMARKS | FACE_OUTPUT_POSE);
  const float x = face.box.x, y = face.box.y, width = face.box.width, height = face.box.height;
  /* The second box is displaced, as another detector's would be. */
  face_box boxes[] = {face.box, {x - 0.1f * width, y + 0.05f * height, 1.15f * width, height}};
  face_options options;
  face_options_init(&options);
  EXPECT(options.boxes == NULL && options.box_count == 0 && options.min_face_share == 0 && options.prominent_only == 0);
  options.outputs = FACE_OUTPUT_LANDMARKS | FACE_OUTPUT_POSE;
  options.boxes = boxes;
  options.box_count = 2;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 2);
  for (uint32_t index = 0; index < 2; index++) {
    face_info measured;
    face_info_init(&measured);
    EXPECT(face_result_get(result, index, &measured) == FACE_OK);
    EXPECT(memcmp(&measured.box, &boxes[index], sizeof(face_box)) == 0 && measured.confidence == 1);
    EXPECT((measured.valid & FACE_VALID_LANDMARKS) && (measured.valid & FACE_VALID_POSE));
    EXPECT(near(measured.yaw, face.yaw, 6) && near(measured.pitch, face.pitch, 6) && near(measured.roll, face.roll, 6));
  }
  face_result_destroy(result);
  /* No boxes are none: nothing is searched. */
  options.box_count = 0;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 0);
  uint32_t seen = 0;
  EXPECT(face_result_image_size(result, &seen, NULL) == FACE_OK && seen == WIDTH);
  face_result_destroy(result);
  const face_image *images[] = {&image};
  EXPECT(face_detect_batch(engine, images, 1, &options, &result) == FACE_INVALID_ARGUMENT);
  /* A box without a face still has an answer, without the values that could not be measured. */
  boxes[0] = (face_box){4, 560, 40, 40};
  options.box_count = 1;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 1);
  face_result_destroy(result);
  const face_box wrong[] = {{WIDTH, 0, 10, 10}, {0, 0, 0, 10}, {0, 0, NAN, 10}, {-20, -20, 10, 10}};
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    boxes[0] = wrong[index];
    EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  }
  boxes[0] = face.box;
  options.box_count = 1001;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  options.box_count = 1;
  EXPECT(face_detect_batch(engine, images, 1, &options, &result) == FACE_INVALID_ARGUMENT);
  options.outputs = 0;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  options.boxes = NULL;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
}

/* Two photos side by side, the right one at half the size. */
static void sizes_of_faces(void)
{
  static unsigned char pair[HEIGHT][2 * WIDTH][3];
  for (int y = 0; y < HEIGHT; y++) memcpy(pair[y], rgb[y], sizeof rgb[y]);
  for (int y = 0; y < HEIGHT / 2; y++)
    for (int x = 0; x < WIDTH / 2; x++) memcpy(pair[y][WIDTH + x], rgb[2 * y][2 * x], 3);
  face_image image = raw(FACE_FORMAT_RGB, pair, sizeof pair);
  image.width = 2 * WIDTH;
  const float width = face_of(upright(), 0).box.width;
  face_options options;
  face_options_init(&options);
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 2);
  face_result_destroy(result);
  options.outputs = FACE_OUTPUT_LANDMARKS;
  EXPECT(options.max_analysed_faces == 1000);
  options.max_analysed_faces = 1;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 2);
  EXPECT(face_result_unanalysed_count(result) == 1 && face_result_unanalysed_count(NULL) == 0);
  EXPECT(told(result, NULL).valid & FACE_VALID_LANDMARKS);
  /* Landmarks were asked for: that this face has none has the other reason. */
  uint32_t count = 0;
  EXPECT(face_result_landmarks(result, 1, FACE_REGION_ALL_POINTS, NULL, 0, &count) == FACE_FAILED_PRECONDITION);
  EXPECT(strstr(face_last_error(), "max_analysed_faces") != NULL);
  face_result_destroy(result);
  options.outputs = 0;
  options.min_face_share = 0.75f * width / (2 * WIDTH);
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 1);
  EXPECT(near(told(result, NULL).box.width, width, 0.2f * width));
  face_result_destroy(result);
  options.min_face_share = 1.5f;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  options.min_face_share = 0;
  options.prominent_only = 1;
  EXPECT(face_detect(engine, &image, &options, &result) == FACE_OK && face_result_count(result) == 1);
  EXPECT(near(told(result, NULL).box.width, width, 0.2f * width));
  face_result_destroy(result);
  options.prominent_only = 2;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
}

void input_features(void)
{
  sources();
  orientations();
  formats();
  sizes();
  regions_of_interest();
  given_boxes();
  sizes_of_faces();
}
