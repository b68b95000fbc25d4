// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How a call ended: Status.OK, or one of gRPC's codes with gRPC's meaning. */
public enum Status implements Numbered {
  /** {@code FACE_OK} of C. */
  OK(0),
  /** {@code FACE_CANCELLED} of C. */
  CANCELLED(1),
  /** {@code FACE_UNKNOWN} of C. */
  UNKNOWN(2),
  /** The call can never work with these arguments: null, a wrong size, a damaged image. */
  INVALID_ARGUMENT(3),
  /** {@code FACE_DEADLINE_EXCEEDED} of C. */
  DEADLINE_EXCEEDED(4),
  /** No such folder, file or index. */
  NOT_FOUND(5),
  /** {@code FACE_ALREADY_EXISTS} of C. */
  ALREADY_EXISTS(6),
  /** {@code FACE_PERMISSION_DENIED} of C. */
  PERMISSION_DENIED(7),
  /** No memory for something large (see Memory above), or a limit of the engine. */
  RESOURCE_EXHAUSTED(8),
  /** For example a model that is damaged or cannot be used. */
  FAILED_PRECONDITION(9),
  /** {@code FACE_ABORTED} of C. */
  ABORTED(10),
  /** An image that is too small or too large, an index beyond the end. */
  OUT_OF_RANGE(11),
  /** {@code FACE_UNIMPLEMENTED} of C. */
  UNIMPLEMENTED(12),
  /** A bug in the library: please report it. */
  INTERNAL(13),
  /** No engine at the socket, or it stopped: try again. */
  UNAVAILABLE(14),
  /** {@code FACE_DATA_LOSS} of C. */
  DATA_LOSS(15),
  /** {@code FACE_UNAUTHENTICATED} of C. */
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
