#include "support.hpp"

#include <QFile>
#include <QImage>

#include <functional>

#include <QQmlExpression>

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

using Format = QVideoFrameFormat;

QString setting(const char *name)
{
  const QString value = qEnvironmentVariable(name);
  if (value.isEmpty()) qFatal("%s is not set; see test.sh", name);
  return value;
}

QImage photo() { return QImage(setting("FACE_TEST_PHOTO")).convertToFormat(QImage::Format_RGB32); }

QImage wall()
{
  QImage made(512, 600, QImage::Format_RGB32);
  made.fill(Qt::gray);
  return made;
}

namespace {

constexpr int markLength = 64; /* pixels */

/* Computed, since a constant would be found. */
QRgb mark(int place) { return 0xff000000u | (static_cast<QRgb>(place + 1) * 0x9e3779b1u >> 7 & 0xffffffu); }

} // namespace

QImage marked(QImage image)
{
  for (int place = 0; place < markLength; place++) image.setPixel(100 + place, 2, mark(place));
  return image;
}

int marksInMemory()
{
  constexpr std::size_t most = std::size_t{1} << 30;
  /* Not part of what is searched. */
  void *const room = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  QFile maps(QStringLiteral("/proc/self/maps"));
  if (room == MAP_FAILED || !maps.open(QIODevice::ReadOnly)) qFatal("the memory cannot be read");
  int found = 0;
  for (const QByteArray &line : maps.readAll().split('\n')) {
    const QList<QByteArray> parts = line.split(' ');
    if (parts.size() < 2 || !parts[1].startsWith("rw")) continue;
    const std::size_t start = parts[0].split('-')[0].toULongLong(nullptr, 16);
    const std::size_t size = parts[0].split('-')[1].toULongLong(nullptr, 16) - start;
    const auto own = reinterpret_cast<std::size_t>(room);
    if (size > most || (start < own + most && own < start + size)) continue;
    const iovec to{room, size}, from{reinterpret_cast<void *>(start), size};
    const ssize_t count = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    const auto *pixels = static_cast<const QRgb *>(room);
    for (ssize_t at = 0; at + markLength <= count / 4; at++) {
      int same = 0;
      while (same < markLength && pixels[at + same] == mark(same)) same++;
      found += same == markLength;
    }
  }
  munmap(room, most);
  return found;
}

namespace {

/* Luma, Cb and Cr of JFIF. */
uchar luma(QRgb pixel)
{
  return static_cast<uchar>(0.299 * qRed(pixel) + 0.587 * qGreen(pixel) + 0.114 * qBlue(pixel));
}
uchar blue(QRgb pixel)
{
  return static_cast<uchar>(128 - 0.1687 * qRed(pixel) - 0.3313 * qGreen(pixel) + 0.5 * qBlue(pixel));
}
uchar red(QRgb pixel)
{
  return static_cast<uchar>(128 + 0.5 * qRed(pixel) - 0.4187 * qGreen(pixel) - 0.0813 * qBlue(pixel));
}

using Value = std::function<uchar(int x, int y)>;

/* Fills one plane, `width` bytes a row. */
void fill(QVideoFrame &frame, int plane, int width, int height, const Value &value)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) frame.bits(plane)[y * frame.bytesPerLine(plane) + x] = value(x, y);
}

void fillBytes(QVideoFrame &frame, const QImage &image, const std::array<int, 4> &order)
{
  fill(frame, 0, image.width() * 4, image.height(), [&](int x, int y) {
    const QRgb pixel = image.pixel(x / 4, y);
    const uchar values[] = {uchar(qRed(pixel)), uchar(qGreen(pixel)), uchar(qBlue(pixel)), 255};
    return values[order[static_cast<std::size_t>(x % 4)]];
  });
}

/* Two pixels of luma, and chroma where `first` is the place of Cb among the four bytes. */
void fillPairs(QVideoFrame &frame, const QImage &image, int first)
{
  fill(frame, 0, image.width() * 2, image.height(), [&](int x, int y) {
    const int place = x % 4;
    if (place == first) return blue(image.pixel(x / 4 * 2, y));
    if (place == first + 2) return red(image.pixel(x / 4 * 2, y));
    return luma(image.pixel(x / 4 * 2 + place / 2, y));
  });
}

