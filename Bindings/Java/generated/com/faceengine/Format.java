// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** What the bytes of an image are. The name of a packed format gives the order of a pixel's bytes in memory. */
public enum Format implements Numbered {
  /**
   * A whole picture file: JPEG, PNG or WebP; also HEIC, AVIF, TIFF, BMP and GIF if the library for them is installed,
   * otherwise Status.FAILED_PRECONDITION names that library. If a file has several pictures, the first frame is read,
   * the primary picture of a HEIC, or the first page of a TIFF that is neither a thumbnail nor a mask. Other kinds,
   * such as raw photos, fail with Status.INVALID_ARGUMENT. For untrusted HEIC and AVIF files set
   * LoadOptions.decoderProcess.
   */
  ENCODED(0),
  /** {@code FACE_FORMAT_RGBA} of C. */
  RGBA(1),
  /** {@code FACE_FORMAT_BGRA} of C. */
  BGRA(2),
  /** {@code FACE_FORMAT_RGB} of C. */
  RGB(3),
  /** {@code FACE_FORMAT_BGR} of C. */
  BGR(4),
  /** {@code FACE_FORMAT_GRAY} of C. */
  GRAY(5),
  /** Planes[0] luma, planes[1] Cb and Cr interleaved at half the width and height (rounded up). */
  NV12(6),
  /** Like Format.NV12, with Cr before Cb. */
  NV21(7),
  /** Planes[0] luma, planes[1] Cb, planes[2] Cr, the last two at half the width and height (rounded up). */
  I420(8),
  /** Planes[0]: Y0 Cb Y1 Cr for every two pixels of a row. */
  YUYV(9),
  /** Planes[0]: Cb Y0 Cr Y1 for every two pixels of a row. */
  UYVY(10),
  /** Planes[0] luma, planes[1] Cb and Cr interleaved at half the width (rounded up), full height. */
  NV16(11);

  private final int number;

  Format(int number) {
    this.number = number;
  }

  /**
   * The number of this constant in C.
   *
   * @return the number
   */
  @Override
  public int number() {
    return number;
  }

  /** The constant of a number; null for one that only a newer library has. */
  static Format of(int number) {
    return Numbered.find(values(), number);
  }
}
