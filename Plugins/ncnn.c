/* The plug-in libfaceengine-ncnn.so.1: runs networks in ncnn's form with ncnn, which is linked in. */
#include "failure.h"

#include <ncnn/c_api.h>

#include <stdlib.h>
#include <string.h>

/* ncnn's number for memory that ran out. */
enum { NCNN_NO_MEMORY = -100 };

/* A plug-in's network is ncnn's. */
static ncnn_net_t net_of(face_plugin_network *network) { return (ncnn_net_t)network; }

struct face_plugin_run {
  size_t count;
  ncnn_mat_t mats[];
};

/* ---- Loading */

/* The weights that this thread has not given to ncnn yet; it passes nothing of ours to its callback. */
static _Thread_local struct {
  const unsigned char *bytes;
  size_t size;
} rest;

/* Ends at the last byte; ncnn's own reader of memory would read on. */
static size_t read_rest(ncnn_datareader_t reader, void *target, size_t size)
{
  (void)reader;
  if (size > rest.size) size = rest.size;
  if (size > 0) memcpy(target, rest.bytes, size);
  rest.bytes += size;
  rest.size -= size;
  return size;
}

static face_plugin_status load_graph(ncnn_net_t net, const face_plugin_source *source, char *error, size_t error_size)
{
  const unsigned char *text = source->graph;
  ncnn_datareader_t reader = ncnn_datareader_create_from_memory(&text);
  if (!reader) return fail_without_memory(error, error_size);
  const int code = ncnn_net_load_param_datareader(net, reader);
  ncnn_datareader_destroy(reader);
  if (code == 0) return FACE_PLUGIN_OK;
  return fail(
      FACE_PLUGIN_REFUSED, error, error_size,
      "it does not accept the network's .param file, which is damaged or uses a layer that this build does not have");
}

static face_plugin_status load_weights(ncnn_net_t net, const face_plugin_source *source, char *error, size_t error_size)
{
  ncnn_datareader_t reader = ncnn_datareader_create();
  if (!reader) return fail_without_memory(error, error_size);
  reader->read = read_rest;
  rest.bytes = source->weights;
  rest.size = source->weights_size;
  const int code = ncnn_net_load_model_datareader(net, reader);
  ncnn_datareader_destroy(reader);
  if (rest.size > 0)
    return fail(FACE_PLUGIN_REFUSED, error, error_size,
                "the network's .bin file does not belong to its .param file (%zu bytes left over); fetch both again",
                rest.size);
  if (code != 0)
    return fail(FACE_PLUGIN_REFUSED, error, error_size,
                "the network's .bin file is shorter than its .param file needs; fetch both again");
  return FACE_PLUGIN_OK;
}

static face_plugin_status load(const face_plugin_source *source, face_plugin_network **out_network, char *error,
                               size_t error_size)
{
  if (source->format != FACE_PLUGIN_NCNN)
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "it runs .param and .bin files");
  if (source->options[0])
    return fail(FACE_PLUGIN_UNSUPPORTED, error, error_size, "it has no option \"%s\"", source->options);
  ncnn_option_t options = ncnn_option_create();
  ncnn_net_t net = ncnn_net_create();
  face_plugin_status status = options && net ? FACE_PLUGIN_OK : fail_without_memory(error, error_size);
  if (status == FACE_PLUGIN_OK) {
    /* One thread: ncnn is built without more. Floats of 32 bits, as the engine's kernels compute. */
    ncnn_option_set_num_threads(options, 1);
    ncnn_option_set_use_fp16_packed(options, 0);
    ncnn_option_set_use_fp16_storage(options, 0);
    ncnn_option_set_use_fp16_arithmetic(options, 0);
    ncnn_option_set_use_bf16_packed(options, 0);
    ncnn_option_set_use_bf16_storage(options, 0);
    ncnn_net_set_option(net, options);
    status = load_graph(net, source, error, error_size);
  }
  if (status == FACE_PLUGIN_OK) status = load_weights(net, source, error, error_size);
  if (options) ncnn_option_destroy(options);
  if (status != FACE_PLUGIN_OK && net) ncnn_net_destroy(net);
  if (status == FACE_PLUGIN_OK) *out_network = (face_plugin_network *)net;
  return status;
}

static void release(face_plugin_network *network) { ncnn_net_destroy(net_of(network)); }

/* ---- Running */