void fillPlanes(QVideoFrame &frame, const QImage &image, Format::PixelFormat format)
{
  const int width = image.width(), height = image.height(), half = width / 2;
  const int rows = format == Format::Format_YUV422P ? 1 : 2;
  const Value cb = [&](int x, int y) { return blue(image.pixel(x * 2, y * rows)); };
  const Value cr = [&](int x, int y) { return red(image.pixel(x * 2, y * rows)); };
  fill(frame, 0, width, height, [&](int x, int y) { return luma(image.pixel(x, y)); });
  if (format == Format::Format_NV12 || format == Format::Format_NV21) {
    const bool isSwapped = format == Format::Format_NV21;
    fill(frame, 1, width, height / 2, [&](int x, int y) { return ((x % 2 == 1) != isSwapped ? cr : cb)(x / 2, y); });
  } else if (format != Format::Format_Y8) {
    const bool isSwapped = format == Format::Format_YV12;
    fill(frame, 1, half, height / rows, isSwapped ? cr : cb);
    fill(frame, 2, half, height / rows, isSwapped ? cb : cr);
  }
}

} // namespace

QVideoFrame frameOf(const QImage &image, Format::PixelFormat format)
{
  Format described(image.size(), format);
  described.setColorSpace(Format::ColorSpace_BT601);
  described.setColorRange(Format::ColorRange_Full);
  QVideoFrame frame(described);
  if (!frame.map(QVideoFrame::WriteOnly)) qFatal("a frame cannot be made");
  switch (format) {
  case Format::Format_BGRA8888:
  case Format::Format_BGRX8888: fillBytes(frame, image, {2, 1, 0, 3}); break;
  case Format::Format_RGBA8888:
  case Format::Format_RGBX8888: fillBytes(frame, image, {0, 1, 2, 3}); break;
  case Format::Format_ARGB8888: fillBytes(frame, image, {3, 0, 1, 2}); break;
  case Format::Format_YUYV: fillPairs(frame, image, 1); break;
  case Format::Format_UYVY: fillPairs(frame, image, 0); break;
  default: fillPlanes(frame, image, format); break;
  }
  frame.unmap();
  return frame;
}

Scene::Scene(const QString &type, const QString &body)
{
  engine_.rootContext()->setContextProperty(QStringLiteral("sink"), &sink_);
  const QString source = body.contains(QStringLiteral("source:"))
                             ? QString()
                             : QStringLiteral("source: \"%1\";").arg(setting("FACE_TEST_MODEL"));
  QQmlComponent component(&engine_);
  component.setData(QStringLiteral("import QtQuick; import FaceEngine\n%1 { videoSink: sink; %2 %3 }")
                        .arg(type, source, body)
                        .toUtf8(),
                    {});
  item_.reset(qobject_cast<QQuickItem *>(component.create()));
  if (!item_) qFatal("%s", qPrintable(component.errorString()));
  timer_.setInterval(33);
  QObject::connect(&timer_, &QTimer::timeout, [this] { sink_.setVideoFrame(still_->next()); });
}

QVariant Scene::evaluate(const QString &expression) const
{
  QQmlExpression made(engine_.contextForObject(item_.get()), item_.get(), expression);
  const QVariant value = made.evaluate();
  if (made.hasError()) qFatal("%s", qPrintable(made.error().toString()));
  return value.userType() == qMetaTypeId<QJSValue>() ? value.value<QJSValue>().toVariant() : value;
}

QVariant Scene::role(const char *name) const
{
  return faces()->rowCount() > 0 ? faces()->data(faces()->index(0, 0), faces()->roleNames().key(name)) : QVariant();
}

void Scene::show(const Still &still)
{
  still_ = still;
  timer_.start();
}

Service::Service(const QString &socket) : socket_(socket)
{
  process_.setProcessChannelMode(QProcess::ForwardedChannels);
}

void Service::start()
{
  process_.start(setting("FACE_TEST_COMMAND"), {QStringLiteral("serve"), QStringLiteral("--socket"), socket_,
                                                QStringLiteral("--model"), setting("FACE_TEST_MODEL")});
  if (!process_.waitForStarted()) qFatal("the engine does not start");
}

void Service::stop()
{
  process_.kill();
  process_.waitForFinished();
}
