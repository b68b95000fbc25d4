#include "tap.hpp"

#include <algorithm>

FrameTap *FrameTap::of(QVideoSink *sink)
{
  for (QObject *child : sink->children())
    if (auto *tap = dynamic_cast<FrameTap *>(child)) return tap;
  return new FrameTap(sink);
}

FrameTap::FrameTap(QVideoSink *sink) : QObject(sink), sink_(sink)
{
  const auto pass = [this](const QVideoFrame &frame) {
    const std::lock_guard guard(lock_);
    for (Worker *worker : workers_) worker->push(frame);
  };
  connect(sink, &QVideoSink::videoFrameChanged, this, pass, Qt::DirectConnection);
}

void FrameTap::add(Worker *worker)
{
  const std::lock_guard guard(lock_);
  workers_.push_back(worker);
  worker->push(sink_->videoFrame());
}

void FrameTap::remove(Worker *worker)
{
  const std::lock_guard guard(lock_);
  workers_.erase(std::remove(workers_.begin(), workers_.end(), worker), workers_.end());
}
