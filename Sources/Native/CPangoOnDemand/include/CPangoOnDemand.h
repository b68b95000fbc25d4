#ifndef CPANGOONDEMAND_H
#define CPANGOONDEMAND_H

/// Pango's text layout, from libpangocairo-1.0.so.0, which is loaded with the first text, so that a program
/// that draws no text does not need Pango. The functions are those of its reference; sizes are in
/// PANGO_SCALE, 1024 per pixel.
struct _cairo;
struct _FcConfig;
struct _PangoCairoFontMap;
struct _PangoFontDescription;
struct _PangoLayout;

struct face_pango_rectangle {
  int x, y, width, height;
};
struct face_pango {
  struct _PangoLayout *(*create_layout)(struct _cairo *context);
  void (*layout_path)(struct _cairo *context, struct _PangoLayout *layout);
  void (*show_layout)(struct _cairo *context, struct _PangoLayout *layout);
  void (*set_default_font_map)(struct _PangoCairoFontMap *map);
  struct _PangoFontDescription *(*font_description_new)(void);
  void (*font_description_free)(struct _PangoFontDescription *description);
  void (*font_description_set_family)(struct _PangoFontDescription *description, const char *family);
  void (*font_description_set_absolute_size)(struct _PangoFontDescription *description, double size);
  void (*layout_set_font_description)(struct _PangoLayout *layout, const struct _PangoFontDescription *description);
  void (*layout_set_single_paragraph_mode)(struct _PangoLayout *layout, int is_single);
  void (*layout_set_text)(struct _PangoLayout *layout, const char *text, int length);
  void (*layout_get_extents)(struct _PangoLayout *layout, struct face_pango_rectangle *ink,
                             struct face_pango_rectangle *logical);
  int (*layout_get_baseline)(struct _PangoLayout *layout);
  void (*object_unref)(void *object);
  int (*set_current_fonts)(struct _FcConfig *fonts);
};

/// Loads Pango. Any thread.
/// - Parameter cairo_version: the result of `cairo_version_string`. Pango draws with the libcairo that it is
///   linked to, which must be the same one; the string's address tells.
/// - Returns: NULL if Pango is missing, or draws with another libcairo.
const struct face_pango *face_pango_load(const char *cairo_version);

#endif
