package com.faceengine;

/** A constant with its number in C. */
interface Numbered {
  int number();

  /** The constant of a number; null for one that only a newer library has. */
  static <T extends Numbered> T find(T[] constants, int number) {
    for (T constant : constants) {
      if (constant.number() == number) {
        return constant;
      }
    }
    return null;
  }
}
