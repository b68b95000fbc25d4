// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** The trade-off between speed and faces found. */
public enum Accuracy implements Numbered {
  /** Balanced. */
  DEFAULT(0),
  /** At least three times as fast as balanced; misses small faces. */
  LOW(1),
  /**
   * If a face is larger than 320 pixels of the network's input, which networks detect badly, the picture is searched a
   * second time, scaled down to a long side of 448.
   */
  BALANCED(2),
  /**
   * Several searches together: with YuNet and CenterFace, if CenterFace is loaded or its folder "centerface" is beside
   * YuNet's; otherwise, and for any other model, with that one model several times.
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
