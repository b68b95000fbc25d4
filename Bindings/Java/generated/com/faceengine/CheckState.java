// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * The state of a guided check. FINISH, TIME_OUT and FAILED end an attempt: faces are still reported, but not checked,
 * until GuidedCheck.restart begins a new attempt.
 */
public enum CheckState implements Numbered {
  /** Waiting for a face in the circle. */
  WAITING(0),
  /** A face is in the circle and has to stay there for a moment. */
  START(1),
  /** The person does the actions, then the face must meet all limits for hold. */
  CHECKING(2),
  /** The picture is taken. */
  FINISH(3),
  /** {@code FACE_CHECK_TIME_OUT} of C. */
  TIME_OUT(4),
  /** {@code FACE_CHECK_FAILED} of C. */
  FAILED(5);

  private final int number;

  CheckState(int number) {
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
  static CheckState of(int number) {
    return Numbered.find(values(), number);
  }
}
