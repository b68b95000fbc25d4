package com.faceengine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;

/**
 * A stream of frames that is searched in the background. {@link Engine#session} opens one; its listener receives the
 * results. Keep a reference to it until it is closed: a session that the program has forgotten ends without more
 * events.
 */
public sealed class Session implements AutoCloseable permits GuidedCheck {
  private final Handle handle;
  private final Dispatcher dispatcher;
  // Has a canceller, which the library uses for as long.
  private final DetectOptions detection;
  private volatile boolean closing;

  Session(
      Engine engine, SessionOptions options, DetectOptions detection, CheckOptions check, SessionListener listener) {
    this.detection = detection;
    dispatcher = new Dispatcher(Objects.requireNonNull(listener, "listener"));
    if (detection.given("boxes") != null) {
      throw FaceEngineException.wrong("a session finds its faces itself: give no boxes, or call follow for each");
    }
    long[] opened = new long[2];
    try {
      Native.openSession(engine.handle(), options.struct(), detection.struct(), detection.text("model"),
          check == null ? null : check.struct(), check == null ? null : Engine.space(check), dispatcher, opened);
    } finally {
      Reference.reachabilityFence(engine);
    }
    handle = new Handle(this, opened[0], session -> Native.closeSession(session, opened[1]));
  }

  /**
   * Submits a frame, whose pixels are copied before the method returns. With {@link SessionMode#EVERY} it waits while 4
   * frames have not had their event, and cannot be interrupted. One thread at a time submits.
   *
   * @param image the frame
   * @return its number, from 1
   */
  public long submit(Image image) {
    try {
      return Native.submit(handle(), image.struct(), image.planes());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Follows a face that the caller knows already, from the next frame that is submitted on.
   *
   * @param box the face, in pixels of the upright image of that frame
   * @return the {@link Face#id} that it has from then on
   */
  public long follow(Box box) {
    try {
      return Native.follow(handle(), box.x(), box.y(), box.width(), box.height());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Calls {@link SessionListener#onBest} on this thread with the best picture so far of each face that the session
   * follows now. Call it before {@link #close}, which forgets these pictures.
   */
  public void best() {
    best(0);
  }

  /**
   * Calls {@link SessionListener#onBest} on this thread with the best picture so far of one face.
   *
   * @param faceId its {@link Face#id}
   */
  public void best(long faceId) {
    try {
      Native.best(handle(), faceId);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Waits until every frame that was submitted before has had its event. Fails in the session's own listener. */
  public void flush() {
    flush(0);
  }

  /**
   * Waits until every frame that was submitted before has had its event. Fails in the session's own listener.
   *
   * @param timeout the longest that it waits, less than 1000000000 s; then it fails with {@link
   * Status#DEADLINE_EXCEEDED}
   */
  public void flush(Duration timeout) {
    flush(Math.max(1, Options.nanoseconds("timeout", timeout)));
  }

  private void flush(long nanoseconds) {
    try {
      Native.flush(handle(), nanoseconds);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Ends the session: frames that wait end in {@link SessionListener#onFailed} with {@link Status#CANCELLED}. Waits for
   * a method of the listener that is running; none is called afterwards. In the listener itself it returns at once, and
   * the session ends when the listener has returned. A submission that runs in another thread fails.
   */
  @Override
  public void close() {
    if (!dispatcher.isRunningHere()) {
      closing = true;
      handle.release();
    } else if (!closing) {
      closing = true;
      dispatcher.silence();
      Thread closer = new Thread(handle::release, "faceengine-close");
      closer.setDaemon(true);
      closer.start();
    }
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  long handle() {
    if (closing) {
      throw new FaceEngineException(Status.INVALID_ARGUMENT, "this session is closed; open another one");
    }
    return handle.get();
  }
}
