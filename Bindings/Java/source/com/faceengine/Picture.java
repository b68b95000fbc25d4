package com.faceengine;

import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A picture of the library.
 *
 * @param width pixels
 * @param height pixels
 * @param pixels read-only, four bytes a pixel: blue, green, red and 255; rows without padding
 */
public record Picture(int width, int height, ByteBuffer pixels) {
  /** Reads what native/pack.c writes, without a copy; null if there is none. */
  static Picture read(ByteBuffer packed) {
    int width = packed.getInt();
    if (width == 0) {
      return null;
    }
    int height = packed.getInt();
    int size = 4 * width * height;
    ByteBuffer pixels = packed.slice(packed.position(), size).asReadOnlyBuffer();
    packed.position(packed.position() + size);
    return new Picture(width, height, pixels);
  }

  /**
   * The picture for Java's image libraries, such as {@code ImageIO.write(image, "png", file)}.
   *
   * @return a copy of type TYPE_INT_RGB
   */
  public BufferedImage toBufferedImage() {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    int[] row = new int[width];
    ByteBuffer source = pixels.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    for (int y = 0; y < height; y++) {
      source.position(4 * width * y).slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(row);
      image.setRGB(0, y, width, 1, row, 0, width);
    }
    return image;
  }

  /** The size. */
  @Override
  public String toString() {
    return "Picture[" + width + " × " + height + "]";
  }
}
