// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How heads may be tilted to be found. */
public enum Rotations implements Numbered {
  /** Up to about 45 degrees to either side. */
  UPRIGHT(0),
  /**
   * Any angle, also upside down, as from a camera under the ceiling. The picture is searched as it is, and a second
   * time turned back by the tilt of most heads. Heads with another tilt are searched one by one. Faces of the first
   * search are kept, unless the turned picture shows just one large head. Takes about 1.4 times as long for upright
   * heads, 2 to 2.5 times for tilted ones. At angles between quarter turns, some faces below 30 pixels of the
   * network's input are lost. The five points are exact only if landmarks or another output are requested. A session
   * without outputs searches every frame whole.
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
