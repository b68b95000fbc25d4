/* Several models in one engine of this process, and threads that share an image, in the child of a fork, too.
 * several_models YUNET_DIR CENTERFACE_DIR PHOTO.jpg */
#define _GNU_SOURCE /* memmem */
#include <dirent.h>
#include <face_engine.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host.h"

static face_image photo;

/* The one face of the photo, by the model of this name. */
static face_status find(face_engine *engine, const char *model, face_accuracy accuracy, face_info *out_face)
{
  face_options options;
  face_options_init(&options);
  options.model = model;
  options.accuracy = accuracy;
  face_result *result = NULL;
  const face_status status = face_detect(engine, &photo, &options, &result);
  if (status == FACE_OK) {
    EXPECT(face_result_count(result) == 1);
    face_info_init(out_face);
    EXPECT(face_result_get(result, 0, out_face) == FACE_OK);
  }
  face_result_destroy(result);
  return status;
}

/* A result names its models, and a call may require a revision. */
static void result_names_its_models(face_engine *engine)
{
  static const char *const names[] = {"yunet", "centerface", "facemesh", "blendshapes"};
  static const struct {
    face_accuracy accuracy;
    face_outputs outputs;
    int models[4], count;
  } cases[] = {
      {FACE_ACCURACY_BALANCED, 0, {0}, 1},
      {FACE_ACCURACY_HIGH, 0, {0, 1}, 2},
      {FACE_ACCURACY_LOW, FACE_OUTPUT_POSE, {0, 2, 3}, 3},
  };
  face_options options;
  face_options_init(&options);
  face_model model, seen[4];
  memset(seen, 0, sizeof seen);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    options.accuracy = cases[i].accuracy;
    options.outputs = cases[i].outputs;
    face_result *result = NULL;
    EXPECT(face_detect(engine, &photo, &options, &result) == FACE_OK);
    EXPECT(face_result_model_count(result) == (uint32_t)cases[i].count);
    for (int j = 0; j < cases[i].count; j++) {
      const int which = cases[i].models[j];
      face_model_init(&model);
      EXPECT(face_result_model(result, (uint32_t)j, &model) == FACE_OK);
      EXPECT(strcmp(model.name, names[which]) == 0 && model.revision >= 1);
      if (seen[which].struct_size == 0) seen[which] = model;
      EXPECT(memcmp(&seen[which], &model, sizeof model) == 0);
    }
    EXPECT(face_result_model(result, (uint32_t)cases[i].count, &model) == FACE_OUT_OF_RANGE);
    face_result_destroy(result);
  }
  EXPECT(memcmp(seen[0].weights_sha256, seen[1].weights_sha256, 32) != 0);
  EXPECT(face_result_model_count(NULL) == 0);
  face_options_init(&options);
  options.model_revision = seen[0].revision;
  EXPECT(face_detect(engine, &photo, &options, NULL) == FACE_OK);
  options.model_revision++;
  EXPECT(face_detect(engine, &photo, &options, NULL) == FACE_NOT_FOUND);
}

/* The models that may be named do not depend on earlier calls. */
static void one_model(const char *yunet)
{
  face_engine *engine = NULL;
  face_info face;
  EXPECT(face_load_model(yunet, &engine) == FACE_OK);
  EXPECT(find(engine, "centerface", FACE_ACCURACY_BALANCED, &face) == FACE_NOT_FOUND);
  EXPECT(find(engine, NULL, FACE_ACCURACY_HIGH, &face) == FACE_OK);
  EXPECT(find(engine, "centerface", FACE_ACCURACY_BALANCED, &face) == FACE_NOT_FOUND);
  EXPECT(find(engine, "yunet", FACE_ACCURACY_BALANCED, &face) == FACE_OK);
  result_names_its_models(engine);
  EXPECT(face_release(engine) == FACE_OK);
}

/* The child does not have the threads that shared images before. */
static void detection_after_a_fork(face_engine *engine, const face_info *expected)
{
  face_info face;
  const pid_t child = fork();
  if (child == 0) alarm(60);
  for (int i = 0; i < 3; i++) {
    EXPECT(find(engine, "yunet", FACE_ACCURACY_BALANCED, &face) == FACE_OK);
    EXPECT(memcmp(&face, expected, sizeof face) == 0);
  }
  if (child == 0) {
    EXPECT(face_release(engine) == FACE_OK);
    _exit(failures);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void two_models(const char *const *folders)
{
  face_engine *engine = NULL, *shared = NULL;
  face_info first, yunet, centerface, face;
  EXPECT(face_load_models(folders, 2, NULL, &engine) == FACE_OK);
  EXPECT(find(engine, NULL, FACE_ACCURACY_BALANCED, &first) == FACE_OK);
  EXPECT(find(engine, "yunet", FACE_ACCURACY_BALANCED, &yunet) == FACE_OK);
  EXPECT(find(engine, "centerface", FACE_ACCURACY_BALANCED, &centerface) == FACE_OK);
  EXPECT(memcmp(&first, &yunet, sizeof first) == 0);
  EXPECT(first.confidence != centerface.confidence);
  EXPECT(find(engine, "facemesh", FACE_ACCURACY_BALANCED, &face) == FACE_NOT_FOUND);

  face_load_options options;
  face_load_options_init(&options);
  options.threads_per_frame = 3;
  EXPECT(face_load_models(folders, 2, &options, &shared) == FACE_OK);
  EXPECT(find(shared, "yunet", FACE_ACCURACY_BALANCED, &face) == FACE_OK);
  EXPECT(memcmp(&face, &yunet, sizeof face) == 0);
  EXPECT(find(shared, "centerface", FACE_ACCURACY_BALANCED, &face) == FACE_OK);
  EXPECT(memcmp(&face, &centerface, sizeof face) == 0);
  detection_after_a_fork(shared, &yunet);
  EXPECT(face_release(shared) == FACE_OK);

  options.engine = "kernels";
  options.precision = FACE_PRECISION_FLOAT;
  EXPECT(face_load_models(folders, 2, &options, &shared) == FACE_OK);
  EXPECT(find(shared, "yunet", FACE_ACCURACY_BALANCED, &face) == FACE_OK);
  EXPECT(face.confidence != yunet.confidence);
  EXPECT(face.confidence > yunet.confidence - 0.05f && face.confidence < yunet.confidence + 0.05f);
  EXPECT(face_release(shared) == FACE_OK);
  EXPECT(face_release(engine) == FACE_OK);
}

/* Whether a process was started with this text in its environment. */
static int has_mark(pid_t id, const char *mark)
{
  static char text[1 << 17];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)id);
  FILE *environment = fopen(path, "r");
  if (environment == NULL) return 0;
  const size_t size = fread(text, 1, sizeof text, environment);
  fclose(environment);
  return memmem(text, size, mark, strlen(mark)) != NULL;
}

