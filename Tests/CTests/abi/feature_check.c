/* The guided check, S1 to S9 of docs/features.md. */
#include "features.h"

/* The events of a check, in short; `calls` counts callbacks of every kind. */
struct told {
  char text[4096];
  int draws, faces, calls, attempt, restarts;
  float last_progress;
  face_circle circle;
  face_info drawn, result;
  uint32_t width, height, crop;
  float difference; /* mean difference of the picture's pixels from the photo's */
  face_box crop_box;
  face_session *session;
};

static void add(struct told *told, const char *text)
{
  if (strlen(told->text) + strlen(text) + 2 > sizeof told->text) abort();
  if (told->text[0] != 0) strcat(told->text, " ");
  strcat(told->text, text);
}

static void on_result(struct told *told, const face_check *check)
{
  add(told, "result");
  EXPECT(check->picture != NULL && check->crop != NULL && check->faces != NULL);
  if (check->picture == NULL || check->crop == NULL) return;
  EXPECT(face_result_count(check->faces) == 1);
  face_info_init(&told->result);
  EXPECT(face_result_get(check->faces, 0, &told->result) == FACE_OK);
  const face_image *picture = check->picture, *crop = check->crop;
  EXPECT(picture->format == FACE_FORMAT_BGRA && crop->format == FACE_FORMAT_BGRA);
  EXPECT(picture->strides[0] == picture->width * 4 && picture->plane_sizes[0] == picture->strides[0] * picture->height);
  EXPECT(crop->width == crop->height);
  told->width = picture->width;
  told->height = picture->height;
  told->crop = crop->width;
  told->crop_box = check->crop_box;
  if (picture->width != WIDTH || picture->height != HEIGHT) return;
  const unsigned char *pixels = picture->planes[0];
  double sum = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < 3; c++) sum += abs(pixels[4 * i + c] - (&rgb[0][0][0])[3 * i + 2 - c]);
  told->difference = (float)(sum / (WIDTH * HEIGHT * 3));
  /* The returned picture is a valid argument. */
  face_result *again = NULL;
  EXPECT(face_detect(engine, picture, NULL, &again) == FACE_OK);
  EXPECT(face_result_count(again) == 1);
  face_result_destroy(again);
}

static void on_check(const face_frame *frame, const face_check *check, void *user_data)
{
  struct told *told = user_data;
  char text[96];
  told->calls++;
  EXPECT(frame == NULL || frame->struct_size >= sizeof *frame);
  EXPECT(check->struct_size >= sizeof *check && check->text != NULL);
  EXPECT(check->progress >= 0 && check->progress <= 1);
  EXPECT((check->faces != NULL) == (check->event == FACE_CHECK_EVENT_DRAW || check->event == FACE_CHECK_EVENT_RESULT));
  EXPECT((check->picture != NULL) == (check->event == FACE_CHECK_EVENT_RESULT));
  EXPECT((check->code != NULL) == (check->event == FACE_CHECK_EVENT_FAILED));
  told->attempt = (int)check->attempt;
  told->last_progress = check->progress;
  told->circle = check->circle;
  switch (check->event) {
  case FACE_CHECK_EVENT_STATUS: add(told, face_check_state_name(check->state)); break;
  case FACE_CHECK_EVENT_TIP:
    snprintf(text, sizeof text, "(%s)", face_tip_name(check->tip));
    add(told, text);
    EXPECT(strcmp(check->text, face_tip_text(check->tip)) == 0);
    break;
  case FACE_CHECK_EVENT_DRAW:
    told->draws++;
    face_info_init(&told->drawn);
    EXPECT(face_result_count(check->faces) == 1);
    EXPECT(face_result_get(check->faces, 0, &told->drawn) == FACE_OK);
    break;
  case FACE_CHECK_EVENT_CLEAR: add(told, "clear"); break;
  case FACE_CHECK_EVENT_RESULT: on_result(told, check); break;
  case FACE_CHECK_EVENT_FAILED:
    add(told, check->code);
    EXPECT(strlen(check->message) > 10);
    break;
  default: EXPECT(!"a known event");
  }
  if (told->session != NULL && told->restarts > 0 && check->event == FACE_CHECK_EVENT_RESULT) {
    told->restarts--;
    EXPECT(face_check_restart(told->session) == FACE_OK);
  }
}

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct told *told = user_data;
  (void)frame, (void)result;
  told->faces++;
  told->calls++;
}

