// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How a call ended: Status.OK, or one of gRPC's codes with gRPC's meaning. */
public enum Status implements Numbered {
  /** {@code FACE_OK} of C. */
  OK(0),
  /** A canceller ended the call, or the session was closed. */
  CANCELLED(1),
  /** A status that the library does not know, from a newer engine. */
  UNKNOWN(2),
  /** The call can never work with these arguments: null, a wrong size, a damaged image. */
  INVALID_ARGUMENT(3),
  /** The time of the call ran out. */
  DEADLINE_EXCEEDED(4),
  /** No such folder, file, model or index. */
  NOT_FOUND(5),
  /** Two models with the same name. */
  ALREADY_EXISTS(6),
  /** The permissions of a file or a socket do not admit this user. */
  PERMISSION_DENIED(7),
  /** Not enough memory for something large, or a limit of the engine is reached. */
  RESOURCE_EXHAUSTED(8),
  /** The call is not possible now: inside a listener, or with a damaged model. */
  FAILED_PRECONDITION(9),
  /** Another process interfered: try again. */
  ABORTED(10),
  /** An image that is too small or too large, an index beyond the end. */
  OUT_OF_RANGE(11),
  /** The library or the engine is too old for this, or does not support it. */
  UNIMPLEMENTED(12),
  /** A bug in the library: please report it. */
  INTERNAL(13),
  /** No engine at the socket, or it stopped: try again. */
  UNAVAILABLE(14),
  /** The process at the socket is not an engine. */
  DATA_LOSS(15),
  /** Not used by the library. */
  UNAUTHENTICATED(16);

  private final int number;

  Status(int number) {
    this.number = number;
  }

  /**
   * The number of this constant in C.
   *
   * @return the number
   */
  @Override
  public int number() {
    return number;
  }

  /** The constant of a number; null for one that only a newer library has. */
  static Status of(int number) {
    return Numbered.find(values(), number);
  }
}
