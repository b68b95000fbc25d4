// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * The points of the mesh that have a name. The number of a value is the index of the point, as in
 * points[MeshPoint.CHIN]. Left is the subject's left. Since 0.3.
 */
public enum MeshPoint implements Numbered {
  /** The middle of the upper lip's upper edge. */
  UPPER_LIP_TOP(0),
  /** Where the nose meets the groove above the upper lip. */
  NOSE_BASE(2),
  /** The foremost point of the nose; 1, often called the tip, is below. */
  NOSE_TIP(4),
  /** Between the eyebrows. */
  GLABELLA(9),
  /** The uppermost point of the mesh, near the hairline. */
  FOREHEAD_TOP(10),
  /** The middle of the upper lip's lower edge. */
  UPPER_LIP_INNER(13),
  /** The middle of the lower lip's upper edge. */
  LOWER_LIP_INNER(14),
  /** The middle of the lower lip's lower edge. */
  MOUTH_BOTTOM(17),
  /** The corner at the temple. */
  RIGHT_EYE_OUTER_CORNER(33),
  /** The right corner of the mouth. */
  MOUTH_RIGHT(61),
  /** The corner at the nose. */
  RIGHT_EYE_INNER_CORNER(133),
  /** The middle of the lid's edge. */
  RIGHT_LOWER_LID(145),
  /** The middle of the forehead. */
  FOREHEAD(151),
  /** The lowest point of the chin. */
  CHIN(152),
  /** The middle of the lid's edge. */
  RIGHT_UPPER_LID(159),
  /** Between the eyes. */
  NOSE_ROOT(168),
  /** The middle of the cheek. */
  RIGHT_CHEEK(205),
  /** Where the ear meets the cheek; the mesh has no ears. */
  RIGHT_EAR_ROOT(234),
  /** The corner at the temple. */
  LEFT_EYE_OUTER_CORNER(263),
  /** The left corner of the mouth. */
  MOUTH_LEFT(291),
  /** The corner at the nose. */
  LEFT_EYE_INNER_CORNER(362),
  /** The middle of the lid's edge. */
  LEFT_LOWER_LID(374),
  /** The middle of the lid's edge. */
  LEFT_UPPER_LID(386),
  /** The middle of the cheek. */
  LEFT_CHEEK(425),
  /** Where the ear meets the cheek; the mesh has no ears. */
  LEFT_EAR_ROOT(454),
  /** The centre of the iris. */
  RIGHT_PUPIL(468),
  /** The centre of the iris. */
  LEFT_PUPIL(473);

  private final int number;

  MeshPoint(int number) {
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
  static MeshPoint of(int number) {
    return Numbered.find(values(), number);
  }
}
