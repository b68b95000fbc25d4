/* What every plug-in needs to report a failure. */
#ifndef FACE_ENGINE_PLUGINS_FAILURE_H
#define FACE_ENGINE_PLUGINS_FAILURE_H

#include "face_engine_plugin.h"

#include <stdarg.h>
#include <stdio.h>

/* Writes a sentence to `error` and returns `status`. */
__attribute__((format(printf, 4, 5))) static inline face_plugin_status fail(face_plugin_status status, char *error,
                                                                            size_t error_size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, error_size, format, arguments);
  va_end(arguments);
  return status;
}

static inline face_plugin_status fail_without_memory(char *error, size_t error_size)
{
  return fail(FACE_PLUGIN_NO_MEMORY, error, error_size,
              "no memory for the network; use a smaller image or a lower max_side, or free some memory and try again");
}

#endif
