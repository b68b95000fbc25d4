// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** Named sets of limits for a guided check. */
public enum CheckPreset implements Numbered {
  /** The defaults: maxYaw, maxPitch and maxRoll 15. */
  STANDARD(0),
  /** The pose of a full frontal image by ISO/IEC 39794-5: maxYaw and maxPitch 5, maxRoll 8. */
  ISO(1);

  private final int number;

  CheckPreset(int number) {
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
  static CheckPreset of(int number) {
    return Numbered.find(values(), number);
  }
}