/* Gives an input to ncnn. Its values are copied, although ncnn has matrices over the memory of others: before a layer
 * that works in place it reads the reference count without checking whether there is one, and such a matrix has
 * none. */
static face_plugin_status set_input(ncnn_extractor_t extractor, const face_plugin_tensor *input, char *error,
                                    size_t error_size)
{
  const size_t channel = (size_t)input->height * input->width;
  ncnn_mat_t mat = ncnn_mat_create_3d((int)input->width, (int)input->height, (int)input->channels, NULL);
  if (!mat || !ncnn_mat_get_data(mat)) {
    if (mat) ncnn_mat_destroy(mat);
    return fail_without_memory(error, error_size);
  }
  const size_t gap = ncnn_mat_get_cstep(mat) - channel;
  for (uint32_t index = 0; index < input->channels; index++) {
    float *values = ncnn_mat_get_channel_data(mat, (int)index);
    memcpy(values, input->values + index * input->channel_stride, channel * sizeof(float));
    /* Layers compute with what is between channels, too. */
    memset(values + channel, 0, gap * sizeof(float));
  }
  const int code = ncnn_extractor_input(extractor, input->name, mat);
  ncnn_mat_destroy(mat);
  if (code == 0) return FACE_PLUGIN_OK;
  return fail(FACE_PLUGIN_REFUSED, error, error_size,
              "the network did not take its input blob \"%s\"; check model.json", input->name);
}

/* Has ncnn compute a blob. */
static face_plugin_status get_output(ncnn_extractor_t extractor, const char *name, ncnn_mat_t *mat,
                                     face_plugin_tensor *output, char *error, size_t error_size)
{
  const int code = ncnn_extractor_extract(extractor, name, mat);
  if (code == NCNN_NO_MEMORY)
    return fail(FACE_PLUGIN_NO_MEMORY, error, error_size,
                "no memory to run the network; use a smaller image or a lower max_side");
  if (code != 0 || !*mat)
    return fail(FACE_PLUGIN_REFUSED, error, error_size,
                "the network gave no output blob \"%s\" (ncnn code %d); check model.json", name, code);
  /* ncnn calls the axes of a blob with two w and h, of one with three w, h and c; those that it lacks are 1. */
  output->name = name;
  output->channels = (uint32_t)ncnn_mat_get_c(*mat);
  output->height = (uint32_t)ncnn_mat_get_h(*mat);
  output->width = (uint32_t)ncnn_mat_get_w(*mat);
  output->channel_stride = ncnn_mat_get_cstep(*mat);
  output->values = ncnn_mat_get_data(*mat);
  return FACE_PLUGIN_OK;
}

static void finish(face_plugin_run *run)
{
  /* ncnn makes an empty matrix even when it fails. */
  for (size_t index = 0; index < run->count; index++)
    if (run->mats[index]) ncnn_mat_destroy(run->mats[index]);
  free(run);
}

static face_plugin_status run(face_plugin_network *network, const face_plugin_tensor *inputs, size_t input_count,
                              const char *const *names, size_t name_count, face_plugin_tensor *outputs,
                              face_plugin_run **out_run, char *error, size_t error_size)
{
  face_plugin_run *run = calloc(1, sizeof *run + name_count * sizeof *run->mats);
  ncnn_extractor_t extractor = ncnn_extractor_create(net_of(network));
  face_plugin_status status = run && extractor ? FACE_PLUGIN_OK : fail_without_memory(error, error_size);
  for (size_t index = 0; index < input_count && status == FACE_PLUGIN_OK; index++)
    status = set_input(extractor, &inputs[index], error, error_size);
  for (size_t index = 0; index < name_count && status == FACE_PLUGIN_OK; index++) {
    run->count = index + 1;
    status = get_output(extractor, names[index], &run->mats[index], &outputs[index], error, error_size);
  }
  if (extractor) ncnn_extractor_destroy(extractor);
  if (status == FACE_PLUGIN_OK)
    *out_run = run;
  else if (run)
    finish(run);
  return status;
}

static const face_network_plugin_v1 plugin = {
    sizeof plugin, "ncnn", NCNN_VERSION_STRING, FACE_PLUGIN_NCNN, load, run, finish, release,
};

FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version)
{
  return interface_version == FACE_PLUGIN_INTERFACE ? &plugin : NULL;
}
