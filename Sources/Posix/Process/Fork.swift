import Glibc

/// What must hold on both sides of a fork.
public enum Fork {
  /// Has `prepare` called before each fork of this process, and `after` behind it in the parent and in the child, so that
  /// no other thread holds a lock whose memory the child takes over. Meant for statics: there is no way back but the
  /// unloading of the library. pthread_atfork(3)
  public static func handlers(prepare: @convention(c) () -> Void, after: @convention(c) () -> Void) {
    _ = pthread_atfork(prepare, after, after)
  }
}
