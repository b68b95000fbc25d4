/* Calls that RLIMIT_FSIZE limits. Above it they fail with EFBIG; SIGXFSZ does not reach the process, whatever a host
   does with that signal. */
#ifndef FACE_ENGINE_CPOSIX_FILE_LIMIT_H
#define FACE_ENGINE_CPOSIX_FILE_LIMIT_H

#include <stdint.h>
#include <sys/types.h>

/* Returns the limit in bytes; -1 if there is none. getrlimit(2), RLIMIT_FSIZE */
int64_t face_posix_file_limit(void);

/* Sets the size of a file or of shared memory. Returns 0, or -1 with errno. ftruncate(2) */
int face_posix_resize(int descriptor, int64_t size);

/* Returns the bytes written, or -1 with errno. write(2) */
ssize_t face_posix_write(int descriptor, const void *bytes, size_t count);

#endif
