// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The numbers that a detector's network computes with. */
public enum Precision implements Numbered {
  /** Eight bits if the model has them, several times as fast as floats; otherwise 32-bit floats. */
  BEST(0),
  /** 32-bit floats. */
  FLOAT(1);

  private final int number;

  Precision(int number) {
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
  static Precision of(int number) {
    return Numbered.find(values(), number);
  }
}
