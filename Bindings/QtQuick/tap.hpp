/* The frames of a video sink for workers. */
#pragma once

#include "worker.hpp"

#include <QVideoSink>

/* Passes the frames of a sink on, in the thread that delivers them. It belongs to the sink and is never disconnected: a
 * thread that delivers a frame while another one disconnects, or destroys what is connected, may crash in Qt. */
class FrameTap : public QObject {
public:
  /* That of a sink, which is made with its first worker. */
  static FrameTap *of(QVideoSink *sink);

  /* Gives a worker each frame from now on, and the one that the sink has. */
  void add(Worker *worker);
  /* The worker gets no frame once this has returned. */
  void remove(Worker *worker);

private:
  explicit FrameTap(QVideoSink *sink);

  QVideoSink *const sink_;
  std::mutex lock_; /* guards what follows, and is held while a frame is passed on */
  std::vector<Worker *> workers_;
};
