#define _GNU_SOURCE
#include "CPosixShims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 8, LATE = 256 };

static _Thread_local struct {
  char *all[TEXTS];
  unsigned last;
  int has_begun, has_ended;
  /* The text of a call by a destructor that runs after `release`, cut where it is too long. */
  char late[LATE];
} texts;

/* Has glibc call `destructor` when the calling thread ends, before the destructors of pthread keys; C++ destroys its
   thread_local objects by it. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void release(void *unused)
{
  (void)unused;
  for (int i = 0; i < TEXTS; i++) {
    free(texts.all[i]);
    texts.all[i] = NULL;
  }
  texts.has_ended = 1;
}

void face_posix_set_text(const char *text)
{
  if (texts.has_ended) {
    snprintf(texts.late, sizeof texts.late, "%s", text);
    return;
  }
  if (!texts.has_begun) {
    texts.has_begun = 1;
    __cxa_thread_atexit_impl(release, NULL, &__dso_handle);
  }
  texts.last = (texts.last + 1) % TEXTS;
  free(texts.all[texts.last]);
  texts.all[texts.last] = strdup(text);
}

const char *face_posix_text(void) { return texts.has_ended ? texts.late : texts.all[texts.last]; }
