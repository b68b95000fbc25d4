package com.faceengine;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A call that failed, or a wrong argument, wherever it is found: in Java, in the library or in the engine. The message
 * says in one sentence what was wrong and what to do. Only an argument that is null is a {@link NullPointerException}.
 */
public final class FaceEngineException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** How the call ended. */
  private final Status status;

  /**
   * Makes an exception.
   *
   * @param status how the call ended; not null
   * @param message one sentence
   */
  public FaceEngineException(Status status, String message) {
    super(message);
    this.status = Objects.requireNonNull(status, "status");
  }

  /** An argument that can never be right. */
  static FaceEngineException wrong(String message) {
    return new FaceEngineException(Status.INVALID_ARGUMENT, message);
  }

  /** The exception of a call of C. */
  static FaceEngineException of(int number, byte[] message) {
    return of(number, Native.string(message));
  }

  /** Reads a status and a text, which native/pack.c writes. */
  static FaceEngineException read(ByteBuffer packed) {
    return of(packed.getInt(), CheckUpdate.text(packed));
  }

  private static FaceEngineException of(int number, String message) {
    Status status = Status.of(number);
    return new FaceEngineException(status == null ? Status.UNKNOWN : status, message);
  }

  /**
   * How the call ended: one of gRPC's codes.
   *
   * @return the status; {@link Status#UNKNOWN} for one that only a newer library has
   */
  public Status status() {
    return status;
  }

  /** The status and the message. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + status + ": " + getMessage();
  }
}
