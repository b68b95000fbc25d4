// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.nio.ByteBuffer;

/**
 * The five points of a face; left is the subject's left.
 *
 * @param leftEye The five points are the detector's, which hardly follow a tilted head. If landmarks or another output
 *     were requested and found, the five points are taken from the landmarks.
 * @param rightEye The right eye.
 * @param noseTip The nose tip.
 * @param mouthLeft The corner of the mouth.
 * @param mouthRight The corner of the mouth.
 */
public record Points(Point leftEye, Point rightEye, Point noseTip, Point mouthLeft, Point mouthRight) {
  static Points read(ByteBuffer info, int at) {
    return new Points(Point.read(info, at + 44), Point.read(info, at + 52), Point.read(info, at + 60), Point.read(info, at + 68), Point.read(info, at + 76));
  }
}
