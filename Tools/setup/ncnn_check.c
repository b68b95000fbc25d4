/* Proves that an ncnn can be used: through its C API it loads a one-layer network from memory and runs it.
   Exit 0 when every step worked, otherwise the number of the step that did not. */
#include <ncnn/c_api.h>

/* A 1x1 convolution of one channel: y = 2 x + 1. */
static const char graph[] =
    "7767517\n"
    "2 2\n"
    "Input in0 0 1 in0\n"
    "Convolution conv 1 1 in0 out0 0=1 1=1 5=1 6=1\n";

/* The layer's weights as ncnn stores them: a tag (0 = 32-bit floats), the weight, the bias. */
static const float weights[] = {0.f, 2.f, 1.f};

int main(void)
{
    const unsigned char *graph_at = (const unsigned char *)graph;
    const unsigned char *weights_at = (const unsigned char *)weights;
    ncnn_datareader_t graph_reader = ncnn_datareader_create_from_memory(&graph_at);
    ncnn_datareader_t weights_reader = ncnn_datareader_create_from_memory(&weights_at);

    ncnn_net_t net = ncnn_net_create();
    if (!net) return 1;
    if (ncnn_net_load_param_datareader(net, graph_reader)) return 2;
    if (ncnn_net_load_model_datareader(net, weights_reader)) return 3;

    ncnn_mat_t input = ncnn_mat_create_3d(4, 4, 1, NULL);
    ncnn_mat_fill_float(input, 3.f);

    ncnn_extractor_t extractor = ncnn_extractor_create(net);
    ncnn_mat_t output = NULL;
    if (ncnn_extractor_input(extractor, "in0", input)) return 4;
    if (ncnn_extractor_extract(extractor, "out0", &output)) return 5;
    if (ncnn_mat_get_w(output) != 4 || ncnn_mat_get_h(output) != 4) return 6;
    if (((const float *)ncnn_mat_get_data(output))[0] != 7.f) return 7;

    ncnn_mat_destroy(output);
    ncnn_extractor_destroy(extractor);
    ncnn_mat_destroy(input);
    ncnn_net_destroy(net);
    ncnn_datareader_destroy(weights_reader);
    ncnn_datareader_destroy(graph_reader);
    return 0;
}
