// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * What the person should do. Left and right in Tip.MOVE_LEFT and Tip.MOVE_RIGHT are those of the view, as the person
 * sees them on the screen; in all others they are the person's own.
 */
public enum Tip implements Numbered {
  /** Nothing in particular. "Put your face in the circle". */
  PROMPT(0),
  /** "No face in the picture". */
  NO_FACE(1),
  /** "One person only, please". */
  SEVERAL_FACES(2),
  /** "Move to the left". */
  MOVE_LEFT(3),
  /** "Move to the right". */
  MOVE_RIGHT(4),
  /** "Move up". */
  MOVE_UP(5),
  /** "Move down". */
  MOVE_DOWN(6),
  /** "Come closer". */
  COME_CLOSER(7),
  /** "Move back a little". */
  MOVE_BACK(8),
  /** "Too dark: find more light". */
  TOO_DARK(9),
  /** "Too bright: avoid direct light". */
  TOO_BRIGHT(10),
  /** Asks the person to look straight ahead, like the next five. "Turn your head a little to the left". */
  LOOK_LEFT(11),
  /** "Turn your head a little to the right". */
  LOOK_RIGHT(12),
  /** "Raise your chin a little". */
  LOOK_UP(13),
  /** "Lower your chin a little". */
  LOOK_DOWN(14),
  /** "Tilt your head a little to the left". */
  TILT_LEFT(15),
  /** "Tilt your head a little to the right". */
  TILT_RIGHT(16),
  /** "Open your eyes". */
  OPEN_EYES(17),
  /** "The picture is blurred: hold still, or clean the lens". */
  BLURRED(18),
  /** The face moves too much, or it meets all limits and must stay like that. "Hold still". */
  HOLD_STILL(19),
  /** Before an action: the person should relax, open the eyes and look ahead. "Look straight into the camera". */
  LOOK_STRAIGHT(20),
  /** An action, like the next four. "Blink with both eyes". */
  BLINK(21),
  /** "Turn your head to the left". */
  TURN_LEFT(22),
  /** "Turn your head to the right". */
  TURN_RIGHT(23),
  /** "Smile". */
  SMILE(24),
  /** "Open your mouth". */
  OPEN_MOUTH(25),
  /** "Done". */
  DONE(26),
  /** Only with limits of minIso, like the next two. "Turn so that the light falls on all of your face". */
  UNEVEN_LIGHT(27),
  /** "Coloured light: find white light". */
  COLOURED_LIGHT(28),
  /** "Close your mouth". */
  CLOSE_MOUTH(29);

  private final int number;

  Tip(int number) {
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
  static Tip of(int number) {
    return Numbered.find(values(), number);
  }
}
