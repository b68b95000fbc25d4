package com.faceengine;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The face mesh as data. All numbers are indices of {@link Face#landmarks}. */
public final class FaceMesh {
  private FaceMesh() {}

  /**
   * The edges of the mesh: two indices for each, the smaller one first, in ascending order.
   *
   * @return 2644 indices, a copy
   */
  public static int[] edges() {
    return Native.meshEdges();
  }

  /**
   * The triangles of the mesh: three indices for each, counter-clockwise as the camera sees the face. Both eyes and the
   * mouth are holes.
   *
   * @return 2556 indices, a copy
   */
  public static int[] triangles() {
    return Native.meshTriangles();
  }

  /**
   * The points of a contour, in drawing order.
   *
   * @param contour The contour.
   * @return their indices
   */
  public static List<Integer> contour(Contour contour) {
    Objects.requireNonNull(contour, "contour");
    return Arrays.stream(Native.contourPoints(contour.number())).boxed().toList();
  }

  /**
   * Whether the last point of a contour is joined to the first.
   *
   * @param contour The contour.
   * @return true for the face and the eyes
   */
  public static boolean isClosed(Contour contour) {
    Objects.requireNonNull(contour, "contour");
    return Native.isClosed(contour.number());
  }
}
