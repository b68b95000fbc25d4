package com.faceengine;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives a session's packed events to its listener. The library knows it only weakly, so that a forgotten session can
   end. */
final class Dispatcher {
  private static final int FACES = 0;
  private static final int DROPPED = 1;
  private static final int FAILED = 2;
  private static final int LEFT = 3;
  private static final int CHECK = 4;
  private static final int BEST = 5;

  private final SessionListener listener;
  private volatile Thread running;
  private volatile boolean quiet;
  private final AtomicInteger attempt = new AtomicInteger(1);

  Dispatcher(SessionListener listener) {
    this.listener = listener;
  }

  /** Whether this thread is in a method of the listener. */
  boolean isRunningHere() {
    return running == Thread.currentThread();
  }

  /** Nothing is delivered from now on. */
  void silence() {
    quiet = true;
  }

  /** Nothing of the attempts so far is delivered from now on. */
  void restart() {
    attempt.incrementAndGet();
  }

  /** Throws nothing: the caller is the library. */
  void deliver(ByteBuffer event) {
    if (quiet) {
      return;
    }
    Thread thread = Thread.currentThread();
    // A method that calls Session.best is called again inside.
    Thread outer = running;
    running = thread;
    try {
      call(event);
    } catch (Throwable failure) {
      report(thread, failure);
    } finally {
      running = outer;
    }
  }

  private static void report(Thread thread, Throwable failure) {
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    } catch (Throwable ignored) {
      // As Java does with a handler that throws.
    }
  }

  private void call(ByteBuffer event) {
    int kind = event.getInt();
    Frame frame = Frame.read(event);
    switch (kind) {
      case FACES -> listener.onFaces(frame, Faces.read(event));
      case DROPPED -> listener.onDropped(frame, event.getLong());
      case FAILED -> listener.onFailed(frame, FaceEngineException.read(event));
      case LEFT -> listener.onLeft(frame, event.getLong());
      case CHECK -> {
        if (event.getInt(event.position() + CheckLayout.ATTEMPT) >= attempt.get()) {
          listener.onCheck(frame, CheckUpdate.read(event));
        }
      }
      case BEST -> listener.onBest(frame, BestPicture.read(event));
      default -> throw new AssertionError("event " + kind);
    }
  }
}
