/* A part of face_engine.h, which programs include. */
#ifndef FACE_ENGINE_VISITS_H
#define FACE_ENGINE_VISITS_H

#include "detection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Visits --------------------------------------------------------------------------------------------------- */

/* Count people: who came and left, how long they stayed and how long they looked. docs/counting.md.
 *
 *     face_visits *visits = NULL;                        // one for each session, with FACE_OUTPUT_POSE
 *     if (face_visits_create(NULL, &visits) != FACE_OK) ...
 *
 *     void on_faces(const face_frame *frame, const face_result *result, void *user_data)
 *     {
 *       uint32_t count = 0;
 *       face_visits_update(visits, frame->timestamp_ns, result, &count);
 *       for (uint32_t i = 0; i < count; i++) {
 *         face_visit visit;
 *         face_visit_init(&visit);
 *         face_visits_get(visits, i, &visit);
 *         if (visit.event == FACE_VISIT_LEFT) printf("stayed %g s\n", visit.stayed_ns / 1e9);
 *       }
 *     }
 *
 * No pictures are kept, and nothing of a person who has left but the totals that the program makes itself. */

/* Counts the visits in one stream of tracked faces. Only one thread at a time may use it. Since 0.3. */
typedef struct face_visits face_visits;

/* What happened to a visit. Since 0.3. */
typedef uint32_t face_visit_event;

enum {
  FACE_VISIT_CAME = 0, /* the face has been in view for min_stay_ns. Since 0.3. */
  FACE_VISIT_LEFT = 1  /* the face was not seen for longer than max_absence_ns, or the counting has ended. Since 0.3. */
};

/* How visits are counted. Since 0.3. */
typedef struct face_visit_options {
  uint32_t struct_size; /* set by face_visit_options_init */
  /* generated: c-options VisitOptions 0.3 */
  float max_look_angle; /* 0 to 90 degrees, default 25. A person looks at the screen while the head points at the camera
                           within this angle, and so do the eyes if `gaze` was measured, too. Since 0.3. */
  uint64_t min_stay_ns; /* default 0.5 s. A person counts when the face has been in view for this long in all. Shorter
                           appearances are not reported. Since 0.3. */
  uint64_t max_absence_ns; /* default 1.5 s. A person has left when the face was not seen for longer than this. A face
                              that is found again earlier continues its visit, with its old id or with a new id at the
                              same place. Since 0.3. */
  /* end of generated */
} face_visit_options;

/* The arrival or departure of a person. Since 0.3. */
typedef struct face_visit {
  uint32_t struct_size;   /* set by face_visit_init */
  face_visit_event event;
  uint64_t visit;         /* the number of the visit, from 1 in the order of arrival */
  uint64_t face_id;       /* the newest face_info.id of the face */
  uint64_t first_seen_ns; /* when the face was first seen, by the times of the frames */
  uint64_t last_seen_ns;  /* when the face was last seen */
  uint64_t stayed_ns;     /* the time between both */
  uint64_t looked_ns;     /* the time for which the person looked, so far */
  uint32_t present;       /* the number of people in view after this event */
  uint32_t reserved;
} face_visit;

/* Does what face_visit_options_init does, for a struct of `size` bytes. Since 0.3. */
FACE_API void face_visit_options_init_sized(face_visit_options *options, size_t size);

/* Fills `options` with the defaults that face_visit_options lists. NULL does nothing. Since 0.3. */
static inline void face_visit_options_init(face_visit_options *options)
{
  face_visit_options_init_sized(options, sizeof *options);
}

/* Does what face_visit_init does, for a struct of `size` bytes. Since 0.3. */
FACE_API void face_visit_init_sized(face_visit *visit, size_t size);

/* Prepares `visit` for face_visits_get. NULL does nothing. Since 0.3. */
static inline void face_visit_init(face_visit *visit)
{
  face_visit_init_sized(visit, sizeof *visit);
}

/* Begins to count. `options` may be NULL for the defaults. The caller destroys what `out_visits` receives. Since 0.3. */
FACE_API face_status face_visits_create(const face_visit_options *options, face_visits **out_visits);

/* Adds the next frame, and forgets the events of the update before.
 *
 * time_ns    when the frame was taken. If it is before the time of the frame before, all visits end first.
 * result     the tracked faces of a session's on_faces; NULL for a frame that failed. Faces without an id do not count.
 *            A face whose pose was not measured does not look.
 * out_count  receives the number of new events, which face_visits_get returns; may be NULL.
 *
 * Since 0.3. */
FACE_API face_status face_visits_update(face_visits *visits, uint64_t time_ns, const face_result *result,
                                        uint32_t *out_count);

/* Ends all visits, as at the end of the stream. `out_count` is as for face_visits_update. Since 0.3. */
FACE_API face_status face_visits_end(face_visits *visits, uint32_t *out_count);

/* Returns an event of the last update. Fails with FACE_OUT_OF_RANGE if `index` is not below the number of events.
 * Since 0.3. */
FACE_API face_status face_visits_get(const face_visits *visits, uint32_t index, face_visit *out_visit);

/* Destroys it; visits that have not ended have no event. NULL does nothing. Since 0.3. */
FACE_API void face_visits_destroy(face_visits *visits);

#ifdef __cplusplus
}
#endif

#endif /* FACE_ENGINE_VISITS_H */
