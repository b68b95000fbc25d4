/* Tells the person in front of a camera what to do: reads frames from standard input as consecutive binary PPM pictures and
 * prints a hint whenever it changes.
 *
 *     ffmpeg -v error -i /dev/video0 -f image2pipe -c:v ppm - | greeter MODEL_DIR
 */
#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>

struct kiosk {
  const char *shown; /* the hint on the screen */
  uint32_t height;   /* of a frame, in pixels */
};

static const char *hint(const face_result *result, uint32_t frame_height)
{
  face_info face;
  face_info_init(&face);
  if (face_result_count(result) == 0) return "nobody here";
  if (face_result_count(result) > 1) return "one at a time, please";
  if (face_result_get(result, 0, &face) != FACE_OK) return "nobody here";
  return face.box.height < frame_height / 3.0f ? "come closer" : "hold still";
}

/* Called once for each frame, also without a face. */
static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  (void)frame;
  struct kiosk *kiosk = user_data;
  const char *text = hint(result, kiosk->height);
  if (text == kiosk->shown) return;
  kiosk->shown = text;
  puts(text);
  fflush(stdout);
}

/* Reads a binary PPM picture: a line of text, then RGB pixels. Returns 0 at the end of the stream. */
static int read_frame(face_image *frame, unsigned char **pixels)
{
  unsigned maximum;
  if (scanf("P6 %u %u %u", &frame->width, &frame->height, &maximum) != 3 || getchar() == EOF) return 0;
  if (frame->width == 0 || frame->width > 8192 || frame->height == 0 || frame->height > 8192 || maximum != 255)
    return 0;
  size_t size = (size_t)frame->width * frame->height * 3;
  unsigned char *room = realloc(*pixels, size);
  if (room == NULL) return 0;
  *pixels = room;
  frame->planes[0] = room;
  frame->plane_sizes[0] = size;
  return fread(room, 1, size, stdin) == size;
}

static int fail(face_status status)
{
  fprintf(stderr, "%s: %s\n", face_status_name(status), face_last_error());
  return 1;
}

int main(int argc, char **argv)
{
  if (argc != 2) {
    fprintf(stderr, "usage: greeter MODEL_DIR <FRAMES.ppm\n");
    return 2;
  }
  face_engine *engine = NULL;
  face_status status = face_load_model(argv[1], &engine);
  if (status != FACE_OK) return fail(status);

  struct kiosk kiosk = {NULL, 0};
  face_listener listener;
  face_listener_init(&listener);
  listener.on_faces = on_faces;
  listener.user_data = &kiosk;
  status = face_bind_listener(engine, &listener);

  face_image frame;
  face_image_init(&frame);
  frame.format = FACE_FORMAT_RGB;
  unsigned char *pixels = NULL;
  while (status == FACE_OK && read_frame(&frame, &pixels)) {
    kiosk.height = frame.height;
    status = face_detect(engine, &frame, NULL, NULL);
  }
  if (status != FACE_OK) fail(status);
  face_release(engine);
  free(pixels);
  return status == FACE_OK ? 0 : 1;
}
