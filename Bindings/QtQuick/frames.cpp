#include "frames.hpp"

#include <QImage>

#include <dlfcn.h>

#include <array>
#include <optional>

namespace {

using Format = QVideoFrameFormat;

/* How the planes of a frame become those of an image. */
struct Layout {
  face_format format;
  std::array<int, 3> planes; /* the frame's, in the order of the image's; -1 for none */
  std::size_t chromaStep;    /* of the frame's rows of chroma, the image takes each such one */
};

/* Empty for a format that the engine does not take. */
std::optional<Layout> layoutOf(Format::PixelFormat format)
{
  switch (format) {
  case Format::Format_BGRA8888:
  case Format::Format_BGRA8888_Premultiplied:
  case Format::Format_BGRX8888: return Layout{FACE_FORMAT_BGRA, {0, -1, -1}, 1};
  case Format::Format_RGBA8888:
  case Format::Format_RGBX8888: return Layout{FACE_FORMAT_RGBA, {0, -1, -1}, 1};
  case Format::Format_NV12: return Layout{FACE_FORMAT_NV12, {0, 1, -1}, 1};
  case Format::Format_NV21: return Layout{FACE_FORMAT_NV21, {0, 1, -1}, 1};
  case Format::Format_YUV420P: return Layout{FACE_FORMAT_I420, {0, 1, 2}, 1};
  case Format::Format_YV12: return Layout{FACE_FORMAT_I420, {0, 2, 1}, 1};
  /* What webcams' JPEGs are decoded to. Every second row of chroma is enough. */
  case Format::Format_YUV422P: return Layout{FACE_FORMAT_I420, {0, 1, 2}, 2};
  case Format::Format_YUYV: return Layout{FACE_FORMAT_YUYV, {0, -1, -1}, 1};
  case Format::Format_UYVY: return Layout{FACE_FORMAT_UYVY, {0, -1, -1}, 1};
  case Format::Format_Y8: return Layout{FACE_FORMAT_GRAY, {0, -1, -1}, 1};
  case Format::Format_Jpeg: return Layout{FACE_FORMAT_ENCODED, {0, -1, -1}, 1};
  default: return std::nullopt;
  }
}

face_colour colourOf(const QVideoFrameFormat &format)
{
  const bool isFull = format.colorRange() == Format::ColorRange_Full;
  if (format.colorSpace() == Format::ColorSpace_BT709) return isFull ? FACE_COLOUR_BT709_FULL : FACE_COLOUR_BT709_VIDEO;
  return isFull ? FACE_COLOUR_BT601_FULL : FACE_COLOUR_BT601_VIDEO;
}

face_orientation orientationOf(int turn)
{
  switch (((turn % 360) + 360) % 360) {
  case 90: return FACE_ORIENTATION_RIGHT;
  case 180: return FACE_ORIENTATION_DOWN;
  case 270: return FACE_ORIENTATION_LEFT;
  default: return FACE_ORIENTATION_DEFAULT;
  }
}

/* Degrees clockwise by which a frame must be turned, by its own account. Qt 6.4 exports QVideoFrame::rotationAngle, and
 * Qt 6.8 only QVideoFrame::rotation, whose numbers are the same: one build has to run with both. */
int turnOf(const QVideoFrame &frame)
{
  using Getter = int (*)(const QVideoFrame *);
  static const Getter getter = [] {
    void *found = dlsym(RTLD_DEFAULT, "_ZNK11QVideoFrame8rotationEv");
    if (found == nullptr) found = dlsym(RTLD_DEFAULT, "_ZNK11QVideoFrame13rotationAngleEv");
    return reinterpret_cast<Getter>(found);
  }();
  return getter != nullptr ? getter(&frame) : 0;
}

} // namespace

MappedFrame::MappedFrame(const QVideoFrame &frame, int turn) : frame_(frame)
{
  const bool isTaken = layoutOf(frame_.pixelFormat()).has_value();
  isMapped_ = isTaken && frame_.map(QVideoFrame::ReadOnly);
  if (isMapped_) describe();
  /* QVideoFrame::toImage turns the picture as the frame says. */
  if (!isTaken) convert();
  image_.orientation = orientationOf(turn + (isTaken ? turnOf(frame_) : 0));
}

MappedFrame::~MappedFrame()
{
  if (isMapped_) frame_.unmap();
}

void MappedFrame::describe()
{
  const Layout layout = *layoutOf(frame_.pixelFormat());
  image_.format = layout.format;
  image_.colour = colourOf(frame_.surfaceFormat());
  if (layout.format != FACE_FORMAT_ENCODED) {
    image_.width = static_cast<std::uint32_t>(frame_.width());
    image_.height = static_cast<std::uint32_t>(frame_.height());
  }
  for (unsigned index = 0; index < layout.planes.size() && layout.planes[index] >= 0; index++) {
    const int plane = layout.planes[index];
    const auto size = static_cast<std::size_t>(frame_.mappedBytes(plane));
    const auto stride = static_cast<std::size_t>(frame_.bytesPerLine(plane)) * (index > 0 ? layout.chromaStep : 1);
    image_.plane(index, frame_.bits(plane), size, layout.format == FACE_FORMAT_ENCODED ? 0 : stride);
  }
}

void MappedFrame::convert()
{
  converted_ = frame_.toImage().convertToFormat(QImage::Format_RGB32);
  if (converted_.isNull()) return;
  image_.format = FACE_FORMAT_BGRA;
  image_.width = static_cast<std::uint32_t>(converted_.width());
  image_.height = static_cast<std::uint32_t>(converted_.height());
  image_.plane(0, converted_.constBits(), static_cast<std::size_t>(converted_.sizeInBytes()),
               static_cast<std::size_t>(converted_.bytesPerLine()));
}

face::image MappedFrame::submitted(std::unique_ptr<MappedFrame> frame)
{
  face::image image = frame->image_;
  image.release = [](void *data) { delete static_cast<MappedFrame *>(data); };
  image.release_data = frame.release();
  return image;
}
