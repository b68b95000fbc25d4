/* Tracking, T1 and T2 of docs/features.md. */
#include "features.h"

struct seen {
  int frames, left;
  uint32_t faces[16], counts[16];
  uint64_t ids[16], who_left[4];
};

static void on_faces(const face_frame *frame, const face_result *result, void *user_data)
{
  struct seen *seen = user_data;
  if (frame->number != (uint64_t)seen->frames + 1 || seen->frames == 16) abort();
  seen->faces[seen->frames] = face_result_count(result);
  if (face_result_count(result) > 0) {
    const face_info face = told(result, NULL);
    EXPECT(face.valid == (FACE_VALID_POINTS | FACE_VALID_ID | FACE_VALID_POSE));
    seen->ids[seen->frames] = face.id;
    seen->counts[seen->frames] = face.frame_count;
  }
  seen->frames++;
}

static void on_left(const face_frame *frame, uint64_t face_id, void *user_data)
{
  struct seen *seen = user_data;
  (void)frame;
  if (seen->left < 4) seen->who_left[seen->left] = face_id;
  seen->left++;
}

/* Opens a session whose events are written to `seen`. */
static face_session *recorded(const face_session_options *options, struct seen *seen)
{
  memset(seen, 0, sizeof *seen);
  face_listener listener = listener_of(seen);
  listener.on_faces = on_faces;
  listener.on_left = on_left;
  return open_with(options, listener);
}

static unsigned char nobody[WIDTH * HEIGHT * 3];

/* Every frame, poses of faces, a search in every frame: a new face is seen at once. */
static face_session_options with_poses(void)
{
  static face_options search;
  face_options_init(&search);
  search.outputs = FACE_OUTPUT_POSE;
  face_session_options options = options_of(FACE_SESSION_EVERY);
  options.options = &search;
  options.detection_interval = 1;
  return options;
}

/* T1: ids are never used again, and faces that left are reported. T2: frames without a face have an event. */
void tracking_features(void)
{
  face_session_options options = with_poses();
  options.max_missed_frames = 2;
  struct seen seen;
  face_session *session = recorded(&options, &seen);
  const face_image with = photo(), without = raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
  /* A face in view, missed once, in view; gone; another appearance. */
  const char *script = "FF.FF....FF";
  for (const char *step = script; *step != 0; step++)
    EXPECT(face_session_submit(session, *step == 'F' ? &with : &without, NULL) == FACE_OK);
  EXPECT(face_session_flush(session, 0) == FACE_OK);
  EXPECT(seen.frames == (int)strlen(script));
  for (int i = 0; i < seen.frames; i++) {
    EXPECT(seen.faces[i] == (script[i] == 'F'));
    EXPECT(seen.ids[i] == (script[i] != 'F' ? 0 : i < 5 ? 1u : 2u));
  }
  EXPECT(seen.counts[0] == 1 && seen.counts[1] == 2 && seen.counts[4] == 4 && seen.counts[10] == 2);
  EXPECT(seen.left == 1 && seen.who_left[0] == 1);
  EXPECT(face_session_close(session) == FACE_OK);
}

