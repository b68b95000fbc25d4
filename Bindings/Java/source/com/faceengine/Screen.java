package com.faceengine;

/**
 * A flat screen in the camera's space of {@link Face#transform}: three corners, named as the person in front of it sees
 * them. For example, a screen of 34 × 19 cm lies in the camera's plane, with its upper edge 1 cm below the camera. Its
 * corners are (17, -1, 0), (-17, -1, 0) and (17, -20, 0): its left edge is at the right of the picture.
 *
 * @param topLeft its upper left corner
 * @param topRight its upper right corner
 * @param bottomLeft its lower left corner
 */
public record Screen(Corner topLeft, Corner topRight, Corner bottomLeft) {
  /**
   * A place in the camera's space, in centimetres: x to the picture's right, y up, z towards the camera.
   *
   * @param x to the picture's right
   * @param y up
   * @param z towards the camera
   */
  public record Corner(float x, float y, float z) {
    private Corner plus(Corner other, float factor) {
      return new Corner(x + factor * other.x, y + factor * other.y, z + factor * other.z);
    }

    private float dot(Corner other) {
      return x * other.x + y * other.y + z * other.z;
    }

    private Corner cross(Corner other) {
      return new Corner(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x);
    }

    private static Corner of(Numbers numbers, int at) {
      return new Corner(numbers.at(at), numbers.at(at + 1), numbers.at(at + 2));
    }
  }

  /** Where the mean of both lines of sight meets the screen, as face_result_look_at of C computes it. */
  Point lookedAt(Numbers gaze) {
    Corner across = topRight.plus(topLeft, -1);
    Corner down = bottomLeft.plus(topLeft, -1);
    Corner normal = across.cross(down);
    float area = normal.dot(normal);
    if (!(area > 0) || Float.isInfinite(area)) {
      throw FaceEngineException.wrong("the screen has no area; give three corners, in centimetres");
    }
    if (gaze == null) {
      throw new FaceEngineException(
          Status.FAILED_PRECONDITION, "the gaze of this face is not known: request it with gaze(true)");
    }
    Corner sum = Corner.of(gaze, 0).plus(Corner.of(gaze, 6), 1);
    Corner from = new Corner(sum.x / 2, sum.y / 2, sum.z / 2);
    Corner along = Corner.of(gaze, 3).plus(Corner.of(gaze, 9), 1);
    float distance = topLeft.plus(from, -1).dot(normal) / along.dot(normal);
    if (!(distance > 0) || Float.isInfinite(distance)) {
      throw new FaceEngineException(Status.OUT_OF_RANGE, "the eyes do not look towards the screen's plane");
    }
    Corner place = from.plus(along, distance).plus(topLeft, -1);
    return new Point(place.cross(down).dot(normal) / area, across.cross(place).dot(normal) / area);
  }
}
