#include "transform.h"

#include "debug.h"
#include "draw.h"
#include "messages.h"
#include "metas.h"

static GstFaceStamp stamp_of(GstBaseTransform *transform, GstBuffer *buffer)
{
  const GstSegment *segment = &transform->segment;
  GstClockTime pts = GST_BUFFER_PTS(buffer);
  GstFaceStamp stamp = {pts, GST_BUFFER_DURATION(buffer), GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE};
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(pts)) {
    stamp.running_time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts);
    stamp.stream_time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts);
  }
  return stamp;
}

/* Whether analysis-rate lets this frame be searched. */
static gboolean is_due(GstFaceEngine *self, const GstFaceStamp *stamp, gfloat rate)
{
  if (rate <= 0) return TRUE;
  GstClockTime now = gst_face_stamp_time(stamp);
  GstClockTime period = (GstClockTime)(GST_SECOND / (gdouble)rate);
  if (GST_CLOCK_TIME_IS_VALID(self->next_search) && now < self->next_search && self->next_search - now <= period)
    return FALSE;
  /* On a grid, so that the rate is kept in the mean where frames come at other times. */
  gboolean is_late =
      !GST_CLOCK_TIME_IS_VALID(self->next_search) || now < self->next_search || now - self->next_search >= period;
  self->next_search = (is_late ? now : self->next_search) + period;
  return TRUE;
}

/* A copy in memory that is used again. */
static GstBuffer *copy_frame(GstFaceEngine *self, GstBuffer *buffer)
{
  if (self->copies == NULL) {
    GstCaps *caps = gst_video_info_to_caps(&self->info);
    GstBufferPool *pool = gst_video_buffer_pool_new();
    GstStructure *config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, (guint)GST_VIDEO_INFO_SIZE(&self->info), 0, 0);
    gst_caps_unref(caps);
    if (!gst_buffer_pool_set_config(pool, config) || !gst_buffer_pool_set_active(pool, TRUE)) {
      gst_object_unref(pool);
      return NULL;
    }
    self->copies = pool;
  }
  GstBuffer *copy = NULL;
  GstVideoFrame from, to;
  if (gst_buffer_pool_acquire_buffer(self->copies, &copy, NULL) != GST_FLOW_OK) return NULL;
  gboolean is_copied = FALSE;
  if (gst_video_frame_map(&from, &self->info, buffer, GST_MAP_READ)) {
    if (gst_video_frame_map(&to, &self->info, copy, GST_MAP_WRITE)) {
      is_copied = gst_video_frame_copy(&to, &from);
      gst_video_frame_unmap(&to);
    }
    gst_video_frame_unmap(&from);
  }
  if (!is_copied) gst_clear_buffer(&copy);
  return copy;
}

void gst_face_engine_drop_copies(GstFaceEngine *self)
{
  if (self->copies == NULL) return;
  gst_buffer_pool_set_active(self->copies, FALSE);
  gst_clear_object(&self->copies);
}

/* Whether there is something to draw. */
static gboolean will_draw(GstFaceEngine *self, const GstFaceList *list, gboolean draws)
{
  GstFaceCheckMark check;
  gboolean covers = gst_face_covers_are_on(&self->covers), has_faces = list != NULL && list->count > 0;
  if (covers && (has_faces || self->covers.held->len > 0)) return TRUE;
  return draws && (has_faces || gst_face_analysis_mark(self->analysis, &check));
}

/* What the frame carries on: metas and, if asked for, marks. */
static void mark(GstFaceEngine *self, GstBuffer *buffer, const GstFaceList *list)
{
  gst_face_add_metas(buffer, list, GST_VIDEO_INFO_WIDTH(&self->info), GST_VIDEO_INFO_HEIGHT(&self->info));
}

static void draw(GstFaceEngine *self, GstBuffer *buffer, const GstFaceList *list, gboolean draws)
{
  GstVideoFrame frame;
  GstFaceCheckMark check;
  gboolean is_marked = draws && gst_face_analysis_mark(self->analysis, &check);
  if (!gst_video_frame_map(&frame, &self->info, buffer, GST_MAP_READWRITE)) {
    GST_WARNING_OBJECT(self, "the frame cannot be written to; nothing is drawn");
    return;
  }
  gst_face_draw(&frame, list, &self->covers, draws, is_marked ? &check : NULL);
  gst_video_frame_unmap(&frame);
}