/* T5: a face that comes back within ten seconds has its id again; on_left has reported that it left. */
void reidentify_features(void)
{
  face_image with = photo(), without = raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
  face_session_options options = with_poses();
  options.max_missed_frames = 1;
  options.min_hits = 1;
  face_session *session = NULL;
  for (options.reidentify = 0; options.reidentify < 2; options.reidentify++) {
    struct seen seen;
    session = recorded(&options, &seen);
    /* A second a frame; ~: ten seconds. */
    const char *script = "FF...F..~F";
    uint64_t time = 1000000000u;
    for (const char *step = script; *step != 0; step++) {
      time += (uint64_t)(*step == '~' ? 10 : 1) * 1000000000u;
      with.timestamp_ns = without.timestamp_ns = time;
      EXPECT(face_session_submit(session, *step == 'F' ? &with : &without, NULL) == FACE_OK);
    }
    EXPECT(face_session_flush(session, 0) == FACE_OK);
    EXPECT(seen.frames == (int)strlen(script));
    const uint64_t back = options.reidentify ? 1 : 2;
    EXPECT(seen.ids[0] == 1 && seen.ids[1] == 1 && seen.ids[5] == back && seen.ids[9] == back + 1);
    EXPECT(seen.counts[1] == 2 && seen.counts[5] == (options.reidentify ? 3u : 1u) && seen.counts[9] == 1);
    EXPECT(seen.left == 2 && seen.who_left[0] == 1 && seen.who_left[1] == back);
    EXPECT(face_session_close(session) == FACE_OK);
  }
  options.reidentify = 2;
  EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
  options.reidentify = 1;
  EXPECT(face_check_open(engine, &options, NULL, &session) == FACE_INVALID_ARGUMENT);
  options.track = 0;
  EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
}

struct counted {
  face_visits *visits;
  int frames, came, left;
  face_visit last;
};

static void add_events(struct counted *counted, uint32_t count)
{
  face_visit_init(&counted->last);
  EXPECT(face_visits_get(counted->visits, count, &counted->last) == FACE_OUT_OF_RANGE);
  for (uint32_t i = 0; i < count; i++) {
    EXPECT(face_visits_get(counted->visits, i, &counted->last) == FACE_OK);
    *(counted->last.event == FACE_VISIT_CAME ? &counted->came : &counted->left) += 1;
  }
}

static void count_visits(const face_frame *frame, const face_result *result, void *user_data)
{
  struct counted *counted = user_data;
  uint32_t count = 9;
  EXPECT(face_visits_update(counted->visits, frame->timestamp_ns, result, &count) == FACE_OK);
  counted->frames++;
  add_events(counted, count);
}

