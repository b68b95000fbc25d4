#include "element.h"

#include "debug.h"
#include "frames.h"
#include "messages.h"

/* What mode every adds to the latency where the frames have no rate. */
#define LATENCY_WITHOUT_RATE (40 * GST_MSECOND)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_FACE_CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_FACE_CAPS));

G_DEFINE_TYPE(GstFaceEngine, gst_face_engine, GST_TYPE_BASE_TRANSFORM)

/* ---- Properties */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstFaceEngine *self = GST_FACE_ENGINE(object);
  GST_OBJECT_LOCK(self);
  gchar *refusal = gst_face_settings_set(&self->settings, id, spec, value, self->is_running);
  if (refusal == NULL) {
    self->changes++;
    if (self->analysis != NULL)
      gst_face_analysis_configure(self->analysis, &self->settings, gst_face_settings_reopens(spec));
  }
  GST_OBJECT_UNLOCK(self);
  if (refusal != NULL) gst_face_refuse(GST_ELEMENT(self), refusal);
  g_free(refusal);
}

/* Under the object's lock. */
static GstStructure *statistics(GstFaceEngine *self)
{
  guint64 searched = 0, imported = 0;
  if (self->analysis != NULL) gst_face_analysis_count(self->analysis, &searched, &imported);
  return gst_structure_new("application/x-face-engine-stats", "passed", G_TYPE_UINT64, self->passed, "searched",
                           G_TYPE_UINT64, searched, "replaced", G_TYPE_UINT64, self->replaced, "imported",
                           G_TYPE_UINT64, imported, NULL);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstFaceEngine *self = GST_FACE_ENGINE(object);
  GST_OBJECT_LOCK(self);
  if (id == GST_FACE_PROP_STATS) {
    g_value_take_boxed(value, statistics(self));
  } else {
    gst_face_settings_get(&self->settings, id, spec, value);
  }
  GST_OBJECT_UNLOCK(self);
}

/* ---- States */

static gboolean start(GstBaseTransform *transform)
{
  GstFaceEngine *self = GST_FACE_ENGINE(transform);
  GstFaceSettings settings = {0};
  GST_OBJECT_LOCK(self);
  gst_face_settings_copy(&settings, &self->settings);
  self->is_running = TRUE;
  guint changes = self->changes;
  GST_OBJECT_UNLOCK(self);
  GstFaceAnalysis *analysis = gst_face_analysis_open(GST_ELEMENT(self), &settings);
  GST_OBJECT_LOCK(self);
  self->is_running = analysis != NULL;
  if (analysis != NULL) {
    self->analysis = analysis;
    if (changes != self->changes) gst_face_analysis_configure(analysis, &self->settings, TRUE);
    self->worker = settings.mode == GST_FACE_MODE_NEWEST ? gst_face_worker_start(analysis) : NULL;
    self->passed = self->replaced = 0;
    self->has_warned = FALSE;
    self->next_search = GST_CLOCK_TIME_NONE;
  }
  GST_OBJECT_UNLOCK(self);
  gst_face_settings_clear(&settings);
  return analysis != NULL;
}

static gboolean stop(GstBaseTransform *transform)
{
  GstFaceEngine *self = GST_FACE_ENGINE(transform);
  GST_OBJECT_LOCK(self);
  GstFaceAnalysis *analysis = g_steal_pointer(&self->analysis);
  GstFaceWorker *worker = g_steal_pointer(&self->worker);
  self->is_running = FALSE;
  GST_OBJECT_UNLOCK(self);
  gst_face_analysis_unblock(analysis, TRUE);
  gst_face_worker_stop(worker);
  gst_face_analysis_close(analysis);
  gst_face_engine_drop_copies(self);
  gst_face_covers_forget(&self->covers);
  return TRUE;
}

/* Before the pads are deactivated, which waits for the streaming thread. */
static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstFaceEngine *self = GST_FACE_ENGINE(element);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && self->analysis != NULL) {
    gst_face_analysis_unblock(self->analysis, TRUE);
    if (self->worker != NULL) gst_face_worker_clear(self->worker);
  }
  return GST_ELEMENT_CLASS(gst_face_engine_parent_class)->change_state(element, transition);
}

/* ---- Negotiation */

static gboolean set_caps(GstBaseTransform *transform, GstCaps *incoming, GstCaps *outgoing)
{
  GstFaceEngine *self = GST_FACE_ENGINE(transform);
  GstVideoInfo info;
  (void)outgoing;
  if (!gst_video_info_from_caps(&info, incoming)) return FALSE;
  gst_face_engine_drop_copies(self);
  /* Boxes of the frames before mean nothing on these. */
  if (self->worker != NULL) gst_face_worker_clear(self->worker);
  gst_face_covers_forget(&self->covers);
  self->info = info;
  GST_DEBUG_OBJECT(self, "frames are %" GST_PTR_FORMAT, incoming);
  return TRUE;
}

