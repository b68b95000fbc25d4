package com.faceengine;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/** The faces of one image, the most confident first: an unmodifiable list, with the size of the image. */
public final class Faces extends AbstractList<Face> implements RandomAccess {
  private final List<Face> faces;
  private final int width;
  private final int height;
  private final int unanalysed;
  private final List<Model> models;
  private final FaceEngineException failure;

  private Faces(
      List<Face> faces, int width, int height, int unanalysed, List<Model> models, FaceEngineException failure) {
    this.failure = failure;
    this.models = models;
    this.faces = faces;
    this.width = width;
    this.height = height;
    this.unanalysed = unanalysed;
  }

  /** Reads what native/pack.c writes. */
  static Faces read(ByteBuffer packed) {
    int width = packed.getInt();
    int height = packed.getInt();
    int unanalysed = packed.getInt();
    Model[] models = new Model[packed.getInt()];
    Arrays.setAll(models, place -> Model.read(packed));
    int count = packed.getInt();
    List<Face> faces = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      faces.add(Face.read(packed));
    }
    return new Faces(faces, width, height, unanalysed, List.of(models), null);
  }

  /** Reads one image of a batch: its status, then its faces or the message of its failure. */
  static Faces readOfBatch(ByteBuffer packed) {
    int at = packed.position();
    if (packed.getInt() == Status.OK.number()) {
      return read(packed);
    }
    return new Faces(List.of(), 0, 0, 0, List.of(), FaceEngineException.read(packed.position(at)));
  }

  /**
   * The width of the upright image.
   *
   * @return pixels
   */
  public int width() {
    return width;
  }

  /**
   * The height of the upright image.
   *
   * @return pixels
   */
  public int height() {
    return height;
  }

  /**
   * How many faces at the end of the list were not measured: see {@link DetectOptions#maxAnalysedFaces}.
   *
   * @return the count
   */
  public int unanalysed() {
    return unanalysed;
  }

  /**
   * The models that made the result: the detectors, then, if something was measured, those for landmarks and
   * expressions.
   *
   * @return the models, unmodifiable; empty for an image that failed
   */
  public List<Model> models() {
    return models;
  }

  /**
   * Why an image of {@link Engine#detectBatch} has no result.
   *
   * @return the failure, which was not thrown; null if the image was searched
   */
  public FaceEngineException failure() {
    return failure;
  }

  /**
   * Converts a point of this image.
   *
   * @param point in pixels of the upright image
   * @param space where it shall be, such as the view that shows the image
   * @return the point in that space
   */
  public Point toSpace(Point point, Space space) {
    float[] to = convert(space, false, point.x(), point.y());
    return new Point(to[0], to[1]);
  }

  /**
   * Converts a box of this image. Its corners change places if the space is turned or mirrored.
   *
   * @param box in pixels of the upright image
   * @param space where it shall be, such as the view that shows the image
   * @return the box in that space
   */
  public Box toSpace(Box box, Space space) {
    float[] to = convert(space, false, box.x(), box.y(), box.width(), box.height());
    return new Box(to[0], to[1], to[2], to[3]);
  }

  /**
   * Converts a point, such as that of a touch, to this image.
   *
   * @param point in the space
   * @param space the space
   * @return the point in pixels of the upright image
   */
  public Point fromSpace(Point point, Space space) {
    float[] to = convert(space, true, point.x(), point.y());
    return new Point(to[0], to[1]);
  }

  /**
   * Converts a box, such as one that was drawn by hand, to this image.
   *
   * @param box in the space
   * @param space the space
   * @return the box in pixels of the upright image
   */
  public Box fromSpace(Box box, Space space) {
    float[] to = convert(space, true, box.x(), box.y(), box.width(), box.height());
    return new Box(to[0], to[1], to[2], to[3]);
  }

  /**
   * Converts a circle of this image, such as {@link CheckUpdate#circle}. What would be an ellipse is a circle of the
   * same area.
   *
   * @param circle in pixels of the upright image
   * @param space where it shall be, such as the view that shows the image
   * @return the circle in that space
   */
  public Circle toSpace(Circle circle, Space space) {
    float[] to = convert(space, false, circle.x(), circle.y(), circle.radius());
    return new Circle(to[0], to[1], to[2]);
  }

  /**
   * Converts a circle to this image. What would be an ellipse is a circle of the same area.
   *
   * @param circle in the space
   * @param space the space
   * @return the circle in pixels of the upright image
   */
  public Circle fromSpace(Circle circle, Space space) {
    float[] to = convert(space, true, circle.x(), circle.y(), circle.radius());
    return new Circle(to[0], to[1], to[2]);
  }

  private float[] convert(Space space, boolean back, float... numbers) {
    Native.convert(space.struct(), width, height, back, numbers);
    return numbers;
  }

  @Override
  public Face get(int index) {
    return faces.get(index);
  }

  @Override
  public int size() {
    return faces.size();
  }
}
