import Glibc

/// One text a thread, as a C string that lives until the thread sets another or ends. pthread_key_create(3)
public struct ThreadLocalText: Sendable {
  private let key: pthread_key_t

  /// Keys are few and never given back: meant for statics.
  public init() {
    var key = pthread_key_t()
    pthread_key_create(&key, free)
    self.key = key
  }

  /// `nil` until this thread set one. pthread_getspecific(3)
  public var value: UnsafePointer<CChar>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }

  /// strdup(3), pthread_setspecific(3)
  public func set(_ text: String) {
    let old = pthread_getspecific(key)
    pthread_setspecific(key, strdup(text))
    free(old)
  }
}
