// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * One point of the face mesh. Pixels of the upright image.
 *
 * @param x Its x.
 * @param y Its y.
 * @param z In the unit of x; smaller towards the camera, 0 at the head's centre.
 */
public record Landmark(float x, float y, float z) {
  static final int SIZE = 12;

  static Landmark read(ByteBuffer struct, int at) {
    return new Landmark(struct.getFloat(at + 0), struct.getFloat(at + 4), struct.getFloat(at + 8));
  }

  void put(ByteBuffer struct, int at) {
    struct.putFloat(at + 0, x);
    struct.putFloat(at + 4, y);
    struct.putFloat(at + 8, z);
  }
}
