#include "facefinder.hpp"

#include "tap.hpp"

#include <QCameraDevice>
#include <QMediaDevices>

namespace {

/* Milliseconds. */
constexpr int tick = 500, patience = 5000;
/* A worker that fails does so again within this time. */
constexpr int failing = 1000;

QString nameOf(face_status status)
{
  return QString::fromLatin1(qmlName(QByteArray(face_status_name(status)).toLower().constData()));
}

} // namespace

FaceFinder::FaceFinder(QQuickItem *parent) : QQuickItem(parent), faces_(this)
{
  watch_.setInterval(tick);
  connect(&watch_, &QTimer::timeout, this, &FaceFinder::watchVideo);
  connect(&faces_, &FaceList::countChanged, this, &FaceFinder::countChanged);
  connect(&faces_, &FaceList::modelsChanged, this, &FaceFinder::modelsChanged);
  Worker::Listener listener;
  listener.onFaces = [this](unsigned epoch, face::result faces) {
    post(epoch, [&faces](Inbox &inbox) {
      inbox.faces = std::move(faces);
      inbox.failure.reset();
    });
  };
  listener.onCheck = [this](unsigned epoch, const face_check &check) {
    if (Change change = note(check))
      post(epoch, [&change](Inbox &inbox) { inbox.changes.push_back(std::move(change)); });
  };
  listener.onFailed = [this](unsigned epoch, face_status status, QString message) {
    post(epoch, [&](Inbox &inbox) {
      inbox.failure = {status, message};
      inbox.faces.reset();
    });
  };
  worker_ = std::make_unique<Worker>(std::move(listener));
}

FaceFinder::~FaceFinder() { stop(); }

void FaceFinder::stop()
{
  if (videoSink_ != nullptr) FrameTap::of(videoSink_)->remove(worker_.get());
  videoSink_.clear();
  worker_.reset();
}

void FaceFinder::setVideoSink(QVideoSink *sink)
{
  if (sink == videoSink_) return;
  if (videoSink_ != nullptr) FrameTap::of(videoSink_)->remove(worker_.get());
  videoSink_ = sink;
  if (sink != nullptr) FrameTap::of(sink)->add(worker_.get());
  emit videoSinkChanged();
}

void FaceFinder::componentComplete()
{
  QQuickItem::componentComplete();
  faces_.setSpace(space());
  reopenIf(true);
}

void FaceFinder::geometryChange(const QRectF &now, const QRectF &before)
{
  QQuickItem::geometryChange(now, before);
  moveIf(now.size() != before.size());
}

void FaceFinder::moveIf(bool isChanged)
{
  if (!isChanged) return;
  faces_.setSpace(space());
  reopenIf(needsView());
}

/* The camera is above the middle of the upper edge. */
void FaceFinder::lookIf(bool isChanged)
{
  if (!isChanged) return;
  const auto half = static_cast<float>(screen_.width() / 2), top = static_cast<float>(-screenGap_);
  const float bottom = top - static_cast<float>(screen_.height());
  faces_.setScreen(screen_.isEmpty() ? std::nullopt
                                     : std::optional(face_screen{{half, top, 0}, {-half, top, 0}, {half, bottom, 0}}));
}

face::space FaceFinder::space() const
{
  constexpr face_fit fits[] = {FACE_FIT_STRETCH, FACE_FIT_CONTAIN, FACE_FIT_COVER};
  return face::space::view(static_cast<float>(width()), static_cast<float>(height()), fits[fillMode_], isMirrored_);
}

void FaceFinder::reopenIf(bool isChanged)
{
  if (!isChanged || !isComponentComplete() || willOpen_) return;
  /* Once for all that changes now. */
  willOpen_ = true;
  QMetaObject::invokeMethod(this, &FaceFinder::open, Qt::QueuedConnection);
}

QString FaceFinder::describe(Settings &settings) const
{
  settings.source = source_;
  settings.turn = -orientation_;
  settings.view = space();
  if (orientation_ % 90 != 0)
    return QStringLiteral("The orientation cannot be %1; give a multiple of 90.").arg(orientation_);
  const QString refusal = settings.request(outputs_);
  return refusal.isEmpty() ? settings.apply(options_) : refusal;
}

