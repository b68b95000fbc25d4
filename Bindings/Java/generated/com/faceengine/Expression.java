// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The coefficients of {@link Face#expressions}, which {@link Face#expression} reads; the names are ARKit's. */
public enum Expression implements Numbered {
  /** The coefficient "_neutral". */
  NEUTRAL(0, "_neutral"),
  /** The coefficient "browDownLeft". */
  BROW_DOWN_LEFT(1, "browDownLeft"),
  /** The coefficient "browDownRight". */
  BROW_DOWN_RIGHT(2, "browDownRight"),
  /** The coefficient "browInnerUp". */
  BROW_INNER_UP(3, "browInnerUp"),
  /** The coefficient "browOuterUpLeft". */
  BROW_OUTER_UP_LEFT(4, "browOuterUpLeft"),
  /** The coefficient "browOuterUpRight". */
  BROW_OUTER_UP_RIGHT(5, "browOuterUpRight"),
  /** The coefficient "cheekPuff". */
  CHEEK_PUFF(6, "cheekPuff"),
  /** The coefficient "cheekSquintLeft". */
  CHEEK_SQUINT_LEFT(7, "cheekSquintLeft"),
  /** The coefficient "cheekSquintRight". */
  CHEEK_SQUINT_RIGHT(8, "cheekSquintRight"),
  /** The coefficient "eyeBlinkLeft". */
  EYE_BLINK_LEFT(9, "eyeBlinkLeft"),
  /** The coefficient "eyeBlinkRight". */
  EYE_BLINK_RIGHT(10, "eyeBlinkRight"),
  /** The coefficient "eyeLookDownLeft". */
  EYE_LOOK_DOWN_LEFT(11, "eyeLookDownLeft"),
  /** The coefficient "eyeLookDownRight". */
  EYE_LOOK_DOWN_RIGHT(12, "eyeLookDownRight"),
  /** The coefficient "eyeLookInLeft". */
  EYE_LOOK_IN_LEFT(13, "eyeLookInLeft"),
  /** The coefficient "eyeLookInRight". */
  EYE_LOOK_IN_RIGHT(14, "eyeLookInRight"),
  /** The coefficient "eyeLookOutLeft". */
  EYE_LOOK_OUT_LEFT(15, "eyeLookOutLeft"),
  /** The coefficient "eyeLookOutRight". */
  EYE_LOOK_OUT_RIGHT(16, "eyeLookOutRight"),
  /** The coefficient "eyeLookUpLeft". */
  EYE_LOOK_UP_LEFT(17, "eyeLookUpLeft"),
  /** The coefficient "eyeLookUpRight". */
  EYE_LOOK_UP_RIGHT(18, "eyeLookUpRight"),
  /** The coefficient "eyeSquintLeft". */
  EYE_SQUINT_LEFT(19, "eyeSquintLeft"),
  /** The coefficient "eyeSquintRight". */
  EYE_SQUINT_RIGHT(20, "eyeSquintRight"),
  /** The coefficient "eyeWideLeft". */
  EYE_WIDE_LEFT(21, "eyeWideLeft"),
  /** The coefficient "eyeWideRight". */
  EYE_WIDE_RIGHT(22, "eyeWideRight"),
  /** The coefficient "jawForward". */
  JAW_FORWARD(23, "jawForward"),
  /** The coefficient "jawLeft". */
  JAW_LEFT(24, "jawLeft"),
  /** The coefficient "jawOpen". */
  JAW_OPEN(25, "jawOpen"),
  /** The coefficient "jawRight". */
  JAW_RIGHT(26, "jawRight"),
  /** The coefficient "mouthClose". */
  MOUTH_CLOSE(27, "mouthClose"),
  /** The coefficient "mouthDimpleLeft". */
  MOUTH_DIMPLE_LEFT(28, "mouthDimpleLeft"),
  /** The coefficient "mouthDimpleRight". */
  MOUTH_DIMPLE_RIGHT(29, "mouthDimpleRight"),
  /** The coefficient "mouthFrownLeft". */
  MOUTH_FROWN_LEFT(30, "mouthFrownLeft"),
  /** The coefficient "mouthFrownRight". */
  MOUTH_FROWN_RIGHT(31, "mouthFrownRight"),
  /** The coefficient "mouthFunnel". */
  MOUTH_FUNNEL(32, "mouthFunnel"),
  /** The coefficient "mouthLeft". */
  MOUTH_LEFT(33, "mouthLeft"),
  /** The coefficient "mouthLowerDownLeft". */
  MOUTH_LOWER_DOWN_LEFT(34, "mouthLowerDownLeft"),
  /** The coefficient "mouthLowerDownRight". */
  MOUTH_LOWER_DOWN_RIGHT(35, "mouthLowerDownRight"),
  /** The coefficient "mouthPressLeft". */
  MOUTH_PRESS_LEFT(36, "mouthPressLeft"),
  /** The coefficient "mouthPressRight". */
  MOUTH_PRESS_RIGHT(37, "mouthPressRight"),
  /** The coefficient "mouthPucker". */
  MOUTH_PUCKER(38, "mouthPucker"),
  /** The coefficient "mouthRight". */
  MOUTH_RIGHT(39, "mouthRight"),
  /** The coefficient "mouthRollLower". */
  MOUTH_ROLL_LOWER(40, "mouthRollLower"),
  /** The coefficient "mouthRollUpper". */
  MOUTH_ROLL_UPPER(41, "mouthRollUpper"),
  /** The coefficient "mouthShrugLower". */
  MOUTH_SHRUG_LOWER(42, "mouthShrugLower"),
  /** The coefficient "mouthShrugUpper". */
  MOUTH_SHRUG_UPPER(43, "mouthShrugUpper"),
  /** The coefficient "mouthSmileLeft". */
  MOUTH_SMILE_LEFT(44, "mouthSmileLeft"),
  /** The coefficient "mouthSmileRight". */
  MOUTH_SMILE_RIGHT(45, "mouthSmileRight"),
  /** The coefficient "mouthStretchLeft". */
  MOUTH_STRETCH_LEFT(46, "mouthStretchLeft"),
  /** The coefficient "mouthStretchRight". */
  MOUTH_STRETCH_RIGHT(47, "mouthStretchRight"),
  /** The coefficient "mouthUpperUpLeft". */
  MOUTH_UPPER_UP_LEFT(48, "mouthUpperUpLeft"),
  /** The coefficient "mouthUpperUpRight". */
  MOUTH_UPPER_UP_RIGHT(49, "mouthUpperUpRight"),
  /** The coefficient "noseSneerLeft". */
  NOSE_SNEER_LEFT(50, "noseSneerLeft"),
  /** The coefficient "noseSneerRight". */
  NOSE_SNEER_RIGHT(51, "noseSneerRight");

  private final int number;
  private final String label;

  Expression(int number, String label) {
    this.number = number;
    this.label = label;
  }

  /**
   * Its place in {@link Face#expressions}.
   *
   * @return the number
   */
  @Override
  public int number() {
    return number;
  }

  /**
   * Its name, as C, JSON and ARKit have it.
   *
   * @return as in "mouthSmileLeft"
   */
  public String label() {
    return label;
  }
}
