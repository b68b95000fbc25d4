// Made by Tools/generate from Proto/contract.json. Not to be edited.
package com.faceengine;

import java.time.Duration;

/**
 * Who may be at the other end of a connection. Immutable: each method returns a copy with one option changed. Options
 * that are not set have the defaults.
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
   * Default NO_USER: a user, by number, that the engine may run as. Always accepted are the caller's own user, root,
   * and the owner of the socket's folder where that folder and those above it can be changed by nobody else but root,
   * to whom those above it belong, as /run/face-engine.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions engineUser(int value) {
    return with("engineUser", value, 4);
  }

  /**
   * Default 0: 60 s. The longest that the engine is waited for: by Engine.connect, by opening, feeding and closing a
   * session, and by a call whose own timeout is 0.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions timeout(Duration value) {
    return with("timeout", value, 8);
  }

  /**
   * Default null. It ends Engine.connect, and nothing later. Keep it open while a call or a session uses it.
   *
   * @param value The new value.
   * @return the copy
   */
  public ConnectOptions canceller(Canceller value) {
    return with("canceller", value, 16);
  }
}
