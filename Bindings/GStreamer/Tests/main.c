/* plugin_test SUITE runs a suite: one in a process, since gst-check ends GStreamer after it. */
#include <string.h>

#include "support.h"

int main(int argc, char **argv)
{
  const struct {
    const gchar *name;
    Suite *(*make)(void);
  } suites[] = {{"element", element_suite},    {"contract", contract_suite}, {"stream", stream_suite},
                {"draw", draw_suite},          {"engine", engine_suite},     {"check", check_suite},
                {"analytics", analytics_suite}};
  int failed = 1;
  gst_check_init(&argc, &argv);
  for (guint index = 0; index < G_N_ELEMENTS(suites); index++)
    if (argc == 2 && strcmp(argv[1], suites[index].name) == 0)
      failed = gst_check_run_suite(suites[index].make(), suites[index].name, __FILE__);
  return failed;
}
