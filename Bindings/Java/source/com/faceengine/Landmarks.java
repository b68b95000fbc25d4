package com.faceengine;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.concurrent.ConcurrentHashMap;

/** An unmodifiable list of landmarks, which become objects when they are read. */
final class Landmarks extends AbstractList<Landmark> implements RandomAccess {
  private static final Map<Region, int[]> PLACES = new ConcurrentHashMap<>();

  private final float[] numbers;

  private Landmarks(float[] numbers) {
    this.numbers = numbers;
  }

  static List<Landmark> read(ByteBuffer packed, int count) {
    return new Landmarks(Numbers.floats(packed, count));
  }

  /** The points of a region, by the places that the library gives. */
  static List<Landmark> of(List<Landmark> all, Region region) {
    Objects.requireNonNull(region, "region");
    int[] places = PLACES.computeIfAbsent(region, wanted -> Native.regionPoints(wanted.number()));
    return Arrays.stream(places).mapToObj(known(all)::get).toList();
  }

  static List<Landmark> of(List<Landmark> all, Contour contour) {
    return FaceMesh.contour(contour).stream().map(known(all)::get).toList();
  }

  static Landmark of(List<Landmark> all, MeshPoint point) {
    return known(all).get(point.number());
  }

  private static List<Landmark> known(List<Landmark> all) {
    if (all == null) {
      throw new FaceEngineException(
          Status.FAILED_PRECONDITION, "the landmarks of this face are not known: request them with landmarks(true)");
    }
    return all;
  }

  @Override
  public Landmark get(int index) {
    return new Landmark(numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]);
  }

  @Override
  public int size() {
    return numbers.length / 3;
  }

  @Override
  public String toString() {
    return "[" + size() + " landmarks]";
  }
}
