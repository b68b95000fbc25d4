#ifndef FACE_ENGINE_CALLS_H
#define FACE_ENGINE_CALLS_H

#include <stddef.h>

/* Conditions on a call's arguments. */
enum face_call_condition {
  ANY,
  DATA_MAPPING,     /* not executable */
  LIBRARY_MAPPING,  /* executable, of a file, and not writable */
  PROTECTION,       /* not executed */
  THREAD,           /* a thread, without new namespaces */
  THREAD_NAME,      /* PR_SET_NAME */
  OWN_PROCESS,      /* the first argument is this process's number */
  NO_ADDRESS,       /* to the peer of the connection */
  OWN_LIMIT,        /* of this process, and no pointer to a new limit */
  DESCRIPTOR_FLAGS, /* F_GETFL and the like, seals, and copies; no locks, owners and signals */
  READING,          /* flags that only read */
  READING_BY_PATH,  /* the same for open(2), whose flags are its second argument */
  UNIX_DATAGRAM,    /* sockets of this kind */
  UNIX_STREAM,
  TERMINAL_QUESTION, /* TCGETS and the like */
  VIDEO              /* VIDIOC_… */
};

struct face_call {
  int number;
  /* FACE_NEEDS_… bits: allowed if one of them is requested; 0: always allowed. */
  unsigned needs;
  enum face_call_condition condition;
  const char *reason;
};

extern const struct face_call face_calls[];
extern const size_t face_call_count;

extern const struct face_call face_decoder_calls[];
extern const size_t face_decoder_call_count;

#endif
