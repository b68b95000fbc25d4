// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * Capture quality: how good a picture of the face this is, 0 to 1.
 *
 * @param quality 0 to 1, like its five parts below: how good a picture of the face this is.
 * @param sharpness How much detail the face has.
 * @param exposure Neither too dark nor too bright.
 * @param size Enough pixels.
 * @param frontality Looking straight into the camera.
 * @param framing Not cut off by the edge of the picture.
 */
public record Quality(float quality, float sharpness, float exposure, float size, float frontality, float framing) {
  static Quality read(ByteBuffer packed, int count) {
    return new Quality(packed.getFloat(), packed.getFloat(), packed.getFloat(), packed.getFloat(), packed.getFloat(), packed.getFloat());
  }
}
