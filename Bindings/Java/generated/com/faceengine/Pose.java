// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * The rotation of the head in degrees.
 *
 * @param yaw Degrees: positive to the subject's left, the picture's right edge. docs/coordinates.md has pictures of
 *     the signs.
 * @param pitch Degrees: positive with the chin up.
 * @param roll Degrees: positive clockwise as the picture shows it, to the subject's left shoulder: the angle of the
 *     line through the eyes.
 */
public record Pose(float yaw, float pitch, float roll) {
  static Pose read(ByteBuffer packed, int count) {
    return new Pose(packed.getFloat(), packed.getFloat(), packed.getFloat());
  }
}
