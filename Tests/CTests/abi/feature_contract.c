/* The contract through the C API: each option, output and action that the library describes can be used. */
#include "features.h"

/* Whether the member is a uint32_t. */
static int is_count(const face_option *option)
{
  return option->kind == FACE_OPTION_KIND_COUNT || option->kind == FACE_OPTION_KIND_SWITCH;
}

/* Sets an option of a struct. */
static void set(void *options, const face_option *option, double value)
{
  unsigned char *member = (unsigned char *)options + option->offset;
  float number = (float)value;
  uint32_t count = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
  uint64_t nanoseconds = value < 1e18 ? (uint64_t)value : (uint64_t)1e18;
  if (option->kind == FACE_OPTION_KIND_FLOAT) memcpy(member, &number, sizeof number);
  if (is_count(option)) memcpy(member, &count, sizeof count);
  if (option->kind == FACE_OPTION_KIND_NANOSECONDS) memcpy(member, &nanoseconds, sizeof nanoseconds);
}

static double get(const void *options, const face_option *option)
{
  const unsigned char *member = (const unsigned char *)options + option->offset;
  float number;
  uint32_t count;
  uint64_t nanoseconds;
  memcpy(&number, member, sizeof number);
  if (option->kind == FACE_OPTION_KIND_FLOAT) return number;
  memcpy(&count, member, sizeof count);
  if (is_count(option)) return count;
  memcpy(&nanoseconds, member, sizeof nanoseconds);
  return (double)nanoseconds;
}

static union {
  face_options detection;
  face_session_options session;
  face_check_options check;
} all;

/* The struct of a group with its defaults. */
static void *initial(face_option_group group)
{
  if (group == FACE_OPTION_GROUP_DETECTION) face_options_init(&all.detection);
  if (group == FACE_OPTION_GROUP_TRACKING) face_session_options_init(&all.session);
  if (group == FACE_OPTION_GROUP_CHECK) face_check_options_init(&all.check);
  return &all;
}

/* Whether the library accepts the struct. */
static face_status used(face_option_group group)
{
  if (group == FACE_OPTION_GROUP_DETECTION) {
    const face_image image = empty_picture();
    return face_detect(engine, &image, &all.detection, NULL);
  }
  face_session *session = NULL;
  face_status status = group == FACE_OPTION_GROUP_TRACKING ? face_session_open(engine, &all.session, &session)
                                                           : face_check_open(engine, NULL, &all.check, &session);
  if (session != NULL) EXPECT(face_session_close(session) == FACE_OK);
  return status;
}

static void walk(face_option_group group, size_t size, uint32_t least_count)
{
  uint32_t index = 0;
  for (const face_option *option; (option = face_option_at(group, index, size)) != NULL; index++) {
    void *options = initial(group);
    EXPECT(option->struct_size >= sizeof *option);
    EXPECT(strlen(option->name) > 0 && strlen(option->flag) > 0 && strlen(option->meaning) > 10);
    EXPECT(option->least <= option->standard && option->standard <= option->most);
    EXPECT(near((float)get(options, option), (float)option->standard, 1e-6f));
    set(options, option, option->standard);
    EXPECT(used(group) == FACE_OK);
    /* One step outside the range is refused by name. Counts and times cannot be below 0, nor above their type. */
    options = initial(group);
    if (option->kind == FACE_OPTION_KIND_FLOAT || option->least >= 1) {
      set(options, option, option->least - 1);
      EXPECT(used(group) == FACE_INVALID_ARGUMENT);
    }
    options = initial(group);
    if (option->most < UINT32_MAX) {
      set(options, option, option->most + 1);
      EXPECT(used(group) == FACE_INVALID_ARGUMENT);
    }
  }
  EXPECT(index >= least_count);

  /* A program whose struct is shorter by one member does not hear of that member, and of no other one. */
  const face_option *last = face_option_at(group, 0, size);
  for (uint32_t i = 1; i < index; i++) {
    const face_option *option = face_option_at(group, i, size);
    if (option->offset > last->offset) last = option;
  }
  for (uint32_t i = 0; i < index - 1; i++) EXPECT(face_option_at(group, i, last->offset) != last);
  EXPECT(face_option_at(group, index - 1, last->offset) == NULL && face_option_at(group, 0, 4) == NULL);
}

/* I7: several requests in one call; only requested outputs are returned. */
static void outputs(void)
{
  const face_info whole = face_of(photo(), FACE_OUTPUT_ALL);
  EXPECT(whole.valid == (FACE_VALID_POINTS | FACE_OUTPUT_ALL));
  face_outputs bits = 0;
  uint32_t index = 0;
  for (const face_output *output; (output = face_output_at(index)) != NULL; index++) {
    EXPECT(output->struct_size >= sizeof *output);
    EXPECT(strlen(output->name) > 0 && strlen(output->flag) > 0 && strlen(output->meaning) > 10);
    EXPECT((bits & output->bit) == 0);
    bits |= output->bit;
    face_result *result = found(photo(), output->bit);
    const face_info face = told(result, NULL);
    EXPECT(face.valid == (FACE_VALID_POINTS | output->bit));
    EXPECT((face.yaw == whole.yaw) == (output->bit == FACE_OUTPUT_POSE));
    EXPECT((face.quality == whole.quality) == (output->bit == FACE_OUTPUT_QUALITY));
    if (output->count > 0) {
      float values[1024];
      uint32_t count = 0;
      EXPECT(output->count <= 1024);
      EXPECT(face_result_values(result, 0, output->bit, values, output->count - 1, &count) == FACE_OUT_OF_RANGE);
      EXPECT(face_result_values(result, 0, output->bit, values, output->count, &count) == FACE_OK);
      EXPECT(count == output->count);
    }
    face_result_destroy(result);
  }
  EXPECT(bits == FACE_OUTPUT_ALL && face_output_at(UINT32_MAX) == NULL);
}

/* The library describes its options, outputs and actions. */
void contract_features(void)
{
  walk(FACE_OPTION_GROUP_DETECTION, sizeof(face_options), 8);
  walk(FACE_OPTION_GROUP_TRACKING, sizeof(face_session_options), 6);
  walk(FACE_OPTION_GROUP_CHECK, sizeof(face_check_options), 25);
  EXPECT(face_option_at(FACE_OPTION_GROUP_CHECK + 1, 0, 4096) == NULL);
  EXPECT(face_option_at(0, UINT32_MAX, SIZE_MAX) == NULL);

  outputs();

  EXPECT(face_action_name(0) == NULL);
  face_action action = 1;
  for (const char *name; (name = face_action_name(action)) != NULL; action++) {
    face_tip tip = 0;
    while (face_tip_name(tip) != NULL && strcmp(face_tip_name(tip), name) != 0) tip++;
    EXPECT(face_tip_text(tip) != NULL);
    face_check_options_init(&all.check);
    all.check.actions[0] = action;
    all.check.action_count = 1;
    EXPECT(used(FACE_OPTION_GROUP_CHECK) == FACE_OK);
  }
  EXPECT(action > FACE_ACTION_OPEN_MOUTH);
}
