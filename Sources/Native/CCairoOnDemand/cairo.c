/// The functions of <cairo/cairo.h> that Rendering calls, forwarded to libcairo.so.2, which is loaded at the
/// first call and stays loaded. If the program is linked to a libcairo after this library, as the Python
/// package is to a copy of its own, that one is used.
#define _GNU_SOURCE // RTLD_NEXT
// Hidden from all others, libcairo in particular.
#define cairo_public __attribute__((visibility("hidden")))

#include <cairo/cairo.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/// Returns NULL where it is missing.
static void *find(_Atomic(void *) *known, const char *name)
{
  void *function = atomic_load_explicit(known, memory_order_acquire);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function) {
    // The loader counts the calls, and loads only once.
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    function = dlsym(library, name);
  }
  atomic_store_explicit(known, function, memory_order_release);
  return function;
}

/// `missing` is the return value without libcairo.
#define FUNCTION(result, name, parameters, arguments, missing)                \
  result name parameters                                                      \
  {                                                                           \
    static _Atomic(void *) known;                                             \
    result(*function) parameters = (result(*) parameters)find(&known, #name); \
    return function ? function arguments : missing;                           \
  }
#define ACTION(name, parameters, arguments)                               \
  void name parameters                                                    \
  {                                                                       \
    static _Atomic(void *) known;                                         \
    void(*function) parameters = (void(*) parameters)find(&known, #name); \
    if (function) function arguments;                                     \
  }

FUNCTION(cairo_surface_t *, cairo_image_surface_create_for_data,
         (unsigned char *data, cairo_format_t format, int width, int height, int stride),
         (data, format, width, height, stride), NULL)
FUNCTION(cairo_status_t, cairo_surface_status, (cairo_surface_t * surface), (surface), CAIRO_STATUS_NULL_POINTER)
FUNCTION(const char *, cairo_status_to_string, (cairo_status_t status), (status), "libcairo.so.2 is missing")
FUNCTION(cairo_t *, cairo_create, (cairo_surface_t * target), (target), NULL)
FUNCTION(cairo_pattern_t *, cairo_get_source, (cairo_t * context), (context), NULL)
ACTION(cairo_surface_destroy, (cairo_surface_t * surface), (surface))
ACTION(cairo_surface_flush, (cairo_surface_t * surface), (surface))
ACTION(cairo_destroy, (cairo_t * context), (context))
ACTION(cairo_save, (cairo_t * context), (context))
ACTION(cairo_restore, (cairo_t * context), (context))
ACTION(cairo_set_antialias, (cairo_t * context, cairo_antialias_t antialias), (context, antialias))
ACTION(cairo_set_fill_rule, (cairo_t * context, cairo_fill_rule_t rule), (context, rule))
ACTION(cairo_set_line_width, (cairo_t * context, double width), (context, width))
ACTION(cairo_set_line_join, (cairo_t * context, cairo_line_join_t join), (context, join))
ACTION(cairo_set_line_cap, (cairo_t * context, cairo_line_cap_t cap), (context, cap))
ACTION(cairo_set_matrix, (cairo_t * context, const cairo_matrix_t *matrix), (context, matrix))
ACTION(cairo_set_source_rgba, (cairo_t * context, double red, double green, double blue, double alpha),
       (context, red, green, blue, alpha))
ACTION(cairo_set_source_surface, (cairo_t * context, cairo_surface_t *surface, double x, double y),
       (context, surface, x, y))
ACTION(cairo_pattern_set_filter, (cairo_pattern_t * pattern, cairo_filter_t filter), (pattern, filter))
ACTION(cairo_new_path, (cairo_t * context), (context))
ACTION(cairo_new_sub_path, (cairo_t * context), (context))
ACTION(cairo_close_path, (cairo_t * context), (context))
ACTION(cairo_move_to, (cairo_t * context, double x, double y), (context, x, y))
ACTION(cairo_line_to, (cairo_t * context, double x, double y), (context, x, y))
ACTION(cairo_arc, (cairo_t * context, double x, double y, double radius, double from, double to),
       (context, x, y, radius, from, to))
ACTION(cairo_rectangle, (cairo_t * context, double x, double y, double width, double height),
       (context, x, y, width, height))
ACTION(cairo_fill, (cairo_t * context), (context))
ACTION(cairo_stroke, (cairo_t * context), (context))
ACTION(cairo_stroke_preserve, (cairo_t * context), (context))
ACTION(cairo_select_font_face,
       (cairo_t * context, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight),
       (context, family, slant, weight))
ACTION(cairo_set_font_size, (cairo_t * context, double size), (context, size))
ACTION(cairo_text_extents, (cairo_t * context, const char *text, cairo_text_extents_t *extents),
       (context, text, extents))
ACTION(cairo_text_path, (cairo_t * context, const char *text), (context, text))
ACTION(cairo_font_extents, (cairo_t * context, cairo_font_extents_t *extents), (context, extents))
FUNCTION(const char *, cairo_version_string, (void), (), NULL)
FUNCTION(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height),
         (format, width, height), NULL)
FUNCTION(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t * surface), (surface), NULL)
FUNCTION(int, cairo_image_surface_get_width, (cairo_surface_t * surface), (surface), 0)
FUNCTION(int, cairo_image_surface_get_height, (cairo_surface_t * surface), (surface), 0)
FUNCTION(int, cairo_image_surface_get_stride, (cairo_surface_t * surface), (surface), 0)
FUNCTION(cairo_status_t, cairo_status, (cairo_t * context), (context), CAIRO_STATUS_NULL_POINTER)
ACTION(cairo_surface_mark_dirty, (cairo_surface_t * surface), (surface))
ACTION(cairo_paint, (cairo_t * context), (context))
ACTION(cairo_scale, (cairo_t * context, double x, double y), (context, x, y))
ACTION(cairo_transform, (cairo_t * context, const cairo_matrix_t *matrix), (context, matrix))
