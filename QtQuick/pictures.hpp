/* The picture of a guided check, for QML. */
#pragma once

#include "face_engine.hpp"

#include <QQmlEngine>
#include <QQuickImageProvider>
#include <QRectF>
#include <QUrl>

/* What a guided check took: shown by an Image, or saved. A value: copies share the pixels. */
class CheckPicture {
  Q_GADGET
  QML_VALUE_TYPE(checkPicture)
  Q_PROPERTY(QUrl source READ source)
  Q_PROPERTY(QUrl cropSource READ cropSource)
  Q_PROPERTY(QRectF cropBox MEMBER cropBox_)
  Q_PROPERTY(QRectF faceBox MEMBER faceBox_)

public:
  CheckPicture() = default;
  /* Copies what the RESULT event of a check has. */
  explicit CheckPicture(const face_check &result);

  /* The whole picture, for Image.source, as long as this object or a copy of it is there. Empty before there is one. */
  QUrl source() const;
  /* The square around the face. */
  QUrl cropSource() const;
  /* Writes the whole picture, or the crop; the format follows from the ending, as in ".jpg". False if that fails. */
  Q_INVOKABLE bool save(const QString &path) const;
  Q_INVOKABLE bool saveCrop(const QString &path) const;

private:
  struct Stored;

  std::shared_ptr<const Stored> stored_;
  QRectF cropBox_, faceBox_; /* in pixels of the picture */
};

/* Gives an Image the pictures behind "image://faceengine/". */
class PictureProvider : public QQuickImageProvider {
public:
  PictureProvider() : QQuickImageProvider(QQuickImageProvider::Image) {}
  QImage requestImage(const QString &id, QSize *size, const QSize &requestedSize) override;
};
