/* The debug category of the elements, for GST_DEBUG and its like. */
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(gst_face_debug);
#define GST_CAT_DEFAULT gst_face_debug
