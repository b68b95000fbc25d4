/* The QML type FaceFinder. */
#pragma once

#include "facelist.hpp"
#include "worker.hpp"

#include <QElapsedTimer>
#include <QPointer>
#include <QQuickItem>
#include <QTimer>
#include <QVideoSink>

/* Finds and follows the faces that a video shows, and lies over the VideoOutput that shows it. All signals come in the
 * GUI's thread; docs/qt.md describes the properties. */
class FaceFinder : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QVideoSink *videoSink READ videoSink WRITE setVideoSink NOTIFY videoSinkChanged)
  Q_PROPERTY(QString source MEMBER source_ WRITE setSource NOTIFY sourceChanged)
  Q_PROPERTY(bool active MEMBER isActive_ WRITE setActive NOTIFY activeChanged)
  Q_PROPERTY(bool mirrored MEMBER isMirrored_ WRITE setMirrored NOTIFY mirroredChanged)
  Q_PROPERTY(FillMode fillMode MEMBER fillMode_ WRITE setFillMode NOTIFY fillModeChanged)
  Q_PROPERTY(int orientation MEMBER orientation_ WRITE setOrientation NOTIFY orientationChanged)
  Q_PROPERTY(QStringList outputs MEMBER outputs_ WRITE setOutputs NOTIFY outputsChanged)
  Q_PROPERTY(QVariantMap options MEMBER options_ WRITE setOptions NOTIFY optionsChanged)
  Q_PROPERTY(QSizeF screen MEMBER screen_ WRITE setScreen NOTIFY screenChanged)
  Q_PROPERTY(qreal screenGap MEMBER screenGap_ WRITE setScreenGap NOTIFY screenChanged)
  Q_PROPERTY(FaceList *faces READ faces CONSTANT)
  Q_PROPERTY(QVariantList models READ models NOTIFY modelsChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(QString errorString READ errorString NOTIFY errorStringChanged)

public:
  /* The values of VideoOutput.fillMode. */
  enum FillMode { Stretch, PreserveAspectFit, PreserveAspectCrop };
  Q_ENUM(FillMode)

  explicit FaceFinder(QQuickItem *parent = nullptr);
  ~FaceFinder() override;

  QVideoSink *videoSink() const { return videoSink_; }
  FaceList *faces() { return &faces_; }
  int count() const { return faces_.count(); }
  QVariantList models() const { return faces_.models(); }
  QString errorString() const { return errorString_; }

  void setVideoSink(QVideoSink *sink);
  void setSource(const QString &source) { reopenIf(set(source_, source, &FaceFinder::sourceChanged)); }
  void setActive(bool isActive) { reopenIf(set(isActive_, isActive, &FaceFinder::activeChanged)); }
  void setOrientation(int degrees) { reopenIf(set(orientation_, degrees, &FaceFinder::orientationChanged)); }
  void setOutputs(const QStringList &outputs) { reopenIf(set(outputs_, outputs, &FaceFinder::outputsChanged)); }
  void setOptions(const QVariantMap &options) { reopenIf(set(options_, options, &FaceFinder::optionsChanged)); }
  void setScreen(const QSizeF &centimetres) { lookIf(set(screen_, centimetres, &FaceFinder::screenChanged)); }
  void setScreenGap(qreal centimetres) { lookIf(set(screenGap_, centimetres, &FaceFinder::screenChanged)); }
  void setMirrored(bool isMirrored) { moveIf(set(isMirrored_, isMirrored, &FaceFinder::mirroredChanged)); }
  void setFillMode(FillMode mode) { moveIf(set(fillMode_, mode, &FaceFinder::fillModeChanged)); }

signals:
  void videoSinkChanged();
  void sourceChanged();
  void activeChanged();
  void mirroredChanged();
  void fillModeChanged();
  void orientationChanged();
  void outputsChanged();
  void optionsChanged();
  void screenChanged();
  void countChanged();
  void modelsChanged();
  void errorStringChanged();
  /* A frame was searched, and `faces` has what was found. */
  void updated();
  /* `status` is the name of a face_status, such as "invalidArgument"; `message` says what to do. Once for each message,
   * until a frame is searched again. */
  void errorOccurred(const QString &status, const QString &message);

protected:
  /* What an event of the guided check changes, to be called in the GUI's thread. */
  using Change = std::function<void()>;

  void componentComplete() override;
  void geometryChange(const QRectF &now, const QRectF &before) override;

  /* What the session is opened with; a sentence if that is not possible. */
  virtual QString describe(Settings &settings) const;
  /* Whether the session depends on the item's shape. */
  virtual bool needsView() const { return false; }
  /* Called on the session's thread. */
  virtual Change note(const face_check &) { return {}; }
  /* Called before a session is opened again. */
  virtual void forget() {}
  /* A test whether this item is still there, with the attempt that it has now: what listens to a signal may delete it,
     or restart. */
  std::function<bool()> attempt() const
  {
    return [self = QPointer<const FaceFinder>(this), epoch = epoch_] { return self && self->epoch_ == epoch; };
  }
  /* Drops what the worker has found so far, and what it finds for an earlier number than this. */
  void discard(unsigned epoch);

  /* Ends the worker. A subclass calls it in its destructor, since the worker calls its functions. */
  void stop();
  Worker &worker() { return *worker_; }
  face::space space() const;

  /* Sets a property; false if it has that value already. */
  template <typename Item, typename Value> bool set(Value &member, const Value &value, void (Item::*changed)())
  {
    if (member == value) return false;
    member = value;
    emit(static_cast<Item *>(this)->*changed)();
    return true;
  }
  /* Has the session opened anew when control returns to the event loop. */
  void reopenIf(bool isChanged);

private:
  /* What the worker has for the GUI's thread. */
  struct Inbox {
    std::mutex lock;
    bool isPosted = false;
    unsigned epoch = 0;                /* the newest */
    std::optional<face::result> faces; /* the newest */
    std::vector<Change> changes;
    std::optional<std::pair<face_status, QString>> failure;

    /* Empties it for a newer number. */
    void startAt(unsigned newer);
  };

  void moveIf(bool isChanged);
  void lookIf(bool isChanged);
  void post(unsigned epoch, const std::function<void(Inbox &)> &put);
  void open();
  void drain();
  void watchVideo();
  void report(face_status status, const QString &message);

  QPointer<QVideoSink> videoSink_;
  QString source_ = QStringLiteral("socket");
  bool isActive_ = true;
  bool isMirrored_ = false;
  FillMode fillMode_ = PreserveAspectFit;
  int orientation_ = 0;
  QStringList outputs_;
  QVariantMap options_;
  QSizeF screen_; /* in centimetres; empty: not known */
  qreal screenGap_ = 0;
  QString errorString_;
  FaceList faces_;
  bool willOpen_ = false;
  QTimer watch_;           /* runs while frames are wanted */
  int missed_ = 0;         /* its ticks since there was a frame */
  QElapsedTimer failedAt_; /* when the worker last failed */
  unsigned epoch_ = 0;     /* of the settings and the attempt that the worker has */
  Inbox inbox_;
  std::unique_ptr<Worker> worker_;
};
