// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How an image fills a view of another shape. It is centred. */
public enum Fit implements Numbered {
  /** The whole image is visible, with bars at two sides (aspect fit). */
  CONTAIN(0),
  /** The image fills the view and is cut off at two sides (aspect fill). */
  COVER(1),
  /** Each axis is scaled by itself. */
  STRETCH(2);

  private final int number;

  Fit(int number) {
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
  static Fit of(int number) {
    return Numbered.find(values(), number);
  }
}
