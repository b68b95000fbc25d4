/* A C target needs one source; including the header here also makes the build follow its edits. */
#include "face_engine.h"
#include "face_engine_draw.h"
