/* A host that closes a library while a thread that has called it keeps running: the library stays, and the thread ends.
 *     unloaded LIBRARY [FUNCTION]      FUNCTION fails for a path and leaves an error text, as face_load_model does */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*function)(const char *path, void **made);
static sem_t called, closed;

static void *call(void *status)
{
  void *made = NULL;
  if (function != NULL) *(int *)status = function("/no/such", &made);
  sem_post(&called);
  sem_wait(&closed);
  return NULL;
}

static int is_mapped(const char *library)
{
  char line[2 * PATH_MAX], path[PATH_MAX]; /* without symbolic links, as the kernel names it */
  int mapped = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL || realpath(library, path) == NULL) return 0;
  while (fgets(line, sizeof line, maps) != NULL) mapped += strstr(line, path) != NULL;
  fclose(maps);
  return mapped > 0;
}

int main(int argc, char **argv)
{
  pthread_t thread;
  int status = 0;
  if (argc < 2) return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library != NULL && argc > 2) function = (int (*)(const char *, void **))dlsym(library, argv[2]);
  if (library == NULL || (argc > 2 && function == NULL)) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  sem_init(&called, 0, 0);
  sem_init(&closed, 0, 0);
  if (pthread_create(&thread, NULL, call, &status) != 0) return 2;
  sem_wait(&called);
  const int failed = dlclose(library) != 0 || !is_mapped(argv[1]);
  if (failed) fprintf(stderr, "dlclose has unloaded %s\n", argv[1]);
  sem_post(&closed);
  pthread_join(thread, NULL);
  return failed || (argc > 2 && status == 0);
}
