/* Included before all else where the plug-in is compiled with the thread sanitizer: it does not see the locks of GLib,
 * which are futexes of their own. */
#pragma once

#include <glib.h>
#include <sanitizer/tsan_interface.h>

static inline void seen_lock(GMutex *mutex)
{
  g_mutex_lock(mutex);
  __tsan_acquire(mutex);
}

static inline void seen_unlock(GMutex *mutex)
{
  __tsan_release(mutex);
  g_mutex_unlock(mutex);
}

static inline void seen_wait(GCond *cond, GMutex *mutex)
{
  __tsan_release(mutex);
  g_cond_wait(cond, mutex);
  __tsan_acquire(mutex);
}

static inline gboolean seen_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  __tsan_release(mutex);
  gboolean is_signalled = g_cond_wait_until(cond, mutex, end);
  __tsan_acquire(mutex);
  return is_signalled;
}

#define g_mutex_lock seen_lock
#define g_mutex_unlock seen_unlock
#define g_cond_wait seen_wait
#define g_cond_wait_until seen_wait_until
