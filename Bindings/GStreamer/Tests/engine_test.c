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
  g_auto(Engine) engine = engine_start();
  g_autoptr(Rig) h = connected(&engine, "mode=every");
  gboolean is_sealed = __i__ != 2;
  g_autoptr(GstBuffer) frame = photo_in_memfd(__i__ == 1 ? 8192 : 0, is_sealed);
  for (guint number = 0; number < 4; number++) pass_photo_face(h, gst_buffer_copy(frame), number);
  fail_unless_equals_int(counted(h, "imported"), is_sealed ? 4 : 0);
}
GST_END_TEST

/* The engine is killed: frames go on without faces, one warning tells why, no error; with the next engine faces come
 * back. */
GST_START_TEST(test_engine_is_killed)
{
  g_auto(Engine) engine = engine_start();
  g_autoptr(Rig) h = connected(&engine, modes[__i__]);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  engine_kill(&engine);
  g_autoptr(GstMessage) message = NULL;
  g_autoptr(GError) error = NULL;
  while (message == NULL) {
    pass_and_count(h, gst_buffer_copy(frame), number++);
    message = gst_bus_timed_pop_filtered(bus, POLL, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  }
  fail_unless_equals_int(GST_MESSAGE_TYPE(message), GST_MESSAGE_WARNING);
  gst_message_parse_warning(message, &error, NULL);
  fail_unless(error->domain == GST_RESOURCE_ERROR && strlen(error->message) > 20);
  pass_until_no_face(h, frame, &number);
  for (guint more = 0; more < 20; more++)
    fail_unless_equals_int(pass_and_count(h, gst_buffer_copy(frame), number++), 0);
  engine_restart(&engine);
  pass_until_photo_face(h, frame, &number);
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  fail_unless_equals_int(counted(h, "imported"), 0);
}
GST_END_TEST

static void stop_engine(const Engine *engine)
{
  kill(engine->process, SIGSTOP);
  fail_unless(waitpid(engine->process, NULL, WUNTRACED) == engine->process);
}

typedef struct {
  GstHarness *harness;
  GstBuffer *frame;
  GThread *thread;
} Push;

static gpointer push(gpointer data)
{
  Push *push = data;
  return GINT_TO_POINTER(gst_harness_push(push->harness, push->frame));
}

/* Pushes a copy of a frame in a thread of its own, and returns when the element has it; if the frame waits for its
 * faces, when the engine has it. */
static void push_begin(Push *waiting, GstBuffer *frame, guint number, gboolean is_waited_for)
{
  const gchar *count = is_waited_for ? "searched" : "passed";
  guint64 before = counted(waiting->harness, count);
  waiting->frame = gst_buffer_copy(frame);
  GST_BUFFER_PTS(waiting->frame) = number * FRAME_TIME;
  waiting->thread = g_thread_new("push", push, waiting);
  while (counted(waiting->harness, count) == before) g_usleep(1000);
}

/* The library itself would wait for the engine for a minute: for one that hangs, and for one that never answered. */
GST_START_TEST(test_state_changes_do_not_wait_for_an_engine_that_hangs)
{
  const gboolean has_answered = __i__ < 2;
  g_auto(Engine) engine = engine_start();
  if (!has_answered) stop_engine(&engine);
  g_autoptr(Rig) h = connected(&engine, modes[__i__ % 2]);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  if (has_answered) {
    gst_buffer_unref(pass_until_face(h, frame, &number));
    stop_engine(&engine);
  }
  Push waiting = {.harness = h};
  push_begin(&waiting, frame, number, has_answered && __i__ % 2 == 0);
  fail_unless_equals_int(gst_element_set_state(h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  g_thread_join(waiting.thread);
}
GST_END_TEST

/* A file's frames wait for one connection, not for each; the warning says that the engine hangs. */
GST_START_TEST(test_engine_that_hangs_at_the_start)
{
  g_auto(Engine) engine = engine_start();
  stop_engine(&engine);
  g_autoptr(Rig) h = connected(&engine, modes[__i__]);
  gst_harness_set_live(h, FALSE);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  for (guint number = 0; number < 100; number++) gst_buffer_unref(pass(h, gst_buffer_copy(frame), number));
  g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless(message != NULL, "no warning");
  g_autoptr(GError) error = NULL;
  gst_message_parse_warning(message, &error, NULL);
  fail_unless(strstr(error->message, "does not answer") != NULL, "it says: %s", error->message);
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_WARNING), 0);
  kill(engine.process, SIGCONT);
}
GST_END_TEST

/* The first frame finds the engine that did not answer when the element started. */
GST_START_TEST(test_engine_that_answers_late)
{
  g_auto(Engine) engine = engine_start();
  stop_engine(&engine);
  g_autoptr(Rig) h = connected(&engine, modes[__i__]);
  GstBus *bus = give_bus(h);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  kill(engine.process, SIGCONT);
  pass_until_photo_face(h, frame, &number);
  fail_unless_equals_int(count_messages(bus, GST_MESSAGE_ERROR), 0);
}
GST_END_TEST

/* A frame that comes a second after one that the engine does not answer has no faces, whatever the last result was. */
GST_START_TEST(test_boxes_are_not_kept_while_the_engine_hangs)
{
  g_auto(Engine) engine = engine_start();
  g_autoptr(Rig) h = connected(&engine, "mode=newest");
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  stop_engine(&engine);
  while (pass_and_count(h, gst_buffer_copy(frame), number += 31) > 0) g_usleep(10000);
  kill(engine.process, SIGCONT);
  gst_buffer_unref(pass_until_face(h, frame, &number));
}
GST_END_TEST

/* A seek while the engine hangs ends the wait of a frame; the frames after it are searched by a session of their
   own. */
GST_START_TEST(test_flush_of_a_session_that_hangs)
{
  g_auto(Engine) engine = engine_start();
  g_autoptr(Rig) h = connected(&engine, modes[__i__]);
  g_autoptr(GstBuffer) frame = photo(GST_VIDEO_FORMAT_NV12);
  guint number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
  stop_engine(&engine);
  Push waiting = {.harness = h};
  push_begin(&waiting, frame, number, __i__ == 0);
  gst_harness_push_event(h, gst_event_new_flush_start());
  GstFlowReturn flow = GPOINTER_TO_INT(g_thread_join(waiting.thread));
  fail_unless_equals_int(flow, __i__ == 0 ? GST_FLOW_FLUSHING : GST_FLOW_OK);
  flush_end(h);
  while ((waiting.frame = gst_harness_try_pull(h)) != NULL) gst_buffer_unref(waiting.frame);
  kill(engine.process, SIGCONT);
  number = 0;
  gst_buffer_unref(pass_until_face(h, frame, &number));
}
GST_END_TEST

Suite *engine_suite(void)
{
  Suite *suite = suite_create("engine");
  TCase *tests = tcase_create("engine"), *hanging = tcase_create("hanging");
  suite_add_tcase(suite, tests);
  suite_add_tcase(suite, hanging);
  tcase_add_loop_test(tests, test_descriptors, 0, 3);
  tcase_add_loop_test(tests, test_engine_is_killed, 0, 2);
  tcase_add_loop_test(tests, test_engine_that_answers_late, 0, 2);
  tcase_add_test(tests, test_boxes_are_not_kept_while_the_engine_hangs);
  tcase_add_loop_test(tests, test_flush_of_a_session_that_hangs, 0, 2);
  /* A call that waits for the engine would wait for a minute. These tests take one or two seconds. */
  tcase_set_timeout(hanging, 50);
  tcase_add_loop_test(hanging, test_state_changes_do_not_wait_for_an_engine_that_hangs, 0, 4);
  tcase_add_loop_test(hanging, test_engine_that_hangs_at_the_start, 0, 2);
  return suite;
}
