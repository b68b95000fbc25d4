// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** Where face_image has its members. */
final class ImageLayout {
  static final int SIZE = 216;
  static final int STRUCT_SIZE = 0;
  static final int FORMAT = 4;
  static final int WIDTH = 8;
  static final int HEIGHT = 12;
  static final int PLANES = 16;
  static final int PLANE_SIZES = 48;
  static final int STRIDES = 80;
  static final int ORIENTATION = 112;
  static final int COLOUR = 116;
  static final int MIRRORED = 120;
  static final int RESERVED = 124;
  static final int REGION = 128;
  static final int TIMESTAMP_NS = 144;
  static final int MEMORY = 152;
  static final int OFFSETS = 160;
  static final int RELEASE = 192;
  static final int RELEASE_DATA = 200;
  static final int PIXEL_ASPECT = 208;
  static final int RESERVED_2 = 212;

  private ImageLayout() {}
}
