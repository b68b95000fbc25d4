// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * A circle, such as the mask of a guided check. (x, y) is the centre.
 *
 * @param x Its x.
 * @param y Its y.
 * @param radius Its radius.
 */
public record Circle(float x, float y, float radius) {
  static final int SIZE = 12;

  static Circle read(ByteBuffer struct, int at) {
    return new Circle(struct.getFloat(at + 0), struct.getFloat(at + 4), struct.getFloat(at + 8));
  }

  void put(ByteBuffer struct, int at) {
    struct.putFloat(at + 0, x);
    struct.putFloat(at + 4, y);
    struct.putFloat(at + 8, radius);
  }
}
