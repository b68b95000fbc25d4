// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.time.Duration;

/**
 * Which engine a connection accepts, and how long it waits. Immutable: each method returns a copy with one option
 * changed. Options that are not set have the defaults.
 */
@CheckReturnValue
public final class ConnectOptions extends Options<ConnectOptions> {
  /** For {@link #engineUser}. */
  public static final int NO_USER = -1;

  /** The defaults. */
  public ConnectOptions() {
    super(1, 24);
  }

  /**
   * Default NO_USER: no further user. The number of a user that the engine may run as, besides those that are always
   * accepted: the caller's own user, root, and the owner of the socket's folder, if only that owner and root can
   * change the folder and only root the folders above it, as for /run/face-engine.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions engineUser(int value) {
    return with("engineUser", value, 4);
  }

  /**
   * Default 0: 60 s. The longest wait for the engine: while connecting, while a session is opened, fed or closed, and
   * in a call whose own timeout is 0.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions timeout(Duration value) {
    return with("timeout", value, 8);
  }

  /**
   * Default null. Ends Engine.connect; it has no effect later. Keep it open while a call or a session uses it.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions canceller(Canceller value) {
    return with("canceller", value, 16);
  }
}
