package com.faceengine;

import java.nio.ByteBuffer;

/** The numbers of a face's outputs, each list after its count, in the order of the outputs. */
final class Measured {
  private final ByteBuffer packed;
  private final int known;

  Measured(ByteBuffer packed, int known) {
    this.packed = packed;
    this.known = known;
  }

  /** Makes a value of `count` numbers at the buffer's position. */
  interface Reader<T> {
    T read(ByteBuffer packed, int count);
  }

  /** The value of the next output; null if it is not known. */
  <T> T next(int bit, Reader<T> reader) {
    if ((known & bit) == 0) {
      return null;
    }
    int count = packed.getInt();
    int end = packed.position() + 4 * count;
    T value = count == 0 ? null : reader.read(packed, count);
    packed.position(end);
    return value;
  }
}
