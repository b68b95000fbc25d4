// Made by Tools/generate-java.py from the headers and the contract. Not to be edited.
package com.faceengine;

/** How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag. */
public enum Orientation implements Numbered {
  /** {@code FACE_ORIENTATION_DEFAULT} of C. */
  DEFAULT(0),
  /** {@code FACE_ORIENTATION_UP} of C. */
  UP(1),
  /** {@code FACE_ORIENTATION_UP_MIRRORED} of C. */
  UP_MIRRORED(2),
  /** {@code FACE_ORIENTATION_DOWN} of C. */
  DOWN(3),
  /** {@code FACE_ORIENTATION_DOWN_MIRRORED} of C. */
  DOWN_MIRRORED(4),
  /** {@code FACE_ORIENTATION_LEFT_MIRRORED} of C. */
  LEFT_MIRRORED(5),
  /** {@code FACE_ORIENTATION_RIGHT} of C. */
  RIGHT(6),
  /** {@code FACE_ORIENTATION_RIGHT_MIRRORED} of C. */
  RIGHT_MIRRORED(7),
  /** {@code FACE_ORIENTATION_LEFT} of C. */
  LEFT(8);

  private final int number;

  Orientation(int number) {
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
  static Orientation of(int number) {
    return Numbered.find(values(), number);
  }
}
