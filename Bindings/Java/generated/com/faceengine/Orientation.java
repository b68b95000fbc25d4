// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag. */
public enum Orientation implements Numbered {
  /** The one that an encoded file gives, otherwise upright. */
  DEFAULT(0),
  /** {@code FACE_ORIENTATION_UP} of C. */
  UP(1),
  /** {@code FACE_ORIENTATION_UP_MIRRORED} of C. */
  UP_MIRRORED(2),
  /** Turn by 180 degrees. */
  DOWN(3),
  /** {@code FACE_ORIENTATION_DOWN_MIRRORED} of C. */
  DOWN_MIRRORED(4),
  /** {@code FACE_ORIENTATION_LEFT_MIRRORED} of C. */
  LEFT_MIRRORED(5),
  /** Turn by 90 degrees clockwise. */
  RIGHT(6),
  /** {@code FACE_ORIENTATION_RIGHT_MIRRORED} of C. */
  RIGHT_MIRRORED(7),
  /** Turn by 90 degrees counter-clockwise. */
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
