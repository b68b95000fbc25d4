/* FaceEngine: finds faces in images.
 *
 * How a program uses it
 *
 *     face_engine *engine = NULL;
 *     if (face_load_model("Models/yunet", &engine) != FACE_OK)   // or face_connect(NULL, &engine)
 *       return fail(face_last_error());
 *
 *     face_image image;
 *     face_image_init(&image);
 *     image.format = FACE_FORMAT_RGB;
 *     image.width = 640;  image.height = 480;
 *     image.planes[0] = pixels;  image.plane_sizes[0] = 640 * 480 * 3;
 *
 *     face_result *result = NULL;
 *     if (face_detect(engine, &image, NULL, &result) != FACE_OK) ...
 *     for (uint32_t i = 0; i < face_result_count(result); i++) {
 *       face_info face;
 *       face_info_init(&face);
 *       face_result_get(result, i, &face);
 *       ...
 *     }
 *     face_result_destroy(result);
 *     face_release(engine);
 *
 * Conventions
 *
 * Status       Every function that can fail returns a face_status: FACE_OK, which is 0, or one of gRPC's codes. On
 *              failure it writes no output, and face_last_error() describes the failure of the calling thread in one
 *              sentence.
 * Ownership    The caller destroys what a function returns through a pointer to a pointer. Arguments are borrowed until
 *              the call returns, unless the function says otherwise. Destroying NULL does nothing.
 * Structs      Every public struct that can grow starts with struct_size. A struct that a program fills or receives has
 *              a function face_..._init, which must be called before use. Other structs, such as face_point, never
 *              change.
 * Versions     A program works with every later library of the same FACE_ABI_VERSION, without being compiled again.
 *              Structs grow at their ends only: members that the program's struct lacks have their defaults, and are
 *              not written. With an older library, a call fails with FACE_UNIMPLEMENTED if the program sets a member
 *              that the library does not know. The values of face_..._init are accepted in such members, and outputs
 *              unknown to the library are zeros. Structs that the library makes, such as face_check, have the library's
 *              size: see FACE_HAS_MEMBER. In an array of structs with struct_size, all elements have the same
 *              struct_size, which is also the distance in bytes from one element to the next.
 * Enumerations A number that the library does not know fails with FACE_INVALID_ARGUMENT, an unknown bit of a set with
 *              FACE_UNIMPLEMENTED. A newer library or engine may return numbers that the program does not know. Treat
 *              such a face_status like FACE_UNKNOWN, a face_check_state like FACE_CHECK_CHECKING and a face_path like
 *              FACE_PATH_DISCONNECTED; show the text of a face_tip; ignore a face_check_event, a face_log_level, a
 *              face_option_kind, and bits of face_info.valid.
 * Threads      Any number of threads may use an engine at once; face_connect describes the limits of a connected
 *              engine. A result never changes, so any number of threads may read it; destroy it when no thread reads it
 *              any more. Only one thread at a time may submit to a session.
 * Cancellation The library disables thread cancellation (pthread_setcancelstate) while it works, also in its callbacks,
 *              and restores the thread's state on return. A thread that pthread_cancel ends inside a call therefore
 *              ends after that call. A callback must return: it must not end its thread, and must not leave by longjmp
 *              or an exception.
 * Memory       A call fails with FACE_RESOURCE_EXHAUSTED if there is too little memory for something large: the pixels
 *              of a picture (decoded, scaled, cropped, drawn on, or copied for a session), the bytes of a picture file,
 *              the files of a model, the workspace of a network, or shared memory. Everything else is small: handles,
 *              results, texts, lists of faces. If a small allocation fails, the process ends, as any Swift program
 *              does, and Swift's runtime may write a message and a stack trace to standard error. The process also ends
 *              if other threads use up the memory for a file after the library has checked that there is enough.
 * Stack        A thread that calls these functions, or those of the drawing library, needs 128 KiB of stack besides its
 *              thread-local variables. With a plug-in (face_load_options.engine) the plug-in's documentation says how
 *              much it needs.
 * Fork         After fork() a connected engine works in the parent and in the child: the child makes its own
 *              connection. A loaded model works in the child too, unless a thread or a session was searching with it at
 *              the time of the fork: then its calls in the child fail with FACE_FAILED_PRECONDITION, and the child has
 *              to load the model again. A session belongs to the process that opened it: in the child its functions
 *              fail with FACE_FAILED_PRECONDITION.
 * Coordinates  Positions are pixels of the upright image (the image after its orientation was applied): origin at the
 *              top-left corner, x to the right, y down. A position is a real number; the first pixel covers 0 to 1. See
 *              face_space for other coordinate spaces.
 * Sides        Left and right are the subject's own: in an unmirrored picture the left eye is nearer the right edge.
 * Signals      The library installs no signal handler, raises neither SIGPIPE nor SIGXFSZ and opens no network
 *              connection. It prints nothing, unless the process ends for lack of memory.
 * Descriptors  File descriptors that the library opens are 3 or higher, even if the program has closed 0, 1 or 2.
 * Unloading    dlclose leaves the library in memory; a later dlopen returns the same one.
 */
#ifndef FACE_ENGINE_H
#define FACE_ENGINE_H

#include "face_engine/status.h"
#include "face_engine/engine.h"
#include "face_engine/images.h"
#include "face_engine/options.h"
#include "face_engine/detection.h"
#include "face_engine/measurements.h"
#include "face_engine/mesh.h"
#include "face_engine/coordinates.h"
#include "face_engine/sessions.h"
#include "face_engine/checks.h"
#include "face_engine/visits.h"

#endif /* FACE_ENGINE_H */
