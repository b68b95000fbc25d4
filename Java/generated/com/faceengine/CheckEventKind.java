// Made by Tools/generate-java.py from the headers and the contract. Not to be edited.
package com.faceengine;

/** The kind of an event. The events of a frame come in this order. */
public enum CheckEventKind implements Numbered {
  /** State changed; the first frame reports WAITING. */
  STATUS(1),
  /** {@code FACE_CHECK_EVENT_TIP} of C. */
  TIP(2),
  /** {@code FACE_CHECK_EVENT_DRAW} of C. */
  DRAW(3),
  /** {@code FACE_CHECK_EVENT_CLEAR} of C. */
  CLEAR(4),
  /** The check succeeded: faces, picture, crop, cropBox. */
  RESULT(5),
  /** {@code FACE_CHECK_EVENT_FAILED} of C. */
  FAILED(6);

  private final int number;

  CheckEventKind(int number) {
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
  static CheckEventKind of(int number) {
    return Numbered.find(values(), number);
  }
}
