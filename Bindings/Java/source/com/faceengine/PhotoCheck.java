package com.faceengine;

import java.util.List;

/**
 * What the check of a photo found.
 *
 * @param tip the most important tip; {@link Tip#DONE} for a photo that is right; null for a tip of a newer library
 * @param updates the events of the check in their order, unmodifiable
 */
public record PhotoCheck(Tip tip, List<CheckUpdate> updates) {
  /**
   * Whether no tip applies.
   *
   * @return true for a photo that is right
   */
  public boolean isRight() {
    return tip == Tip.DONE;
  }
}