/* T6: people are counted; a short absence is part of the visit, and a long one ends it. */
void visit_features(void)
{
  face_image with = photo(), without = raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
  face_session_options session_options = with_poses();
  session_options.max_missed_frames = 1;
  face_visit_options options;
  face_visit_options_init(&options);
  EXPECT(options.max_look_angle == 25 && options.min_stay_ns == 500000000u && options.max_absence_ns == 1500000000u);
  options.max_look_angle = 90;
  struct counted counted = {0};
  EXPECT(face_visits_create(&options, &counted.visits) == FACE_OK);
  face_listener listener = listener_of(&counted);
  listener.on_faces = count_visits;
  face_session *session = open_with(&session_options, listener);
  /* Half a second a frame: the face is lost for 1.5 s, its new id continues; then nobody is there for 2 s. */
  const char *script = "FFF..FFF....";
  for (uint64_t i = 0; script[i] != 0; i++) {
    with.timestamp_ns = without.timestamp_ns = 1000000000u + i * 500000000u;
    EXPECT(face_session_submit(session, script[i] == 'F' ? &with : &without, NULL) == FACE_OK);
  }
  flush_and_close(session);
  EXPECT(counted.frames == (int)strlen(script) && counted.came == 1 && counted.left == 1);
  const face_visit last = counted.last;
  EXPECT(last.event == FACE_VISIT_LEFT && last.visit == 1 && last.face_id == 2 && last.present == 0);
  EXPECT(last.first_seen_ns == 1000000000u && last.last_seen_ns == 4500000000u && last.stayed_ns == 3500000000u);
  EXPECT(last.looked_ns == 2000000000u); /* not while it was lost */

  /* A visit that has not ended ends with the counting. A failed frame has no result. */
  uint32_t count = 9;
  face_result *result = found(upright(), FACE_OUTPUT_POSE);
  EXPECT(face_visits_update(counted.visits, 0, result, &count) == FACE_OK && count == 0); /* it has no id */
  EXPECT(face_visits_update(counted.visits, 1, NULL, NULL) == FACE_OK);
  EXPECT(face_visits_end(counted.visits, &count) == FACE_OK && count == 0);
  face_visits_destroy(counted.visits);
  face_result_destroy(result);

  /* Misuse. */
  EXPECT(face_visits_update(counted.visits, 2, NULL, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_visits_end(NULL, &count) == FACE_INVALID_ARGUMENT);
  EXPECT(face_visits_get(NULL, 0, &counted.last) == FACE_INVALID_ARGUMENT);
  EXPECT(face_visits_create(&options, NULL) == FACE_INVALID_ARGUMENT);
  face_visits *none = NULL;
  options.max_look_angle = 91;
  EXPECT(face_visits_create(&options, &none) == FACE_INVALID_ARGUMENT && none == NULL);
  EXPECT(strcmp(face_last_error(), "max_look_angle is 91.0; give 0 to 90") == 0);
  face_visits_destroy(NULL);
}

static void count_ids(const face_frame *frame, const face_result *result, void *user_data)
{
  uint64_t *ids = user_data;
  (void)frame;
  face_info face;
  face_info_init(&face);
  if (face_result_get(result, 0, &face) == FACE_OK) ids[ids[7]++] = face.valid & FACE_VALID_ID ? face.id : 0;
}

/* T1: a face has an id from the frame on that min_hits says. */
void id_features(void)
{
  face_session_options options;
  face_session_options_init(&options);
  EXPECT(options.min_hits == 3);
  options.mode = FACE_SESSION_EVERY;
  options.min_hits = 0;
  face_session *session = NULL;
  EXPECT(face_session_open(engine, &options, &session) == FACE_INVALID_ARGUMENT);
  for (int first = 1; first < 4; first++) {
    options.min_hits = (uint32_t)first;
    uint64_t ids[8] = {0};
    face_listener listener = listener_of(ids);
    listener.on_faces = count_ids;
    session = open_with(&options, listener);
    submit_often(session, photo(), 4);
    flush_and_close(session);
    EXPECT(ids[7] == 4);
    for (int i = 0; i < 4; i++) EXPECT(ids[i] == (i + 1 >= first ? 1u : 0));
  }
}

struct followed {
  face_session *session;
  int faces, predicted, given;
  uint64_t id, left;
  face_box box;
};

static void record_followed_face(const face_frame *frame, const face_result *result, void *user_data)
{
  struct followed *followed = user_data;
  (void)frame;
  for (uint32_t i = 0; i < face_result_count(result); i++) {
    face_info face;
    face_info_init(&face);
    EXPECT(face_result_get(result, i, &face) == FACE_OK);
    followed->faces++;
    followed->predicted += face.predicted == 1;
    if (!(face.valid & FACE_VALID_ID) || face.id != followed->id) continue;
    followed->given++;
    followed->box = face.box;
  }
}

static void record_left_face(const face_frame *frame, uint64_t face_id, void *user_data)
{
  (void)frame;
  ((struct followed *)user_data)->left = face_id;
}

static void open_following(struct followed *followed, const face_session_options *options)
{
  memset(followed, 0, sizeof *followed);
  face_listener listener = listener_of(followed);
  listener.on_faces = record_followed_face;
  listener.on_left = record_left_face;
  followed->session = open_with(options, listener);
}

/* T6: a box that the caller brings has its id at once, and is followed until it is lost. */
void follow_features(void)
{
  const face_image image = photo();
  const face_image without = raw(FACE_FORMAT_RGB, nobody, sizeof nobody);
  const face_box place = face_of(image, 0).box;
  face_session_options options;
  face_session_options_init(&options);
  EXPECT(options.followed_only == 0 && options.analysis_rate == 0 && options.reidentify == 0);
  options.mode = FACE_SESSION_EVERY;
  options.max_missed_frames = 1;
  for (options.followed_only = 0; options.followed_only < 2; options.followed_only++) {
    struct followed followed;
    open_following(&followed, &options);
    EXPECT(face_session_submit(followed.session, &image, NULL) == FACE_OK);
    EXPECT(face_session_flush(followed.session, 0) == FACE_OK);
    EXPECT(followed.faces == (options.followed_only ? 0 : 1));
    EXPECT(face_session_follow(followed.session, &place, &followed.id) == FACE_OK);
    EXPECT(followed.id == 4294967296u);
    submit_often(followed.session, image, 5);
    EXPECT(face_session_flush(followed.session, 0) == FACE_OK);
    EXPECT(followed.given == 5 && followed.left == 0);
    /* It is searched at another scale than the whole picture. */
    EXPECT(near(followed.box.x, place.x, place.width / 10) && near(followed.box.width, place.width, place.width / 10));
    submit_often(followed.session, without, 3);
    EXPECT(face_session_flush(followed.session, 0) == FACE_OK);
    EXPECT(followed.given == 5 && followed.left == followed.id);
    EXPECT(face_session_close(followed.session) == FACE_OK);
  }

  /* When a frame is dropped, its box goes to the frame that replaces it. */
  options.followed_only = 0;
  options.mode = FACE_SESSION_NEWEST;
  struct followed followed;
  open_following(&followed, &options);
  EXPECT(face_session_submit(followed.session, &image, NULL) == FACE_OK);
  EXPECT(face_session_follow(followed.session, &place, &followed.id) == FACE_OK);
  submit_often(followed.session, image, 12);
  EXPECT(face_session_flush(followed.session, 0) == FACE_OK);
  EXPECT(followed.given > 0);

  uint64_t id = 0;
  const face_box flat = {1, 1, 0, 5}, nowhere = {NAN, 1, 5, 5};
  EXPECT(face_session_follow(followed.session, &flat, &id) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_follow(followed.session, &nowhere, &id) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_follow(followed.session, NULL, &id) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_follow(followed.session, &place, NULL) == FACE_INVALID_ARGUMENT);
  EXPECT(face_session_follow(NULL, &place, &id) == FACE_INVALID_ARGUMENT);
  for (int i = 0; i < 1000; i++) EXPECT(face_session_follow(followed.session, &place, &id) == FACE_OK);
  EXPECT(id == 4294967296u + 1000 && face_session_follow(followed.session, &place, &id) == FACE_RESOURCE_EXHAUSTED);
  EXPECT(face_session_close(followed.session) == FACE_OK);

  options.track = 0;
  EXPECT(face_session_open(engine, &options, &followed.session) == FACE_OK);
  EXPECT(face_session_follow(followed.session, &place, &id) == FACE_FAILED_PRECONDITION);
  EXPECT(face_session_close(followed.session) == FACE_OK);
  options.followed_only = 1;
  EXPECT(face_session_open(engine, &options, &followed.session) == FACE_INVALID_ARGUMENT);
}

/* T7: 5 of 25 frames a second are searched, by the images' timestamps; the others have predicted faces. */
void rate_features(void)
{
  face_session_options options;
  face_session_options_init(&options);
  options.mode = FACE_SESSION_EVERY;
  options.analysis_rate = 5;
  struct followed followed;
  open_following(&followed, &options);
  face_image image = photo();
  for (int i = 0; i < 20; i++) {
    image.timestamp_ns = 1000000000u + 40000000u * (uint64_t)i;
    EXPECT(face_session_submit(followed.session, &image, NULL) == FACE_OK);
  }
  flush_and_close(followed.session);
  EXPECT(followed.faces == 20 && followed.predicted == 16);
  for (int wrong = 0; wrong < 3; wrong++) {
    options.analysis_rate = (float[]){-1, 1001, NAN}[wrong];
    EXPECT(face_session_open(engine, &options, &followed.session) == FACE_INVALID_ARGUMENT);
  }
  options.analysis_rate = 5;
  EXPECT(face_check_open(engine, &options, NULL, &followed.session) != FACE_OK);
}
