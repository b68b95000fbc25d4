package com.faceengine;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * An image: a picture file, or pixels. Immutable: each method that is not static returns a copy with one thing changed, which shares
 * the pixels. Direct buffers are read in place, while a call runs; arrays and other buffers are copied for each call.
 */
public final class Image extends Options<Image> {
  private static final int KIND = 6;
  private static final int MOST_PLANES = 4;

  private Object[] planes = {};

  private Image() {
    super(KIND, ImageLayout.SIZE);
  }

  /**
   * A picture file, which is read into memory: JPEG, PNG or WebP; HEIC, AVIF, TIFF, BMP or GIF where the library for them is
   * installed.
   *
   * @param path the file
   * @return the image
   * @throws IOException if it cannot be read
   */
  public static Image file(Path path) throws IOException {
    return encoded(Files.readAllBytes(path));
  }

  /**
   * The bytes of a picture file.
   *
   * @param file the bytes, which must not change while a call uses the image
   * @return the image
   */
  public static Image encoded(byte[] file) {
    return encoded(ByteBuffer.wrap(file));
  }

  /**
   * The bytes of a picture file.
   *
   * @param file the bytes from its position to its limit, which must not change while a call uses the image
   * @return the image
   */
  public static Image encoded(ByteBuffer file) {
    if (!file.hasRemaining()) {
      throw new IllegalArgumentException("the picture file has no bytes; a buffer is read from its position: flip it after writing");
    }
    return new Image().planes(List.of(file));
  }

  /**
   * Pixels. Rows are adjacent unless {@link #strides} says otherwise.
   *
   * @param pixels the bytes from its position to its limit, which must not change while a call uses the image; with NV12, NV21,
   *     I420 and NV16 luma, and behind it chroma
   * @param format the order of the bytes, as in {@link Format#RGB}
   * @param width pixels of a row
   * @param height rows
   * @return the image
   */
  public static Image pixels(ByteBuffer pixels, Format format, int width, int height) {
    return planes(split(pixels, format, width, height), format, width, height);
  }

  /**
   * Pixels in several buffers, as of a camera.
   *
   * @param planes a buffer for each plane of the format, from its position to its limit
   * @param format the order of the bytes, as in {@link Format#NV12}
   * @param width pixels of a row
   * @param height rows
   * @return the image
   */
  public static Image planes(List<ByteBuffer> planes, Format format, int width, int height) {
    return new Image()
        .with("format", format, ImageLayout.FORMAT)
        .withCount("width", width, ImageLayout.WIDTH)
        .withCount("height", height, ImageLayout.HEIGHT)
        .planes(planes);
  }

  /**
   * A picture of Java's image libraries, as RGB.
   *
   * @param image the picture; transparency is dropped
   * @return an image of a copy of its pixels
   */
  public static Image of(BufferedImage image) {
    int width = image.getWidth();
    int height = image.getHeight();
    ByteBuffer pixels = ByteBuffer.allocateDirect(3 * width * height);
    int[] row = new int[width];
    for (int y = 0; y < height; y++) {
      image.getRGB(0, y, width, 1, row, 0, width);
      for (int pixel : row) {
        pixels.put((byte) (pixel >> 16)).put((byte) (pixel >> 8)).put((byte) pixel);
      }
    }
    return pixels(pixels.flip(), Format.RGB, width, height);
  }

  /**
   * How the stored pixels have to be turned to stand upright; by default as a file says.
   *
   * @param value the turn
   * @return the copy
   */
  public Image orientation(Orientation value) {
    return with("orientation", value, ImageLayout.ORIENTATION);
  }

  /**
   * Whether the upright picture is a mirror image, as from a front camera; it is mirrored back.
   *
   * @param value true for a mirror image
   * @return the copy
   */
  public Image mirrored(boolean value) {
    return with("mirrored", value, ImageLayout.MIRRORED);
  }

  /**
   * The part to search, in pixels of the upright image; results keep the coordinates of the whole image.
   *
   * @param value the part
   * @return the copy
   */
  public Image region(Box value) {
    return with("region", value, ImageLayout.REGION);
  }

  /**
   * How luma and chroma are coded.
   *
   * @param value the coding; by default {@link Colour#BT601_FULL}
   * @return the copy
   */
  public Image colour(Colour value) {
    return with("colour", value, ImageLayout.COLOUR);
  }

  /**
   * The width of a stored pixel by its height, for pixels that are not square.
   *
   * @param value 0.1 to 10
   * @return the copy
   */
  public Image pixelAspect(float value) {
    return with("pixelAspect", value, ImageLayout.PIXEL_ASPECT);
  }

  /**
   * The time of a frame, in the caller's own clock: {@link Frame#timestampNs} has it.
   *
   * @param value nanoseconds
   * @return the copy
   */
  public Image timestampNs(long value) {
    return with("timestampNs", value, ImageLayout.TIMESTAMP_NS);
  }

  /**
   * The bytes from one row to the next.
   *
   * @param value at most 131072 for each plane; 0 for rows without padding
   * @return the copy
   */
  public Image strides(int... value) {
    if (value.length > MOST_PLANES) {
      throw new IllegalArgumentException("strides has " + value.length + " numbers; give one for each plane");
    }
    return changed(
        "strides",
        Arrays.toString(value),
        struct -> {
          for (int plane = 0; plane < value.length; plane++) {
            struct.putLong(ImageLayout.STRIDES + 8 * plane, value[plane]);
          }
        });
  }

  /** The buffers and arrays that the struct describes. */
  Object[] planes() {
    return planes;
  }

  private Image planes(List<ByteBuffer> buffers) {
    if (buffers.size() > MOST_PLANES) {
      throw new IllegalArgumentException("the image has " + buffers.size() + " planes; no format has more than " + MOST_PLANES);
    }
    Object[] found = new Object[buffers.size()];
    Image made =
        changed(
            "bytes",
            buffers.stream().mapToLong(ByteBuffer::remaining).sum(),
            struct -> {
              for (int plane = 0; plane < found.length; plane++) {
                ByteBuffer buffer = buffers.get(plane).slice();
                struct.putLong(ImageLayout.PLANE_SIZES + 8 * plane, buffer.remaining());
                if (buffer.isDirect()) {
                  found[plane] = buffer;
                  continue;
                }
                if (!buffer.hasArray()) {
                  buffer = ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
                }
                found[plane] = buffer.array();
                struct.putLong(ImageLayout.OFFSETS + 8 * plane, buffer.arrayOffset());
              }
            });
    made.planes = found;
    return made;
  }

  /** The planes of pixels that lie behind each other. */
  private static List<ByteBuffer> split(ByteBuffer pixels, Format format, int width, int height) {
    Objects.requireNonNull(format, "format");
    long luma = (long) width * height;
    long half = (width + 1L) / 2;
    long quarter = half * ((height + 1L) / 2);
    long[] sizes =
        switch (format) {
          case NV12, NV21 -> new long[] {luma, 2 * quarter};
          case NV16 -> new long[] {luma, 2 * half * height};
          case I420 -> new long[] {luma, quarter, quarter};
          default -> new long[] {pixels.remaining()};
        };
    List<ByteBuffer> planes = new ArrayList<>();
    ByteBuffer rest = pixels.slice();
    for (long size : sizes) {
      if (size > rest.remaining() || size < 0) {
        throw new IllegalArgumentException(
            "the buffer has " + pixels.remaining() + " bytes, too few for " + width + " × " + height + " pixels of " + format);
      }
      planes.add(rest.slice(rest.position(), (int) size));
      rest.position(rest.position() + (int) size);
    }
    return planes;
  }
}
