package com.faceengine;

/** Ends calls from another thread. Any thread may call its methods. */
public final class Canceller implements AutoCloseable {
  private final Handle handle = new Handle(this, Native.createCanceller(), Native::destroyCanceller);

  /** Makes a canceller, which is given to calls by {@link DetectOptions#canceller}. */
  public Canceller() {}

  long handle() {
    return handle.get();
  }

  /** Ends every call that was or will be given this canceller with {@link Status#CANCELLED}. */
  public void cancel() {
    Native.cancel(handle.get());
  }

  /** Frees the canceller. Calls that were given it continue; later calls refuse it. */
  @Override
  public void close() {
    handle.release();
  }
}
