/* The thread that has the engine and the session of one item. */
#pragma once

#include "settings.hpp"

#include <QVideoFrame>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

/* Searches the newest frame in a thread of its own, which also loads or connects, so that neither ever blocks the GUI.
 * While the engine is away it tries again. Failures go to the listener. */
class Worker {
public:
  /* Called from threads of the worker and of its session, with the number of the settings and the attempt that
     applied. */
  struct Listener {
    std::function<void(unsigned epoch, face::result)> onFaces;
    std::function<void(unsigned epoch, const face_check &)> onCheck;
    std::function<void(unsigned epoch, face_status, QString)> onFailed;
  };

  explicit Worker(Listener listener);
  /* Ends the thread within milliseconds, whatever the engine does. The listener is not called afterwards. */
  ~Worker();

  /* Has the session opened anew with these settings, or closed without any. Returns their number. */
  unsigned configure(std::optional<Settings> settings);
  /* Replaces the frame that waits. From any thread. One that is not valid says that the video has stopped: there are no
     faces. */
  void push(const QVideoFrame &frame);
  /* Begins a new attempt of a check with the next frame, as if it were opened anew. Returns the number of its
     events. */
  unsigned restart();

private:
  struct Job {
    std::optional<Settings> settings;
    unsigned epoch = 0;
    bool reopens = false;
    QVideoFrame frame;
    bool hasEnded = false;
  };
  using Clock = std::chrono::steady_clock;

  void run();
  std::optional<Job> next();
  void execute(Job &job);
  void open(const Job &job);
  void search(const QVideoFrame &frame, int turn);
  void fail(face_status status, const QString &sentence);
  std::shared_ptr<face::engine> acquire(const QString &source);
  face::listener forwarding();

  const Listener listener_;

  /* The worker's own. */
  std::shared_ptr<face::engine> engine_;
  std::optional<face::session> session_;
  std::atomic<unsigned> opened_ = 0; /* the number of the attempt, which the session's thread reads */

  std::mutex lock_; /* guards what follows */
  std::condition_variable changed_;
  std::optional<Settings> settings_;
  unsigned epoch_ = 1;   /* of settings and attempts */
  bool reopens_ = false; /* since the settings have changed */
  QVideoFrame frame_;
  bool hasEnded_ = false; /* the video */
  bool isStopping_ = false;
  Clock::time_point retryAt_;
  std::shared_ptr<face::canceller> canceller_; /* ends what the worker waits for */
  std::optional<face::error> failure_;         /* of the frame that was searched last */

  std::thread thread_; /* last, so that it starts when all else is there */
};