/* The circle lies around the photo's face; time is the frames'. */
static face_check_options around_the_face(void)
{
  face_check_options options;
  face_check_options_init(&options);
  options.mask.x = 268;
  options.mask.y = 227;
  options.mask.radius = 160;
  options.use_timestamps = 1;
  options.tip_ns = 0;
  options.crop_size = 128;
  return options;
}

static face_session *open_check(const face_check_options *options, struct told *told)
{
  const face_session_options every = options_of(FACE_SESSION_EVERY);
  memset(told, 0, sizeof *told);
  EXPECT(face_check_open(engine, &every, options, &told->session) == FACE_OK);
  face_listener listener = listener_of(told);
  listener.on_check = on_check;
  listener.on_faces = on_faces;
  EXPECT(face_session_bind_listener(told->session, &listener) == FACE_OK);
  return told->session;
}

static unsigned char nobody[WIDTH * HEIGHT * 3];

/* Frames of a script, 30 a second: F the photo, . an empty picture, R a restart before the next one. */
static struct told check(const face_check_options *options, const char *script, int restarts)
{
  struct told told;
  face_session *session = open_check(options, &told);
  told.restarts = restarts;
  uint64_t number = 0;
  for (const char *step = script; *step != 0; step++) {
    if (*step == 'R') {
      /* Applies to later frames, even if earlier ones still wait. */
      EXPECT(face_check_restart(session) == FACE_OK);
      continue;
    }
    face_image image = *step == 'F' ? upright() : raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
    image.timestamp_ns = ++number * 33333333;
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    if (restarts > 0) EXPECT(face_session_flush(session, 0) == FACE_OK);
  }
  flush_and_close(session);
  EXPECT(told.faces == (int)number); /* each frame also has exactly one event */
  return told;
}

#define SECOND "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
#define NOBODY_FOR_A_SECOND ".............................."

/* S1 to S6, S9: a check from an empty picture to the result. */
static void finishes(void)
{
  const face_check_options options = around_the_face();
  const struct told told = check(&options, "..." SECOND SECOND, 0);
  EXPECT(strcmp(told.text, "waiting (prompt) start (hold_still) checking finish (done) result clear") == 0);
  if (failures > 0) fprintf(stderr, "told: %s\n", told.text);
  EXPECT(told.draws > 40 && told.attempt == 1);
  EXPECT(near(told.circle.x, 268, 0.01f) && near(told.circle.radius, 160, 0.01f));
  EXPECT(told.width == WIDTH && told.height == HEIGHT && told.crop == 128);
  /* Also when connected, the picture is the frame itself. */
  EXPECT(told.difference == 0);
  EXPECT(told.result.valid & FACE_VALID_QUALITY && told.result.valid & FACE_VALID_EYES);
  const float side = told.result.box.height * (1 + 2 * options.crop_margin);
  EXPECT(near(told.crop_box.width, side, 0.1f) && near(told.crop_box.height, side, 0.1f));
  EXPECT(near(told.crop_box.x + side / 2, told.result.box.x + told.result.box.width / 2, 0.1f));
  EXPECT(near(told.crop_box.y + side / 2, told.result.box.y + told.result.box.height / 2, 0.1f));
}

/* The host owns the pixels again after each frame's event; the picture is still that of the best frame. */
static void keeps_no_memory_of_the_host(void)
{
  const face_check_options options = around_the_face();
  struct told told;
  face_session *session = open_check(&options, &told);
  face_memory *memory = NULL;
  void *pixels = NULL;
  EXPECT(face_memory_create(sizeof rgb, &memory) == FACE_OK && face_memory_map(memory, &pixels, NULL) == FACE_OK);
  if (pixels == NULL) return;
  for (uint64_t number = 1; number <= 60 && told.width == 0; number++) {
    memcpy(pixels, rgb, sizeof rgb);
    face_image image = upright();
    image.planes[0] = NULL;
    image.plane_sizes[0] = 0;
    image.memory = memory;
    image.timestamp_ns = number * 33333333;
    EXPECT(face_session_submit(session, &image, NULL) == FACE_OK);
    EXPECT(face_session_flush(session, 0) == FACE_OK);
    memset(pixels, 0, sizeof rgb);
  }
  EXPECT(face_session_close(session) == FACE_OK);
  EXPECT(told.width == WIDTH && told.crop == 128 && told.difference == 0);
  face_memory_destroy(memory);
}

