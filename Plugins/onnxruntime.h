/* What the files of the plug-in onnxruntime share. */
#ifndef FACE_ENGINE_PLUGINS_ONNXRUNTIME_H
#define FACE_ENGINE_PLUGINS_ONNXRUNTIME_H

#include "failure.h"
#include "onnxruntime_api.h"

/* The library's functions; NULL until it is open. */
extern const ort_api *ort;
extern char ort_version[32];

/* Releases a status of onnxruntime, and writes `what` and its message as one line. Returns `otherwise` for a failure
 * that has no number of its own. */
face_plugin_status ort_check(ort_status *status, face_plugin_status otherwise, const char *what, char *error,
                             size_t error_size);

/* Has a session run what it can with the provider that `text` names, as in "CUDA,device_id=1"; the processor runs the
   rest. */
face_plugin_status choose_provider(ort_options *options, const char *text, char *error, size_t error_size);

#endif
