#ifndef FACE_ENGINE_CALLS_H
#define FACE_ENGINE_CALLS_H

#include <stddef.h>

/* Conditions on a call's arguments. */
enum face_call_condition {
  ANY,
  MAPPING,           /* not written and executed, and nothing anonymous is executed */
  PROTECTION,        /* not executed */
  THREAD,            /* a thread, and no new namespace */
  THREAD_NAME,       /* PR_SET_NAME */
  OWN_PROCESS,       /* this one's number comes first */
  NO_ADDRESS,        /* to the peer of the connection */
  NO_NEW_LIMIT,      /* no pointer to a limit that is set */
  READING,           /* flags that write nothing */
  READING_BY_PATH,   /* the same of open(2), whose flags are its second argument */
  UNIX_DATAGRAM,     /* sockets of that kind */
  UNIX_STREAM,
  TERMINAL_QUESTION, /* TCGETS and the like */
  VIDEO              /* VIDIOC_… */
};

struct face_call {
  int number;
  /* FACE_NEEDS_…, one of which must be asked for; 0: all have it. */
  unsigned needs;
  enum face_call_condition condition;
  const char *reason;
};

extern const struct face_call face_calls[];
extern const size_t face_call_count;

#endif
