// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * What the person should do. Left and right in Tip.MOVE_LEFT and Tip.MOVE_RIGHT are those of the view, as the person
 * sees them on the screen; in all others they are the person's own.
 */
public enum Tip implements Numbered {
  /** Nothing in particular. "Put your face in the circle". */
  PROMPT(0, "Put your face in the circle"),
  /** "No face in the picture". */
  NO_FACE(1, "No face in the picture"),
  /** "One person only, please". */
  SEVERAL_FACES(2, "One person only, please"),
  /** "Move to the left". */
  MOVE_LEFT(3, "Move to the left"),
  /** "Move to the right". */
  MOVE_RIGHT(4, "Move to the right"),
  /** "Move up". */
  MOVE_UP(5, "Move up"),
  /** "Move down". */
  MOVE_DOWN(6, "Move down"),
  /** "Come closer". */
  COME_CLOSER(7, "Come closer"),
  /** "Move back a little". */
  MOVE_BACK(8, "Move back a little"),
  /** "Too dark: find more light". */
  TOO_DARK(9, "Too dark: find more light"),
  /** "Too bright: avoid direct light". */
  TOO_BRIGHT(10, "Too bright: avoid direct light"),
  /** Asks the person to look straight ahead, like the next five. "Turn your head a little to the left". */
  LOOK_LEFT(11, "Turn your head a little to the left"),
  /** "Turn your head a little to the right". */
  LOOK_RIGHT(12, "Turn your head a little to the right"),
  /** "Raise your chin a little". */
  LOOK_UP(13, "Raise your chin a little"),
  /** "Lower your chin a little". */
  LOOK_DOWN(14, "Lower your chin a little"),
  /** "Tilt your head a little to the left". */
  TILT_LEFT(15, "Tilt your head a little to the left"),
  /** "Tilt your head a little to the right". */
  TILT_RIGHT(16, "Tilt your head a little to the right"),
  /** "Open your eyes". */
  OPEN_EYES(17, "Open your eyes"),
  /** "The picture is blurred: hold still, or clean the lens". */
  BLURRED(18, "The picture is blurred: hold still, or clean the lens"),
  /** The face moves too much, or it meets all limits and must stay like that. "Hold still". */
  HOLD_STILL(19, "Hold still"),
  /** Before an action: the person should relax, open the eyes and look ahead. "Look straight into the camera". */
  LOOK_STRAIGHT(20, "Look straight into the camera"),
  /** An action, like the next four. "Blink with both eyes". */
  BLINK(21, "Blink with both eyes"),
  /** "Turn your head to the left". */
  TURN_LEFT(22, "Turn your head to the left"),
  /** "Turn your head to the right". */
  TURN_RIGHT(23, "Turn your head to the right"),
  /** "Smile". */
  SMILE(24, "Smile"),
  /** "Open your mouth". */
  OPEN_MOUTH(25, "Open your mouth"),
  /** "Done". */
  DONE(26, "Done"),
  /** Only with limits of minIso, like the next two. "Turn so that the light falls on all of your face". */
  UNEVEN_LIGHT(27, "Turn so that the light falls on all of your face"),
  /** "Coloured light: find white light". */
  COLOURED_LIGHT(28, "Coloured light: find white light"),
  /** "Close your mouth". */
  CLOSE_MOUTH(29, "Close your mouth"),
  /** An action, like the next one. "Nod your head". */
  NOD(30, "Nod your head"),
  /** "Shake your head". */
  SHAKE(31, "Shake your head");

  private final int number;
  private final String text;

  Tip(int number, String text) {
    this.number = number;
    this.text = text;
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

  /**
   * What to tell the person, in English.
   *
   * @return a sentence without a full stop
   */
  public String text() {
    return text;
  }

  /** The constant of a number; null for one that only a newer library has. */
  static Tip of(int number) {
    return Numbered.find(values(), number);
  }
}
