/* A program that was compiled against the headers of an older release (header.py), and runs with today's library.
 *
 *     older load MODEL_DIR PHOTO.jpg
 *     older connect SOCKET PHOTO.jpg
 *
 * Its structs are on all sides surrounded by bytes that nobody may change. */
#include <face_engine_draw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static face_engine *engine;

#define EXPECT(condition)                                                                                         \
  do {                                                                                                            \
    if (!(condition)) {                                                                                           \
      failures++;                                                                                                 \
      fprintf(stderr, "%s:%d: expected %s; last error: %s\n", __FILE__, __LINE__, #condition, face_last_error()); \
    }                                                                                                             \
  } while (0)

/* A struct in memory whose other bytes are 0xA5. */
#define GUARDED(type, name)         \
  struct {                          \
    unsigned char before[64];       \
    type value;                     \
    unsigned char behind[64];       \
  } name;                           \
  memset(&name, 0xA5, sizeof name); \
  type##_init(&name.value)

#define EXPECT_GUARDED(type, name) \
  EXPECT(name.value.struct_size == sizeof(type) && is_whole(name.before) && is_whole(name.behind))

static int is_whole(const unsigned char bytes[64])
{
  for (int i = 0; i < 64; i++) {
    if (bytes[i] != 0xA5) return 0;
  }
  return 1;
}

static int is_same_box(face_box a, face_box b) { return memcmp(&a, &b, sizeof a) == 0; }

/* What the caller leaves alone has the defaults, also where its struct ends before a member. */
static face_info detect(face_image *photo)
{
  GUARDED(face_options, options);
  GUARDED(face_info, face);
  GUARDED(face_info, same);
  GUARDED(face_model, model);
  face_result *result = NULL, *by_defaults = NULL;
  EXPECT(face_detect(engine, photo, &options.value, &result) == FACE_OK && face_result_count(result) == 1);
  EXPECT(face_detect(engine, photo, NULL, &by_defaults) == FACE_OK && face_result_count(by_defaults) == 1);
  EXPECT(face_result_get(result, 0, &face.value) == FACE_OK);
  EXPECT(face_result_get(by_defaults, 0, &same.value) == FACE_OK);
  EXPECT(is_same_box(face.value.box, same.value.box) && face.value.box.width > 100);
  EXPECT(face_result_model(result, 0, &model.value) == FACE_OK && model.value.revision >= 1);

  GUARDED(face_space, space);
  space.value.kind = FACE_SPACE_NORMALISED;
  EXPECT(face_result_get_in(result, 0, &space.value, &same.value) == FACE_OK && same.value.box.width < 1);
  options.value.min_confidence = 1;
  face_result_destroy(by_defaults);
  EXPECT(face_detect(engine, photo, &options.value, &by_defaults) == FACE_OK && face_result_count(by_defaults) == 0);
  EXPECT_GUARDED(face_options, options);
  EXPECT_GUARDED(face_info, face);
  EXPECT_GUARDED(face_info, same);
  EXPECT_GUARDED(face_model, model);
  EXPECT_GUARDED(face_space, space);
  face_result_destroy(result);
  face_result_destroy(by_defaults);
  return face.value;
}

static void on_faces(face_frame *frame, face_result *result, void *user_data)
{
  EXPECT(frame->struct_size >= sizeof *frame && face_result_count(result) == 1);
  ++*(int *)user_data;
}

static void search_a_video(face_image *photo)
{
  GUARDED(face_session_options, options);
  GUARDED(face_listener, listener);
  int frames = 0;
  listener.value.user_data = &frames;
  listener.value.on_faces = on_faces;
  options.value.mode = FACE_SESSION_EVERY;
  EXPECT(options.value.track == 1);
  face_session *session = NULL;
  EXPECT(face_session_open(engine, &options.value, &session) == FACE_OK);
  EXPECT(face_session_bind_listener(session, &listener.value) == FACE_OK);
  for (int i = 0; i < 3; i++) EXPECT(face_session_submit(session, photo, NULL) == FACE_OK);
  EXPECT(face_session_flush(session, 0) == FACE_OK && frames == 3);
  EXPECT(face_session_close(session) == FACE_OK);
  EXPECT_GUARDED(face_session_options, options);
  EXPECT_GUARDED(face_listener, listener);
}

static void check(face_image *photo)
{
  GUARDED(face_check_options, options);
  EXPECT(options.value.max_yaw == 15 && face_check_options_apply(&options.value, FACE_CHECK_PRESET_ISO) == FACE_OK);
  EXPECT(options.value.max_yaw == 5 && options.value.max_roll == 8);
  face_tip tip = FACE_TIP_COUNT;
  EXPECT(face_check_image(engine, photo, NULL, &options.value, NULL, &tip) == FACE_OK && face_tip_text(tip) != NULL);
  EXPECT_GUARDED(face_check_options, options);
}

/* The library names no member that the program's struct does not have. */
static void list(void)
{
  uint32_t count = 0;
  for (const face_option *option;
       (option = face_option_at(FACE_OPTION_GROUP_TRACKING, count, sizeof(face_session_options))); count++)
    EXPECT(option->struct_size >= sizeof *option && strlen(option->name) > 0);
  EXPECT(count >= 5);
  EXPECT(face_output_at(0)->struct_size >= sizeof(face_output));
}

/* Elements of an array are as far apart as the program has them. */
static void draw(face_info face)
{
  static unsigned char pixels[64 * 64 * 3];
  struct {
    face_info faces[2];
    unsigned char behind[64];
  } row = {{face, face}, {0}};
  memset(row.behind, 0xA5, sizeof row.behind);
  row.faces[0].box = (face_box){4, 4, 20, 20};
  row.faces[1].box = (face_box){34, 34, 20, 20};
  face_picture *picture = NULL;
  GUARDED(face_draw_style, style);
  style.value.marks = FACE_DRAW_FILLED;
  style.value.fill_colour = 0xff0000ffu;
  EXPECT(face_picture_attach(FACE_FORMAT_RGB, 64, 64, 0, pixels, sizeof pixels, &picture) == FACE_OK);
  EXPECT(face_draw_faces(picture, row.faces, 2, &style.value) == FACE_OK);
  for (int i = 0; i < 64; i += 2) {
    const int is_inside = (i > 4 && i < 23) || (i > 34 && i < 53), is_outside = i < 4 || (i > 24 && i < 34) || i > 54;
    if (is_inside || is_outside) EXPECT(pixels[3 * (64 * i + i)] == (is_inside ? 255 : 0));
  }
  EXPECT(is_whole(row.behind));
  EXPECT_GUARDED(face_draw_style, style);

  GUARDED(face_image, view);
  EXPECT(face_picture_image(picture, &view.value) == FACE_OK && view.value.width == 64);
  EXPECT_GUARDED(face_image, view);
  GUARDED(face_crop_options, crop);
  crop.value.width = crop.value.height = 16;
  face_picture *cropped = NULL;
  EXPECT(face_crop_portrait(&view.value, row.faces, 1, &crop.value, &cropped) == FACE_OK);
  EXPECT_GUARDED(face_crop_options, crop);
  face_picture_destroy(cropped);
  face_picture_destroy(picture);
}

static void open_engine(int loads, char *place)
{
  GUARDED(face_load_options, loading);
  GUARDED(face_connect_options, connecting);
  EXPECT(loading.value.threads_per_frame == 1 && connecting.value.engine_user == FACE_NO_USER);
  const face_status status = loads ? face_load_models(&place, 1, &loading.value, &engine)
                                   : face_connect_with(place, &connecting.value, &engine);
  EXPECT(status == FACE_OK);
  EXPECT_GUARDED(face_load_options, loading);
  EXPECT_GUARDED(face_connect_options, connecting);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  EXPECT(face_abi_version() == FACE_ABI_VERSION);
  open_engine(argv[1][0] == 'l', argv[2]);
  GUARDED(face_image, photo);
  EXPECT(face_image_from_file(argv[3], &photo.value) == FACE_OK);
  const face_info face = detect(&photo.value);
  search_a_video(&photo.value);
  check(&photo.value);
  list();
  draw(face);
  EXPECT_GUARDED(face_image, photo);
  face_image_release(&photo.value);
  EXPECT(photo.value.planes[0] == NULL && face_release(engine) == FACE_OK);
  return failures == 0 ? 0 : 1;
}
