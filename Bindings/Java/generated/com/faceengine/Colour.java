// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * How luma and chroma are coded (ITU-R BT.601-7, BT.709-6). "Full" is JFIF's range 0 to 255; "video" is 16 to 235 for
 * luma and 16 to 240 for chroma.
 */
public enum Colour implements Numbered {
  /** {@code FACE_COLOUR_BT601_FULL} of C. */
  BT601_FULL(0),
  /** {@code FACE_COLOUR_BT601_VIDEO} of C. */
  BT601_VIDEO(1),
  /** {@code FACE_COLOUR_BT709_FULL} of C. */
  BT709_FULL(2),
  /** {@code FACE_COLOUR_BT709_VIDEO} of C. */
  BT709_VIDEO(3);

  private final int number;

  Colour(int number) {
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
  static Colour of(int number) {
    return Numbered.find(values(), number);
  }
}
