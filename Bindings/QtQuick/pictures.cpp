#include "pictures.hpp"

#include <QQuickWindow>

#include <limits>
#include <map>
#include <mutex>
#include <set>

namespace {

class ShownPicture;

/* All pixels that the module has. */
struct Registry {
  std::mutex lock;
  int last = 0;
  std::map<QString, QImage> images; /* by "NUMBER/picture" and "NUMBER/crop" */
  std::set<ShownPicture *> shown;
};

/* Never destroyed: Qt's cache, which has shown pictures, ends later than this module's variables. */
Registry &registry()
{
  static auto &made = *new Registry;
  return made;
}

QString key(int number, const char *part) { return QStringLiteral("%1/%2").arg(number).arg(QLatin1String(part)); }

/* What Qt keeps of a picture while an Image shows it. The pixels remain the registry's: they can be taken away at any
   time. */
class ShownPicture : public QQuickTextureFactory {
public:
  /* Under the registry's lock. */
  ShownPicture(int number, const QImage &image) : number_(number), size_(image.size()), image_(image)
  {
    registry().shown.insert(this);
  }

  ~ShownPicture() override
  {
    const std::lock_guard guard(registry().lock);
    registry().shown.erase(this);
  }

  /* Under the registry's lock. */
  void forget(int number)
  {
    if (number == number_) image_ = {};
  }

  QImage image() const override
  {
    const std::lock_guard guard(registry().lock);
    return image_;
  }

  QSGTexture *createTexture(QQuickWindow *window) const override
  {
    const QImage shown = image();
    return shown.isNull() ? nullptr : window->createTextureFromImage(shown);
  }

  QSize textureSize() const override { return size_; }

  /* Larger than Qt's cache of unused pictures, so that our pictures never enter that cache. */
  int textureByteCount() const override { return std::numeric_limits<int>::max() / 2; }

private:
  const int number_;
  const QSize size_;
  QImage image_;
};

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

/* What the copies of a picture share. Its pixels are in the registry until they are forgotten. */
struct CheckPicture::Stored {
  Stored(const face_check &result);
  ~Stored() { forget(); }
  void forget();
  /* Null once it is forgotten. */
  QImage image(const char *part) const;

  int number = 0;
  QRectF cropBox, faceBox;
};

CheckPicture::Stored::Stored(const face_check &result) : cropBox(rectOf(result.crop_box))
{
  face_info info;
  face_info_init(&info);
  if (face_result_get(result.faces, 0, &info) == FACE_OK) faceBox = rectOf(info.box);
  QImage picture = copyOf(result.picture), crop = copyOf(result.crop);
  const std::lock_guard guard(registry().lock);
  number = ++registry().last;
  registry().images[key(number, "picture")] = std::move(picture);
  registry().images[key(number, "crop")] = std::move(crop);
}

void CheckPicture::Stored::forget()
{
  const std::lock_guard guard(registry().lock);
  registry().images.erase(key(number, "picture"));
  registry().images.erase(key(number, "crop"));
  for (ShownPicture *shown : registry().shown) shown->forget(number);
}

QImage CheckPicture::Stored::image(const char *part) const
{
  const std::lock_guard guard(registry().lock);
  const auto place = registry().images.find(key(number, part));
  return place == registry().images.end() ? QImage() : place->second;
}

CheckPicture::CheckPicture(const face_check &result) : stored_(std::make_shared<Stored>(result)) {}

void CheckPicture::forget()
{
  if (stored_) stored_->forget();
}

bool CheckPicture::isEmpty() const { return !stored_ || stored_->image("picture").isNull(); }

QUrl CheckPicture::source() const
{
  return isEmpty() ? QUrl() : QUrl(QStringLiteral("image://faceengine/") + key(stored_->number, "picture"));
}

QUrl CheckPicture::cropSource() const
{
  return isEmpty() ? QUrl() : QUrl(QStringLiteral("image://faceengine/") + key(stored_->number, "crop"));
}

QRectF CheckPicture::cropBox() const { return isEmpty() ? QRectF() : stored_->cropBox; }

QRectF CheckPicture::faceBox() const { return isEmpty() ? QRectF() : stored_->faceBox; }

bool CheckPicture::save(const QString &path) const { return stored_ && stored_->image("picture").save(pathOf(path)); }

bool CheckPicture::saveCrop(const QString &path) const { return stored_ && stored_->image("crop").save(pathOf(path)); }

QQuickTextureFactory *PictureProvider::requestTexture(const QString &id, QSize *size, const QSize &requestedSize)
{
  std::unique_lock lock(registry().lock);
  const auto place = registry().images.find(id);
  if (place == registry().images.end()) return nullptr;
  QImage found = place->second;
  if (size != nullptr) *size = found.size();
  if (requestedSize.isValid() && !requestedSize.isEmpty()) {
    lock.unlock(); /* it takes long */
    found = found.scaled(requestedSize, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    lock.lock();
    if (registry().images.count(id) == 0) return nullptr;
  }
  return new ShownPicture(id.section(QLatin1Char('/'), 0, 0).toInt(), found);
}
