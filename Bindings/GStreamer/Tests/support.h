/* Shared by the suites: a photo as a frame of any format, an element with a model, an engine process. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <sys/types.h>

#define SIDE 480 /* pixels of the photo's frame, which is square */
#define FRAME_TIME (GST_SECOND / 30)
#define POLL (10 * GST_MSECOND) /* between two looks at what a test waits for */

/* The photo of one face, upright in a square. The caller unrefs it. */
GstBuffer *photo(GstVideoFormat format);

/* A frame of SIDE × SIDE without anything on it. */
GstBuffer *blank(GstVideoFormat format);

GstCaps *caps_of(GstVideoFormat format, gint width, gint height);

/* The formats that the elements accept. */
#define FORMATS 13
extern const GstVideoFormat formats[FORMATS];

/* Settings of the two modes, for tests that run in both. */
extern const gchar *const modes[2];

/* A harness that ends with the block it is in, and with it the element's bus. */
typedef GstHarness Rig;
void rig_end(Rig *harness);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rig, rig_end)

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

/* The same until one carries none. */
void pass_until_no_face(GstHarness *harness, GstBuffer *frame, guint *number);

/* Passes a frame, which has the photo's face alone, in its place, when it comes out. */
void pass_photo_face(GstHarness *harness, GstBuffer *buffer, guint number);

/* The same with the first frame that carries a face. */
void pass_until_photo_face(GstHarness *harness, GstBuffer *frame, guint *number);

/* Passes a frame, and returns how many faces come of it. */
guint pass_and_count(GstHarness *harness, GstBuffer *buffer, guint number);

/* Ends a flush: the stream begins anew. */
void flush_end(GstHarness *harness);

/* A count of the element's statistics. */
guint64 counted(GstHarness *harness, const gchar *name);

guint count_faces(GstBuffer *buffer);
GstVideoRegionOfInterestMeta *face_of(GstBuffer *buffer);

/* Fails unless the frame has the photo's face alone, in its place. */
void expect_photo_face(GstBuffer *buffer);

/* Pops messages until one is an element message of this name; NULL if there is none. The caller unrefs it. */
GstMessage *pop_message(GstBus *bus, const gchar *name);
guint count_messages(GstBus *bus, GstMessageType type);

/* Gives the element a bus, which it owns. */
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
void engine_end(Engine *engine); /* also of one that is stopped */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Engine, engine_end)

Suite *element_suite(void);
Suite *contract_suite(void);
Suite *stream_suite(void);
Suite *draw_suite(void);
Suite *engine_suite(void);
Suite *check_suite(void);
Suite *analytics_suite(void);
