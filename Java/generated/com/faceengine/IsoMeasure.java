// Made by Tools/generate-java.py from the headers and the contract. Not to be edited.
package com.faceengine;

/**
 * The measures of isoQuality, with their native values. They are those of ISO/IEC 29794-5:2025 that need no network
 * beyond the face mesh, by the formulas of the standard's reference implementation, OFIQ 1.0.3 of the German BSI. Left
 * and right eye are the subject's; an eye's centre lies between its corners. T is the distance from the middle between
 * the eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1, in the convex hull of contour and eyebrows, scaled so that
 * about 113 pixels lie between the eyes.
 */
public enum IsoMeasure implements Numbered {
  /** {@code FACE_ISO_HEAD_POSE_YAW} of C. */
  HEAD_POSE_YAW(0),
  /** Degrees, positive down: Face.pitch with the other sign. */
  HEAD_POSE_PITCH(1),
  /** {@code FACE_ISO_HEAD_POSE_ROLL} of C. */
  HEAD_POSE_ROLL(2),
  /** Pixels between the eyes' centres, by the cosine of yaw. */
  INTER_EYE_DISTANCE(3),
  /** {@code FACE_ISO_HEAD_SIZE} of C. */
  HEAD_SIZE(4),
  /** {@code FACE_ISO_LEFTWARD_CROP_OF_THE_FACE_IMAGE} of C. */
  LEFTWARD_CROP_OF_THE_FACE_IMAGE(5),
  /** From the right edge to the right eye, by the same. */
  RIGHTWARD_CROP_OF_THE_FACE_IMAGE(6),
  /** {@code FACE_ISO_MARGIN_ABOVE_OF_THE_FACE_IMAGE} of C. */
  MARGIN_ABOVE_OF_THE_FACE_IMAGE(7),
  /** {@code FACE_ISO_MARGIN_BELOW_OF_THE_FACE_IMAGE} of C. */
  MARGIN_BELOW_OF_THE_FACE_IMAGE(8),
  /**
   * Area of the second largest box of the result by that of the largest; 0: a face alone. Only faces in the result
   * count: see DetectOptions.maxFaces, minConfidence.
   */
  SINGLE_FACE_PRESENT(9),
  /** {@code FACE_ISO_ILLUMINATION_UNIFORMITY} of C. */
  ILLUMINATION_UNIFORMITY(10),
  /** {@code FACE_ISO_LUMINANCE_MEAN} of C. */
  LUMINANCE_MEAN(11),
  /** {@code FACE_ISO_LUMINANCE_VARIANCE} of C. */
  LUMINANCE_VARIANCE(12),
  /** The share of pixels with a luminance of 0 to 25 of 255. */
  UNDER_EXPOSURE_PREVENTION(13),
  /** {@code FACE_ISO_OVER_EXPOSURE_PREVENTION} of C. */
  OVER_EXPOSURE_PREVENTION(14),
  /** {@code FACE_ISO_DYNAMIC_RANGE} of C. */
  DYNAMIC_RANGE(15),
  /** 0 to 100: how far the cheeks' mean colour lies outside what skin has in CIELAB. */
  NATURAL_COLOUR(16),
  /** {@code FACE_ISO_EYES_OPEN} of C. */
  EYES_OPEN(17),
  /** {@code FACE_ISO_MOUTH_CLOSED} of C. */
  MOUTH_CLOSED(18);

  private final int number;

  IsoMeasure(int number) {
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
  static IsoMeasure of(int number) {
    return Numbered.find(values(), number);
  }
}
