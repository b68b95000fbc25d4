/* With an engine process: connected, by descriptors, killed in the middle. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gst/allocators/gstfdmemory.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

static GstHarness *connected(const Engine *engine, const gchar *description)
{
  gchar *line = g_strdup_printf("socket=%s %s", engine->socket, description);
  GstHarness *made = bare_harness(line, GST_VIDEO_FORMAT_NV12);
  g_free(line);
  return made;
}

static guint64 imported(GstHarness *h)
{
  GstStructure *stats = NULL;
  guint64 count = 0;
  g_object_get(h->element, "stats", &stats, NULL);
  gst_structure_get_uint64(stats, "imported", &count);
  gst_structure_free(stats);
  return count;
}

GST_START_TEST(test_connected)
{
  const gchar *modes[] = {"mode=every", "mode=newest"};
  Engine engine = engine_start();
  GstHarness *h = connected(&engine, modes[__i__]);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  GstBuffer *out = pass_until_face(h, frame, &number);
  expect_photo_face(out);
  fail_unless_equals_int(imported(h), 0);
  gst_buffer_unref(out);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
  engine_end(&engine);
}
GST_END_TEST

/* The photo in a memfd, behind `offset` bytes. */
static GstBuffer *photo_in_memfd(gsize offset, gboolean is_sealed)
{
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  gsize size = gst_buffer_get_size(frame);
  int descriptor = memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  fail_unless(descriptor >= 0 && ftruncate(descriptor, (off_t)(size + offset)) == 0);
  if (is_sealed) fail_unless(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
  GstAllocator *allocator = gst_fd_allocator_new();
  GstMemory *memory = gst_fd_allocator_alloc(allocator, descriptor, size + offset, GST_FD_MEMORY_FLAG_NONE);
  gst_memory_resize(memory, (gssize)offset, size);
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  GstMapInfo map;
  fail_unless(gst_buffer_map(frame, &map, GST_MAP_READ));
  gst_buffer_fill(buffer, 0, map.data, size);
  gst_buffer_unmap(frame, &map);
  gst_buffer_unref(frame);
  gst_object_unref(allocator);
  return buffer;
}

/* A sealed memfd goes to the engine as it is; another one is read here. */
GST_START_TEST(test_descriptors)
{
  Engine engine = engine_start();
  GstHarness *h = connected(&engine, "mode=every");
  gboolean is_sealed = __i__ != 2;
  GstBuffer *frame = photo_in_memfd(__i__ == 1 ? 8192 : 0, is_sealed);
  for (guint number = 0; number < 4; number++) {
    GstBuffer *out = pass(h, gst_buffer_copy(frame), number);
    expect_photo_face(out);
    gst_buffer_unref(out);
  }
  fail_unless_equals_int(imported(h), is_sealed ? 4 : 0);
  gst_buffer_unref(frame);
  gst_harness_teardown(h);
  engine_end(&engine);
}
GST_END_TEST

/* The engine is killed: frames go on without faces, one warning tells why, no error; with the next engine faces come
 * back. */
GST_START_TEST(test_engine_is_killed)
{
  const gchar *modes[] = {"mode=every", "mode=newest"};
  Engine engine = engine_start();
  GstHarness *h = connected(&engine, modes[__i__]);
  GstBus *bus = give_bus(h);
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0, without = 0;
  GstBuffer *out = pass_until_face(h, frame, &number);
  gst_buffer_unref(out);
  engine_kill(&engine);
  for (guint tries = 0; tries < 30; tries++) {
    out = pass(h, gst_buffer_copy(frame), number++);
    if (count_faces(out) == 0) without++;
    gst_buffer_unref(out);
    g_usleep(10000);
  }
  fail_unless(without >= 15, "%u frames are without faces", without);
  engine_restart(&engine);
  out = pass_until_face(h, frame, &number);
  expect_photo_face(out);
  gst_buffer_unref(out);
  guint warnings = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
    GError *error = NULL;
    fail_unless_equals_int(GST_MESSAGE_TYPE(message), GST_MESSAGE_WARNING);
    gst_message_parse_warning(message, &error, NULL);
    fail_unless(error->domain == GST_RESOURCE_ERROR && strlen(error->message) > 20);
    g_error_free(error);
    gst_message_unref(message);
    warnings++;
  }
  fail_unless_equals_int(warnings, 1);
  gst_buffer_unref(frame);
  gst_element_set_bus(h->element, NULL);
  gst_object_unref(bus);
  gst_harness_teardown(h);
  engine_end(&engine);
}
GST_END_TEST

static gpointer flush(gpointer data)
{
  GstHarness *h = data;
  g_usleep(300000);
  gst_harness_push_event(h, gst_event_new_flush_start());
  return NULL;
}

/* An engine that does not answer: a flush ends the wait of a frame. */
GST_START_TEST(test_flush_ends_the_wait)
{
  Engine engine = engine_start();
  GstHarness *h = connected(&engine, "mode=every");
  GstBuffer *frame = photo(GST_VIDEO_FORMAT_NV12);
  gst_buffer_unref(pass(h, gst_buffer_copy(frame), 0));
  kill(engine.process, SIGSTOP);
  fail_unless(waitpid(engine.process, NULL, WUNTRACED) == engine.process);
  GThread *thread = g_thread_new("flush", flush, h);
  GST_BUFFER_PTS(frame) = FRAME_TIME;
  fail_unless_equals_int(gst_harness_push(h, frame), GST_FLOW_FLUSHING);
  g_thread_join(thread);
  kill(engine.process, SIGCONT);
  gst_harness_teardown(h);
  engine_end(&engine);
}
GST_END_TEST

Suite *engine_suite(void)
{
  Suite *suite = suite_create("engine");
  TCase *tests = tcase_create("engine");
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, test_connected, 0, 2);
  tcase_add_loop_test(tests, test_descriptors, 0, 3);
  tcase_add_loop_test(tests, test_engine_is_killed, 0, 2);
  tcase_add_test(tests, test_flush_ends_the_wait);
  return suite;
}
