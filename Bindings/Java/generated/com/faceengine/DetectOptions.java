// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.time.Duration;
import java.util.List;

/**
 * What to look for. Immutable: each method returns a copy with one option changed. Options that are not set have the
 * defaults.
 */
@CheckReturnValue
public final class DetectOptions extends Options<DetectOptions> {
  /** For {@link #maxSide}. */
  public static final int OWN_SIZE = -1;

  /** The defaults. */
  public DetectOptions() {
    super(2, 96);
  }

  /**
   * 0 to 1, default 0.6. Leave out faces with a lower confidence than this.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions minConfidence(float value) {
    return with("minConfidence", value, 4);
  }

  /**
   * 0 to 1, default 0.3. Leave out the less confident of two boxes whose intersection over union is larger than this.
   * The accuracies balanced and high average several boxes, and allow 1.5 times this overlap.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions overlapThreshold(float value) {
    return with("overlapThreshold", value, 8);
  }

  /**
   * 0 or more, default 0. At most this many faces, the most confident ones; 0 for all. Only a network's 5000 most
   * confident boxes count, also with 0 for all: any others are lost.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions maxFaces(int value) {
    return withCount("maxFaces", value, 12);
  }

  /**
   * 0 or more pixels, default 0. Leave out faces whose box is narrower or lower than this, in pixels.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions minFaceSize(float value) {
    return with("minFaceSize", value, 16);
  }

  /**
   * 0 to 1, default 0. Leave out faces narrower than this share of the upright image's width.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions minFaceShare(float value) {
    return with("minFaceShare", value, 20);
  }

  /**
   * 0 to 4294967295, default 0. Fail with NOT_FOUND unless the model has this revision; 0 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions modelRevision(int value) {
    return withCount("modelRevision", value, 24);
  }

  /**
   * 0 to 4294967295, default 1000. Measure landmarks and other outputs of at most this many faces: the most confident
   * ones, or the first of the given boxes. 0 for as many as the engine's limit analysedFacesPerImage allows.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions maxAnalysedFaces(int value) {
    return withCount("maxAnalysedFaces", value, 28);
  }

  /**
   * 16 to 8192 pixels, default 0: an image with a longer side is scaled down to this side before the search. 0: the
   * size that the accuracy chooses (low 448, balanced 1024, high the image's own). OWN_SIZE: never scaled. With a size
   * in pixels, low and balanced search exactly once. With any value but 0, high searches at no larger size. With 0 and
   * OWN_SIZE, faces that are too large for the network are also searched for at smaller sizes.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions maxSide(int value) {
    return with("maxSide", value, 32);
  }

  /**
   * The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions landmarks(boolean value) {
    return withBit("landmarks", value, 36, 1);
  }

  /**
   * The rotation of the head in degrees.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions pose(boolean value) {
    return withBit("pose", value, 36, 2);
  }

  /**
   * How far each eye is open.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions eyes(boolean value) {
    return withBit("eyes", value, 36, 4);
  }

  /**
   * The smile, and how far the mouth is open.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions mouth(boolean value) {
    return withBit("mouth", value, 36, 8);
  }

  /**
   * 52 expression coefficients.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions expressions(boolean value) {
    return withBit("expressions", value, 36, 16);
  }

  /**
   * Capture quality: how good a picture of the face this is, 0 to 1.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions quality(boolean value) {
    return withBit("quality", value, 36, 32);
  }

  /**
   * Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the head to the
   * camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's origin is
   * between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its space and looks
   * along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another lens the distance
   * differs in proportion.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions transform(boolean value) {
    return withBit("transform", value, 36, 64);
  }

  /**
   * The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute. 2 × 19 numbers: the native value of
   * each measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 if it could not be
   * assessed.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions isoQuality(boolean value) {
    return withBit("isoQuality", value, 36, 128);
  }

  /**
   * Expected error of each of the 478 points, in pixels. If something covers a point, its landmark is a guess, and the
   * error is the distance from its true place under the cover. Expect larger numbers for such points, on a blurred or
   * dark face, and for all points of a face whose landmarks contradict the detector's five points. (A contradiction is
   * not noticed if the five points are missing: with a detector that finds none, for boxes of your own, and for faces
   * that a session follows without searching.) The numbers are means over many faces, not bounds: a single point can
   * be several times as far off. Costs two more runs of the landmark network.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions precision(boolean value) {
    return withBit("precision", value, 36, 256);
  }

  /**
   * Position of each eye, in centimetres, and the direction in which it looks. 12 numbers in the camera's space of
   * transform: x, y and z of the left eye's centre, x, y and z of its direction (a vector of length 1), then the same
   * for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean nothing while the
   * eyes are closed.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions gaze(boolean value) {
    return withBit("gaze", value, 36, 512);
  }

  /**
   * Default balanced.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions accuracy(Accuracy value) {
    return with("accuracy", value, 40);
  }

  /**
   * Default null: the engine's first model; otherwise the name of a model that the engine was loaded with, UTF-8. A
   * model that was loaded only for accuracy high cannot be named.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions model(String value) {
    return withText("model", value);
  }

  /**
   * Default 0: 60 s on a connection, no limit in process. A longer call ends with Status.DEADLINE_EXCEEDED.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions timeout(Duration value) {
    return with("timeout", value, 56);
  }

  /**
   * Default null. In process, a call checks the canceller and the timeout every few milliseconds; a network that a
   * plug-in runs is not interrupted. Keep it open while a call or a session uses it.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions canceller(Canceller value) {
    return with("canceller", value, 64);
  }

  /**
   * Default null: search for faces. Otherwise boxes of faces that you know already, in pixels of the upright image, at
   * most 1000, each with an area and at least partly inside the image. No detector runs: outputs, which must be
   * requested, are measured for these boxes. The result has the faces in this order, with confidence 1; without boxes
   * it is empty. Only for Engine.detect.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions boxes(List<Box> value) {
    return withObject("boxes", List.copyOf(value));
  }

  /**
   * Default false; true: report only the most prominent face: the largest, where a face nearer to the middle of the
   * image counts as larger.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions prominentOnly(boolean value) {
    return with("prominentOnly", value, 84);
  }

  /**
   * Default Rotations.UPRIGHT.
   *
   * @param value The new value.
   * @return the copy
   */
  public DetectOptions rotations(Rotations value) {
    return with("rotations", value, 88);
  }
}
