package com.faceengine;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.RandomAccess;

/** An unmodifiable list of floats. */
public final class Numbers extends AbstractList<Float> implements RandomAccess {
  private static final int SHOWN = 20;

  private final float[] numbers;

  private Numbers(float[] numbers) {
    this.numbers = numbers;
  }

  static Numbers read(ByteBuffer packed, int count) {
    return new Numbers(floats(packed, count));
  }

  static float[] floats(ByteBuffer packed, int count) {
    float[] numbers = new float[count];
    packed.asFloatBuffer().get(numbers);
    return numbers;
  }

  /** A coefficient of those that were measured. */
  static float of(Numbers expressions, Expression expression) {
    int place = expression.number();
    if (expressions == null) {
      throw new FaceEngineException(Status.FAILED_PRECONDITION,
          "the expressions of this face are not known: request them with expressions(true)");
    }
    return expressions.at(place);
  }

  /**
   * One of the numbers, without an object for it.
   *
   * @param index from 0
   * @return the number
   */
  public float at(int index) {
    return numbers[index];
  }

  @Override
  public Float get(int index) {
    return numbers[index];
  }

  @Override
  public int size() {
    return numbers.length;
  }

  /**
   * The numbers as an array of the caller's own.
   *
   * @return a copy
   */
  public float[] toFloatArray() {
    return numbers.clone();
  }

  /** The numbers; of more than 20 only how many there are. */
  @Override
  public String toString() {
    return size() > SHOWN ? "[" + size() + " numbers]" : super.toString();
  }
}
