/* A plug-in for tests. Its networks return their input, or misbehave: the options say how load does, and the name
 * of an output how run does. Compiled with FAULT, its table is wrong. */
#include "face_engine_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_ENTRY 1
#define OTHER_INTERFACE 2
#define SHORT_TABLE 3
#define NO_FUNCTION 4
#define NO_NAME 5
#ifndef FAULT
#define FAULT 0
#endif

struct face_plugin_network {
  float source[8];
};

struct face_plugin_run {
  float values[64];
};

static int networks, runs; /* that were not released */

static face_plugin_status load(const face_plugin_source *source, face_plugin_network **out_network, char *error,
                               size_t error_size)
{
  face_plugin_status status = FACE_PLUGIN_OK;
  if (sscanf(source->options, "status %d", &status) == 1) {
    if (status != FACE_PLUGIN_FAILED) snprintf(error, error_size, "no network for %d", status);
    return status;
  }
  if (strcmp(source->options, "long") == 0) {
    memset(error, 'x', error_size);
    return FACE_PLUGIN_FAILED;
  }
  if (strcmp(source->options, "nothing") == 0) return FACE_PLUGIN_OK;
  const struct face_plugin_network network = {
      {(float)source->struct_size, (float)source->format, (float)source->threads, (float)source->graph_size,
       (float)((const char *)source->graph)[source->graph_size], (float)source->weights_size,
       source->weights_size > 0 ? *(const unsigned char *)source->weights : -1, (float)strlen(source->options)}};
  *out_network = malloc(sizeof network);
  if (!*out_network) return FACE_PLUGIN_NO_MEMORY;
  **out_network = network;
  networks++;
  return FACE_PLUGIN_OK;
}

static face_plugin_status run(face_plugin_network *network, const face_plugin_tensor *inputs, size_t input_count,
                              const char *const *names, size_t name_count, face_plugin_tensor *outputs,
                              face_plugin_run **out_run, char *error, size_t error_size)
{
  (void)input_count;
  face_plugin_run *run = calloc(1, sizeof *run);
  if (!run) return FACE_PLUGIN_NO_MEMORY;
  for (size_t index = 0; index < name_count; index++) {
    const char *name = names[index];
    face_plugin_tensor *output = &outputs[index];
    *output = inputs[0];
    output->name = NULL;
    if (strcmp(name, "source") == 0) {
      *output = (face_plugin_tensor){NULL, 1, 1, 8, 0, 8, network->source};
    } else if (strcmp(name, "alive") == 0) {
      run->values[0] = (float)networks;
      run->values[1] = (float)runs;
      *output = (face_plugin_tensor){NULL, 1, 1, 2, 0, 2, run->values};
    } else if (strcmp(name, "input") == 0) {
      snprintf((char *)run->values, sizeof run->values, "%s", inputs[0].name);
      *output = (face_plugin_tensor){NULL, 1, 1, 64, 0, 64, run->values};
    } else if (strcmp(name, "fails") == 0) {
      snprintf(error, error_size, "no blob \"%s\"", name);
      free(run);
      return FACE_PLUGIN_REFUSED;
    } else if (strcmp(name, "no run") == 0) {
      free(run);
      return FACE_PLUGIN_OK;
    } else if (strcmp(name, "no values") == 0) {
      output->values = NULL;
    } else if (strcmp(name, "no channels") == 0) {
      output->channels = 0;
    } else if (strcmp(name, "narrow stride") == 0) {
      output->channel_stride = (size_t)output->height * output->width - 1;
    } else if (strcmp(name, "endless stride") == 0) {
      output->channel_stride = SIZE_MAX;
    } else if (strcmp(name, "endless sides") == 0) {
      output->width = output->height = UINT32_MAX;
    } /* else it is the input */
  }
  runs++;
  *out_run = run;
  return FACE_PLUGIN_OK;
}

static void finish(face_plugin_run *run)
{
  runs--;
  free(run);
}

static void release(face_plugin_network *network)
{
  networks--;
  free(network);
}

static const face_network_plugin_v1 plugin = {
    FAULT == SHORT_TABLE ? sizeof plugin - sizeof(void *) : sizeof plugin,
    FAULT == NO_NAME ? NULL : "dummy",
    "0",
    FACE_PLUGIN_NCNN,
    load,
    FAULT == NO_FUNCTION ? NULL : run,
    finish,
    release,
};

#if FAULT == NO_ENTRY
FACE_PLUGIN_API const void *another_function(void) { return &plugin; }
#else
FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version)
{
  return interface_version == (FAULT == OTHER_INTERFACE ? 2 : FACE_PLUGIN_INTERFACE) ? &plugin : NULL;
}
#endif
