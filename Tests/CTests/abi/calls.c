/* Versions, NULL in every place, and the sizes of structs. */
#include "abi.h"

static void versions(void)
{
  EXPECT(face_abi_version() == FACE_ABI_VERSION);
  EXPECT(strlen(face_version_string()) > 0);
  EXPECT(strcmp(face_status_name(FACE_OK), "OK") == 0);
  EXPECT(strcmp(face_status_name(FACE_UNAUTHENTICATED), "UNAUTHENTICATED") == 0);
  EXPECT(strcmp(face_status_name(-7), "UNKNOWN") == 0);
}

static void null_for_engines(void)
{
  face_engine *none = (face_engine *)&failures;
  EXPECT(face_load_model("", &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_model("\xff\xfe", &none) == FACE_NOT_FOUND);
  EXPECT(face_load_model("no such folder", NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_model("no such folder", &none) == FACE_NOT_FOUND);
  EXPECT(strstr(face_last_error(), "no such folder") != NULL);
  EXPECT(face_connect("no such socket", &none) == FACE_UNAVAILABLE);
  EXPECT(face_connect("/tmp", &none) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "is a folder") != NULL);
  EXPECT(face_connect("no such socket", NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_connect("", &none) == FACE_INVALID_ARGUMENT);
  face_connect_options connecting;
  face_connect_options_init(&connecting);
  face_connect_options_init(NULL);
  EXPECT(connecting.engine_user == FACE_NO_USER);
  EXPECT(face_connect_with("no such socket", &connecting, &none) == FACE_UNAVAILABLE);
  EXPECT(face_connect_with("no such socket", NULL, &none) == FACE_UNAVAILABLE);
  EXPECT(face_connect_with("no such socket", &connecting, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(connecting.timeout_ns == 0 && connecting.canceller == NULL);
  connecting.struct_size = 1;
  EXPECT(face_connect_with("no such socket", &connecting, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(none == (face_engine *)&failures);
  EXPECT(face_release(NULL) == FACE_OK);
  /* The installed model, or that of the checkout if it is above the library. */
  const face_status installed = face_load_model(NULL, &none);
  EXPECT(installed == FACE_OK || installed == FACE_NOT_FOUND);
  EXPECT(installed != FACE_OK || face_release(none) == FACE_OK);
}

/* ONNX files: S12 of docs/features.md. */
static void onnx_files(void)
{
  face_engine *engine = NULL;
  const char *files[] = {"Tests/Fixtures/onnx/yunet.onnx", "Tests/Fixtures/onnx/scrfd.onnx"};
  EXPECT(face_load_model(files[0], &engine) == FACE_OK);
  EXPECT(face_release(engine) == FACE_OK);
  EXPECT(face_load_models(files, 2, NULL, &engine) == FACE_OK);
  EXPECT(face_release(engine) == FACE_OK);
  EXPECT(face_load_model("Tests/Fixtures/onnx/unknown_operator.onnx", &engine) == FACE_UNIMPLEMENTED);
  EXPECT(strstr(face_last_error(), "GridSample") != NULL);
  EXPECT(face_load_model("Tests/Fixtures/onnx/external_data.onnx", &engine) == FACE_FAILED_PRECONDITION);
}

static void models_to_load(void)
{
  face_engine *none = (face_engine *)&failures;
  const char *folders[FACE_MAX_MODELS + 1] = {"no such folder", NULL};
  face_load_options options;
  face_load_options_init(&options);
  EXPECT(options.struct_size == sizeof options);
  EXPECT(options.threads_per_frame == 1 && options.max_input_pixels == 0 && options.precision == FACE_PRECISION_BEST);
  EXPECT(options.engine == NULL);
  EXPECT(face_load_models(NULL, 1, &options, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_models(folders, 1, &options, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_models(folders, 0, &options, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_models(folders, FACE_MAX_MODELS + 1, NULL, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_models(folders, UINT32_MAX, NULL, &none) == FACE_INVALID_ARGUMENT);
  EXPECT(face_load_models(folders, 2, NULL, &none) == FACE_NOT_FOUND);
  folders[1] = "";
  EXPECT(face_load_models(folders, 2, NULL, &none) == FACE_INVALID_ARGUMENT);
  folders[1] = "\xff\xfe";
  EXPECT(face_load_models(folders, 2, NULL, &none) == FACE_NOT_FOUND);
  EXPECT(face_load_models(folders, 1, NULL, &none) == FACE_NOT_FOUND);
  EXPECT(strstr(face_last_error(), "no such folder") != NULL);
  const face_load_options good = options;
#define LOADED(status, change) REFUSED_AS(status, change, face_load_models(folders, 1, &options, &none), options = good)
  LOADED(FACE_NOT_FOUND, options.threads_per_frame = 0);
  LOADED(FACE_INVALID_ARGUMENT, options.threads_per_frame = 17);
  EXPECT(strstr(face_last_error(), "threads_per_frame") != NULL);
  LOADED(FACE_NOT_FOUND, (options.threads_per_frame = 16, options.max_input_pixels = UINT64_MAX));
  LOADED(FACE_INVALID_ARGUMENT, options.precision = 2);
  EXPECT(strstr(face_last_error(), "precision") != NULL);
  LOADED(FACE_NOT_FOUND, options.precision = FACE_PRECISION_FLOAT);
  LOADED(FACE_INVALID_ARGUMENT, options.decoder_process = 2);
  EXPECT(strstr(face_last_error(), "decoder_process") != NULL);
  for (int wrong = 0; wrong < 2; wrong++) {
    LOADED(FACE_INVALID_ARGUMENT, options.engine = ((const char *[]){"../ncnn", "\xff"})[wrong]);
    EXPECT(strstr(face_last_error(), "options->engine") != NULL);
  }
  static const char *const engines[] = {"", "automatic", "kernels", "onnxruntime:CUDA", NULL};
  for (size_t index = 0; index < sizeof engines / sizeof *engines; index++)
    LOADED(FACE_NOT_FOUND, options.engine = engines[index]);
  LOADED(FACE_INVALID_ARGUMENT, options.struct_size = sizeof options - 1);
  LOADED(FACE_INVALID_ARGUMENT, options.struct_size = 0);
#undef LOADED
  EXPECT(none == (face_engine *)&failures);
}

static void null_for_detection(void)
{
  face_result *result = (face_result *)&failures;
  face_image image = photo();
  const face_image *all[] = {&image};
  EXPECT(face_detect(NULL, &image, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect(engine, NULL, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect_batch(NULL, all, 1, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect_batch(engine, NULL, 1, NULL, &result) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect_batch(engine, all, 1, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_detect_batch(engine, NULL, 0, NULL, NULL) == FACE_OK);
  EXPECT(result == (face_result *)&failures);
}

static void null_for_results(void)
{
  const char *message = (const char *)&failures;
  EXPECT(face_result_count(NULL) == 0);
  EXPECT(face_result_get(NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_get_in(NULL, 0, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_image_size(NULL, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_status(NULL, &message) == FACE_INVALID_ARGUMENT);
  EXPECT(message == (const char *)&failures);
  EXPECT(face_result_landmarks(NULL, 0, FACE_REGION_ALL_POINTS, NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_expressions(NULL, 0, NULL, 0) == FACE_INVALID_ARGUMENT);
  EXPECT(face_result_values(NULL, 0, FACE_OUTPUT_POSE, NULL, 0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_expression_name(FACE_EXPRESSION_COUNT) == NULL);
  EXPECT(face_expression_name(UINT32_MAX) == NULL);
  EXPECT(strcmp(face_expression_name(44), "mouthSmileLeft") == 0);
  EXPECT(face_iso_measure_name(FACE_ISO_MEASURE_COUNT) == NULL && face_iso_measure_name(UINT32_MAX) == NULL);
  EXPECT(strcmp(face_iso_measure_name(FACE_ISO_MOUTH_CLOSED), "mouthClosed") == 0);
  face_result_destroy(NULL);
}

static void null_for_listeners_and_sessions(void)
{
  face_session *session = (face_session *)&failures;
  face_image image = photo();
  EXPECT(face_bind_listener(engine, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_bind_listener(NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_unbind_listener(engine) == FACE_OK);
  EXPECT(face_session_open(NULL, NULL, &session) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_open(engine, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(session == (face_session *)&failures);
  EXPECT(face_session_submit(NULL, &image, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_bind_listener(NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_unbind_listener(NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_flush(NULL, 1) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_close(NULL) == FACE_OK);
}

static void null_for_the_rest(void)
{
  void *data = &failures;
  EXPECT(face_memory_create(4096, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_memory_import(0, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_memory_map(NULL, &data, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(data == &failures);
  face_memory_destroy(NULL);
  EXPECT(face_canceller_create(NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_canceller_cancel(NULL) == FACE_INVALID_ARGUMENT);
  face_canceller_destroy(NULL);
  face_set_log_callback(NULL, FACE_LOG_DEBUG, NULL);
  face_image_init(NULL);
  face_load_options_init(NULL);
  face_options_init(NULL);
  face_info_init(NULL);
  face_space_init(NULL);
  face_listener_init(NULL);
  face_session_options_init(NULL);
}

static void struct_sizes(void)
{
  face_image image = photo();
  image.struct_size = 0;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image.struct_size = sizeof image - 1;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);
  image.struct_size = UINT32_MAX;
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);

  image = photo();
  face_options options;
  face_options_init(&options);
  options.struct_size = sizeof options - 4;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "call face_options_init before use") != NULL);
  face_options_init(&options);
  options.reserved = 1;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "options->reserved is 1") != NULL);
  face_options_init(&options);
  options.rotations = 7;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(strstr(face_last_error(), "FACE_ROTATIONS_") != NULL);
  face_listener listener;
  face_listener_init(&listener);
  listener.struct_size = 1;
  EXPECT(face_bind_listener(engine, &listener) == FACE_INVALID_ARGUMENT);
  face_session_options session;
  face_session_options_init(&session);
  session.struct_size = 0;
  face_session *none = NULL;
  EXPECT(face_session_open(engine, &session, &none) == FACE_INVALID_ARGUMENT && none == NULL);
  face_session_options_init(&session);
  session.reserved = 1;
  EXPECT(face_session_open(engine, &session, &none) == FACE_INVALID_ARGUMENT && none == NULL);
  face_space space;
  face_space_init(&space);
  space.struct_size = 7;
  face_point point = {1, 2};
  EXPECT(face_points_to_space(&space, 64, 64, &point, 1) == FACE_INVALID_ARGUMENT);

  /* A newer program's longer struct is accepted if the members unknown here are zero. */
  struct {
    face_image known;
    uint64_t unknown;
  } newer = {photo(), 0};
  newer.known.struct_size = sizeof newer;
  face_result *result = NULL;
  EXPECT(face_detect(engine, &newer.known, NULL, &result) == FACE_OK);
  newer.unknown = 1;
  EXPECT(face_detect(engine, &newer.known, NULL, NULL) == FACE_UNIMPLEMENTED);
  EXPECT(strstr(face_last_error(), "image sets a member at byte 216") != NULL);
  EXPECT(strstr(face_last_error(), face_version_string()) != NULL);

  struct {
    face_info known;
    uint64_t unknown;
  } info;
  face_info_init(&info.known);
  info.known.struct_size = sizeof info;
  info.unknown = 7;
  EXPECT(face_result_get(result, 0, &info.known) == FACE_OK);
  EXPECT(info.unknown == 0 && info.known.struct_size == sizeof info);
  info.known.struct_size = 4;
  info.known.confidence = -1;
  EXPECT(face_result_get(result, 0, &info.known) == FACE_INVALID_ARGUMENT);
  EXPECT(info.known.confidence == -1);
  face_result_destroy(result);
}

/* A program compiled against an older header has a struct without the last members on its stack.
   Tests/CTests/older/older.c is one. */
static void shorter_structs(void)
{
  face_image image = photo();
  image.struct_size = offsetof(face_image, release);
  face_result *result = NULL;
  EXPECT(face_detect(engine, &image, NULL, &result) == FACE_OK && face_result_count(result) == 1);
  image.struct_size = offsetof(face_image, memory) - 4; /* no size of any header: inside timestamp_ns */
  EXPECT(detect_with(image) == FACE_INVALID_ARGUMENT);

  /* What is behind the end is neither read nor written. */
  face_options options;
  face_options_init_sized(&options, offsetof(face_options, boxes));
  options.boxes = (const face_box *)&failures;
  options.prominent_only = 2;
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_INVALID_ARGUMENT); /* the image is still that */
  image = photo();
  EXPECT(face_detect(engine, &image, &options, NULL) == FACE_OK);
  face_session_options session;
  face_session_options_init_sized(&session, 8); /* the default of `track` is not zero */
  session.followed_only = 1;
  face_session *opened = NULL;
  EXPECT(face_session_open(engine, &session, &opened) == FACE_OK);
  uint64_t id = 0;
  EXPECT(face_session_follow(opened, &(face_box){1, 2, 3, 4}, &id) == FACE_OK);
  EXPECT(face_session_close(opened) == FACE_OK);

  face_info info;
  memset(&info, 0xAA, sizeof info);
  face_info_init_sized(&info, offsetof(face_info, id));
  const face_info before = info;
  EXPECT(face_result_get(result, 0, &info) == FACE_OK);
  EXPECT(info.struct_size == offsetof(face_info, id) && info.confidence > 0.5f && info.valid == FACE_VALID_POINTS);
  EXPECT(memcmp(&info.id, &before.id, sizeof info - offsetof(face_info, id)) == 0);
  EXPECT(FACE_HAS_MEMBER(&info, frame_count) && !FACE_HAS_MEMBER(&info, id));
  face_result_destroy(result);

  unsigned char room[sizeof(face_info) + 16];
  memset(room, 0xAA, sizeof room);
  face_info_init_sized((face_info *)(void *)room, sizeof(face_info) - 8);
  for (size_t i = sizeof(face_info) - 8; i < sizeof room; i++) EXPECT(room[i] == 0xAA);
  uint32_t size;
  memcpy(&size, room, sizeof size);
  EXPECT(size == sizeof(face_info) - 8);
  memset(room, 0xAA, sizeof room);
  face_info_init_sized((face_info *)(void *)room, 3);
  face_image_init_sized((face_image *)(void *)room, 0);
  EXPECT(room[0] == 0xAA);
}

static void options(void)
{
  face_image image = photo();
  face_options wanted;
  face_options_init(&wanted);
  EXPECT(wanted.max_side == 0 && wanted.max_faces == 0 && wanted.outputs == 0);
  EXPECT(wanted.accuracy == FACE_ACCURACY_BALANCED);
  const face_options good = wanted;
  face_result *result = NULL;
  wanted.min_confidence = 1;
  EXPECT(face_detect(engine, &image, &wanted, &result) == FACE_OK && face_result_count(result) == 0);
  face_result_destroy(result);
  wanted = good;
#define GIVES(status, change) REFUSED_AS(status, change, face_detect(engine, &image, &wanted, NULL), wanted = good)
  GIVES(FACE_INVALID_ARGUMENT, wanted.min_confidence = -0.1f);
  GIVES(FACE_INVALID_ARGUMENT, wanted.max_side = 15);
  GIVES(FACE_INVALID_ARGUMENT, wanted.max_side = UINT32_MAX - 1);
  GIVES(FACE_OK, wanted.max_side = FACE_OWN_SIZE);
  GIVES(FACE_INVALID_ARGUMENT, wanted.accuracy = 4);
  GIVES(FACE_UNIMPLEMENTED, wanted.outputs = 0x80000000u);
  GIVES(FACE_INVALID_ARGUMENT, wanted.model = "");
  GIVES(FACE_NOT_FOUND, wanted.model = "no such model");
  GIVES(FACE_OK, wanted.model = "yunet");
  GIVES(FACE_INVALID_ARGUMENT, wanted.canceller = (face_canceller *)&failures);
  GIVES(FACE_DEADLINE_EXCEEDED, wanted.timeout_ns = 1);
  GIVES(FACE_OK, wanted.timeout_ns = UINT64_MAX);
#undef GIVES
}

static void detect_often(void *unused)
{
  (void)unused;
  for (int i = 0; i < 5; i++) EXPECT(detect_with(i % 2 ? photo() : empty_picture()) == FACE_OK);
}

/* Any number of threads may call, also if the engine takes fewer calls at once. */
static void many_callers(void)
{
  task *all[40];
  for (int i = 0; i < 40; i++) all[i] = start(detect_often, NULL);
  for (int i = 0; i < 40; i++) join(all[i]);
}

void calls(void)
{
  versions();
  null_for_engines();
  onnx_files();
  models_to_load();
  null_for_detection();
  null_for_results();
  null_for_listeners_and_sessions();
  null_for_the_rest();
  struct_sizes();
  shorter_structs();
  options();
  many_callers();
}
