/* GstAnalyticsRelationMeta, which GStreamer has since 1.24. The library is opened when it is there, so that a plug-in
 * that was compiled for 1.22 writes it, too: the package of Debian 12 is that of 13. */
#include "analytics.h"

#include <dlfcn.h>

#include "debug.h"

/* As gst/analytics declares them. */
typedef struct {
  guint id;
  gpointer meta;
} Mtd;

#define RELATE_TO (1 << 3)

static struct {
  gpointer (*add_meta)(GstBuffer *buffer);
  gboolean (*add_detection)(gpointer meta, GQuark type, gint x, gint y, gint width, gint height, gfloat confidence,
                            Mtd *mtd);
  gboolean (*add_tracking)(gpointer meta, guint64 id, GstClockTime first_seen, Mtd *mtd);
  gboolean (*add_classes)(gpointer meta, gsize count, gfloat *confidences, GQuark *names, Mtd *mtd);
  gboolean (*see)(Mtd *mtd, GstClockTime last_seen);
  gboolean (*set_relation)(gpointer meta, gint type, guint first, guint second);
} analytics;

static gboolean find_analytics(void)
{
  static gsize known; /* 1: there are none, 2: they were found */
  if (g_once_init_enter(&known)) {
    void *library = dlopen("libgstanalytics-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
    gsize found = 1;
    if (library != NULL) {
      *(void **)&analytics.add_meta = dlsym(library, "gst_buffer_add_analytics_relation_meta");
      *(void **)&analytics.add_detection = dlsym(library, "gst_analytics_relation_meta_add_od_mtd");
      *(void **)&analytics.add_tracking = dlsym(library, "gst_analytics_relation_meta_add_tracking_mtd");
      *(void **)&analytics.add_classes = dlsym(library, "gst_analytics_relation_meta_add_cls_mtd");
      *(void **)&analytics.see = dlsym(library, "gst_analytics_tracking_mtd_update_last_seen");
      *(void **)&analytics.set_relation = dlsym(library, "gst_analytics_relation_meta_set_relation");
      if (analytics.add_meta != NULL && analytics.add_detection != NULL && analytics.add_tracking != NULL &&
          analytics.add_classes != NULL && analytics.see != NULL && analytics.set_relation != NULL)
        found = 2;
    }
    GST_INFO("GstAnalyticsRelationMeta: %s", found == 2 ? "written" : "not in this GStreamer");
    g_once_init_leave(&known, found);
  }
  return known == 2;
}

static void add_tracking(gpointer meta, const Mtd *detection, const GstFace *face, GstClockTime last_seen)
{
  Mtd tracking;
  if ((face->info.valid & FACE_VALID_ID) == 0) return;
  if (!analytics.add_tracking(meta, face->info.id, face->first_seen, &tracking)) return;
  analytics.see(&tracking, last_seen);
  analytics.set_relation(meta, RELATE_TO, detection->id, tracking.id);
}

/* The expressions as a classification: a confidence for each name. */
static void add_expressions(gpointer meta, const Mtd *detection, const GstFace *face)
{
  Mtd classes;
  GQuark names[FACE_EXPRESSION_COUNT];
  if (face->expressions == NULL) return;
  for (guint index = 0; index < FACE_EXPRESSION_COUNT; index++)
    names[index] = g_quark_from_static_string(face_expression_name(index));
  if (analytics.add_classes(meta, FACE_EXPRESSION_COUNT, face->expressions, names, &classes))
    analytics.set_relation(meta, RELATE_TO, detection->id, classes.id);
}

void gst_face_add_analytics(GstBuffer *buffer, const GstFaceList *list, gint width, gint height)
{
  if (!find_analytics()) return;
  /* The one that other detectors have begun, if there is one. */
  gpointer meta = analytics.add_meta(buffer);
  if (meta == NULL) return;
  GQuark type = g_quark_from_static_string("face");
  for (guint index = 0; index < list->count; index++) {
    const GstFace *face = &list->faces[index];
    gint x, y, box_width, box_height;
    Mtd detection;
    if (!gst_face_pixels(face, width, height, &x, &y, &box_width, &box_height)) continue;
    if (!analytics.add_detection(meta, type, x, y, box_width, box_height, face->info.confidence, &detection)) continue;
    add_tracking(meta, &detection, face, list->stamp.pts);
    add_expressions(meta, &detection, face);
  }
}
