// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * The smile, and how far the mouth is open.
 *
 * @param smile 0 none, 1 full; from 0.5 a face counts as smiling.
 * @param mouthOpen 0 closed, 1 wide open.
 */
public record Mouth(float smile, float mouthOpen) {
  static Mouth read(ByteBuffer packed, int count) {
    return new Mouth(packed.getFloat(), packed.getFloat());
  }

  /**
   * Whether a face smiles.
   *
   * @return true or false
   */
  public boolean hasSmile() {
    return smile >= 0.5f;
  }
}
