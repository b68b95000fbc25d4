/* Shared by the suites: a photo as a frame of any format, an element with a model, an engine process. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <sys/types.h>

#define SIDE 480 /* pixels of the photo's frame, which is square */
#define FRAME_TIME (GST_SECOND / 30)

/* The photo of one face, upright in a square. The caller unrefs it. */
GstBuffer *photo(GstVideoFormat format);

/* A frame of SIDE × SIDE without anything on it. */
GstBuffer *blank(GstVideoFormat format);

GstCaps *caps_of(GstVideoFormat format, gint width, gint height);

/* A harness with the element, its properties set by `description` behind the model (FACE_TEST_MODEL). */
GstHarness *harness(const gchar *description, GstVideoFormat format);

/* The same without a model. */
GstHarness *bare_harness(const gchar *description, GstVideoFormat format);

/* A harness with faceenginecheck instead, and the circle around the photo's face. */
GstHarness *check_harness(const gchar *description);

/* Pushes a frame with this number's time, and pulls what comes of it. */
GstBuffer *pass(GstHarness *harness, GstBuffer *buffer, guint number);

/* Passes copies of a frame until one carries a face; fails after some seconds. The caller unrefs the frame. */
GstBuffer *pass_until_face(GstHarness *harness, GstBuffer *frame, guint *number);

guint count_faces(GstBuffer *buffer);
GstVideoRegionOfInterestMeta *face_of(GstBuffer *buffer);

/* Fails unless the frame has the photo's face alone, in its place. */
void expect_photo_face(GstBuffer *buffer);

/* Pops messages until one is an element message of this name; NULL if there is none. The caller unrefs it. */
GstMessage *pop_message(GstBus *bus, const gchar *name);
guint count_messages(GstBus *bus, GstMessageType type);
GstBus *give_bus(GstHarness *harness);

/* Fails unless the next warning is that a value was refused, and has this word. */
void expect_refusal(GstBus *bus, const gchar *word);

/* An engine process at a socket in a folder of its own. */
typedef struct {
  gchar *folder, *socket;
  pid_t process;
} Engine;

Engine engine_start(void);
void engine_restart(Engine *engine);
void engine_kill(Engine *engine);
void engine_end(Engine *engine);

Suite *element_suite(void);
Suite *contract_suite(void);
Suite *stream_suite(void);
Suite *draw_suite(void);
Suite *engine_suite(void);
Suite *check_suite(void);
Suite *analytics_suite(void);
