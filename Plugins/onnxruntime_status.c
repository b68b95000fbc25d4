/* onnxruntime's functions, and what a failure of one becomes. */
#include "onnxruntime.h"

#include <string.h>

const ort_api *ort;
char ort_version[32] = "none";

face_plugin_status ort_check(ort_status *status, face_plugin_status otherwise, const char *what, char *error,
                             size_t error_size)
{
  if (!status) return FACE_PLUGIN_OK;
  char message[400];
  snprintf(message, sizeof message, "%s", ort->get_error_message(status));
  const int code = ort->get_error_code(status);
  ort->release_status(status);
  for (char *letter = message; *letter; letter++)
    if ((unsigned char)*letter < ' ') *letter = ' ';
  if (strstr(message, "bad_alloc") || strstr(message, "Failed to allocate memory"))
    return fail_without_memory(error, error_size);
  if (code == ORT_NOT_IMPLEMENTED) otherwise = FACE_PLUGIN_UNSUPPORTED;
  if (code == ORT_PROVIDER_FAILED) otherwise = FACE_PLUGIN_FAILED;
  return fail(otherwise, error, error_size, "%s: %s", what, message);
}
