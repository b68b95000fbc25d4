// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * How a stream is searched. Immutable: each method returns a copy with one option changed. Options that are not set
 * have the defaults.
 */
@CheckReturnValue
public final class SessionOptions extends Options<SessionOptions> {
  /** The defaults. */
  public SessionOptions() {
    super(3, 56);
  }

  /**
   * The mode.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions mode(SessionMode value) {
    return with("mode", value, 4);
  }

  /**
   * Default true: faces have ids; false: each frame is searched by itself.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions track(boolean value) {
    return with("track", value, 16);
  }

  /**
   * 0 to 10000, default 15. A face has left when it is missed in more consecutive frames than this; the default in a
   * guided check is 45.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions maxMissedFrames(int value) {
    return withCount("maxMissedFrames", value, 20);
  }

  /**
   * 1 or more, default 10. Search the whole picture at least once in this many frames; in between, faces are followed.
   * While no face is in view, every third frame is searched. 1 for every frame.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions detectionInterval(int value) {
    return withCount("detectionInterval", value, 24);
  }

  /**
   * 1 to 1000, default 3. A face gets its id when it is found in this many consecutive frames, or as soon as the
   * landmark network confirms it. Until then it is reported without an id. 1 for an id at once.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions minHits(int value) {
    return withCount("minHits", value, 28);
  }

  /**
   * 0 to 1000, default 0. Search at most this many frames per second; 0 for all. The frames in between get predicted
   * faces: each continues its last movement. The rate is measured by the frames' timestampNs, or by the engine's clock
   * if timestampNs is 0. Not for a guided check.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions analysisRate(float value) {
    return with("analysisRate", value, 32);
  }

  /**
   * Default false; true: follow only the faces of Session.follow, and search for no others. Not for a guided check.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions followedOnly(boolean value) {
    return with("followedOnly", value, 36);
  }

  /**
   * Default false; true: a face that left and comes back within 10 seconds after it was last seen gets its old id, if
   * it clearly looks the same. Otherwise the face gets a new id, which happens to many faces that come back. The 10
   * seconds are counted in the frames' timestampNs, or by the engine's clock if timestampNs is false. For these 10
   * seconds the session keeps descriptors of small pictures of each face in memory, and nowhere else. Not for a guided
   * check, nor for faces of Session.follow.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions reidentify(boolean value) {
    return with("reidentify", value, 40);
  }

  /**
   * Default 0: no pictures are kept; 16 to 1024: the library keeps the best picture so far of each tracked face for
   * SessionListener.onBest, as a crop of this many pixels in width and height. It measures quality and eyes of every
   * face for that, and keeps pictures of at most 64 faces, in this process only. Not for a guided check, which has a
   * picture of its own. Since 0.3.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions bestSize(int value) {
    return withCount("bestSize", value, 48);
  }

  /**
   * 0 to 4, default 0.4: space around the face's box in the crop on each side, in long sides of the box. Since 0.3.
   *
   * @param value The new value.
   * @return the copy
   */
  public SessionOptions bestMargin(float value) {
    return with("bestMargin", value, 52);
  }
}
