/* The picture of a guided check, for QML. */
#pragma once

#include "face_engine.hpp"

#include <QQmlEngine>
#include <QQuickImageProvider>
#include <QRectF>
#include <QUrl>

/* What a guided check took: shown by an Image, or saved. A value: copies share the pixels, and all are empty once the
 * check has forgotten them, also those that JavaScript has not collected yet. */
class CheckPicture {
  Q_GADGET
  QML_VALUE_TYPE(checkPicture)
  Q_PROPERTY(bool empty READ isEmpty)
  Q_PROPERTY(QUrl source READ source)
  Q_PROPERTY(QUrl cropSource READ cropSource)
  Q_PROPERTY(QRectF cropBox READ cropBox)
  Q_PROPERTY(QRectF faceBox READ faceBox)

public:
  CheckPicture() = default;
  /* Copies what the RESULT event of a check has. */
  explicit CheckPicture(const face_check &result);

  /* Frees the pixels for every copy. An Image that shows them shows nothing when its texture is made again; the
   * addresses lead nowhere from now on. */
  void forget();

  bool operator==(const CheckPicture &other) const { return stored_ == other.stored_; }
  bool isEmpty() const;
  /* The whole picture, for Image.source. Empty before there is one, and once it is forgotten. */
  QUrl source() const;
  /* The square around the face. */
  QUrl cropSource() const;
  /* In pixels of the picture. */
  QRectF cropBox() const;
  QRectF faceBox() const;
  /* Writes the whole picture, or the crop; the format follows from the ending, as in ".jpg". False if that fails. */
  Q_INVOKABLE bool save(const QString &path) const;
  Q_INVOKABLE bool saveCrop(const QString &path) const;

private:
  struct Stored;

  std::shared_ptr<Stored> stored_;
};

/* Gives an Image the pictures behind "image://faceengine/". */
class PictureProvider : public QQuickImageProvider {
public:
  PictureProvider() : QQuickImageProvider(QQuickImageProvider::Texture) {}
  QQuickTextureFactory *requestTexture(const QString &id, QSize *size, const QSize &requestedSize) override;
};