void FaceFinder::open()
{
  willOpen_ = false;
  Settings settings;
  const QString refusal = describe(settings);
  const bool hasView = !needsView() || (width() > 0 && height() > 0);
  const bool opens = isActive_ && hasView && refusal.isEmpty();
  /* What listens to a signal may delete this item. */
  const QPointer<FaceFinder> self(this);
  discard(worker_->configure(opens ? std::optional(settings) : std::nullopt));
  if (!self) return;
  /* A video that pauses sends no other frame. */
  if (opens && videoSink_ != nullptr) worker_->push(videoSink_->videoFrame());
  missed_ = 0;
  failedAt_.invalidate();
  if (opens) {
    watch_.start();
  } else {
    watch_.stop();
  }
  forget();
  if (self) report(refusal.isEmpty() ? FACE_OK : FACE_INVALID_ARGUMENT, refusal);
}

/* Reports a video without a frame, unless the worker reports failures of its own. A video that pauses has its last
   frame. */
void FaceFinder::watchVideo()
{
  const bool hasFrame = videoSink_ != nullptr && videoSink_->videoFrame().isValid();
  missed_ = hasFrame ? 0 : missed_ + 1;
  if (missed_ * tick < patience || (failedAt_.isValid() && !failedAt_.hasExpired(failing))) return;
  if (videoSink_ == nullptr)
    return report(FACE_FAILED_PRECONDITION,
                  QStringLiteral("There is no videoSink; set it to the videoSink of a VideoOutput."));
  const QString none = QMediaDevices::videoInputs().isEmpty() ? QStringLiteral(" Qt finds no camera.") : QString();
  report(FACE_UNAVAILABLE,
         QStringLiteral(
             "No video frame has come for %1 s.%2 Connect a camera that this user may open and start it. If it is a "
             "player, start it. Qt on GStreamer needs gstreamer1.0-plugins-good and gstreamer1.0-libav; or set "
             "QT_MEDIA_BACKEND=ffmpeg.")
             .arg(patience / 1000)
             .arg(none));
}

void FaceFinder::discard(unsigned epoch)
{
  epoch_ = epoch;
  {
    const std::lock_guard guard(inbox_.lock);
    inbox_.startAt(epoch);
  }
  faces_.clear();
}

void FaceFinder::Inbox::startAt(unsigned newer)
{
  if (newer <= epoch) return;
  epoch = newer;
  faces.reset();
  changes.clear();
  failure.reset();
}

void FaceFinder::post(unsigned epoch, const std::function<void(Inbox &)> &put)
{
  const std::lock_guard guard(inbox_.lock);
  if (epoch < inbox_.epoch) return;
  inbox_.startAt(epoch);
  put(inbox_);
  if (inbox_.isPosted) return;
  inbox_.isPosted = true;
  QMetaObject::invokeMethod(this, &FaceFinder::drain, Qt::QueuedConnection);
}

void FaceFinder::drain()
{
  std::unique_lock lock(inbox_.lock);
  inbox_.isPosted = false;
  std::optional<face::result> faces = std::exchange(inbox_.faces, std::nullopt);
  const std::vector<Change> changes = std::exchange(inbox_.changes, {});
  const auto failure = std::exchange(inbox_.failure, std::nullopt);
  const bool isOld = inbox_.epoch != epoch_;
  lock.unlock();
  if (isOld) return;
  const auto isSame = attempt();
  if (faces) {
    faces_.update(std::move(*faces));
    if (isSame()) report(FACE_OK, {});
    if (isSame()) emit updated();
  }
  for (const Change &change : changes)
    if (isSame()) change();
  if (isSame() && failure) {
    failedAt_.start();
    report(failure->first, failure->second);
  }
}

void FaceFinder::report(face_status status, const QString &message)
{
  if (message == errorString_) return;
  errorString_ = message;
  const QPointer<FaceFinder> self(this);
  /* Otherwise the boxes of the last frame would stay on the screen. */
  if (!message.isEmpty()) faces_.clear();
  if (self) emit errorStringChanged();
  if (self && !message.isEmpty()) emit errorOccurred(nameOf(status), message);
}
