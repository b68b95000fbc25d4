#include <libyuv.h>

#if defined(__x86_64__) || defined(__i386__)
/* libyuv's own table of BT.709 video has 128 for 2.1124 × 64 = 135, which would leave blue up to 11 of 255
 * short; the code that reads it takes 8 bits without a sign. Source of the others: ITU-R BT.709-6 in
 * 64ths, luma in 65536ths of 257. */
#define YUV_16(...)                                                                \
  {                                                                                \
    YUV_4(__VA_ARGS__), YUV_4(__VA_ARGS__), YUV_4(__VA_ARGS__), YUV_4(__VA_ARGS__) \
  }
#define YUV_4(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
static const struct YuvConstants yuv_bt709_video_table
    __attribute__((aligned(32))) = {YUV_16(135, 0), YUV_16(14, 34), YUV_16(0, 115), YUV_16(18997), YUV_16(-1160)};
#else
#define yuv_bt709_video_table kYuvH709Constants
#endif

typedef enum { yuv_bt601_full, yuv_bt601_video, yuv_bt709_full, yuv_bt709_video } yuv_table_name;

/* Returns the address of a table; Swift would pass on that of a copy. */
static inline const struct YuvConstants *yuv_table(yuv_table_name name)
{
  switch (name) {
  case yuv_bt601_video: return &kYuvI601Constants;
  case yuv_bt709_full: return &kYuvF709Constants;
  case yuv_bt709_video: return &yuv_bt709_video_table;
  default: return &kYuvJPEGConstants;
  }
}
