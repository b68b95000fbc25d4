package com.faceengine;

import java.nio.ByteBuffer;

/**
 * The frame that an event belongs to.
 *
 * @param number from 1, in the order of submission to its session
 * @param timestampNs as it was given with the image
 */
public record Frame(long number, long timestampNs) {
  static Frame read(ByteBuffer packed) {
    return new Frame(packed.getLong(), packed.getLong());
  }
}
