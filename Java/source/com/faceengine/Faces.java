package com.faceengine;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;

/** The faces of one image, the most confident first: an unmodifiable list, with the size of the image. */
public final class Faces extends AbstractList<Face> implements RandomAccess {
  private final List<Face> faces;
  private final int width;
  private final int height;
  private final int unanalysed;

  private Faces(List<Face> faces, int width, int height, int unanalysed) {
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
    int count = packed.getInt();
    List<Face> faces = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      faces.add(Face.read(packed));
    }
    return new Faces(faces, width, height, unanalysed);
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

  @Override
  public Face get(int index) {
    return faces.get(index);
  }

  @Override
  public int size() {
    return faces.size();
  }
}
