/* The way of a frame through the element. */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "analysis.h"
#include "covers.h"
#include "worker.h"

typedef struct {
  GstBaseTransform parent;
  GstFaceSettings settings; /* guarded by the object's lock, like what follows */
  gboolean is_running;      /* between READY and PAUSED */
  guint changes;            /* of the settings */

  GstFaceAnalysis
      *analysis;         /* between READY and PAUSED, like the worker; guarded by the object's lock where others look */
  GstFaceWorker *worker; /* in mode newest */

  /* Of the streaming thread. */
  GstVideoInfo info;
  GstBufferPool *copies; /* frames that are searched while this element draws on the original */
  GstFaceCovers covers;
  GstClockTime next_search;
  gboolean has_warned;      /* that most frames of a file are not searched */
  guint64 passed, replaced; /* guarded by the object's lock */
} GstFaceEngine;

/* What the element does with a frame. */
GstFlowReturn gst_face_engine_transform(GstBaseTransform *transform, GstBuffer *buffer);

/* In mode newest: warns once if most frames of a file come too fast to be searched. */
void gst_face_engine_judge_speed(GstFaceEngine *self);

/* Forgets the pool of copies. */
void gst_face_engine_drop_copies(GstFaceEngine *self);
