#include "properties.h"

/* Where a property's value is. */
typedef struct {
  gsize offset;
  guint32 bits; /* of a switch: its own bits of a member that several share */
} Place;

static GQuark place_quark(void) { return g_quark_from_static_string("faceengine-place"); }

static void install(GObjectClass *klass, GParamSpec *spec, Place place)
{
  Place *own = g_new(Place, 1);
  *own = place;
  g_param_spec_set_qdata_full(spec, place_quark(), own, g_free);
  g_object_class_install_property(klass, GST_FACE_PROP_MEMBER, spec);
}

void gst_face_properties_add(GObjectClass *klass, gsize offset, GParamSpec *spec)
{
  install(klass, spec, (Place){offset, TRUE});
}

void gst_face_properties_add_switch(GObjectClass *klass, gsize offset, const gchar *name, const gchar *blurb,
                                    gboolean initially)
{
  gst_face_properties_add(klass, offset, g_param_spec_boolean(name, NULL, blurb, initially, GST_FACE_ANY_TIME));
}

void gst_face_properties_add_enum(GObjectClass *klass, gsize offset, const gchar *name, const gchar *blurb,
                                  GParamFlags flags, const gchar *type_name, const GEnumValue *values, gint initially)
{
  GType type = g_enum_register_static(type_name, values);
  gst_type_mark_as_plugin_api(type, 0);
  gst_face_properties_add(klass, offset, g_param_spec_enum(name, NULL, blurb, type, initially, flags));
}

static gfloat as_float(gdouble number) { return (gfloat)MIN(number, G_MAXFLOAT); }

static guint as_uint(gdouble number) { return number < G_MAXUINT ? (guint)number : G_MAXUINT; }

static guint64 as_uint64(gdouble number) { return number < (gdouble)G_MAXUINT64 ? (guint64)number : G_MAXUINT64; }

static GParamSpec *time_spec(const face_option *option)
{
  gchar *blurb = g_strconcat(option->meaning, " In nanoseconds.", NULL);
  GParamSpec *spec = g_param_spec_uint64(option->flag, NULL, blurb, as_uint64(option->least), as_uint64(option->most),
                                         as_uint64(option->standard), GST_FACE_ANY_TIME);
  g_free(blurb);
  return spec;
}

/* The property of an option; NULL for a kind that a newer library has. */
static GParamSpec *option_spec(const face_option *option)
{
  switch (option->kind) {
  case FACE_OPTION_KIND_FLOAT:
    return g_param_spec_float(option->flag, NULL, option->meaning, as_float(option->least), as_float(option->most),
                              as_float(option->standard), GST_FACE_ANY_TIME);
  case FACE_OPTION_KIND_COUNT:
    return g_param_spec_uint(option->flag, NULL, option->meaning, as_uint(option->least), as_uint(option->most),
                             as_uint(option->standard), GST_FACE_ANY_TIME);
  case FACE_OPTION_KIND_NANOSECONDS: return time_spec(option);
  case FACE_OPTION_KIND_SWITCH:
    return g_param_spec_boolean(option->flag, NULL, option->meaning, FALSE, GST_FACE_ANY_TIME);
  default: return NULL;
  }
}

void gst_face_properties_add_options(GObjectClass *klass, gsize offset, gsize size, face_option_group group)
{
  const face_option *option;
  for (guint index = 0; (option = face_option_at(group, index, size)) != NULL; index++) {
    if (*option->flag == '\0') continue;
    /* Nothing in a pipeline says which faces those are. */
    if (g_str_equal(option->name, "followed_only")) continue;
    GParamSpec *spec = option_spec(option);
    if (spec != NULL) gst_face_properties_add(klass, offset + option->offset, spec);
  }
}

void gst_face_properties_add_outputs(GObjectClass *klass, gsize offset)
{
  const face_output *output, *other;
  for (guint index = 0; (output = face_output_at(index)) != NULL; index++) {
    if (g_object_class_find_property(klass, output->flag) != NULL) continue;
    GString *blurb = g_string_new(output->meaning);
    Place place = {offset, output->bit};
    for (guint next = index + 1; (other = face_output_at(next)) != NULL; next++) {
      if (!g_str_equal(other->flag, output->flag)) continue;
      g_string_append_printf(blurb, " %s", other->meaning);
      place.bits |= other->bit;
    }
    install(klass, g_param_spec_boolean(output->flag, NULL, blurb->str, FALSE, GST_FACE_ANY_TIME), place);
    g_string_free(blurb, TRUE);
  }
}

static const Place *place_of(GParamSpec *spec) { return g_param_spec_get_qdata(spec, place_quark()); }

static void set_string(gchar **string, const GValue *value)
{
  g_free(*string);
  *string = g_value_dup_string(value);
}

static void set_bits(guint32 *member, guint32 bits, gboolean is_on)
{
  *member = is_on ? *member | bits : *member & ~bits;
}

void gst_face_properties_set(gpointer members, GParamSpec *spec, const GValue *value)
{
  const Place *place = place_of(spec);
  gpointer member = G_STRUCT_MEMBER_P(members, place->offset);
  switch (G_TYPE_FUNDAMENTAL(spec->value_type)) {
  case G_TYPE_STRING: set_string(member, value); break;
  case G_TYPE_FLOAT: *(gfloat *)member = g_value_get_float(value); break;
  case G_TYPE_UINT64: *(guint64 *)member = g_value_get_uint64(value); break;
  case G_TYPE_UINT: *(guint32 *)member = g_value_get_uint(value); break;
  case G_TYPE_ENUM: *(guint32 *)member = (guint32)g_value_get_enum(value); break;
  case G_TYPE_BOOLEAN: set_bits(member, place->bits, g_value_get_boolean(value)); break;
  default: g_assert_not_reached();
  }
}

void gst_face_properties_get(gconstpointer members, GParamSpec *spec, GValue *value)
{
  const Place *place = place_of(spec);
  gconstpointer member = (const guint8 *)members + place->offset;
  switch (G_TYPE_FUNDAMENTAL(spec->value_type)) {
  case G_TYPE_STRING: g_value_set_string(value, *(const gchar *const *)member); break;
  case G_TYPE_FLOAT: g_value_set_float(value, *(const gfloat *)member); break;
  case G_TYPE_UINT64: g_value_set_uint64(value, *(const guint64 *)member); break;
  case G_TYPE_UINT: g_value_set_uint(value, *(const guint32 *)member); break;
  case G_TYPE_ENUM: g_value_set_enum(value, *(const gint32 *)member); break;
  case G_TYPE_BOOLEAN: g_value_set_boolean(value, (*(const guint32 *)member & place->bits) != 0); break;
  default: g_assert_not_reached();
  }
}
