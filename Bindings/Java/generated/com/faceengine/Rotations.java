// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How heads may be tilted to be found. */
public enum Rotations implements Numbered {
  /** By up to some 45 degrees to either side. */
  UPRIGHT(0),
  /**
   * By any angle, also upside down, as from a camera under the ceiling. The picture is searched as it is, and turned
   * back by the tilt of most heads. Heads with another tilt are searched one by one. Faces of the first search stay,
   * except where the turned picture shows one large head alone. Takes some 1.4 times as long for upright heads, 2 to
   * 2.5 times for tilted ones. Between quarter turns some faces of less than 30 pixels of the network's input are
   * lost. The five points are exact if landmarks or another output are requested. In a session without outputs every
   * frame is searched whole.
   */
  ANY(1);

  private final int number;

  Rotations(int number) {
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
  static Rotations of(int number) {
    return Numbered.find(values(), number);
  }
}
