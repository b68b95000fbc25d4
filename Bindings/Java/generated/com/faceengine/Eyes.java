// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * How far each eye is open.
 *
 * @param leftEyeOpen 0 closed, 1 wide open; below 0.5 an eye counts as closed. A session that tracks measures relative
 *     to the person's own open eyes, once it has seen them in a few frames.
 * @param rightEyeOpen The same for the right eye.
 */
public record Eyes(float leftEyeOpen, float rightEyeOpen) {
  static Eyes read(ByteBuffer packed, int count) {
    return new Eyes(packed.getFloat(), packed.getFloat());
  }

  /**
   * Whether the subject's left eye is closed.
   *
   * @return true or false
   */
  public boolean leftEyeClosed() {
    return leftEyeOpen < 0.5f;
  }

  /**
   * Whether the subject's right eye is closed.
   *
   * @return true or false
   */
  public boolean rightEyeClosed() {
    return rightEyeOpen < 0.5f;
  }
}
