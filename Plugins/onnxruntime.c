/* The plug-in libfaceengine-onnxruntime.so.1: runs ONNX files with the user's own onnxruntime, which it opens when it
 * is opened itself. Its option is one of onnxruntime's execution providers, with that one's own options:
 * "CUDA,device_id=1". */
#define _GNU_SOURCE
#include "onnxruntime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The library's path, instead of the loader's search. Its value is ignored where the process has more rights than its
   user. */
static const char variable[] = "FACE_ENGINE_ONNXRUNTIME";

/* The most axes of an output; all but the last three are 1. */
enum { MOST_AXES = 8 };

/* What networks run with, or why onnxruntime cannot be used. Set once, as `ort` is. */
static ort_env *env;
static const ort_memory *memory;
static char problem[512];

/* A plug-in's network is onnxruntime's session. */
static ort_session *session_of(face_plugin_network *network) { return (ort_session *)network; }

struct face_plugin_run {
  size_t count;
  ort_value *values[];
};

/* ---- onnxruntime itself */

/* From 1.29 on, builds of its makers report to them what runs and on what: with the first session they make a file in
 * the cache of the user and a thread that sends it. This variable, set before, has them do nothing of it. */
static void disable_telemetry(void) { setenv("ORT_DISABLE_TELEMETRY", "1", 1); }

/* Opens the library. Returns whether that worked; the reason is in `problem`. */
static bool open_library(void **library)
{
  const char *named = secure_getenv(variable);
  if (named && named[0]) {
    if (named[0] != '/') {
      snprintf(problem, sizeof problem, "%s must be the full path of libonnxruntime.so", variable);
      return false;
    }
    *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
  } else {
    *library = dlopen("libonnxruntime.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!*library) *library = dlopen("libonnxruntime.so", RTLD_NOW | RTLD_LOCAL);
  }
  if (*library) return true;
  const char *reason = dlerror();
  snprintf(
      problem, sizeof problem,
      "its library cannot be opened (%s); install onnxruntime 1.%d or later, or give the path of its library in %s",
      reason ? reason : "no reason", ORT_VERSION, variable);
  return false;
}

static void open_onnxruntime(void)
{
  void *library = NULL;
  disable_telemetry();
  if (!open_library(&library)) return;
  typedef const ort_base *(*entry)(void);
  const entry enter = (entry)dlsym(library, "OrtGetApiBase");
  const ort_base *base = enter ? enter() : NULL;
  if (!base) {
    snprintf(problem, sizeof problem,
             "its library has no function OrtGetApiBase, so it is not onnxruntime; give the path of onnxruntime's "
             "library in %s",
             variable);
    return;
  }
  snprintf(ort_version, sizeof ort_version, "%s", base->get_version());
  /* The runtime prints a message if a program requests a table that it does not have. */
  int major = 0, minor = 0;
  const bool is_read = sscanf(ort_version, "%d.%d", &major, &minor) == 2;
  const bool is_new_enough = is_read && (major > 1 || (major == 1 && minor >= ORT_VERSION));
  const ort_api *table = is_new_enough ? base->get_api(ORT_VERSION) : NULL;
  if (!table) {
    snprintf(problem, sizeof problem, "version %s is too old, or has another interface; install 1.%d or later",
             ort_version, ORT_VERSION);
    return;
  }
  ort = table;
  /* Here, since it reads what the processor is: files that a sandbox hides later. */
  ort_memory *cpu = NULL;
  ort_status *status = ort->create_env(ORT_LOG_FATAL, "face-engine", &env);
  if (!status) status = ort->disable_telemetry(env);
  if (!status) status = ort->create_cpu_memory(ORT_DEVICE_ALLOCATOR, ORT_DEFAULT_MEMORY, &cpu);
  if (ort_check(status, FACE_PLUGIN_FAILED, "it does not start", problem, sizeof problem) != FACE_PLUGIN_OK) return;
  memory = cpu;
}

/* ---- Loading */

static ort_status *set_options(ort_options *options, uint32_t threads)
{
  ort_status *status = ort->set_log_level(options, ORT_LOG_FATAL);
  if (!status) status = ort->set_threads(options, (int)threads);
  /* Threads that wait for the next run would use their processors meanwhile. */
  if (!status) status = ort->set_entry(options, "session.intra_op.allow_spinning", "0");
  /* Both keep, for a network's life, the memory of the largest picture of each size that it saw. */
  if (!status) status = ort->disable_memory_pattern(options);
  if (!status) status = ort->disable_arena(options);
  return status;
}

static face_plugin_status load(const face_plugin_source *source, face_plugin_network **out_network, char *error,
                               size_t error_size)
{
  if (!memory) return fail(FACE_PLUGIN_REFUSED, error, error_size, "%s", problem);
  if (source->format != FACE_PLUGIN_ONNX)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "it runs .onnx files");
  ort_options *options = NULL;
  ort_session *session = NULL;
  ort_status *made = ort->create_options(&options);
  if (!made) made = set_options(options, source->threads);
  face_plugin_status status = ort_check(made, FACE_PLUGIN_FAILED, "its options cannot be set", error, error_size);
  if (status == FACE_PLUGIN_OK) status = choose_provider(options, source->options, error, error_size);
  if (status == FACE_PLUGIN_OK)
    status = ort_check(ort->create_session(env, source->graph, source->graph_size, options, &session),
                       FACE_PLUGIN_REFUSED, "it does not accept the network", error, error_size);
  if (options) ort->release_options(options);
  if (status == FACE_PLUGIN_OK) *out_network = (face_plugin_network *)session;
  return status;
}

