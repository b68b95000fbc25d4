// Made by Tools/generate-java.py from the headers and the contract. Not to be edited.
package com.faceengine;

/** The origin and unit of a coordinate space. */
public enum SpaceKind implements Numbered {
  /** {@code FACE_SPACE_PIXELS} of C. */
  PIXELS(0),
  /** {@code FACE_SPACE_NORMALISED} of C. */
  NORMALISED(1),
  /** The same with origin bottom-left, y up (Vision). */
  NORMALISED_BOTTOM_LEFT(2),
  /** {@code FACE_SPACE_VIEW} of C. */
  VIEW(3),
  /** {@code FACE_SPACE_PIXELS_BOTTOM_LEFT} of C. */
  PIXELS_BOTTOM_LEFT(4);

  private final int number;

  SpaceKind(int number) {
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
  static SpaceKind of(int number) {
    return Numbered.find(values(), number);
  }
}
