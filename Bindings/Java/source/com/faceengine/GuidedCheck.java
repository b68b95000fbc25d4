package com.faceengine;

import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A session that leads a person in front of a camera to a good picture of the face. {@link Engine#guidedCheck} opens
 * one; {@link SessionListener#onCheck} receives its states, tips and result. It is not a proof of life.
 */
public final class GuidedCheck extends Session {
  private static final int MISSED_FRAMES = 45;

  GuidedCheck(
      Engine engine, CheckOptions options, SessionOptions session, DetectOptions detection, SessionListener listener) {
    super(engine, patient(session), detection, Objects.requireNonNull(options, "options"), listener);
  }

  /** As the library has it for a check without options of a session. */
  private static SessionOptions patient(SessionOptions session) {
    return session.given("maxMissedFrames") == null ? session.maxMissedFrames(MISSED_FRAMES) : session;
  }

  /**
   * Begins a new attempt with the next frame that is submitted. Any thread may call it, the listener too. No event of
   * the attempt before is delivered any more. The check keeps no update and no picture: those that the listener
   * received are the program's, in Java's heap.
   */
  public void restart() {
    try {
      Native.restart(handle());
      dispatcher().restart();
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
