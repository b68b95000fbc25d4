/* The best picture of each tracked face, T7 of docs/features.md. */
#include "features.h"

#include <stdlib.h>

enum { SIDE = 128, MOST = 8 };

/* What a session has reported. */
struct pictures {
  int frames, left, count;
  float sharpness[16]; /* of the face in each frame */
  struct {
    uint64_t number, timestamp, id;
    uint32_t has_left, side;
    int lefts; /* how many faces had left before */
    float score, sharpness;
    face_box box;
    int middle; /* the green of the crop's middle */
  } of[MOST];
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct pictures *seen = user_data;
  (void)frame;
  if (seen->frames == 16) abort();
  if (face_result_count(result) > 0) {
    const face_info face = told(result, NULL);
    EXPECT((face.valid & (FACE_VALID_QUALITY | FACE_VALID_EYES)) == (FACE_VALID_QUALITY | FACE_VALID_EYES));
    seen->sharpness[seen->frames] = face.sharpness;
  }
  seen->frames++;
}

static void on_left(const face_frame *frame, uint64_t face_id, void *user_data)
{
  struct pictures *seen = user_data;
  (void)frame, (void)face_id;
  seen->left++;
}

static void on_best(const face_frame *frame, const face_best *best, void *user_data)
{
  struct pictures *seen = user_data;
  if (seen->count == MOST) abort();
  const face_info face = told(best->faces, NULL);
  const unsigned char *pixels = best->crop->planes[0];
  EXPECT(best->struct_size == sizeof *best && best->reserved == 0 && best->crop->format == FACE_FORMAT_BGRA);
  EXPECT(best->crop->width == best->crop->height && best->crop->strides[0] == best->crop->width * (size_t)4);
  EXPECT(face.id == best->face_id && best->score > 0 && best->score <= face.quality);
  const uint32_t side = best->crop->width;
  seen->of[seen->count].number = frame->number;
  seen->of[seen->count].timestamp = frame->timestamp_ns;
  seen->of[seen->count].id = best->face_id;
  seen->of[seen->count].has_left = best->left;
  seen->of[seen->count].side = side;
  seen->of[seen->count].lefts = seen->left;
  seen->of[seen->count].score = best->score;
  seen->of[seen->count].sharpness = face.sharpness;
  seen->of[seen->count].box = best->crop_box;
  seen->of[seen->count].middle = pixels[((size_t)side / 2 * side + side / 2) * 4 + 1];
  seen->count++;
}

static face_session *recorded(const face_session_options *options, struct pictures *seen)
{
  memset(seen, 0, sizeof *seen);
  face_listener listener = listener_of(seen);
  listener.on_faces = on_faces;
  listener.on_left = on_left;
  listener.on_best = on_best;
  return open_with(options, listener);
}

/* The photo, each pixel the mean of the square around it that reaches `reach` pixels to each side; in `pixels`. */
static face_image blurred(int reach, unsigned char (*pixels)[WIDTH][3])
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int part = 0; part < 3; part++) {
        int sum = 0, count = 0;
        for (int row = y - reach; row <= y + reach; row++)
          for (int column = x - reach; column <= x + reach; column++)
            if (row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH) {
              sum += rgb[row][column][part];
              count++;
            }
        pixels[y][x][part] = (unsigned char)(sum / count);
      }
  return raw(FACE_FORMAT_RGB, pixels, sizeof(unsigned char[HEIGHT][WIDTH][3]));
}

static face_session_options with_best(void)
{
  face_session_options options = options_of(FACE_SESSION_EVERY);
  options.best_size = SIDE;
  options.max_missed_frames = 1;
  options.detection_interval = 1;
  return options;
}

static void submit_at(face_session *session, face_image image, uint64_t time)
{
  image.timestamp_ns = time;
  EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
}

