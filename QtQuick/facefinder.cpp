#include "facefinder.hpp"

#include "tap.hpp"

FaceFinder::FaceFinder(QQuickItem *parent) : QQuickItem(parent), faces_(this)
{
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
      inbox.failure = {QLatin1String(face_status_name(status)), message};
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
  const QPointer<FaceFinder> self(this);
  discard(worker_->configure(opens ? std::optional(settings) : std::nullopt));
  /* A video that pauses sends no other frame. */
  if (self && opens && videoSink_ != nullptr) worker_->push(videoSink_->videoFrame());
  if (self) forget();
  if (!self) return;
  if (!refusal.isEmpty()) {
    report(QStringLiteral("INVALID_ARGUMENT"), refusal);
  } else if (!errorString_.isEmpty()) {
    report({}, {});
  }
}

void FaceFinder::discard(unsigned epoch)
{
  epoch_ = epoch;
  {
    const std::lock_guard guard(inbox_.lock);
    inbox_.startAt(epoch);
  }
  faces_.clear();
  emit countChanged();
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
    const int before = count();
    faces_.update(std::move(*faces));
    if (isSame() && count() != before) emit countChanged();
    if (isSame()) report({}, {});
    if (isSame()) emit updated();
  }
  for (const Change &change : changes)
    if (isSame()) change();
  if (isSame() && failure) report(failure->first, failure->second);
}

void FaceFinder::report(const QString &status, const QString &message)
{
  if (message == errorString_) return;
  errorString_ = message;
  const QPointer<FaceFinder> self(this);
  if (!message.isEmpty()) {
    /* Boxes of the last frame would stay where they are. */
    faces_.clear();
    emit countChanged();
  }
  if (self) emit errorStringChanged();
  if (self && !message.isEmpty()) emit errorOccurred(status, message);
}
