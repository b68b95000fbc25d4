/* Where faces are covered, also those that were lost a moment ago. */
#pragma once

#include <face_engine_draw.h>

#include "faces.h"
#include "settings.h"

/* A followed face, where it was last. */
typedef struct {
  guint64 id;
  face_box box;
  GstClockTime time;
} GstFaceHeld;

/* Of the streaming thread. */
typedef struct {
  GstFaceCoverSettings settings;
  GArray *held; /* of GstFaceHeld */
} GstFaceCovers;

void gst_face_covers_init(GstFaceCovers *covers);
void gst_face_covers_clear(GstFaceCovers *covers);

/* Forgets all faces: those of the next frame are others. */
void gst_face_covers_forget(GstFaceCovers *covers);

/* Takes the faces of a frame, and forgets those that were lost for longer than the settings say. `list` may be NULL. */
void gst_face_covers_update(GstFaceCovers *covers, const GstFaceList *list, GstClockTime now);

/* The boxes of the faces that are to be covered, of the frame and lost ones, as an array of face_info that the caller
   unrefs. */
GArray *gst_face_covers_boxes(const GstFaceCovers *covers, const GstFaceList *list);

/* Whether the settings ask for covers. */
gboolean gst_face_covers_are_on(const GstFaceCovers *covers);
