package com.faceengine;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A handle of the library that is released once: by its owner, or when the owner was forgotten. */
final class Handle {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final String owner;
  private final State state;
  private final Cleaner.Cleanable cleanable;

  /** Does not know the owner, which would never be forgotten then. */
  private static final class State implements Runnable {
    final AtomicLong handle;
    final LongConsumer release;

    State(long handle, LongConsumer release) {
      this.handle = new AtomicLong(handle);
      this.release = release;
    }

    @Override
    public void run() {
      long released = handle.getAndSet(0);
      if (released != 0) {
        OPEN.decrementAndGet();
        release.accept(released);
      }
    }
  }

  /** `release` must not refer to `owner`. */
  Handle(Object owner, long handle, LongConsumer release) {
    this.owner = owner.getClass().getSimpleName();
    OPEN.incrementAndGet();
    state = new State(handle, release);
    cleanable = CLEANER.register(owner, state);
  }

  /** The number; fails if it was released. */
  long get() {
    long handle = state.handle.get();
    if (handle == 0) {
      throw new FaceEngineException(Status.INVALID_ARGUMENT, "this " + owner + " is closed; open another one");
    }
    return handle;
  }

  boolean isReleased() {
    return state.handle.get() == 0;
  }

  void release() {
    cleanable.clean();
  }

  /** How many handles of this process are not released, for tests. */
  static int open() {
    return OPEN.get();
  }
}
