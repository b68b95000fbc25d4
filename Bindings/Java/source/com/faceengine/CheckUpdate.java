package com.faceengine;

import java.nio.ByteBuffer;

/**
 * One event of a guided check. An enumeration is null where only a newer library has the value.
 *
 * @param event what happened
 * @param state the state after this frame
 * @param tip the tip to show after this frame
 * @param text the tip in English; null for an unknown tip
 * @param progress 0 to 1: how much of {@link CheckOptions#hold} is done
 * @param actionsDone how many actions are done
 * @param actionCount how many actions there are
 * @param attempt number of the attempt: from 1, each {@link GuidedCheck#restart} adds 1
 * @param circle the mask in pixels of the upright image
 * @param face with DRAW and RESULT the one face; otherwise null
 * @param picture with RESULT the whole upright picture; otherwise null
 * @param crop with RESULT the square around the face; otherwise null
 * @param cropBox with RESULT the part of the picture that the crop shows, perhaps beyond it; otherwise null
 * @param code with FAILED a stable code, such as "time_out"; otherwise null
 * @param message with FAILED what went wrong, in one English sentence; otherwise null
 */
public record CheckUpdate(CheckEventKind event, CheckState state, Tip tip, String text, float progress, int actionsDone,
    int actionCount, int attempt, Circle circle, Face face, Picture picture, Picture crop, Box cropBox, String code,
    String message) {
  /** Reads a face_check, then what it points to. */
  static CheckUpdate read(ByteBuffer packed) {
    int at = packed.position();
    packed.position(at + CheckLayout.SIZE);
    CheckEventKind event = CheckEventKind.of(packed.getInt(at + CheckLayout.EVENT));
    String text = text(packed);
    String code = text(packed);
    String message = text(packed);
    Face face = packed.get() == 0 ? null : Faces.read(packed).stream().findFirst().orElse(null);
    Picture picture = Picture.read(packed);
    Picture crop = Picture.read(packed);
    return new CheckUpdate(event, CheckState.of(packed.getInt(at + CheckLayout.STATE)),
        Tip.of(packed.getInt(at + CheckLayout.TIP)), text, packed.getFloat(at + CheckLayout.PROGRESS),
        packed.getInt(at + CheckLayout.ACTIONS_DONE), packed.getInt(at + CheckLayout.ACTION_COUNT),
        packed.getInt(at + CheckLayout.ATTEMPT), Circle.read(packed, at + CheckLayout.CIRCLE), face, picture, crop,
        event == CheckEventKind.RESULT ? Box.read(packed, at + CheckLayout.CROP_BOX) : null, code, message);
  }

  /** Reads a length, then a text of that length; null for length -1. */
  static String text(ByteBuffer packed) {
    int length = packed.getInt();
    if (length < 0) {
      return null;
    }
    byte[] text = new byte[length];
    packed.get(text);
    return Native.string(text);
  }
}
