#include "worker.hpp"

#include "frames.hpp"

#include <QUrl>

#include <map>

namespace {

/* The longest that an engine is waited for, also by one frame. One that is started by its socket still has to load its
   models. */
constexpr std::chrono::seconds patience(10);
/* The pause after a failure. */
constexpr std::chrono::milliseconds pause(250);

/* A model that several items use is loaded once, and they share a connection. */
std::shared_ptr<face::engine> shared(const QString &source, const std::function<face::engine()> &make)
{
  static std::mutex lock;
  static std::map<QString, std::weak_ptr<face::engine>> engines;
  const auto find = [&source] {
    const std::lock_guard guard(lock);
    return engines[source].lock();
  };
  if (auto engine = find()) return engine;
  /* Not under the lock: another engine may not answer. */
  auto made = std::make_shared<face::engine>(make());
  const std::lock_guard guard(lock);
  if (auto engine = engines[source].lock()) return engine;
  engines[source] = made;
  return made;
}

} // namespace

Worker::Worker(Listener listener) : listener_(std::move(listener)), thread_([this] { run(); }) {}

Worker::~Worker()
{
  {
    const std::lock_guard guard(lock_);
    isStopping_ = true;
    if (canceller_) canceller_->cancel();
    changed_.notify_all();
  }
  thread_.join();
}

unsigned Worker::configure(std::optional<Settings> settings)
{
  const std::lock_guard guard(lock_);
  settings_ = std::move(settings);
  if (!settings_) frame_ = {};
  retryAt_ = {};
  epoch_++;
  reopens_ = true;
  /* Nobody wants the frame that is searched. */
  if (canceller_) canceller_->cancel();
  changed_.notify_all();
  return epoch_;
}

void Worker::push(const QVideoFrame &frame)
{
  QVideoFrame replaced = frame; /* freed without the lock: it may go back to a pool */
  const std::lock_guard guard(lock_);
  if (!settings_ || isStopping_) return;
  hasEnded_ = !frame.isValid();
  frame_.swap(replaced);
  changed_.notify_all();
}

unsigned Worker::restart()
{
  QVideoFrame dropped; /* freed without the lock */
  const std::lock_guard guard(lock_);
  frame_.swap(dropped);
  epoch_++;
  changed_.notify_all();
  return epoch_;
}

std::optional<Worker::Job> Worker::next()
{
  std::unique_lock lock(lock_);
  while (!isStopping_) {
    const bool isDue = Clock::now() >= retryAt_;
    const bool hasWork = settings_ ? !session_ || frame_.isValid() || hasEnded_ : session_.has_value();
    if (epoch_ != opened_ || (isDue && hasWork)) {
      Job job{settings_, epoch_, std::exchange(reopens_, false), std::exchange(frame_, {}),
              std::exchange(hasEnded_, false)};
      canceller_ = job.reopens || !session_ ? std::make_shared<face::canceller>() : canceller_;
      return job;
    }
    if (isDue) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, retryAt_);
    }
  }
  return std::nullopt;
}

void Worker::run()
{
  while (std::optional<Job> job = next()) {
    try {
      execute(*job);
    } catch (const face::error &error) {
      fail(error.status(), QString::fromUtf8(error.what()));
    }
  }
  session_.reset();
  engine_.reset();
}

void Worker::execute(Job &job)
{
  const bool isOther = opened_.exchange(job.epoch) != job.epoch;
  if (job.reopens) session_.reset();
  if (!job.settings) return;
  if (!session_)
    open(job);
  else if (isOther && job.settings->isCheck)
    face_check_restart(session_->get());
  if (job.hasEnded) listener_.onFaces(opened_, {});
  if (job.frame.isValid()) search(job.frame, job.settings->turn);
}

std::shared_ptr<face::engine> Worker::acquire(const QString &source)
{
  const QUrl url(source);
  if (source == QLatin1String("socket") || url.scheme() == QLatin1String("socket"))
    return shared(source, [&] {
      face::connect_options options;
      options.timeout_ns = std::chrono::nanoseconds(patience).count();
      options.canceller = canceller_->get();
      return face::engine::connect(source.mid(7).toStdString(), options);
    });
  const QString path = url.isLocalFile() ? url.toLocalFile() : source;
  return shared(path, [&] { return face::engine::load(path.toStdString()); });
}

void Worker::open(const Job &job)
{
  Settings settings = *job.settings;
  engine_ = acquire(settings.source);
  settings.detection.canceller = canceller_->get();
  settings.session.options = &settings.detection;
  if (settings.isCheck) {
    settings.check.view = &settings.view;
    session_.emplace(engine_->open_check(forwarding(), settings.check, &settings.session));
  } else {
    session_.emplace(engine_->open(forwarding(), settings.session));
  }
}

face::listener Worker::forwarding()
{
  face::listener made;
  made.on_faces = [this](const face_frame &, const face::result &faces) { listener_.onFaces(opened_, faces); };
  made.on_check = [this](const face_frame &, const face_check &check) { listener_.onCheck(opened_, check); };
  made.on_failed = [this](const face_frame &, const face::error &error) {
    const std::lock_guard guard(lock_);
    failure_ = error;
  };
  return made;
}

void Worker::search(const QVideoFrame &frame, int turn)
{
  auto mapped = std::make_unique<MappedFrame>(frame, turn);
  if (!mapped->isValid())
    throw face::error(FACE_INTERNAL, "the video frame cannot be read; choose another format of the camera");
  session_->submit(MappedFrame::submitted(std::move(mapped)));
  if (!session_->flush(patience)) {
    {
      const std::lock_guard guard(lock_);
      canceller_->cancel();
    }
    session_.reset();
    throw face::error(FACE_DEADLINE_EXCEEDED, "the engine does not answer; see that it is not stopped or stuck");
  }
  std::unique_lock guard(lock_);
  if (const auto failure = std::exchange(failure_, std::nullopt)) {
    guard.unlock();
    throw *failure;
  }
}

void Worker::fail(face_status status, const QString &sentence)
{
  if (status == FACE_CANCELLED) return;
  {
    const std::lock_guard guard(lock_);
    retryAt_ = Clock::now() + pause;
  }
  listener_.onFailed(opened_, status, sentence);
}
