/* Declarations that the parts of the suite share. Each part is called with the same engine, loaded or connected. */
#ifndef ABI_H
#define ABI_H

#include <face_engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;
extern face_engine *engine;

#define EXPECT(condition)                                                                                         \
  do {                                                                                                            \
    if (!(condition)) {                                                                                           \
      __sync_fetch_and_add(&failures, 1);                                                                         \
      fprintf(stderr, "%s:%d: expected %s; last error: %s\n", __FILE__, __LINE__, #condition, face_last_error()); \
    }                                                                                                             \
  } while (0)

/* The photo as its file: one face in 512 × 600 pixels. */
face_image photo(void);
extern const char *photo_path;
/* 64 × 64 grey pixels without a face. */
face_image empty_picture(void);
/* Detects and discards the result. */
face_status detect_with(face_image image);
/* Expects a change of a variable to have a status; `restore` undoes it. */
#define REFUSED_AS(status, change, call, restore) \
  do {                                            \
    change;                                       \
    EXPECT((call) == (status));                   \
    restore;                                      \
  } while (0)

/* The defaults in a mode. */
face_session_options options_of(face_session_mode mode);
/* An initialised listener. */
face_listener listener_of(void *user_data);
/* A session with that listener. */
face_session *open_with(const face_session_options *options, face_listener listener);
void flush_and_close(face_session *session);
/* Submits an image as often. */
void submit_often(face_session *session, face_image image, int count);
/* A thread that runs `body`; ended by join. */
typedef struct task task;
task *start(void (*body)(void *), void *argument);
void join(task *task);
void rest(int milliseconds);

void calls(void);
void images(void);
void results(void);
void batches(void);
void coordinates(void);
void listeners(void);
void logs(void);
void memories(void);
void cancellers(void);
void silent_engines(void);
void sessions(void);
void ownership(void);
void sessions_after_fork(void);
void features(void);
void stale_handles(void);

#endif
