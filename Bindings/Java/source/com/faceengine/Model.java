package com.faceengine;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * One of the models that made a result. Two that are equal are the same network.
 *
 * @param name as in "yunet"
 * @param revision from 1; raised when the same pixels begin to give other faces: see {@link
 * DetectOptions#modelRevision}
 * @param weightsSha256 the hash of the file with the weights that were used, 64 hexadecimal digits
 */
public record Model(String name, int revision, String weightsSha256) {
  private static final int HASH_SIZE = 32;

  static Model read(ByteBuffer packed) {
    String name = CheckUpdate.text(packed);
    int revision = packed.getInt();
    byte[] hash = new byte[HASH_SIZE];
    packed.get(hash);
    return new Model(name, revision, HexFormat.of().formatHex(hash));
  }
}
