// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * An axis-parallel box. (x, y) is the top-left corner.
 *
 * @param x Its x.
 * @param y Its y.
 * @param width Its width.
 * @param height Its height.
 */
public record Box(float x, float y, float width, float height) {
  static final int SIZE = 16;

  static Box read(ByteBuffer struct, int at) {
    return new Box(struct.getFloat(at + 0), struct.getFloat(at + 4), struct.getFloat(at + 8), struct.getFloat(at + 12));
  }

  void put(ByteBuffer struct, int at) {
    struct.putFloat(at + 0, x);
    struct.putFloat(at + 4, y);
    struct.putFloat(at + 8, width);
    struct.putFloat(at + 12, height);
  }
}
