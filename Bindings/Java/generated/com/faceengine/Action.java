// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** What the person may have to do. */
public enum Action implements Numbered {
  /** Both eyes open, then closed, then open. */
  BLINK(1),
  /** Turn the head to the person's own left by turnAngle. */
  TURN_LEFT(2),
  /** Turn the head to the person's own right by turnAngle. */
  TURN_RIGHT(3),
  /** {@code FACE_ACTION_SMILE} of C. */
  SMILE(4),
  /** {@code FACE_ACTION_OPEN_MOUTH} of C. */
  OPEN_MOUTH(5),
  /** Lower or raise the head by half of turnAngle, and come back, within 3 s. */
  NOD(6),
  /** Turn the head to both sides by half of turnAngle, within 3 s. */
  SHAKE(7);

  private final int number;

  Action(int number) {
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
  static Action of(int number) {
    return Numbered.find(values(), number);
  }
}
