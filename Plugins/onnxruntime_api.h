/* The part of onnxruntime's C interface that Plugins/onnxruntime.c uses.
 *
 * onnxruntime's table of functions, OrtApi, only grows: each function keeps its place in it, and a program that asks
 * for the table of version 12 gets a table that has it, from every later version too. So the plug-in is compiled
 * without onnxruntime, and runs with whichever the user has. Source: onnxruntime_c_api.h and the order of the table in
 * onnxruntime_c_api.cc, onnxruntime 1.12 to 1.25. */
#ifndef FACE_ENGINE_ONNXRUNTIME_API_H
#define FACE_ENGINE_ONNXRUNTIME_API_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The requested version of the table: the first with append_provider, of onnxruntime 1.12. */
enum { ORT_VERSION = 12 };

/* OrtErrorCode. */
enum { ORT_NOT_IMPLEMENTED = 9, ORT_PROVIDER_FAILED = 11 };
/* OrtLoggingLevel. */
enum { ORT_LOG_FATAL = 4 };
/* ONNXTensorElementDataType. */
enum { ORT_FLOAT = 1 };
/* OrtAllocatorType and OrtMemType. */
enum { ORT_DEVICE_ALLOCATOR = 0, ORT_DEFAULT_MEMORY = 0 };

typedef struct ort_status ort_status;
typedef struct ort_env ort_env;
typedef struct ort_session ort_session;
typedef struct ort_options ort_options;
typedef struct ort_run_options ort_run_options;
typedef struct ort_value ort_value;
typedef struct ort_shape ort_shape;
typedef struct ort_memory ort_memory;
typedef struct ort_provider_options ort_provider_options;

/* Places of the table that are not used here, from `first` to `last`. */
#define UNUSED(first, last) void *unused_##first[(last) - (first) + 1]

/* OrtApi. Functions return NULL, or a status that release_status releases. */
typedef struct ort_api {
  UNUSED(0, 0);
  int (*get_error_code)(const ort_status *);
  const char *(*get_error_message)(const ort_status *);
  ort_status *(*create_env)(int log_level, const char *name, ort_env **);
  UNUSED(4, 5);
  ort_status *(*disable_telemetry)(const ort_env *);
  UNUSED(7, 7);
  ort_status *(*create_session)(const ort_env *, const void *file, size_t size, const ort_options *, ort_session **);
  ort_status *(*run)(ort_session *, const ort_run_options *, const char *const *input_names,
                     const ort_value *const *inputs, size_t input_count, const char *const *output_names,
                     size_t output_count, ort_value **outputs);
  ort_status *(*create_options)(ort_options **);
  UNUSED(11, 16);
  ort_status *(*disable_memory_pattern)(ort_options *);
  UNUSED(18, 18);
  ort_status *(*disable_arena)(ort_options *);
  UNUSED(20, 21);
  ort_status *(*set_log_level)(ort_options *, int);
  UNUSED(23, 23);
  ort_status *(*set_threads)(ort_options *, int);
  UNUSED(25, 48);
  ort_status *(*create_tensor)(const ort_memory *, void *values, size_t size, const int64_t *sides, size_t axes,
                               int type, ort_value **);
  ort_status *(*is_tensor)(const ort_value *, int *);
  ort_status *(*get_values)(ort_value *, void **);
  UNUSED(52, 59);
  ort_status *(*get_type)(const ort_shape *, int *);
  ort_status *(*get_axes)(const ort_shape *, size_t *);
  ort_status *(*get_sides)(const ort_shape *, int64_t *, size_t axes);
  UNUSED(63, 64);
  ort_status *(*get_shape)(const ort_value *, ort_shape **);
  UNUSED(66, 68);
  ort_status *(*create_cpu_memory)(int allocator, int kind, ort_memory **);
  UNUSED(70, 92);
  void (*release_status)(ort_status *);
  UNUSED(94, 94);
  void (*release_session)(ort_session *);
  void (*release_value)(ort_value *);
  UNUSED(97, 98);
  void (*release_shape)(ort_shape *);
  void (*release_options)(ort_options *);
  UNUSED(101, 124);
  ort_status *(*get_providers)(char ***, int *count);
  ort_status *(*release_providers)(char **, int count);
  UNUSED(127, 129);
  ort_status *(*set_entry)(ort_options *, const char *key, const char *value);
  UNUSED(131, 169);
  ort_status *(*append_tensorrt)(ort_options *, const ort_provider_options *);
  ort_status *(*create_tensorrt)(ort_provider_options **);
  ort_status *(*update_tensorrt)(ort_provider_options *, const char *const *keys, const char *const *values,
                                 size_t count);
  UNUSED(173, 173);
  void (*release_tensorrt)(ort_provider_options *);
  UNUSED(175, 203);
  ort_status *(*append_cuda)(ort_options *, const ort_provider_options *);
  ort_status *(*create_cuda)(ort_provider_options **);
  ort_status *(*update_cuda)(ort_provider_options *, const char *const *keys, const char *const *values, size_t count);
  UNUSED(207, 207);
  void (*release_cuda)(ort_provider_options *);
  UNUSED(209, 215);
  ort_status *(*append_provider)(ort_options *, const char *name, const char *const *keys, const char *const *values,
                                 size_t count);
} ort_api;

static_assert(offsetof(ort_api, release_options) == 100 * sizeof(void *), "the table of version 1");
static_assert(offsetof(ort_api, append_provider) == 216 * sizeof(void *), "the table of version 12");

/* OrtApiBase, which the library's only function OrtGetApiBase returns. */
typedef struct ort_base {
  const ort_api *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} ort_base;

#endif
