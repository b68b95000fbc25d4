// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The origin and unit of a coordinate space. */
public enum SpaceKind implements Numbered {
  /** Pixels of the upright image, origin top-left: what results have. */
  PIXELS(0),
  /** 0 to 1 over the upright image, origin top-left (AVFoundation). */
  NORMALISED(1),
  /** The same with origin bottom-left, y up (Vision). */
  NORMALISED_BOTTOM_LEFT(2),
  /** Pixels of a view that shows the image, origin top-left. */
  VIEW(3),
  /** Pixels of the upright image, origin bottom-left, y up (CIDetector). */
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