/* Strides and offsets of any kind are read from GstVideoMeta. */
static gboolean propose_allocation(GstBaseTransform *transform, GstQuery *decided, GstQuery *query)
{
  if (!GST_BASE_TRANSFORM_CLASS(gst_face_engine_parent_class)->propose_allocation(transform, decided, query))
    return FALSE;
  if (!gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* ---- Events and queries */

static gboolean sink_event(GstBaseTransform *transform, GstEvent *event)
{
  GstFaceEngine *self = GST_FACE_ENGINE(transform);
  if (self->analysis != NULL) {
    switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START:
      gst_face_analysis_unblock(self->analysis, TRUE);
      if (self->worker != NULL) gst_face_worker_clear(self->worker);
      break;
    case GST_EVENT_FLUSH_STOP:
      /* Another part of the stream follows, so the faces that were in view are not expected there. */
      gst_face_analysis_configure(self->analysis, NULL, TRUE);
      if (self->worker != NULL) gst_face_worker_clear(self->worker);
      gst_face_analysis_unblock(self->analysis, FALSE);
      self->next_search = GST_CLOCK_TIME_NONE;
      break;
    case GST_EVENT_EOS:
      /* The messages of the last frame come before that of the end. */
      if (self->worker != NULL) {
        gst_face_worker_drain(self->worker);
        gst_face_engine_judge_speed(self);
      }
      gst_face_analysis_post_best(self->analysis);
      break;
    default: break;
    }
  }
  return GST_BASE_TRANSFORM_CLASS(gst_face_engine_parent_class)->sink_event(transform, event);
}

/* Mode every holds each frame: for as long as a frame lasts, if the engine keeps up. */
static gboolean query(GstBaseTransform *transform, GstPadDirection direction, GstQuery *query)
{
  GstFaceEngine *self = GST_FACE_ENGINE(transform);
  if (!GST_BASE_TRANSFORM_CLASS(gst_face_engine_parent_class)->query(transform, direction, query)) return FALSE;
  if (direction != GST_PAD_SRC || GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return TRUE;
  GST_OBJECT_LOCK(self);
  gboolean waits = self->settings.mode == GST_FACE_MODE_EVERY;
  GST_OBJECT_UNLOCK(self);
  if (!waits) return TRUE;
  gboolean is_live;
  GstClockTime least, most;
  GstClockTime own = LATENCY_WITHOUT_RATE;
  if (GST_VIDEO_INFO_FPS_N(&self->info) > 0)
    own = gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&self->info), GST_VIDEO_INFO_FPS_N(&self->info));
  gst_query_parse_latency(query, &is_live, &least, &most);
  gst_query_set_latency(query, is_live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
  GST_DEBUG_OBJECT(self, "the latency is %" GST_TIME_FORMAT " more", GST_TIME_ARGS(own));
  return TRUE;
}

/* ---- The class */

static void finalize(GObject *object)
{
  gst_face_settings_clear(&GST_FACE_ENGINE(object)->settings);
  gst_face_covers_clear(&GST_FACE_ENGINE(object)->covers);
  G_OBJECT_CLASS(gst_face_engine_parent_class)->finalize(object);
}

static void gst_face_engine_class_init(GstFaceEngineClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *transform = GST_BASE_TRANSFORM_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  gst_face_settings_install(object);
  g_object_class_install_property(
      object, GST_FACE_PROP_STATS,
      g_param_spec_boxed("stats", NULL,
                         "Numbers of frames since the start: passed on, searched, dropped for a newer one, and "
                         "imported by their descriptor",
                         GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Face detector", "Filter/Analyzer/Video",
                                        "Finds faces: boxes, ids and measurements", "FaceEngine maintainers");
  element->change_state = GST_DEBUG_FUNCPTR(change_state);
  transform->start = GST_DEBUG_FUNCPTR(start);
  transform->stop = GST_DEBUG_FUNCPTR(stop);
  transform->set_caps = GST_DEBUG_FUNCPTR(set_caps);
  transform->propose_allocation = GST_DEBUG_FUNCPTR(propose_allocation);
  transform->sink_event = GST_DEBUG_FUNCPTR(sink_event);
  transform->query = GST_DEBUG_FUNCPTR(query);
  transform->transform_ip = GST_DEBUG_FUNCPTR(gst_face_engine_transform);
}

static void gst_face_engine_init(GstFaceEngine *self)
{
  gst_face_settings_init(&self->settings);
  gst_face_covers_init(&self->covers);
  gst_video_info_init(&self->info);
  self->next_search = GST_CLOCK_TIME_NONE;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), TRUE);
}
