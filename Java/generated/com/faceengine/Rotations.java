// Made by Tools/generate-java.py from the headers and the contract. Not to be edited.
package com.faceengine;

/** How heads may be tilted to be found. */
public enum Rotations implements Numbered {
  /** By up to some 45 degrees to either side. */
  UPRIGHT(0),
  /** {@code FACE_ROTATIONS_ANY} of C. */
  ANY(1);

  private final int number;

  Rotations(int number) {
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
  static Rotations of(int number) {
    return Numbered.find(values(), number);
  }
}
