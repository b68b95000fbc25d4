// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The parts of a face that have their own landmarks; left is the subject's left. */
public enum Region implements Numbered {
  /** The 478 points of MediaPipe's face mesh, in its order. */
  ALL_POINTS(0),
  /** {@code FACE_REGION_FACE_CONTOUR} of C. */
  FACE_CONTOUR(1),
  /** {@code FACE_REGION_LEFT_EYE} of C. */
  LEFT_EYE(2),
  /** {@code FACE_REGION_RIGHT_EYE} of C. */
  RIGHT_EYE(3),
  /** {@code FACE_REGION_LEFT_EYEBROW} of C. */
  LEFT_EYEBROW(4),
  /** {@code FACE_REGION_RIGHT_EYEBROW} of C. */
  RIGHT_EYEBROW(5),
  /** {@code FACE_REGION_LEFT_PUPIL} of C. */
  LEFT_PUPIL(6),
  /** {@code FACE_REGION_RIGHT_PUPIL} of C. */
  RIGHT_PUPIL(7),
  /** {@code FACE_REGION_NOSE} of C. */
  NOSE(8),
  /** {@code FACE_REGION_NOSE_CREST} of C. */
  NOSE_CREST(9),
  /** {@code FACE_REGION_MEDIAN_LINE} of C. */
  MEDIAN_LINE(10),
  /** {@code FACE_REGION_OUTER_LIPS} of C. */
  OUTER_LIPS(11),
  /** {@code FACE_REGION_INNER_LIPS} of C. */
  INNER_LIPS(12);

  private final int number;

  Region(int number) {
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
  static Region of(int number) {
    return Numbered.find(values(), number);
  }
}
