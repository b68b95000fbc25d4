package com.faceengine;

import java.nio.ByteBuffer;

/**
 * The best picture of a tracked face, in a session with {@link SessionOptions#bestSize}.
 *
 * @param faceId the {@link Face#id}
 * @param left whether the face has left; otherwise {@link Session#best} asked for the picture
 * @param score 0 to 1: the quality times 0.5 plus the openness of the eye that is less open, up to 0.5
 * @param face the face as it was in that frame; its quality and eyes say why this picture is the best
 * @param crop the square around the face
 * @param cropBox the part of the upright frame that the crop shows, perhaps beyond it
 */
public record BestPicture(long faceId, boolean left, float score, Face face, Picture crop, Box cropBox) {
  /** Reads what native/session.c writes. */
  static BestPicture read(ByteBuffer packed) {
    long id = packed.getLong();
    boolean left = packed.getInt() != 0;
    float score = packed.getFloat();
    int box = packed.position();
    packed.position(box + 4 * Float.BYTES);
    Face face = Faces.read(packed).get(0);
    return new BestPicture(id, left, score, face, Picture.read(packed), Box.read(packed, box));
  }
}
