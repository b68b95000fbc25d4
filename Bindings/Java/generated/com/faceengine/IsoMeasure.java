// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * The measures of isoQuality, with their native values. They are the measures of ISO/IEC 29794-5:2025 that need no
 * network but the face mesh, with the formulas of the standard's reference implementation, OFIQ 1.0.3 of the German
 * BSI. The left and the right eye are the subject's; an eye's centre is the middle between its corners. T is the
 * distance from the middle between the eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1. It is measured inside the
 * convex hull of contour and eyebrows, in a picture scaled so that the eyes are about 113 pixels apart.
 */
public enum IsoMeasure implements Numbered {
  /** Degrees, with the signs of ISO/IEC 39794-5: positive to the subject's left. */
  HEAD_POSE_YAW(0),
  /** Degrees, positive down: Face.pitch with the opposite sign. */
  HEAD_POSE_PITCH(1),
  /** Degrees, positive to the right shoulder: Face.roll with the opposite sign. */
  HEAD_POSE_ROLL(2),
  /** Pixels between the eyes' centres, divided by the cosine of yaw. */
  INTER_EYE_DISTANCE(3),
  /** T divided by the picture's height; best at 0.45. */
  HEAD_SIZE(4),
  /** From the picture's left edge to the left eye, divided by the distance of the eyes. */
  LEFTWARD_CROP_OF_THE_FACE_IMAGE(5),
  /** From the right edge to the right eye, divided by the distance of the eyes. */
  RIGHTWARD_CROP_OF_THE_FACE_IMAGE(6),
  /** From the upper edge to the eyes, divided by T. */
  MARGIN_ABOVE_OF_THE_FACE_IMAGE(7),
  /** From the eyes to the lower edge, divided by T. */
  MARGIN_BELOW_OF_THE_FACE_IMAGE(8),
  /**
   * Area of the second largest box of the result, divided by that of the largest; 0 if there is only one face. Only
   * faces in the result count: see DetectOptions.maxFaces, minConfidence.
   */
  SINGLE_FACE_PRESENT(9),
  /** 0 to 1: how similar the luminances of the two cheeks are (intersection of their histograms). */
  ILLUMINATION_UNIFORMITY(10),
  /** 0 to 1. */
  LUMINANCE_MEAN(11),
  /** The variance of luminances between 0 and 1. */
  LUMINANCE_VARIANCE(12),
  /** The fraction of pixels with a luminance up to 25/255. */
  UNDER_EXPOSURE_PREVENTION(13),
  /** The fraction of pixels with a luminance of 247/255 or more. */
  OVER_EXPOSURE_PREVENTION(14),
  /** Bits, 0 to 8: the entropy of the luminances. */
  DYNAMIC_RANGE(15),
  /** 0 to 100: how far the cheeks' mean colour is from the colours that skin has in CIELAB. */
  NATURAL_COLOUR(16),
  /** The distance between the lids of the eye that is less open, divided by T. */
  EYES_OPEN(17),
  /** The distance between the lips, divided by T. */
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
