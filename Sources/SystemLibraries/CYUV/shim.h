#include <libyuv.h>

/* The address of a table: Swift would hand on that of a copy. */
typedef enum {
  yuv_bt601_full,
  yuv_bt601_video,
  yuv_bt709_full,
  yuv_bt709_video
} yuv_table_name;

static inline const struct YuvConstants *yuv_table(yuv_table_name name)
{
  switch (name) {
    case yuv_bt601_video: return &kYuvI601Constants;
    case yuv_bt709_full: return &kYuvF709Constants;
    case yuv_bt709_video: return &kYuvH709Constants;
    default: return &kYuvJPEGConstants;
  }
}
