// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * The contours of ML Kit's face detector, with its names, numbers and numbers of points. Left is the subject's left.
 * Contours of the left and the right side have mirrored points in the same order. Since 0.3.
 */
public enum Contour implements Numbered {
  /** 36 points: the outline, from the top of the forehead by the left side. */
  FACE(1),
  /** 5 points, from the inner to the outer end. */
  LEFT_EYEBROW_TOP(2),
  /** 5 points, from the inner to the outer end. */
  LEFT_EYEBROW_BOTTOM(3),
  /** 5 points, from the inner to the outer end. */
  RIGHT_EYEBROW_TOP(4),
  /** 5 points, from the inner to the outer end. */
  RIGHT_EYEBROW_BOTTOM(5),
  /** 16 points, from the inner corner over the upper lid. */
  LEFT_EYE(6),
  /** 16 points, from the inner corner over the upper lid. */
  RIGHT_EYE(7),
  /** 11 points, from the right to the left corner of the mouth. */
  UPPER_LIP_TOP(8),
  /** 9 points, from right to left, without the corners. */
  UPPER_LIP_BOTTOM(9),
  /** 9 points, from right to left, without the corners. */
  LOWER_LIP_TOP(10),
  /** 9 points, from right to left, without the corners. */
  LOWER_LIP_BOTTOM(11),
  /** 2 points: the root and the tip of the nose. */
  NOSE_BRIDGE(12),
  /** 3 points, from right to left: the base of the nose is in the middle. */
  NOSE_BOTTOM(13),
  /** 1 point. */
  LEFT_CHEEK(14),
  /** 1 point. */
  RIGHT_CHEEK(15);

  private final int number;

  Contour(int number) {
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
  static Contour of(int number) {
    return Numbered.find(values(), number);
  }
}