/* The best of four frames is the sharp one. Its picture comes on request, and when the face has left. */
static void the_sharpest_frame_wins(void)
{
  static unsigned char strongly[HEIGHT][WIDTH][3], slightly[HEIGHT][WIDTH][3], nobody[HEIGHT][WIDTH][3];
  const face_image strong = blurred(5, strongly), slight = blurred(2, slightly);
  const face_image empty = raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
  face_session_options options = with_best();
  struct pictures seen;
  face_session *session = recorded(&options, &seen);
  EXPECT(face_session_best(session, 0) == FACE_OK && seen.count == 0);
  EXPECT(face_session_best(session, 1) == FACE_NOT_FOUND);
  submit_at(session, strong, 100);
  submit_at(session, slight, 200);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_best(session, 1) == FACE_OK && face_session_best(session, 0) == FACE_OK && seen.count == 2);
  for (int i = 0; i < 2; i++)
    EXPECT(seen.of[i].id == 1 && seen.of[i].number == 2 && seen.of[i].timestamp == 200 && seen.of[i].has_left == 0);
  submit_at(session, upright(), 300);
  submit_at(session, strong, 400);
  for (uint64_t i = 5; i < 8; i++) submit_at(session, empty, 100 * i);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(seen.count == 3 && seen.left == 1 && seen.of[2].lefts == 1);
  EXPECT(seen.of[2].id == 1 && seen.of[2].number == 3 && seen.of[2].timestamp == 300 && seen.of[2].has_left == 1);
  EXPECT(seen.sharpness[0] < seen.sharpness[1] && seen.sharpness[1] < seen.sharpness[2]);
  EXPECT(seen.of[2].sharpness == seen.sharpness[2] && seen.of[2].score > seen.of[0].score);
  EXPECT(face_session_best(session, 1) == FACE_NOT_FOUND && face_session_best(session, 0) == FACE_OK);
  EXPECT(seen.count == 3);
  /* The crop shows the photo where its box says. */
  const face_box box = seen.of[2].box, face = face_of(upright(), 0).box;
  EXPECT(seen.of[2].side == SIDE && fabsf(box.width - box.height) < 0.1f);
  EXPECT(fabsf(box.width - 1.8f * fmaxf(face.width, face.height)) < 0.2f * box.width);
  const int x = (int)(box.x + box.width / 2), y = (int)(box.y + box.height / 2);
  EXPECT(abs(seen.of[2].middle - rgb[y][x][1]) < 40);
  EXPECT(face_session_close(session) == FACE_OK);
}

/* Pictures of faces in view end with the session. A listener without on_best keeps working. */
static void nothing_is_left_behind(void)
{
  face_session_options options = with_best();
  struct pictures seen;
  face_session *session = recorded(&options, &seen);
  submit_at(session, upright(), 0);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(face_session_unbind_listener(session) == FACE_OK);
  EXPECT(face_session_best(session, 1) == FACE_OK && seen.count == 0);
  EXPECT(face_session_close(session) == FACE_OK && seen.count == 0);
  EXPECT(face_session_best(session, 0) == FACE_INVALID_ARGUMENT);
}

static void mistakes_are_refused(void)
{
  face_session *session = NULL;
  face_session_options options = with_best();
  EXPECT(options.best_margin == 0.4f);
  const uint32_t sizes[] = {15, 1025};
  for (int i = 0; i < 2; i++) {
    options.best_size = sizes[i];
    EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
    EXPECT(strstr(face_last_error(), "best_size") != NULL);
  }
  options = with_best();
  const float margins[] = {-0.1f, 4.1f, NAN};
  for (int i = 0; i < 3; i++) {
    options.best_margin = margins[i];
    EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
    EXPECT(strstr(face_last_error(), "best_margin") != NULL);
  }
  options = with_best();
  EXPECT(face_check_open(engine, &options, NULL, &session) == FACE_INVALID_ARGUMENT);
  options.track = 0;
  EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
  options = options_of(FACE_SESSION_EVERY);
  EXPECT(face_session_open(engine, &options, &session) == FACE_OK);
  EXPECT(face_session_best(session, 0) == FACE_FAILED_PRECONDITION);
  EXPECT(face_session_close(session) == FACE_OK);
}

void best_features(void)
{
  the_sharpest_frame_wins();
  nothing_is_left_behind();
  mistakes_are_refused();
}
