// What Swift's libraries of Debian sid call of glibc 2.38 and Debian 12's, 2.36, does not have; in libraries and
// command alone.
//
// __isoc23_* are the functions of the same names, which since C23 also take numbers like 0b101; these do not, as on
// Debian 12 itself.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIM __attribute__((visibility("hidden")))

SHIM long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
SHIM long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

SHIM int __isoc23_sscanf(const char *text, const char *format, ...)
{
  va_list values;
  va_start(values, format);
  int count = vsscanf(text, format, values);
  va_end(values);
  return count;
}

SHIM size_t strlcpy(char *to, const char *from, size_t size)
{
  size_t length = strlen(from);
  if (size) {
    size_t copied = length < size ? length : size - 1;
    memcpy(to, from, copied);
    to[copied] = 0;
  }
  return length;
}