static GstFlowReturn wait_for_own(GstFaceEngine *self, GstBuffer *buffer, const GstFaceStamp *stamp, gboolean draws)
{
  GstFaceList *list = NULL;
  GstFaceOutcome outcome = gst_face_analysis_submit(self->analysis, buffer, &self->info, stamp, &list);
  gst_face_covers_update(&self->covers, list, gst_face_stamp_time(stamp));
  if (outcome == GST_FACE_SEARCHED) mark(self, buffer, list);
  draws = draws && outcome == GST_FACE_SEARCHED;
  if (will_draw(self, list, draws)) draw(self, buffer, list, draws);
  gst_face_list_unref(list);
  switch (outcome) {
  case GST_FACE_INTERRUPTED: return GST_FLOW_FLUSHING;
  case GST_FACE_FAILED: return GST_FLOW_ERROR;
  default: return GST_FLOW_OK;
  }
}

/* How many frames have to pass before the element judges how many of them it searches. */
#define JUDGED_FRAMES 25

static gboolean is_live(GstFaceEngine *self)
{
  GstQuery *query = gst_query_new_latency();
  gboolean is_live = FALSE;
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query))
    gst_query_parse_latency(query, &is_live, NULL, NULL);
  gst_query_unref(query);
  return is_live;
}

void gst_face_engine_judge_speed(GstFaceEngine *self)
{
  guint64 outpaced = gst_face_worker_outpaced(self->worker);
  GST_OBJECT_LOCK(self);
  guint64 passed = self->passed;
  gboolean judges = !self->has_warned && passed >= JUDGED_FRAMES && outpaced > passed / 2;
  if (judges) self->has_warned = TRUE;
  GST_OBJECT_UNLOCK(self);
  if (!judges || is_live(self)) return;
  gchar *sentence = g_strdup_printf("%" G_GUINT64_FORMAT " of the first %" G_GUINT64_FORMAT
                                    " frames were not searched, as mode=newest drops frames that come too fast; set "
                                    "mode=every to search each frame",
                                    outpaced, passed);
  gst_face_post_warning(GST_ELEMENT(self), FACE_RESOURCE_EXHAUSTED, sentence);
  g_free(sentence);
}

static GstFlowReturn go_on(GstFaceEngine *self, GstBuffer *buffer, const GstFaceStamp *stamp, gboolean draws,
                           gfloat rate)
{
  if (gst_face_worker_has_failed(self->worker)) return GST_FLOW_ERROR;
  GstFaceList *list = gst_face_worker_latest(self->worker, stamp);
  gst_face_covers_update(&self->covers, list, gst_face_stamp_time(stamp));
  gboolean is_drawn = will_draw(self, list, draws);
  /* Before the worker has a reference: metas are added to a buffer of ours alone. */
  mark(self, buffer, list);
  if (is_due(self, stamp, rate)) {
    GstBuffer *searched = is_drawn ? copy_frame(self, buffer) : gst_buffer_ref(buffer);
    if (searched != NULL && gst_face_worker_push(self->worker, searched, &self->info, stamp)) {
      GST_OBJECT_LOCK(self);
      self->replaced++;
      GST_OBJECT_UNLOCK(self);
      gst_face_engine_judge_speed(self);
    }
  }
  if (is_drawn) draw(self, buffer, list, draws);
  gst_face_list_unref(list);
  return GST_FLOW_OK;
}

GstFlowReturn gst_face_engine_transform(GstBaseTransform *transform, GstBuffer *buffer)
{
  GstFaceEngine *self = (GstFaceEngine *)transform;
  GstFaceStamp stamp = stamp_of(transform, buffer);
  GST_OBJECT_LOCK(self);
  gboolean draws = self->settings.draw;
  gfloat rate = self->settings.session.analysis_rate;
  self->covers.settings = self->settings.cover;
  self->passed++;
  GST_OBJECT_UNLOCK(self);
  return self->worker != NULL ? go_on(self, buffer, &stamp, draws, rate) : wait_for_own(self, buffer, &stamp, draws);
}
