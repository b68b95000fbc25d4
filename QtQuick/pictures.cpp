#include "pictures.hpp"

#include <map>
#include <mutex>

/* The pixels, registered under a number as long as a picture has them. */
struct CheckPicture::Stored {
  Stored(QImage picture, QImage crop);
  ~Stored();
  QUrl url(const char *part) const;

  const QImage picture, crop;
  int number = 0;
};

namespace {

struct Registry {
  std::mutex lock;
  int last = 0;
  std::map<QString, QImage> images; /* by "NUMBER/picture" and "NUMBER/crop" */
};

Registry &registry()
{
  static Registry made;
  return made;
}

QString key(int number, const char *part) { return QStringLiteral("%1/%2").arg(number).arg(QLatin1String(part)); }

QImage copyOf(const face_image *image)
{
  if (image == nullptr) return {};
  const auto stride = image->strides[0] != 0 ? image->strides[0] : image->width * std::size_t{4};
  return QImage(static_cast<const uchar *>(image->planes[0]), static_cast<int>(image->width),
                static_cast<int>(image->height), static_cast<qsizetype>(stride), QImage::Format_RGB32)
      .copy();
}

QRectF rectOf(const face_box &box) { return {box.x, box.y, box.width, box.height}; }

QString pathOf(const QString &path)
{
  const QUrl url(path);
  return url.isLocalFile() ? url.toLocalFile() : path;
}

} // namespace

CheckPicture::Stored::Stored(QImage whole, QImage square) : picture(std::move(whole)), crop(std::move(square))
{
  const std::lock_guard guard(registry().lock);
  number = ++registry().last;
  registry().images[key(number, "picture")] = picture;
  registry().images[key(number, "crop")] = crop;
}

CheckPicture::Stored::~Stored()
{
  const std::lock_guard guard(registry().lock);
  registry().images.erase(key(number, "picture"));
  registry().images.erase(key(number, "crop"));
}

QUrl CheckPicture::Stored::url(const char *part) const
{
  return QUrl(QStringLiteral("image://faceengine/") + key(number, part));
}

CheckPicture::CheckPicture(const face_check &result)
    : stored_(std::make_shared<Stored>(copyOf(result.picture), copyOf(result.crop))), cropBox_(rectOf(result.crop_box))
{
  face_info info;
  face_info_init(&info);
  if (face_result_get(result.faces, 0, &info) == FACE_OK) faceBox_ = rectOf(info.box);
}

QUrl CheckPicture::source() const { return stored_ ? stored_->url("picture") : QUrl(); }

QUrl CheckPicture::cropSource() const { return stored_ ? stored_->url("crop") : QUrl(); }

bool CheckPicture::save(const QString &path) const { return stored_ && stored_->picture.save(pathOf(path)); }

bool CheckPicture::saveCrop(const QString &path) const { return stored_ && stored_->crop.save(pathOf(path)); }

QImage PictureProvider::requestImage(const QString &id, QSize *size, const QSize &requestedSize)
{
  QImage found;
  {
    const std::lock_guard guard(registry().lock);
    const auto place = registry().images.find(id);
    if (place != registry().images.end()) found = place->second;
  }
  if (size != nullptr) *size = found.size();
  if (found.isNull() || !requestedSize.isValid() || requestedSize.isEmpty()) return found;
  return found.scaled(requestedSize, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}
