#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

const gchar *const modes[2] = {"mode=every", "mode=newest"};

void rig_end(Rig *harness)
{
  /* What is on the bus has references to the element. */
  gst_element_set_bus(harness->element, NULL);
  gst_harness_teardown(harness);
}

const GstVideoFormat formats[FORMATS] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21,  GST_VIDEO_FORMAT_I420,
                                         GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_BGRx,  GST_VIDEO_FORMAT_BGRA,
                                         GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_RGBA,  GST_VIDEO_FORMAT_RGB,
                                         GST_VIDEO_FORMAT_BGR,  GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_UYVY,
                                         GST_VIDEO_FORMAT_NV16};

static const gchar *setting(const gchar *name)
{
  const gchar *value = g_getenv(name);
  fail_unless(value != NULL, "%s is not set; see test.sh", name);
  return value;
}

GstCaps *caps_of(GstVideoFormat format, gint width, gint height)
{
  return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string(format), "width",
                             G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 30, 1,
                             NULL);
}

GstBuffer *photo(GstVideoFormat format)
{
  gchar *description =
      g_strdup_printf("filesrc location=%s ! jpegdec ! videoconvert ! videoscale add-borders=false ! "
                      "video/x-raw,format=%s,width=%d,height=%d,pixel-aspect-ratio=1/1 ! appsink name=sink sync=false",
                      setting("FACE_TEST_PHOTO"), gst_video_format_to_string(format), SIDE, SIDE);
  GstElement *pipeline = gst_parse_launch(description, NULL);
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstSample *sample = NULL;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_signal_emit_by_name(sink, "pull-sample", &sample);
  fail_unless(sample != NULL, "the photo cannot be decoded");
  GstBuffer *buffer = gst_buffer_copy_deep(gst_sample_get_buffer(sample));
  gst_sample_unref(sample);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  g_free(description);
  return buffer;
}

GstBuffer *blank(GstVideoFormat format)
{
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, SIDE, SIDE);
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, info.size, NULL);
  gst_buffer_memset(buffer, 0, 128, info.size);
  return buffer;
}

static GstHarness *harness_of(gchar *line, GstVideoFormat format)
{
  GstElement *element = gst_parse_launch(line, NULL);
  GstHarness *made = gst_harness_new_with_element(element, "sink", "src");
  gst_object_unref(element);
  gst_harness_set_caps(made, caps_of(format, SIDE, SIDE), caps_of(format, SIDE, SIDE));
  g_free(line);
  return made;
}

GstHarness *bare_harness(const gchar *description, GstVideoFormat format)
{
  return harness_of(g_strdup_printf("faceengine %s", description), format);
}

GstHarness *harness(const gchar *description, GstVideoFormat format)
{
  return harness_of(g_strdup_printf("faceengine model=%s %s", setting("FACE_TEST_MODEL"), description), format);
}

GstHarness *check_harness(const gchar *description)
{
  return harness_of(g_strdup_printf("faceenginecheck model=%s mode=every circle-x=251 circle-y=182 circle-radius=140 "
                                    "max-yaw=20 min-sharpness=0 %s",
                                    setting("FACE_TEST_MODEL"), description),
                    GST_VIDEO_FORMAT_NV12);
}

GstBuffer *pass(GstHarness *harness, GstBuffer *buffer, guint number)
{
  GST_BUFFER_PTS(buffer) = number * FRAME_TIME;
  GST_BUFFER_DURATION(buffer) = FRAME_TIME;
  fail_unless_equals_int(gst_harness_push(harness, buffer), GST_FLOW_OK);
  return gst_harness_pull(harness);
}

/* The limit of time of each test ends it. */
static GstBuffer *pass_until(GstHarness *harness, GstBuffer *frame, guint *number, gboolean has_face)
{
  while (TRUE) {
    GstBuffer *out = pass(harness, gst_buffer_copy(frame), (*number)++);
    if ((count_faces(out) > 0) == has_face) return out;
    gst_buffer_unref(out);
    g_usleep(GST_TIME_AS_USECONDS(POLL));
  }
}

GstBuffer *pass_until_face(GstHarness *harness, GstBuffer *frame, guint *number)
{
  return pass_until(harness, frame, number, TRUE);
}

void pass_until_no_face(GstHarness *harness, GstBuffer *frame, guint *number)
{
  gst_buffer_unref(pass_until(harness, frame, number, FALSE));
}