static void restarts(void)
{
  const face_check_options options = around_the_face();
  struct told told = check(&options, SECOND "R" SECOND SECOND, 0);
  EXPECT(strcmp(told.text, "waiting start (hold_still) checking waiting start (hold_still) checking finish (done) "
                           "result clear") == 0);
  EXPECT(told.attempt == 2);
  /* Restarts inside the listener. */
  told = check(&options, SECOND SECOND SECOND SECOND, 1);
  EXPECT(told.attempt == 2 && strstr(told.text, "result waiting start") != NULL);
}

/* S5, S6: every kind of failure. */
static void fails(void)
{
  face_check_options options = around_the_face();
  options.actions[0] = FACE_ACTION_BLINK;
  options.action_count = 1;
  options.timeout_ns = 1000000000;
  struct told told = check(&options, SECOND SECOND, 0);
  EXPECT(strcmp(told.text, "waiting start (hold_still) checking (blink) time_out time_out clear") == 0);
  if (failures > 0) fprintf(stderr, "told: %s\n", told.text);
  options = around_the_face();
  options.wait_timeout_ns = 500000000;
  told = check(&options, NOBODY_FOR_A_SECOND, 0);
  EXPECT(strcmp(told.text, "waiting (prompt) time_out wait_time_out") == 0);
  options = around_the_face();
  options.lost_ns = 300000000;
  told = check(&options, SECOND NOBODY_FOR_A_SECOND, 0);
  EXPECT(strstr(told.text, "checking clear (no_face) failed face_lost") != NULL);
  if (failures > 0) fprintf(stderr, "told: %s\n", told.text);
}

/* S3, S8: tips, in the space of the view. */
static void tips(void)
{
  face_check_options options = around_the_face();
  options.mask.x -= 60;
  EXPECT(strstr(check(&options, "FF", 0).text, "(move_left)") != NULL);
  face_space view;
  face_space_init(&view);
  view.kind = FACE_SPACE_VIEW;
  view.view_width = WIDTH / 2;
  view.view_height = HEIGHT / 2;
  view.mirrored = 1;
  options.view = &view;
  options.mask = (face_circle){(WIDTH - (268 - 60)) / 2.0f, 227 / 2.0f, 80};
  const struct told told = check(&options, "FF", 0);
  EXPECT(strstr(told.text, "(move_right)") != NULL);
  EXPECT(near(told.circle.x, 208, 0.01f) && near(told.circle.radius, 160, 0.01f));
  options.view = NULL;
  options.mask = (face_circle){268, 227, 400};
  EXPECT(strstr(check(&options, "FF", 0).text, "(come_closer)") != NULL);
  options.mask.radius = 90;
  EXPECT(strstr(check(&options, "FF", 0).text, "(move_back)") != NULL);
  for (face_tip tip = 0; tip < FACE_TIP_COUNT; tip++) EXPECT(face_tip_name(tip) != NULL && face_tip_text(tip) != NULL);
  EXPECT(face_tip_name(FACE_TIP_COUNT) == NULL && face_tip_text(UINT32_MAX) == NULL);
  EXPECT(strcmp(face_check_state_name(FACE_CHECK_TIME_OUT), "time_out") == 0);
  EXPECT(strcmp(face_check_state_name(99), "unknown") == 0);
}

