// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** What happens to a frame that is submitted while others wait. */
public enum SessionMode implements Numbered {
  /**
   * One frame is searched and one waits; a newer frame replaces the waiting frame, which ends in onDropped. On a
   * connected engine the frame waits in this library, so the engine's own count of dropped frames includes only frames
   * that were sent to it.
   */
  NEWEST(0),
  /** No frame is dropped: while 4 frames have not had their event, face_session_submit waits. */
  EVERY(1);

  private final int number;

  SessionMode(int number) {
    this.number = number;
  }

  /**
   * The number of this constant in C.
   *
   * @return the number
   */
  @Override
  public int number() {
    return number;
  }

  /** The constant of a number; null for one that only a newer library has. */
  static SessionMode of(int number) {
    return Numbered.find(values(), number);
  }
}
