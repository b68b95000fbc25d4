// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * A point, in the coordinates that its context defines.
 *
 * @param x Its x.
 * @param y Its y.
 */
public record Point(float x, float y) {
  static final int SIZE = 8;

  static Point read(ByteBuffer struct, int at) {
    return new Point(struct.getFloat(at + 0), struct.getFloat(at + 4));
  }

  void put(ByteBuffer struct, int at) {
    struct.putFloat(at + 0, x);
    struct.putFloat(at + 4, y);
  }
}
