/* The execution providers of onnxruntime: what runs the networks, as in CUDA or OpenVINO. */
#define _GNU_SOURCE
#include "onnxruntime.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* The most options of a provider, and the longest text of them. */
enum { MOST_OPTIONS = 32, LONGEST_OPTIONS = 1024 };

/* In the names that onnxruntime lists, behind those that it takes. */
static const char suffix[] = "ExecutionProvider";

/* A provider's name with its options, as onnxruntime takes them. */
struct provider {
  char text[LONGEST_OPTIONS];
  const char *name;
  const char *keys[MOST_OPTIONS];
  const char *values[MOST_OPTIONS];
  size_t count;
};

/* Takes a text as in "CUDA,device_id=1" apart. */
static face_plugin_status read_provider(const char *options, struct provider *provider, char *error, size_t error_size)
{
  const int length = snprintf(provider->text, sizeof provider->text, "%s", options);
  if (length < 0 || (size_t)length >= sizeof provider->text)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "its options are longer than %d characters",
                LONGEST_OPTIONS - 1);
  char *rest = provider->text;
  provider->name = strsep(&rest, ",");
  provider->count = 0;
  for (char *option; (option = strsep(&rest, ",")); provider->count++) {
    char *value = strchr(option, '=');
    if (!value || value == option || provider->count == MOST_OPTIONS)
      return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size,
                  "options of a provider are as in CUDA,device_id=1, at most %d; \"%s\" is not", MOST_OPTIONS, option);
    *value = 0;
    provider->keys[provider->count] = option;
    provider->values[provider->count] = value + 1;
  }
  return FACE_PLUGIN_OK;
}

/* Gives the provider onnxruntime's own spelling. */
static face_plugin_status find_provider(struct provider *provider, char *error, size_t error_size)
{
  char **names = NULL;
  int count = 0;
  const face_plugin_status status =
      ort_check(ort->get_providers(&names, &count), FACE_PLUGIN_FAILED, "its providers are unknown", error, error_size);
  if (status != FACE_PLUGIN_OK) return status;
  char known[300] = "";
  bool is_known = false;
  const size_t length = strlen(provider->name);
  for (int index = 0; index < count; index++) {
    char *end = strstr(names[index], suffix);
    const size_t characters = end ? (size_t)(end - names[index]) : strlen(names[index]);
    if (characters == length && strncasecmp(names[index], provider->name, length) == 0) {
      is_known = true;
      memcpy((char *)provider->name, names[index], length);
    }
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%.*s", used ? ", " : "", (int)characters, names[index]);
  }
  ort_status *released = ort->release_providers(names, count);
  if (released) ort->release_status(released);
  if (is_known) return FACE_PLUGIN_OK;
  return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size,
              "version %s, as it is installed, has no provider \"%s\", only: %s; install a build that has it",
              ort_version, provider->name, known);
}

/* Two providers have functions of their own. */
static ort_status *append_cuda(ort_options *options, const struct provider *provider)
{
  ort_provider_options *own = NULL;
  ort_status *status = ort->create_cuda(&own);
  if (!status && provider->count > 0) status = ort->update_cuda(own, provider->keys, provider->values, provider->count);
  if (!status) status = ort->append_cuda(options, own);
  if (own) ort->release_cuda(own);
  return status;
}

static ort_status *append_tensorrt(ort_options *options, const struct provider *provider)
{
  ort_provider_options *own = NULL;
  ort_status *status = ort->create_tensorrt(&own);
  if (!status && provider->count > 0)
    status = ort->update_tensorrt(own, provider->keys, provider->values, provider->count);
  if (!status) status = ort->append_tensorrt(options, own);
  if (own) ort->release_tensorrt(own);
  return status;
}

face_plugin_status choose_provider(ort_options *options, const char *text, char *error, size_t error_size)
{
  struct provider provider;
  face_plugin_status status = read_provider(text, &provider, error, error_size);
  if (status != FACE_PLUGIN_OK || (!provider.name[0] && provider.count == 0)) return status;
  status = find_provider(&provider, error, error_size);
  if (status != FACE_PLUGIN_OK) return status;
  const bool is_processor = strcmp(provider.name, "CPU") == 0;
  if (is_processor && provider.count > 0)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "its provider CPU has no options");
  ort_status *appended = NULL;
  if (strcmp(provider.name, "CUDA") == 0)
    appended = append_cuda(options, &provider);
  else if (strcmp(provider.name, "Tensorrt") == 0)
    appended = append_tensorrt(options, &provider);
  else if (!is_processor)
    appended = ort->append_provider(options, provider.name, provider.keys, provider.values, provider.count);
  return ort_check(appended, FACE_PLUGIN_UNSUPPORTED, "its provider does not start", error, error_size);
}
