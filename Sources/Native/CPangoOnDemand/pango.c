#include "CPangoOnDemand.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "CPosixShims.h"

static struct face_pango pango;
/// The version string of the libcairo that Pango draws with; NULL if Pango is missing or lacks a function,
/// or a host has left no keys for it.
static const char *cairo_of_pango;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  static const struct {
    const char *name;
    size_t member;
  } functions[] = {
      {"pango_cairo_create_layout", offsetof(struct face_pango, create_layout)},
      {"pango_cairo_layout_path", offsetof(struct face_pango, layout_path)},
      {"pango_cairo_show_layout", offsetof(struct face_pango, show_layout)},
      {"pango_cairo_font_map_set_default", offsetof(struct face_pango, set_default_font_map)},
      {"pango_font_description_new", offsetof(struct face_pango, font_description_new)},
      {"pango_font_description_free", offsetof(struct face_pango, font_description_free)},
      {"pango_font_description_set_family", offsetof(struct face_pango, font_description_set_family)},
      {"pango_font_description_set_absolute_size", offsetof(struct face_pango, font_description_set_absolute_size)},
      {"pango_layout_set_font_description", offsetof(struct face_pango, layout_set_font_description)},
      {"pango_layout_set_single_paragraph_mode", offsetof(struct face_pango, layout_set_single_paragraph_mode)},
      {"pango_layout_set_text", offsetof(struct face_pango, layout_set_text)},
      {"pango_layout_get_extents", offsetof(struct face_pango, layout_get_extents)},
      {"pango_layout_get_baseline", offsetof(struct face_pango, layout_get_baseline)},
      {"g_object_unref", offsetof(struct face_pango, object_unref)},
      {"FcConfigSetCurrent", offsetof(struct face_pango, set_current_fonts)},
  };
  if (!face_posix_has_keys()) return;
  void *library = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  // A library's handle also has the functions of the libraries that it is linked to.
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    void *function = dlsym(library, functions[index].name);
    if (!function) return;
    *(void **)((char *)&pango + functions[index].member) = function;
  }
  const char *(*version)(void) = (const char *(*)(void))dlsym(library, "cairo_version_string");
  if (version) cairo_of_pango = version();
}

const struct face_pango *face_pango_load(const char *cairo_version)
{
  pthread_once(&once, load);
  return cairo_of_pango && cairo_of_pango == cairo_version ? &pango : NULL;
}
