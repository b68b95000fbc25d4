/* Calls every function that a library exports, with zeros, and expects it to disable cancellation of the calling
 *     thread. uncancelled LIBRARY exports.map */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int disabled;

/* Stands before the C library's own for the library, too, and counts. */
int pthread_setcancelstate(int state, int *before)
{
  static int (*set)(int, int *);
  if (set == NULL) set = (int (*)(int, int *))dlsym(RTLD_NEXT, "pthread_setcancelstate");
  if (state == PTHREAD_CANCEL_DISABLE) disabled++;
  return set(state, before);
}

/* Functions that neither wait nor lock: they read constants, the caller's struct or the thread's own text. */
static int is_pure(const char *name)
{
  static const char *const all[] = {"face_abi_version",     "face_version_string", "face_last_error",
                                    "face_draw_last_error", "face_tip_text",       "face_draw_colour_of_id"};
  static const char *const ends[] = {"_init_sized", "_name"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(name, all[i]) == 0) return 1;
  }
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t length = strlen(ends[i]);
    if (strlen(name) > length && strcmp(name + strlen(name) - length, ends[i]) == 0) return 1;
  }
  return 0;
}

/* No function has more arguments, and each accepts zeros: it refuses them, or does nothing. */
typedef void (*exported)(void *, void *, void *, void *, void *, void *, void *);

int main(int argc, char **argv)
{
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  FILE *map = library == NULL ? NULL : fopen(argv[2], "r");
  if (map == NULL) return 2;
  int called = 0, failed = 0;
  char name[128];
  while (fscanf(map, "%127s", name) == 1) {
    char *end = strchr(name, ';');
    if (strncmp(name, "face_", 5) != 0 || end == NULL) continue;
    *end = 0;
    const exported call = (exported)dlsym(library, name);
    int state = PTHREAD_CANCEL_DISABLE;
    disabled = 0;
    if (call != NULL) call(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    const int has_disabled = disabled;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    called += call != NULL;
    if (call != NULL && (is_pure(name) || has_disabled) && state == PTHREAD_CANCEL_ENABLE) continue;
    fprintf(stderr, "%s is not exported, leaves cancellation enabled, or does not restore it\n", name);
    failed++;
  }
  fclose(map);
  if (called == 0) fprintf(stderr, "there is no function in %s\n", argv[2]);
  return failed > 0 || called == 0;
}
