/* Frames and items for the tests. */
#pragma once

#include <QAbstractListModel>
#include <QProcess>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QTest>
#include <QTimer>
#include <QVideoFrame>
#include <QVideoSink>

#include <array>
#include <memory>
#include <optional>

/* A variable of the environment, which test.sh sets. */
QString setting(const char *name);

/* The photo, 512 × 600 pixels with one face. */
QImage photo();
/* As large, without a face. */
QImage wall();

/* The image with a row of pixels that no other image has. */
QImage marked(QImage image);
/* In how many places of this process's memory such a row is, as four bytes a pixel. */
int marksInMemory();

/* A frame with the pixels of `image`. */
QVideoFrame frameOf(const QImage &image, QVideoFrameFormat::PixelFormat format);

/* Two frames that are alike: a sink does not deliver one that it has already. */
class Still {
public:
  explicit Still(const QImage &image, QVideoFrameFormat::PixelFormat format = QVideoFrameFormat::Format_NV12)
      : frames_{frameOf(image, format), frameOf(image, format)}
  {
  }
  const QVideoFrame &next() { return frames_[number_++ % 2]; }

private:
  std::array<QVideoFrame, 2> frames_;
  unsigned number_ = 0;
};

/* An item of the module that is fed with frames, as a camera would. */
class Scene {
public:
  /* `type` is FaceFinder or GuidedCheck, `body` what its braces have. Its source is the model unless the body has
     another. */
  Scene(const QString &type, const QString &body = {});

  QQuickItem *item() const { return item_.get(); }
  const QQmlEngine *engine() const { return &engine_; }
  /* The value of an expression of the item's. */
  QVariant evaluate(const QString &expression) const;
  QVideoSink *sink() { return &sink_; }
  QAbstractListModel *faces() const { return item_->property("faces").value<QAbstractListModel *>(); }
  QString error() const { return item_->property("errorString").toString(); }
  int count() const { return item_->property("count").toInt(); }
  /* What a role of the first face is. */
  QVariant role(const char *name) const;
  QRectF box() const { return role("box").toRectF(); }

  /* Shows these frames, 30 times a second, until others are shown. */
  void show(const Still &still);
  void show(const QImage &image) { show(Still(image)); }
  void pause() { timer_.stop(); }
  /* Destroys the item. */
  void destroy() { item_.reset(); }

private:
  QQmlEngine engine_;
  QVideoSink sink_;
  QTimer timer_;
  std::optional<Still> still_;
  std::unique_ptr<QQuickItem> item_;
};

/* An engine process. */
class Service {
public:
  explicit Service(const QString &socket);
  ~Service() { stop(); }

  void start();
  void stop();
  qint64 processId() const { return process_.processId(); }

private:
  QString socket_;
  QProcess process_;
};

/* Waits for a condition, long enough for a busy machine. */
#define EXPECT(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, 30000)
#define EXPECT_EQUAL(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, 30000)
