/* Restrictions that a process enters and cannot lift: Landlock's on files, TCP and signals, and a filter of
   system calls. Landlock's hold for the calling thread and for those it starts; the filter for all
   threads. */
#ifndef FACE_ENGINE_CSANDBOX_H
#define FACE_ENGINE_CSANDBOX_H

#include <stddef.h>
#include <stdint.h>

/* The rights to a path and to everything below it. */
enum {
  FACE_PATH_READ = 1,    /* read files, list folders */
  FACE_PATH_RUN = 2,     /* execute files */
  FACE_PATH_WRITE = 4,   /* write to existing files */
  FACE_PATH_CREATE = 8,  /* create files and folders in the folder, replace and remove files */
  FACE_PATH_REMOVE = 16, /* remove files from the folder */
  FACE_PATH_CONTROL = 32 /* ioctl(2) on devices */
};

struct face_sandbox_path {
  const char *path; /* a missing one is ignored */
  unsigned uses;
};

/* The restrictions of Landlock. */
enum {
  FACE_RESTRICTS_FILES = 1,            /* all paths but those given */
  FACE_RESTRICTS_TCP = 2,              /* bind(2) and connect(2) of TCP sockets */
  FACE_RESTRICTS_ABSTRACT_SOCKETS = 4, /* connecting to abstract Unix sockets of processes outside */
  FACE_RESTRICTS_SIGNALS = 8,          /* signals to processes outside */
  FACE_RESTRICTS_TCP_CONNECT = 16      /* connect(2) of TCP sockets only */
};

/* Prevents the process from gaining privileges by executing programs. Returns 0, or -1 with errno. prctl(2),
   PR_SET_NO_NEW_PRIVS */
int face_sandbox_no_new_privileges(void);

/* Puts in force those of `wanted` that this kernel supports, and returns them. Call
   face_sandbox_no_new_privileges first. landlock(7) */
unsigned face_sandbox_restrict(const struct face_sandbox_path *paths, size_t count, unsigned wanted);

/* The tasks that need system calls beyond memory, threads, and reading files. */
enum {
  FACE_NEEDS_SERVER = 1,     /* accept connections at a listening socket, and remove its file */
  FACE_NEEDS_NOTICES = 2,    /* send datagrams to a service manager */
  FACE_NEEDS_CLIENT = 4,     /* connect to Unix sockets, share memory */
  FACE_NEEDS_OUTPUT = 8,     /* write files */
  FACE_NEEDS_CAMERA = 16,    /* Video4Linux */
  FACE_NEEDS_PROGRAM = 32,   /* wait for a program that is running already, and end it */
  FACE_NEEDS_DRAWING = 64,   /* Cairo, Pango and fontconfig */
  FACE_NEEDS_NETWORK = 128,  /* accept TCP connections, with timers of SwiftNIO and libdispatch */
  FACE_NEEDS_DECODERS = 256, /* share memory with processes that decode pictures */
  FACE_NEEDS_LIBRARIES = 512 /* load libraries when they are needed */
};

/* Restricts all threads of the process to the calls that `needs` lists. Others fail with EPERM, or with
   ENOSYS if a library then uses another way. Returns 0, or -1 with errno. seccomp(2) */
int face_sandbox_filter_calls(unsigned needs);

/* Restricts the process to the calls of decoding in memory that it shares with another process. Others fail
   with EPERM. Returns 0, or -1 with errno. seccomp(2) */
int face_sandbox_filter_decoder_calls(void);

/* Returns a row of the table of calls, for tests; NULL past the last. */
const char *face_sandbox_call_reason(size_t index, int *number);

/* The same for the table of a decoder's calls. */
const char *face_sandbox_decoder_call_reason(size_t index, int *number);

#endif
