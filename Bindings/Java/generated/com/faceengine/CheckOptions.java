// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.time.Duration;
import java.util.Arrays;

/**
 * What a check requires. Immutable: each method returns a copy with one option changed. Options that are not set have
 * the defaults.
 */
@CheckReturnValue
public final class CheckOptions extends Options<CheckOptions> {
  /** The defaults. */
  public CheckOptions() {
    super(4, 344);
  }

  /**
   * Default false: the check's clock is that of the machine that searches; true: it is the images' timestampNs, as for
   * the frames of a recorded video.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions useTimestamps(boolean value) {
    return with("useTimestamps", value, 4);
  }

  /**
   * The space of mask, usually the view that shows the preview. Default null: pixels of the upright image.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions view(Space value) {
    return with("view", value, 8);
  }

  /**
   * The circle for the face. Default all zeros, which stand for a centred circle with a radius of 0.4 of the view's
   * shorter side.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions mask(Circle value) {
    return with("mask", value, 16);
  }

  /**
   * Default 0.5 s. How long a face must be in the circle before the check begins.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions startDelay(Duration value) {
    return with("startDelay", value, 32);
  }

  /**
   * Default 1 s. How long the face must meet all limits at the end of the check.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions hold(Duration value) {
    return with("hold", value, 40);
  }

  /**
   * Default 0.25 s. An interruption up to this long does not restart the hold time. After a longer absence the person
   * must do everything again, including the actions: it may be someone else.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions grace(Duration value) {
    return with("grace", value, 48);
  }

  /**
   * Default 1.5 s. A face that is out of sight for longer than this counts as lost.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions lost(Duration value) {
    return with("lost", value, 56);
  }

  /**
   * Default 30 s. How long a check may take once it has begun (state CHECKING); 0 for no limit.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions timeout(Duration value) {
    return with("timeout", value, 64);
  }

  /**
   * Default 0 s. How long the person may take to begin the check (states WAITING and START); 0 for no limit.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions waitTimeout(Duration value) {
    return with("waitTimeout", value, 72);
  }

  /**
   * Default 0.8 s. Shortest time for which a tip stays, unless the check ends.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions tip(Duration value) {
    return with("tip", value, 80);
  }

  /**
   * 0 to 0.5, default 0.1. Fraction of the limit by which a value must recover before the limit counts as met again.
   * It keeps tips from flickering.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions hysteresis(float value) {
    return with("hysteresis", value, 88);
  }

  /**
   * 0 to 2, default 0.45. Smallest long side of the box, in diameters of the circle; 0 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minFace(float value) {
    return with("minFace", value, 92);
  }

  /**
   * 0 to 2, default 1. Largest long side of the box, in diameters of the circle; 2 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxFace(float value) {
    return with("maxFace", value, 96);
  }

  /**
   * 0 to 1, default 0.3. Largest distance between the centres of box and circle, in radii of the circle; 1 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxOffset(float value) {
    return with("maxOffset", value, 100);
  }

  /**
   * 0 to 1, default 0.5. Largest other face in the picture, as a fraction of the checked face's size; 1 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxOtherFace(float value) {
    return with("maxOtherFace", value, 104);
  }

  /**
   * 0 to 90 degrees, default 15. Largest yaw to either side; 90 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxYaw(float value) {
    return with("maxYaw", value, 108);
  }

  /**
   * 0 to 90 degrees, default 15. Largest pitch up or down; 90 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxPitch(float value) {
    return with("maxPitch", value, 112);
  }

  /**
   * 0 to 90 degrees, default 15. Largest roll to either side; 90 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxRoll(float value) {
    return with("maxRoll", value, 116);
  }

  /**
   * 0 to 1, default 0.5. Smallest openness of each eye; 0 if eyes may be closed.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minEyesOpen(float value) {
    return with("minEyesOpen", value, 120);
  }

  /**
   * 0 to 1, default 0.2. Smallest mean brightness (luma) of the face; 0 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minBrightness(float value) {
    return with("minBrightness", value, 124);
  }

  /**
   * 0 to 1, default 0.9. Largest mean brightness (luma) of the face; 1 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxBrightness(float value) {
    return with("maxBrightness", value, 128);
  }

  /**
   * 0 to 1, default 0.3. Smallest sharpness of the face, as in the capture quality; 0 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minSharpness(float value) {
    return with("minSharpness", value, 132);
  }

  /**
   * 0 to 10, default 0.5. Fastest movement of the box's centre, in long sides of the box per second; 10 for any.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxMotion(float value) {
    return with("maxMotion", value, 136);
  }

  /**
   * 5 to 60 degrees, default 20. How far the head must turn for the actions turn-left and turn-right. Half of it
   * counts for nod and shake.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions turnAngle(float value) {
    return with("turnAngle", value, 140);
  }

  /**
   * 16 to 4096 pixels, default 512. Width and height of the result's crop.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions cropSize(int value) {
    return withCount("cropSize", value, 144);
  }

  /**
   * 0 to 4, default 0.4. Space around the box in the crop on each side, in long sides of the box.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions cropMargin(float value) {
    return with("cropMargin", value, 148);
  }

  /**
   * 0.1 to 0.9, default 0.5. Largest mean openness of both eyes that counts as closed for the action blink.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions maxBlinkOpen(float value) {
    return with("maxBlinkOpen", value, 152);
  }

  /**
   * 0.1 to 1, default 0.7. Smallest smile that counts for the action smile.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minSmile(float value) {
    return with("minSmile", value, 156);
  }

  /**
   * To do one after the other.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions actions(Action... value) {
    return withList("actions", Arrays.asList(value), 164, 160, 8);
  }

  /**
   * Default false; true: in a new random order with each attempt.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions shuffleActions(boolean value) {
    return with("shuffleActions", value, 196);
  }

  /**
   * Default false: the check fails if the face is lost, or another face takes its place, while CHECKING; true: it
   * waits for the next face instead.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions startOver(boolean value) {
    return with("startOver", value, 200);
  }

  /**
   * For the random order, in tests; default 0: a different order each time.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions seed(long value) {
    return with("seed", value, 208);
  }

  /**
   * By IsoMeasure: the smallest quality component that the check accepts, 0 to 100; default 0 accepts any.
   * docs/iso-quality.md lists the tips for each.
   *
   * @param place Which one.
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions minIso(IsoMeasure place, float value) {
    return with("minIso " + place, value, 216 + 4 * place.number());
  }

  /**
   * Limits that belong together. The other options stay as they are; those that are set later win.
   *
   * @param value The new value.
   * @return the copy
   */
  public CheckOptions preset(CheckPreset value) {
    return with("preset", value);
  }
}
