import Glibc

/// Tells threads that run at the same time apart. pthread_self(3)
public struct ThreadIdentity: Equatable, Sendable {
  private let id: pthread_t

  public static var current: ThreadIdentity { ThreadIdentity(id: pthread_self()) }
}
