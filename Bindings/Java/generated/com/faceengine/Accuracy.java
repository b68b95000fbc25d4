// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** How time is weighed against faces found. */
public enum Accuracy implements Numbered {
  /** Balanced. */
  DEFAULT(0),
  /** At least three times as fast as balanced; misses small faces. */
  LOW(1),
  /**
   * If a face is larger than 320 pixels of the network's input, which networks detect badly, the picture is searched
   * once more at a long side of 448.
   */
  BALANCED(2),
  /**
   * Several networks and scales together: YuNet with CenterFace, if the folder "centerface" lies beside YuNet's or is
   * loaded too; otherwise, and for any other model, that one model several times.
   */
  HIGH(3);

  private final int number;

  Accuracy(int number) {
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
  static Accuracy of(int number) {
    return Numbered.find(values(), number);
  }
}
