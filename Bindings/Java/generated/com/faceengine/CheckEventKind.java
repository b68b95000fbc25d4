// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The kind of an event. The events of a frame come in this order. */
public enum CheckEventKind implements Numbered {
  /** State changed; the first frame reports WAITING. */
  STATUS(1),
  /** Tip changed. */
  TIP(2),
  /** Every frame that shows the person's face: faces, circle, progress. */
  DRAW(3),
  /** The face is no longer there: remove what was drawn. */
  CLEAR(4),
  /** The check succeeded: faces, picture, crop, cropBox. */
  RESULT(5),
  /** The check failed: code, message. */
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
