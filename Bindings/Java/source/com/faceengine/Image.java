package com.faceengine;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An image: a picture file, or pixels. Immutable: each method that is not static returns a copy with one thing changed,
 * which shares the pixels. Direct buffers are read in place, while a call runs; arrays and other buffers are copied for
 * each call.
 */
@CheckReturnValue
public final class Image extends Options<Image> {
  private static final int KIND = 6;
  private static final int MOST_PLANES = 4;

  private final Object[] planes;

  private Image(Format format, int width, int height, List<ByteBuffer> buffers) {
    super(KIND, ImageLayout.SIZE);
    if (buffers.size() > MOST_PLANES) {
      throw FaceEngineException.wrong(
          "the image has " + buffers.size() + " planes; no format has more than " + MOST_PLANES);
    }
    ByteBuffer struct = fresh();
    struct.putInt(ImageLayout.FORMAT, format.number());
    struct.putInt(ImageLayout.WIDTH, width);
    struct.putInt(ImageLayout.HEIGHT, height);
    planes = new Object[buffers.size()];
    for (int plane = 0; plane < planes.length; plane++) {
      planes[plane] = describe(buffers.get(plane), struct, 8 * plane);
    }
  }

  /** Writes where a plane begins and what it has; returns the direct buffer, or the array that it has or is copied
     to. */
  private static Object describe(ByteBuffer plane, ByteBuffer struct, int at) {
    struct.putLong(ImageLayout.PLANE_SIZES + at, plane.remaining());
    if (plane.isDirect()) {
      struct.putLong(ImageLayout.OFFSETS + at, plane.position());
      return plane;
    }
    ByteBuffer heap = plane.hasArray() ? plane : ByteBuffer.allocate(plane.remaining()).put(plane.duplicate()).flip();
    struct.putLong(ImageLayout.OFFSETS + at, heap.arrayOffset() + heap.position());
    return heap.array();
  }

  /**
   * A picture file, which is read into memory: JPEG, PNG or WebP; HEIC, AVIF, TIFF, BMP or GIF where the library for
   * them is installed.
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
      throw FaceEngineException.wrong(
          "the picture file has no bytes; a buffer is read from its position: flip it after writing");
    }
    return new Image(Format.ENCODED, 0, 0, List.of(file));
  }

  /**
   * Pixels. Rows are adjacent unless {@link #strides} says otherwise.
   *
   * @param pixels the bytes from its position to its limit, which must not change while a call uses the image; with
   * NV12, NV21,
   *     I420 and NV16 luma, then chroma
   * @param format the order of the bytes, as in {@link Format#RGB}
   * @param width pixels of a row
   * @param height rows
   * @return the image
   */
  public static Image pixels(ByteBuffer pixels, Format format, int width, int height) {
    return planes(split(pixels, format, width, height), format, width, height);
  }

  /**
   * Pixels in several buffers, such as a camera's planes.
   *
   * @param planes a buffer for each plane of the format, from its position to its limit
   * @param format the order of the bytes, as in {@link Format#NV12}
   * @param width pixels of a row
   * @param height rows
   * @return the image
   */
  public static Image planes(List<ByteBuffer> planes, Format format, int width, int height) {
    if (width < 0 || height < 0) {
      throw FaceEngineException.wrong("the image is " + width + " × " + height + "; give 16 to 16384 pixels each");
    }
    return new Image(format, width, height, planes);
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
    if (3L * width * height > Integer.MAX_VALUE) {
      throw new FaceEngineException(
          Status.OUT_OF_RANGE, "the image is " + width + " × " + height + "; give at most 16384 pixels each");
    }
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
   * The orientation of a camera's pixels in a device that may be turned.
   *
   * @param sensor 0, 90, 180 or 270 degrees clockwise: the turn that makes the pixels upright while the device is in
   * its normal position
   * @param device 0, 90, 180 or 270 degrees clockwise: how far the device was turned from that position, as seen by who
   * looks at it
   * @param facesUser true for a front camera; for pixels that arrive as a mirror image, also set {@link #mirrored}
   * @return the value for {@link #orientation}
   */
  public static Orientation orientationOfCamera(int sensor, int device, boolean facesUser) {
    return Orientation.of(Native.orientationOfCamera(sensor, device, facesUser));
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
      throw FaceEngineException.wrong("strides has " + value.length + " numbers; give one for each plane");
    }
    return changed("strides", Arrays.toString(value), struct -> {
      for (int plane = 0; plane < value.length; plane++) {
        struct.putLong(ImageLayout.STRIDES + 8 * plane, value[plane]);
      }
    });
  }

  /** The buffers and arrays that the struct describes. */
  Object[] planes() {
    return planes;
  }

  /** The format, the size and what else was set. */
  @Override
  public String toString() {
    ByteBuffer struct = fresh();
    return "Image[%s, %d × %d]%s".formatted(Format.of(struct.getInt(ImageLayout.FORMAT)),
        struct.getInt(ImageLayout.WIDTH), struct.getInt(ImageLayout.HEIGHT),
        super.toString().substring("Image".length()));
  }

  /** The planes of pixels that follow each other without gaps. */
  private static List<ByteBuffer> split(ByteBuffer pixels, Format format, int width, int height) {
    if (format != Format.NV12 && format != Format.NV21 && format != Format.NV16 && format != Format.I420) {
      return List.of(pixels);
    }
    long luma = (long) width * height;
    long half = (width + 1L) / 2;
    long quarter = half * ((height + 1L) / 2);
    long[] sizes = switch (format) {
          case NV12, NV21 -> new long[] {luma, 2 * quarter};
          case NV16 -> new long[] {luma, 2 * half * height};
          default -> new long[] {luma, quarter, quarter};
        };
    List<ByteBuffer> planes = new ArrayList<>();
    ByteBuffer rest = pixels.slice();
    for (long size : sizes) {
              if (size > rest.remaining() || size < 0) {
                throw FaceEngineException.wrong("the buffer has " + pixels.remaining() + " bytes, too few for " + width
                    + " × " + height + " pixels of " + format);
              }
              planes.add(rest.slice(rest.position(), (int) size));
              rest.position(rest.position() + (int) size);
            }
            return planes;
    }
  }
