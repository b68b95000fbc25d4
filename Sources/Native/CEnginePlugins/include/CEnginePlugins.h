/* Opens plug-ins, the libraries of include/face_engine_plugin.h, when one is needed. */
#ifndef FACE_ENGINE_CENGINEPLUGINS_H
#define FACE_ENGINE_CENGINEPLUGINS_H

#include "face_engine_plugin.h"

enum face_plugin_opened {
  FACE_PLUGIN_OPENED,
  FACE_PLUGIN_MISSING,   /* there is no such file where plug-ins are */
  FACE_PLUGIN_UNUSABLE,  /* the loader refuses it, or it is no plug-in of this interface */
  FACE_PLUGIN_EXHAUSTED, /* no descriptor or memory is left to open it */
};

enum { FACE_PLUGIN_TEXT_SIZE = 512 };

/* Opens the plug-in `name` and checks its table. An open plug-in stays open.
 * - text: receives the plug-in's path, or after a failure what was wrong, as in "/usr/lib/x: undefined symbol: y". */
enum face_plugin_opened face_plugin_open(const char *name, const face_network_plugin_v1 **table,
                                         char text[FACE_PLUGIN_TEXT_SIZE]);

/* Does the same with the file at `path`. */
enum face_plugin_opened face_plugin_open_file(const char *path, const face_network_plugin_v1 **table,
                                              char text[FACE_PLUGIN_TEXT_SIZE]);

/* Writes the folder with the number `index`, in the order in which they are searched; the loader's own come after the
 * last. Returns 0 after the last one. */
int face_plugin_folder(unsigned index, char text[FACE_PLUGIN_TEXT_SIZE]);

#endif
