package com.faceengine;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** The two ways to an engine, and the photo that the tests search. test.sh sets the environment. */
enum Door {
  LOADED,
  CONNECTED;

  static final Path PHOTO = Path.of(System.getenv("FACE_TEST_PHOTO"));
  static final int WIDTH = 512;
  static final int HEIGHT = 600;

  Engine open() {
    return this == LOADED ? Engine.load(System.getenv("FACE_TEST_MODEL"))
                          : Engine.connect(Path.of(System.getenv("FACE_TEST_SOCKET")));
  }

  static Image photo() {
    try {
      return Image.file(PHOTO);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  static byte[] photoFile() throws IOException {
    return Files.readAllBytes(PHOTO);
  }

  static BufferedImage picture() throws IOException {
    return ImageIO.read(PHOTO.toFile());
  }

  /** The photo's pixels in a direct buffer, red first. */
  static ByteBuffer rgb() throws IOException {
    BufferedImage picture = picture();
    ByteBuffer pixels = ByteBuffer.allocateDirect(3 * WIDTH * HEIGHT);
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        int pixel = picture.getRGB(x, y);
        pixels.put((byte) (pixel >> 16)).put((byte) (pixel >> 8)).put((byte) pixel);
      }
    }
    return pixels.flip();
  }

  /** A picture without a face, for calls that take little time. */
  static Image small() {
    return Image.pixels(ByteBuffer.allocateDirect(32 * 32), Format.GRAY, 32, 32);
  }
}
