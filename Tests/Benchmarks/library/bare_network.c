/* What a C program needs that does nothing but run YuNet on ncnn: from reading the files to the outputs of a 640 × 480
 * frame, and the mean of 50 more runs, in milliseconds of the processor. The program is linked to ncnn statically, so its own start, which
 * no program can leave out, is not counted.
 * bare_network YUNET.param YUNET.bin FRAME.rgb */
#define _POSIX_C_SOURCE 200809L
#include <ncnn/c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef WIDTH
#define WIDTH 640 /* overhead.c's network sees 1024 × 576 */
#define HEIGHT 480
#endif

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* The whole of a file, with a zero behind it. */
static unsigned char *contents(const char *path)
{
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = calloc(1 << 20, 1);
  if (file == NULL || bytes == NULL || fread(bytes, 1, (1 << 20) - 1, file) == 0) exit(2);
  fclose(file);
  return bytes;
}

static void run(ncnn_net_t net, const unsigned char *pixels)
{
  ncnn_mat_t input = ncnn_mat_create_3d(WIDTH, HEIGHT, 3, NULL);
  for (int channel = 0; channel < 3; channel++) {
    float *plane = ncnn_mat_get_channel_data(input, channel);
    for (int i = 0; i < WIDTH * HEIGHT; i++) plane[i] = pixels[i * 3 + 2 - channel];
  }
  ncnn_extractor_t extractor = ncnn_extractor_create(net);
  if (ncnn_extractor_input(extractor, "in0", input) != 0) exit(1);
  for (int i = 0; i < 12; i++) {
    char name[8];
    ncnn_mat_t output = NULL;
    snprintf(name, sizeof name, "out%d", i);
    if (ncnn_extractor_extract(extractor, name, &output) != 0) exit(1);
    ncnn_mat_destroy(output);
  }
  ncnn_extractor_destroy(extractor);
  ncnn_mat_destroy(input);
}

int main(int argc, char **argv)
{
  static unsigned char pixels[WIDTH * HEIGHT * 3];
  FILE *file = argc == 4 ? fopen(argv[3], "rb") : NULL;
  if (file == NULL || fread(pixels, 1, sizeof pixels, file) == 0) return 2;
  const double begin = now();
  ncnn_net_t net = ncnn_net_create();
  ncnn_option_t option = ncnn_option_create();
  ncnn_option_set_num_threads(option, 1);
  ncnn_net_set_option(net, option);
  const unsigned char *graph = contents(argv[1]), *weights = contents(argv[2]);
  if (ncnn_net_load_param_datareader(net, ncnn_datareader_create_from_memory(&graph)) != 0) return 1;
  if (ncnn_net_load_model_datareader(net, ncnn_datareader_create_from_memory(&weights)) != 0) return 1;
  const double loaded = now();
  run(net, pixels);
  const double end = now();
  for (int i = 0; i < 50; i++) run(net, pixels);
  printf("%.2f total = %.2f load + %.2f first run; %.2f a run\n", end - begin, loaded - begin, end - loaded,
         (now() - end) / 50);
  ncnn_net_destroy(net);
  return 0;
}