void flush_end(GstHarness *harness)
{
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  fail_unless(gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE)));
  fail_unless(gst_harness_push_event(harness, gst_event_new_segment(&segment)));
}

void pass_photo_face(GstHarness *harness, GstBuffer *buffer, guint number)
{
  g_autoptr(GstBuffer) out = pass(harness, buffer, number);
  expect_photo_face(out);
}

void pass_until_photo_face(GstHarness *harness, GstBuffer *frame, guint *number)
{
  g_autoptr(GstBuffer) out = pass_until_face(harness, frame, number);
  expect_photo_face(out);
}

guint pass_and_count(GstHarness *harness, GstBuffer *buffer, guint number)
{
  g_autoptr(GstBuffer) out = pass(harness, buffer, number);
  return count_faces(out);
}

guint64 counted(GstHarness *harness, const gchar *name)
{
  GstStructure *stats = NULL;
  guint64 count = 0;
  g_object_get(harness->element, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, name, &count);
  gst_structure_free(stats);
  return count;
}

guint count_faces(GstBuffer *buffer)
{
  return gst_buffer_get_n_meta(buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

GstVideoRegionOfInterestMeta *face_of(GstBuffer *buffer)
{
  return (GstVideoRegionOfInterestMeta *)gst_buffer_get_meta(buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

void expect_photo_face(GstBuffer *buffer)
{
  fail_unless_equals_int(count_faces(buffer), 1);
  GstVideoRegionOfInterestMeta *meta = face_of(buffer);
  fail_unless_equals_string(g_quark_to_string(meta->roi_type), "face");
  /* The head of the photo, 512 × 600, in a square of 480. */
  fail_unless(meta->x > 150 && meta->x < 190 && meta->y > 80 && meta->y < 115, "the face is at %u, %u", meta->x,
              meta->y);
  fail_unless(meta->w > 140 && meta->w < 185 && meta->h > 150 && meta->h < 195, "the face has %u × %u", meta->w,
              meta->h);
}

GstMessage *pop_message(GstBus *bus, const gchar *name)
{
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT)) != NULL) {
    if (gst_message_has_name(message, name)) return message;
    gst_message_unref(message);
  }
  return NULL;
}

guint count_messages(GstBus *bus, GstMessageType type)
{
  guint count = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, type)) != NULL) {
    count++;
    gst_message_unref(message);
  }
  return count;
}

void expect_refusal(GstBus *bus, const gchar *word)
{
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING);
  GError *error = NULL;
  fail_unless(message != NULL, "no warning about %s", word);
  gst_message_parse_warning(message, &error, NULL);
  fail_unless(g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS) &&
                  strstr(error->message, word) != NULL,
              "it says: %s", error->message);
  g_error_free(error);
  gst_message_unref(message);
}

GstBus *give_bus(GstHarness *harness)
{
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(harness->element, bus);
  gst_object_unref(bus);
  return bus;
}

/* ---- An engine process */

/* The socket's file is there before anything listens. */
static gboolean listens(const gchar *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  g_strlcpy(address.sun_path, path, sizeof address.sun_path);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  gboolean is_accepted = connect(connection, (struct sockaddr *)&address, sizeof address) == 0;
  close(connection);
  return is_accepted;
}

void engine_restart(Engine *engine)
{
  engine->process = fork();
  if (engine->process == 0) {
    /* It ends with a test that fails. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Its log is not the tests'. */
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(126);
    execl(setting("FACE_TEST_COMMAND"), "face-engine", "serve", "--socket", engine->socket, "--model",
          setting("FACE_TEST_MODEL"), (char *)NULL);
    _exit(127);
  }
  for (guint tries = 0; tries < 3000 && !listens(engine->socket); tries++) g_usleep(10000);
}

Engine engine_start(void)
{
  Engine engine = {.folder = g_dir_make_tmp("face-engine-XXXXXX", NULL)};
  engine.socket = g_build_filename(engine.folder, "socket", NULL);
  engine_restart(&engine);
  return engine;
}

void engine_kill(Engine *engine)
{
  kill(engine->process, SIGKILL);
  waitpid(engine->process, NULL, 0);
  unlink(engine->socket);
}

void engine_end(Engine *engine)
{
  kill(engine->process, SIGCONT);
  kill(engine->process, SIGTERM);
  waitpid(engine->process, NULL, 0);
  unlink(engine->socket);
  rmdir(engine->folder);
  g_free(engine->socket);
  g_free(engine->folder);
}