/* The parent of a process; 0 if it has ended. */
static pid_t parent_of(pid_t id)
{
  char path[64], state = 'Z';
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)id);
  FILE *stat = fopen(path, "r");
  if (stat == NULL) return 0;
  const int count = fscanf(stat, "%*d (%*[^)]) %c %d", &state, &parent);
  fclose(stat);
  return count == 2 && state != 'Z' ? parent : 0;
}

/* Kills the program that starts decoders for this process, and with it the decoders. Returns how many it has
 * killed, one that lost its parent a moment ago included. */
static int kill_program(const char *mark)
{
  int killed = 0;
  DIR *folder = opendir("/proc");
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    const pid_t id = atoi(entry->d_name);
    if (id <= 0 || !has_mark(id, mark) || has_mark(parent_of(id), mark)) continue;
    if (kill(id, SIGKILL) == 0) killed++;
    while (parent_of(id) != 0) usleep(1000);
  }
  if (folder != NULL) closedir(folder);
  return killed;
}

/* The photo is decoded by another process, which is no child of this one. */
static void decoder_process(const char *const *folders)
{
  face_engine *alone = NULL, *helped = NULL;
  face_info expected, face;
  face_load_options options;
  face_load_options_init(&options);
  EXPECT(options.decoder_process == 0);
  EXPECT(face_load_models(folders, 1, &options, &alone) == FACE_OK);
  EXPECT(find(alone, NULL, FACE_ACCURACY_BALANCED, &expected) == FACE_OK);
  options.decoder_process = 1;
  char mark[64];
  snprintf(mark, sizeof mark, "several-models-%d", (int)getpid());
  EXPECT(setenv("FACE_ENGINE_TEST_MARK", mark, 1) == 0);
  EXPECT(face_load_models(folders, 1, &options, &helped) == FACE_OK);
  EXPECT(find(helped, NULL, FACE_ACCURACY_BALANCED, &face) == FACE_OK);
  EXPECT(memcmp(&face, &expected, sizeof face) == 0);
  EXPECT(waitpid(-1, NULL, WNOHANG) == -1);
  /* It is started again when it was killed. */
  for (int round = 0; round < 3; round++) {
    EXPECT(kill_program(mark) >= 1);
    EXPECT(find(helped, NULL, FACE_ACCURACY_BALANCED, &face) == FACE_OK);
    EXPECT(memcmp(&face, &expected, sizeof face) == 0);
  }
  /* The fork has not the decoders, but can load its own. */
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    face_engine *own = NULL;
    const int is_refused = find(helped, NULL, FACE_ACCURACY_BALANCED, &face) == FACE_FAILED_PRECONDITION;
    const int is_found = face_load_models(folders, 1, &options, &own) == FACE_OK &&
                         find(own, NULL, FACE_ACCURACY_BALANCED, &face) == FACE_OK;
    _exit(is_refused && is_found ? 0 : 1);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT(face_release(helped) == FACE_OK);
  EXPECT(face_release(alone) == FACE_OK);
  options.decoder_process = 1;
  EXPECT(setenv("FACE_ENGINE_PROGRAM", "/no/such/program", 1) == 0);
  EXPECT(face_load_models(folders, 1, &options, &helped) == FACE_NOT_FOUND);
  EXPECT(unsetenv("FACE_ENGINE_PROGRAM") == 0);
}

static void duplicate_missing_and_large_are_refused(const char *yunet)
{
  face_engine *engine = NULL;
  const char *twice[] = {yunet, yunet};
  EXPECT(face_load_models(twice, 2, NULL, &engine) == FACE_ALREADY_EXISTS && engine == NULL);
  const char *missing[] = {yunet, "no such folder"};
  EXPECT(face_load_models(missing, 2, NULL, &engine) == FACE_NOT_FOUND && engine == NULL);

  face_load_options options;
  face_load_options_init(&options);
  options.max_input_pixels = 512 * 512; /* the photo has more */
  face_info face;
  EXPECT(face_load_models(twice, 1, &options, &engine) == FACE_OK);
  EXPECT(find(engine, NULL, FACE_ACCURACY_BALANCED, &face) == FACE_RESOURCE_EXHAUSTED);
  EXPECT(face_release(engine) == FACE_OK);
}

int main(int argc, char **argv)
{
  if (argc != 4) return 2;
  photo = read_photo(argv[3]);
  const char *folders[] = {argv[1], argv[2]};
  one_model(folders[0]);
  two_models(folders);
  decoder_process(folders);
  duplicate_missing_and_large_are_refused(folders[0]);
  return failures;
}
