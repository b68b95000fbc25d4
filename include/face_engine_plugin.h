/* FaceEngine: the interface of plug-ins, libraries that run networks for the engine.
 *
 * The engine's own kernels run the networks that it comes with. Any other network is run by a plug-in: a shared library that the
 * engine opens, by dlopen(3), when such a network is loaded. docs/plug-ins.md says where it looks, and shows a whole plug-in.
 *
 *     static const face_network_plugin_v1 plugin = {sizeof plugin, "mine", "1.0", FACE_PLUGIN_NCNN, load, run, finish, release};
 *
 *     FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version)
 *     {
 *       return interface_version == FACE_PLUGIN_INTERFACE ? &plugin : NULL;
 *     }
 *
 * Conventions
 *
 * Name         A plug-in NAME is the file libfaceengine-NAME.so.1, where 1 is FACE_PLUGIN_INTERFACE.
 * Threads      Any number of threads call load, run, finish and release at once, also run for one network. finish is called by
 *              the thread that called run.
 * Ownership    What the engine passes is borrowed until the function returns. What run returns is the engine's until finish.
 * Trust        A plug-in is code in the engine's process, which its sandbox and limits hold for. It opens no file and no
 *              socket: the engine's sandbox is closed when it is called. It prints nothing, handles no signal, and does not end
 *              the process.
 * Structs      Those with struct_size only grow, at their ends, and struct_size says which members are there. Others, such as
 *              face_plugin_tensor in arrays, never change.
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

/* What the engine passes to a plug-in, and what that returns. */

/* How a call ended: a number of face_status. A plug-in uses these; the engine takes any other number for
 * FACE_PLUGIN_FAILED. */
typedef int32_t face_plugin_status;

enum {
  FACE_PLUGIN_OK = 0,
  FACE_PLUGIN_NO_MEMORY = 8,    /* there is not enough memory */
  FACE_PLUGIN_REFUSED = 9,      /* the network is damaged, or has no such blob */
  FACE_PLUGIN_UNSUPPORTED = 12, /* the plug-in cannot run such a network */
  FACE_PLUGIN_FAILED = 13       /* it did not work, and should have */
};

/* Forms of networks, bits of a set. */
typedef uint32_t face_plugin_formats;

enum {
  FACE_PLUGIN_NCNN = 1, /* ncnn's: a graph as text (a .param file) and its weights (the .bin file) */
  FACE_PLUGIN_ONNX = 2  /* an .onnx file */
};

/* A network to be loaded. */
typedef struct face_plugin_source {
  size_t struct_size;         /* set by the engine */
  face_plugin_formats format; /* one of them */
  uint32_t threads;           /* how many threads may work on one call of run, 1 to 16. A plug-in may use fewer */
  const void *graph;          /* the .param or .onnx file; a zero follows its bytes. The engine has checked that a .param file
                                 is whole: each layer has its fields, and its inputs are outputs of layers before it */
  size_t graph_size;          /* in bytes, without that zero */
  const void *weights;        /* the .bin file; NULL with an .onnx file, and if it is empty. It may be shorter or longer than the
                                 graph needs: a plug-in says so, and does not read on */
  size_t weights_size;        /* in bytes */
  const char *options;        /* what the user gave the plug-in to choose by, "" by default: a text of its own, in UTF-8 */
} face_plugin_source;

/* Values of a blob: 32-bit floats, channel by channel, each channel row by row. A blob with fewer axes has 1 for those that it
 * lacks, the channels first; an axis of batches, which is 1, does not count. */
typedef struct face_plugin_tensor {
  const char *name;        /* of the blob; in an output, what the engine asked for, or NULL */
  uint32_t channels;       /* 1 or more */
  uint32_t height;         /* 1 or more */
  uint32_t width;          /* 1 or more */
  uint32_t reserved;       /* 0 */
  size_t channel_stride;   /* floats from a channel to the next one, height * width or more */
  const float *values;     /* of the first channel; aligned to 16 bytes in an input */
} face_plugin_tensor;

/* A loaded network: the plug-in's own type. */
typedef struct face_plugin_network face_plugin_network;

/* One run of a network, which has its outputs: the plug-in's own type. */
typedef struct face_plugin_run face_plugin_run;

/* ---- The plug-in ---------------------------------------------------------------------------------------------- */

/* What a plug-in consists of: a table of functions, and the function that returns it. */

/* The functions of a plug-in, in static memory. None may be NULL. On failure each writes one sentence to `error`, a buffer of
 * `error_size` bytes that ends with a zero and is empty before: what was wrong. The engine begins it with the plug-in's name. */
typedef struct face_network_plugin_v1 {
  size_t struct_size;          /* sizeof(face_network_plugin_v1) where the plug-in was compiled */
  const char *name;            /* as in the name of its file; results and `face-engine models` say it of networks that it runs */
  const char *version;         /* of what runs them, for people */
  face_plugin_formats formats; /* what load takes */

  /* Loads a network.
   *
   * out_network  receives the network, which the engine passes to release once. */
  face_plugin_status (*load)(
      const face_plugin_source *source, face_plugin_network **out_network, char *error, size_t error_size);

  /* Runs a network. It does not change what is in `network` for other calls.
   *
   * inputs   blobs with their values, all that the network has.
   * names    the blobs that the engine wants.
   * outputs  receives their values, one for each name, in that order.
   * out_run  receives what finish releases, the outputs' values with it. */
  face_plugin_status (*run)(
      face_plugin_network *network, const face_plugin_tensor *inputs, size_t input_count, const char *const *names,
      size_t name_count, face_plugin_tensor *outputs, face_plugin_run **out_run, char *error, size_t error_size);

  /* Releases a run that succeeded. */
  void (*finish)(face_plugin_run *run);

  /* Releases a network. No call of run is under way, and every run is finished. */
  void (*release)(face_plugin_network *network);
} face_network_plugin_v1;

/* Exported by each plug-in. The engine calls it once, after opening the library, and keeps the library open.
 *
 * interface_version  the interface of the engine, a FACE_PLUGIN_INTERFACE.
 *
 * Returns the plug-in's table; NULL if it does not have that interface. */
FACE_PLUGIN_API const face_network_plugin_v1 *face_engine_plugin(uint32_t interface_version);

#ifdef __cplusplus
}
#endif

#endif