/* S7: one photo. */
static void photos(void)
{
  face_check_options frontal;
  face_check_options_init(&frontal);
  frontal.min_sharpness = 0.25f;
  EXPECT(face_check_options_apply(&frontal, FACE_CHECK_PRESET_ISO) == FACE_OK);
  EXPECT(frontal.max_yaw == 5 && frontal.max_pitch == 5 && frontal.max_roll == 8 && frontal.min_sharpness == 0.25f);
  EXPECT(face_check_options_apply(&frontal, FACE_CHECK_PRESET_STANDARD) == FACE_OK && frontal.max_roll == 15);
  EXPECT(face_check_options_apply(&frontal, 2) == FACE_INVALID_ARGUMENT && frontal.max_roll == 15);
  EXPECT(face_check_options_apply(NULL, FACE_CHECK_PRESET_ISO) == FACE_INVALID_ARGUMENT);

  face_check_options options = around_the_face();
  struct told told;
  memset(&told, 0, sizeof told);
  face_listener listener = listener_of(&told);
  listener.on_check = on_check;
  listener.on_faces = on_faces;
  face_tip tip = 99;
  const face_image image = photo();
  EXPECT(face_check_image(engine, &image, NULL, &options, &listener, &tip) == FACE_OK);
  EXPECT(tip == FACE_TIP_DONE && told.faces == 0);
  EXPECT(strcmp(told.text, "finish (done) result") == 0);
  EXPECT(told.width == WIDTH && told.crop == 128 && told.difference < 2);
  memset(&told, 0, sizeof told);
  options.mask = (face_circle){80, 500, 300};
  EXPECT(face_check_image(engine, &image, NULL, &options, &listener, &tip) == FACE_OK);
  EXPECT(strcmp(told.text, "failed (move_down) (come_closer) not_right") == 0);
  if (failures > 0) fprintf(stderr, "told: %s\n", told.text);
  EXPECT(told.draws == 1);
  const face_image nobody = empty_picture();
  EXPECT(face_check_image(engine, &nobody, NULL, NULL, NULL, &tip) == FACE_OK);
  EXPECT(tip == FACE_TIP_NO_FACE);
  EXPECT(face_check_image(engine, &nobody, NULL, NULL, NULL, NULL) == FACE_OK);
  face_image damaged = photo();
  damaged.plane_sizes[0] = 100;
  tip = 99;
  EXPECT(face_check_image(engine, &damaged, NULL, NULL, NULL, &tip) == FACE_INVALID_ARGUMENT);
  EXPECT(face_check_image(engine, NULL, NULL, NULL, NULL, &tip) == FACE_INVALID_ARGUMENT);
  /* A check finds its face itself. */
  face_options given;
  face_options_init(&given);
  const face_box box = {10, 10, 100, 100};
  given.boxes = &box;
  given.box_count = 1;
  given.outputs = FACE_OUTPUT_POSE;
  EXPECT(face_check_image(engine, &image, &given, NULL, NULL, &tip) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "boxes") != NULL);
  EXPECT(face_check_image(NULL, &image, NULL, NULL, NULL, &tip) == FACE_INVALID_ARGUMENT);
  EXPECT(tip == 99);
  face_canceller *canceller = NULL;
  EXPECT(face_canceller_create(&canceller) == FACE_OK);
  EXPECT(face_canceller_cancel(canceller) == FACE_OK);
  face_options detection;
  face_options_init(&detection);
  detection.canceller = canceller;
  EXPECT(face_check_image(engine, &image, &detection, NULL, NULL, &tip) == FACE_CANCELLED);
  face_canceller_destroy(canceller);
}

static face_status opened_with(const face_check_options *options)
{
  face_session *session = NULL;
  const face_status status = face_check_open(engine, NULL, options, &session);
  EXPECT((status == FACE_OK) == (session != NULL));
  EXPECT(face_session_close(session) == FACE_OK);
  return status;
}

static void misuse(void)
{
  EXPECT(opened_with(NULL) == FACE_OK);
  /* The ranges of single options are in feature_contract.c. */
  face_check_options options = around_the_face();
#define REFUSED(change) REFUSED_AS(FACE_INVALID_ARGUMENT, change, opened_with(&options), options = around_the_face())
  REFUSED(options.struct_size = 4);
  REFUSED(options.use_timestamps = 2);
  REFUSED(options.mask.radius = -1);
  REFUSED(options.mask.x = NAN);
  REFUSED(options.max_motion = INFINITY);
  REFUSED(options.action_count = 9);
  REFUSED(options.action_count = 1);
  REFUSED((options.action_count = 1, options.actions[0] = 1000));
  face_space view;
  face_space_init(&view);
  view.kind = FACE_SPACE_VIEW; /* without a size */
  REFUSED(options.view = &view);
  EXPECT(face_check_open(engine, NULL, NULL, NULL) == FACE_INVALID_ARGUMENT);
  face_session_options untracked;
  face_session_options_init(&untracked);
  untracked.track = 0;
  face_session *session = NULL;
  EXPECT(face_check_open(engine, &untracked, NULL, &session) == FACE_INVALID_ARGUMENT && session == NULL);
  EXPECT(face_check_restart(NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_open(engine, NULL, &session) == FACE_OK);
  EXPECT(face_check_restart(session) == FACE_FAILED_PRECONDITION);
  EXPECT(face_session_close(session) == FACE_OK);
  EXPECT(face_check_restart(session) == FACE_INVALID_ARGUMENT);
}

void check_features(void)
{
  finishes();
  keeps_no_memory_of_the_host();
  restarts();
  fails();
  tips();
  photos();
  misuse();
}
