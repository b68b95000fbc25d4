// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

/**
 * A coordinate space. Immutable: each method returns a copy with one option changed. Options that are not set have the
 * defaults.
 */
@CheckReturnValue
public final class Space extends Options<Space> {
  /** The defaults. */
  public Space() {
    super(5, 28);
  }

  /**
   * The kind.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space kind(SpaceKind value) {
    return with("kind", value, 4);
  }

  /**
   * For SpaceKind.VIEW, like all members below; above 0.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space viewWidth(float value) {
    return with("viewWidth", value, 8);
  }

  /**
   * The view height.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space viewHeight(float value) {
    return with("viewHeight", value, 12);
  }

  /**
   * The fit.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space fit(Fit value) {
    return with("fit", value, 16);
  }

  /**
   * 0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space rotation(int value) {
    return withCount("rotation", value, 20);
  }

  /**
   * True: after the turn, left and right are exchanged, as in a mirror.
   *
   * @param value The new value.
   * @return the copy
   */
  public Space mirrored(boolean value) {
    return with("mirrored", value, 24);
  }
}
