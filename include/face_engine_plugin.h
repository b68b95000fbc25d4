/* FaceEngine: the interface of plug-ins, libraries that run networks for the engine.
 *
 * The engine's own kernels run the networks that it comes with. A plug-in runs any other network: a shared library that
 * the engine opens, by dlopen(3), when it loads such a network. docs/plug-ins.md says where it looks, and shows a whole
 * plug-in.
 *
 *     static const face_network_plugin_v1 plugin = {sizeof plugin, "mine", "1.0", FACE_PLUGIN_NCNN, load, run, finish,
 *     release};
 *
 *     FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version)
 *     {
 *       return interface_version == FACE_PLUGIN_INTERFACE ? &plugin : NULL;
 *     }
 *
 * Conventions
 *
 * Name         A plug-in NAME is the file libfaceengine-NAME.so.1, where 1 is FACE_PLUGIN_INTERFACE.
 * Threads      Any number of threads may be in load, run, finish and release at the same time, also several in run for
 *              the same network. The thread that called run calls finish.
 * Ownership    What the engine passes is borrowed until the function returns. The engine uses what run returns until it
 *              calls finish.
 * Trust        A plug-in is code in the engine's process, and has the process's sandbox and limits. It must not open
 *              files or sockets: the sandbox is already closed when the engine calls it. It must not print, handle
 *              signals, or end the process.
 * Structs      A struct with struct_size only grows, at its end, and struct_size says which members are there. Other
 *              structs, such as face_plugin_tensor in arrays, never change.
 */
#ifndef FACE_ENGINE_PLUGIN_H
#define FACE_ENGINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FACE_PLUGIN_API __attribute__((visibility("default")))
#else
#define FACE_PLUGIN_API
#endif

/* ---- Versions ------------------------------------------------------------------------------------------------- */

/* The interface that a plug-in and the engine agree on. */

/* The interface that this header describes. It changes only when an existing plug-in would break. */
#define FACE_PLUGIN_INTERFACE 1

/* ---- Networks ------------------------------------------------------------------------------------------------- */

/* What the engine passes to a plug-in, and what the plug-in returns. */

/* How a call ended: these numbers of face_status. The engine treats any other number like FACE_PLUGIN_FAILED. */
typedef int32_t face_plugin_status;

enum {
  FACE_PLUGIN_OK = 0,
  FACE_PLUGIN_NO_MEMORY = 8,    /* not enough memory */
  FACE_PLUGIN_REFUSED = 9,      /* the network is damaged, or has no such blob */
  FACE_PLUGIN_UNSUPPORTED = 12, /* the plug-in cannot run such a network */
  FACE_PLUGIN_FAILED = 13       /* any other failure */
};

/* Formats of network files, bits of a set. */
typedef uint32_t face_plugin_formats;

enum {
  FACE_PLUGIN_NCNN = 1, /* ncnn's: a graph as text (a .param file) and its weights (the .bin file) */
  FACE_PLUGIN_ONNX = 2  /* an .onnx file */
};

/* A network to be loaded. */
typedef struct face_plugin_source {
  size_t struct_size;         /* set by the engine */
  face_plugin_formats format; /* exactly one bit */
  uint32_t threads;           /* how many threads may work on one call of run, 1 to 16. A plug-in may use fewer */
  const void *graph;          /* the .param or .onnx file, followed by a zero byte. The engine has checked that a
                                 .param file is whole: each layer has its fields, and its inputs are outputs of layers
                                 before it */
  size_t graph_size;          /* in bytes, without the zero byte */
  const void *weights;        /* the .bin file; NULL with an .onnx file, and if the file is empty. It may be shorter or
                                 longer than the graph needs: in that case the plug-in must fail, and must not read
                                 beyond its end */
  size_t weights_size;        /* in bytes */
  const char *options;        /* the text after the colon in the user's choice of the plug-in, "" by default; UTF-8 */
} face_plugin_source;

/* Values of a blob: 32-bit floats, channel by channel, each channel row by row. In a blob with fewer axes, the missing
 * ones are 1: first the channels, then the height. An axis of batches, which is 1, does not count. */
typedef struct face_plugin_tensor {
  const char *name;        /* of the blob; in an output, the name that the engine requested, or NULL */
  uint32_t channels;       /* 1 or more */
  uint32_t height;         /* 1 or more */
  uint32_t width;          /* 1 or more */
  uint32_t reserved;       /* 0 */
  size_t channel_stride;   /* floats from a channel to the next one, height * width or more */
  const float *values;     /* of the first channel; aligned to 16 bytes in an input */
} face_plugin_tensor;

/* A loaded network: the plug-in's own type. */
typedef struct face_plugin_network face_plugin_network;

/* One run of a network, with the outputs of that run: the plug-in's own type. */
typedef struct face_plugin_run face_plugin_run;

/* ---- The plug-in ---------------------------------------------------------------------------------------------- */

/* What a plug-in consists of: a table of functions, and the function that returns it. */

/* The functions of a plug-in, in static memory. No member may be NULL. On failure a function writes one sentence to
 * `error`: what was wrong. This buffer of `error_size` bytes is empty before, and must end with a zero. The engine puts
 * the plug-in's name before the sentence. */
typedef struct face_network_plugin_v1 {
  size_t struct_size;          /* sizeof(face_network_plugin_v1) where the plug-in was compiled */
  const char *name;            /* as in the name of its file; also in results and in `face-engine models`, for its
                                  networks */
  const char *version;         /* the version of the library that runs networks, for people */
  face_plugin_formats formats; /* the formats that load accepts */

  /* Loads a network.
   *
   * out_network  receives the network, which the engine passes to release once. */
  face_plugin_status (*load)(
      const face_plugin_source *source, face_plugin_network **out_network, char *error, size_t error_size);

  /* Runs a network, without changing `network` for other calls.
   *
   * inputs   the values of all input blobs of the network.
   * names    the blobs that the engine wants.
   * outputs  receives the values of these blobs, in the order of `names`.
   * out_run  receives the run, which owns the values of the outputs; finish releases it. */
  face_plugin_status (*run)(
      face_plugin_network *network, const face_plugin_tensor *inputs, size_t input_count, const char *const *names,
      size_t name_count, face_plugin_tensor *outputs, face_plugin_run **out_run, char *error, size_t error_size);

  /* Releases a run that succeeded. */
  void (*finish)(face_plugin_run *run);

  /* Releases a network. At that time no thread is in run, and every run is finished. */
  void (*release)(face_plugin_network *network);
} face_network_plugin_v1;

/* Exported by each plug-in. The engine calls it once, after opening the library, and keeps the library open.
 *
 * interface_version  the engine's FACE_PLUGIN_INTERFACE.
 *
 * Returns the plug-in's table, or NULL if the plug-in does not have that interface. */
FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version);

#ifdef __cplusplus
}
#endif

#endif
