// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/** Where face_check has its members. */
final class CheckLayout {
  static final int SIZE = 112;
  static final int STRUCT_SIZE = 0;
  static final int EVENT = 4;
  static final int STATE = 8;
  static final int TIP = 12;
  static final int PROGRESS = 16;
  static final int ACTIONS_DONE = 20;
  static final int ACTION_COUNT = 24;
  static final int ATTEMPT = 28;
  static final int CIRCLE = 32;
  static final int RESERVED = 44;
  static final int TEXT = 48;
  static final int FACES = 56;
  static final int PICTURE = 64;
  static final int CROP = 72;
  static final int CROP_BOX = 80;
  static final int CODE = 96;
  static final int MESSAGE = 104;

  private CheckLayout() {}
}
