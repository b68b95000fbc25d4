// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One face. Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and
 * right are the subject's own.
 *
 * @param box May extend beyond the image.
 * @param clampedBox The part of box inside the image.
 * @param confidence 0 to 1, from the detector. In a session that requests outputs, the landmark network follows the
 *     face between searches of whole frames; in these frames, confidence is the landmark network's probability of a
 *     face.
 * @param predicted True: this frame of a session with an analysisRate was not searched. Box and points continue the
 *     face's last movement, confidence is that of the last search, and nothing else is known.
 * @param id Set by a session as soon as minHits allows: from 1, unique in the session, never used for another face. A
 *     face that left and returns gets a new id, unless SessionOptions.reidentify recognises it. The id follows place,
 *     size and appearance, not identity: if another person takes the place of the face, the id usually changes, but
 *     not always (docs/tracking.md). To know who a person is, compare pictures with a recognition network. 0 where
 *     there is no id.
 * @param frameCount Frames in which this face was found under its id, this one included. 0 where there is no id.
 * @param points The five points of the detector; null from a detector that finds none.
 * @param landmarks The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour. Null unless
 *     requested and known.
 * @param pose The rotation of the head in degrees. Null unless requested and known.
 * @param eyes How far each eye is open. Null unless requested and known.
 * @param mouth The smile, and how far the mouth is open. Null unless requested and known.
 * @param expressions 52 expression coefficients. Null unless requested and known.
 * @param quality Capture quality: how good a picture of the face this is, 0 to 1. Null unless requested and known.
 * @param transform Where the head is, as a 4 × 4 matrix in centimetres. The 16 numbers, row by row, map points of the
 *     head to the camera's space. Both spaces have x to the picture's right, y up and z towards the camera. The head's
 *     origin is between the outer corners of the eyes, which are 8.9 cm apart. The camera is at the origin of its
 *     space and looks along -z at the middle of the picture, with a vertical field of view of 63 degrees. With another
 *     lens the distance differs in proportion. Null unless requested and known.
 * @param isoQuality The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute. 2 × 19 numbers: the
 *     native value of each measure, then the quality component of each, a whole number from 0 (worst) to 100, or -1 if
 *     it could not be assessed. Null unless requested and known.
 * @param precision Expected error of each of the 478 points, in pixels. If something covers a point, its landmark is a
 *     guess, and the error is the distance from its true place under the cover. Expect larger numbers for such points,
 *     on a blurred or dark face, and for all points of a face whose landmarks contradict the detector's five points.
 *     (A contradiction is not noticed if the five points are missing: with a detector that finds none, for boxes of
 *     your own, and for faces that a session follows without searching.) The numbers are means over many faces, not
 *     bounds: a single point can be several times as far off. Costs two more runs of the landmark network. Null unless
 *     requested and known.
 * @param gaze Position of each eye, in centimetres, and the direction in which it looks. 12 numbers in the camera's
 *     space of transform: x, y and z of the left eye's centre, x, y and z of its direction (a vector of length 1),
 *     then the same for the right eye. Expect an error of 5 degrees on a large face (docs/gaze.md). The numbers mean
 *     nothing while the eyes are closed. Null unless requested and known.
 */
public record Face(
    Box box,
    Box clampedBox,
    float confidence,
    boolean predicted,
    long id,
    int frameCount,
    Points points,
    List<Landmark> landmarks,
    Pose pose,
    Eyes eyes,
    Mouth mouth,
    Numbers expressions,
    Quality quality,
    Numbers transform,
    Numbers isoQuality,
    Numbers precision,
    Numbers gaze) {
  static final int SIZE = 152;

  /**
   * The landmarks of one part of the face, in drawing order.
   *
   * @param region The part.
   * @return its points
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public List<Landmark> region(Region region) {
    return Landmarks.of(landmarks, region);
  }

  /**
   * The landmarks of one of ML Kit's contours, in drawing order.
   *
   * @param contour The contour.
   * @return its points
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public List<Landmark> contour(Contour contour) {
    return Landmarks.of(landmarks, contour);
  }

  /**
   * The landmark that has a name.
   *
   * @param point The name.
   * @return the point
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public Landmark point(MeshPoint point) {
    return Landmarks.of(landmarks, point);
  }

  /**
   * One of the expression coefficients.
   *
   * @param expression The coefficient.
   * @return 0 to 1
   * @throws FaceEngineException with FAILED_PRECONDITION if the expressions are not known
   */
  public float expression(Expression expression) {
    return Numbers.of(expressions, expression);
  }

  /**
   * Where the mean of both eyes' lines of sight meets a screen.
   *
   * @param screen The screen, in the camera's space.
   * @return (0, 0) at its upper left corner and (1, 1) at the lower right one; other values are outside it
   * @throws FaceEngineException with FAILED_PRECONDITION if the gaze is not known, with OUT_OF_RANGE if the eyes do not look towards
   *     the screen's plane, with INVALID_ARGUMENT if the corners lie on one line
   */
  public Point lookAt(Screen screen) {
    return screen.lookedAt(gaze);
  }

  /** Reads a face_info, and behind it the numbers of the outputs that it says are known. */
  static Face read(ByteBuffer info) {
    int at = info.position();
    int valid = info.getInt(at + 4);
    info.position(at + SIZE);
    Measured measured = new Measured(info, valid);
    return new Face(
        Box.read(info, at + 8),
        Box.read(info, at + 24),
        info.getFloat(at + 40),
        info.getInt(at + 148) != 0,
        info.getLong(at + 88),
        info.getInt(at + 84),
        (valid & -2147483648) != 0 ? Points.read(info, at) : null,
        measured.next(1, Landmarks::read),
        measured.next(2, Pose::read),
        measured.next(4, Eyes::read),
        measured.next(8, Mouth::read),
        measured.next(16, Numbers::read),
        measured.next(32, Quality::read),
        measured.next(64, Numbers::read),
        measured.next(128, Numbers::read),
        measured.next(256, Numbers::read),
        measured.next(512, Numbers::read));
  }
}