static void release(face_plugin_network *network) { ort->release_session(session_of(network)); }

/* ---- Running */

/* Makes a value of an input: over its memory, or over a copy in `copy` if there are gaps between its channels. */
static face_plugin_status make_value(const face_plugin_tensor *input, ort_value **value, float **copy, char *error,
                                     size_t error_size)
{
  const size_t channel = (size_t)input->height * input->width;
  const float *values = input->values;
  if (input->channel_stride != channel) {
    float *packed = *copy = malloc(input->channels * channel * sizeof(float));
    if (!packed) return fail_without_memory(error, error_size);
    for (uint32_t index = 0; index < input->channels; index++)
      memcpy(packed + index * channel, values + index * input->channel_stride, channel * sizeof(float));
    values = packed;
  }
  const int64_t sides[] = {1, input->channels, input->height, input->width};
  /* It does not write to inputs. */
  return ort_check(ort->create_tensor(memory, (void *)values, input->channels * channel * sizeof(float), sides, 4,
                                      ORT_FLOAT, value),
                   FACE_PLUGIN_FAILED, "the input cannot be passed", error, error_size);
}

/* Describes an output: its last three axes; missing axes are 1. */
static face_plugin_status read_value(ort_value *value, const char *name, face_plugin_tensor *output, char *error,
                                     size_t error_size)
{
  ort_shape *shape = NULL;
  int is_tensor = 0, type = 0;
  size_t axes = 0;
  int64_t all[MOST_AXES], sides[3] = {1, 1, 1};
  void *values = NULL;
  ort_status *status = ort->is_tensor(value, &is_tensor);
  if (!status && is_tensor) status = ort->get_shape(value, &shape);
  if (!status && shape) status = ort->get_type(shape, &type);
  if (!status && shape) status = ort->get_axes(shape, &axes);
  if (!status && shape && axes <= MOST_AXES) status = ort->get_sides(shape, all, axes);
  if (!status && type == ORT_FLOAT) status = ort->get_values(value, &values);
  if (shape) ort->release_shape(shape);
  if (status) return ort_check(status, FACE_PLUGIN_FAILED, "an output cannot be read", error, error_size);
  bool has_shape = values && axes <= MOST_AXES;
  for (size_t index = 0; has_shape && index < axes; index++) {
    const size_t from_end = axes - 1 - index;
    has_shape = all[index] > 0 && all[index] <= UINT32_MAX && (from_end < 3 || all[index] == 1);
    if (has_shape && from_end < 3) sides[2 - from_end] = all[index];
  }
  if (!has_shape)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size,
                "the output \"%s\" is not a map of 32-bit floats; export the network with such outputs", name);
  *output = (face_plugin_tensor){.name = name,
                                 .channels = (uint32_t)sides[0],
                                 .height = (uint32_t)sides[1],
                                 .width = (uint32_t)sides[2],
                                 .channel_stride = (size_t)(sides[1] * sides[2]),
                                 .values = values};
  return FACE_PLUGIN_OK;
}

static void finish(face_plugin_run *run)
{
  for (size_t index = 0; index < run->count; index++)
    if (run->values[index]) ort->release_value(run->values[index]);
  free(run);
}

static face_plugin_status run(face_plugin_network *network, const face_plugin_tensor *inputs, size_t input_count,
                              const char *const *names, size_t name_count, face_plugin_tensor *outputs,
                              face_plugin_run **out_run, char *error, size_t error_size)
{
  if (input_count != 1)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "it runs networks of one input, not of %zu", input_count);
  face_plugin_run *run = calloc(1, sizeof *run + name_count * sizeof *run->values);
  if (!run) return fail_without_memory(error, error_size);
  run->count = name_count;
  ort_value *value = NULL;
  float *copy = NULL;
  face_plugin_status status = make_value(inputs, &value, &copy, error, error_size);
  if (status == FACE_PLUGIN_OK && name_count > 0)
    status = ort_check(ort->run(session_of(network), NULL, &inputs->name, (const ort_value *const *)&value, 1, names,
                                name_count, run->values),
                       FACE_PLUGIN_REFUSED, "the network does not run", error, error_size);
  for (size_t index = 0; index < name_count && status == FACE_PLUGIN_OK; index++)
    status = read_value(run->values[index], names[index], &outputs[index], error, error_size);
  if (value) ort->release_value(value);
  free(copy);
  if (status == FACE_PLUGIN_OK)
    *out_run = run;
  else
    finish(run);
  return status;
}

static const face_network_plugin_v1 plugin = {
    sizeof plugin, "onnxruntime", ort_version, FACE_PLUGIN_ONNX, load, run, finish, release,
};

FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (interface_version != FACE_PLUGIN_INTERFACE) return NULL;
  pthread_once(&once, open_onnxruntime);
  return &plugin;
}
