#define _GNU_SOURCE
#include "CEnginePlugins.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "descriptors.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define FILE_OF "libfaceengine-%s.so." TEXT(FACE_PLUGIN_INTERFACE)

/* Replaces all other folders. Its value is ignored where the process has more rights than its user. */
static const char variable[] = "FACE_ENGINE_PLUGINS";

/* Where libraries are, as seen from a program of the same installation. */
static const char *const beside_program[] = {
    "",
    "/../lib",
#ifdef __x86_64__
    "/../lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/../lib/aarch64-linux-gnu",
#endif
    "/../lib64",
};

/* Writes the folder of the file that contains this code. Returns whether it is a program; -1 if it is unknown. */
static int own_folder(char path[PATH_MAX])
{
  Dl_info info;
  struct link_map *map = NULL;
  if (dladdr1((const void *)&own_folder, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || !map) return -1;
  const int is_program = map->l_name[0] == 0;
  if (is_program) {
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) return -1;
    path[length] = 0;
  } else {
    /* A relative one means another file once the process has changed its folder. */
    if (map->l_name[0] != '/' || strlen(map->l_name) >= PATH_MAX) return -1;
    strcpy(path, map->l_name);
  }
  char *slash = strrchr(path, '/');
  if (!slash) return -1;
  *slash = 0;
  return is_program;
}

int face_plugin_folder(unsigned index, char text[FACE_PLUGIN_TEXT_SIZE])
{
  const char *named = secure_getenv(variable);
  if (named && named[0]) {
    /* What is relative is nobody's choice but that of whoever owns the current folder. */
    if (index > 0 || named[0] != '/') return 0;
    return snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", named) < FACE_PLUGIN_TEXT_SIZE;
  }
  char folder[PATH_MAX];
  const int is_program = own_folder(folder);
  if (is_program < 0 || index >= (is_program ? sizeof beside_program / sizeof *beside_program : 1)) return 0;
  return snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s%s", folder, beside_program[index]) < FACE_PLUGIN_TEXT_SIZE;
}

/* The size of the table of a plug-in for the first release, which has no later members. */
static const size_t first_size =
    offsetof(face_network_plugin_v1, release) + sizeof((face_network_plugin_v1 *)NULL)->release;

/* Says what is wrong with a table; NULL if nothing is. */
static const char *fault(const face_network_plugin_v1 *table)
{
  if (!table) return "it does not have the interface " TEXT(FACE_PLUGIN_INTERFACE) ", which this version needs";
  if (table->struct_size < first_size) return "its table of functions is too short";
  if (!table->name || !table->version) return "it has no name or no version";
  if (!table->load || !table->run || !table->finish || !table->release) return "a function of its table is missing";
  return NULL;
}

static enum face_plugin_opened open_library(const char *file, const face_network_plugin_v1 **table,
                                            char text[FACE_PLUGIN_TEXT_SIZE])
{
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", reason ? reason : file);
    /* The loader fails without a descriptor as if the library were missing. */
    return face_posix_can_open() ? FACE_PLUGIN_UNUSABLE : FACE_PLUGIN_EXHAUSTED;
  }
  typedef const face_network_plugin_v1 *(*entry)(uint32_t);
  const entry enter = (entry)dlsym(library, "face_engine_plugin");
  const char *problem = "it is not a plug-in: it has no function face_engine_plugin";
  if (enter) {
    *table = enter(FACE_PLUGIN_INTERFACE);
    problem = fault(*table);
  }
  if (problem) {
    snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s: %s", file, problem);
    *table = NULL;
    dlclose(library);
    return FACE_PLUGIN_UNUSABLE;
  }
  const struct link_map *map = NULL;
  const int is_known = dlinfo(library, RTLD_DI_LINKMAP, (void *)&map) == 0;
  snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", is_known ? map->l_name : file);
  return FACE_PLUGIN_OPENED;
}

enum face_plugin_opened face_plugin_open_file(const char *path, const face_network_plugin_v1 **table,
                                              char text[FACE_PLUGIN_TEXT_SIZE])
{
  *table = NULL;
  if (path[0] != '/' || access(path, F_OK) != 0) {
    snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", path);
    return FACE_PLUGIN_MISSING;
  }
  return open_library(path, table, text);
}

enum face_plugin_opened face_plugin_open(const char *name, const face_network_plugin_v1 **table,
                                         char text[FACE_PLUGIN_TEXT_SIZE])
{
  char file[NAME_MAX + 1], path[PATH_MAX], folder[FACE_PLUGIN_TEXT_SIZE];
  *table = NULL;
  const int length = snprintf(file, sizeof file, FILE_OF, name);
  if (length < 0 || (size_t)length >= sizeof file || strchr(name, '/')) {
    snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", name);
    return FACE_PLUGIN_MISSING;
  }
  for (unsigned index = 0; face_plugin_folder(index, folder); index++) {
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const enum face_plugin_opened opened = face_plugin_open_file(path, table, text);
    if (opened != FACE_PLUGIN_MISSING) return opened;
  }
  const char *named = secure_getenv(variable);
  if (named && named[0]) {
    snprintf(text, FACE_PLUGIN_TEXT_SIZE, "%s", file);
    return FACE_PLUGIN_MISSING;
  }
  const enum face_plugin_opened opened = open_library(file, table, text);
  /* The loader calls what it found by its path, and by its name what it did not. */
  const size_t characters = strlen(file);
  const int is_missing =
      opened == FACE_PLUGIN_UNUSABLE && strncmp(text, file, characters) == 0 && text[characters] == ':';
  return is_missing ? FACE_PLUGIN_MISSING : opened;
}
