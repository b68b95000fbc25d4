/// Tells the code that works on a call when to end it early: after its deadline, or once one of its cancellers was
/// cancelled.
///
/// It travels with the call's image. The code asks between the stages of the work and between the faces of an image.
public struct CancellationToken: Sendable {
  public var deadline: MonotonicTime
  /// The one that the caller may hold.
  public let canceller: Canceller?
  /// The one of the code that runs the call, as of a stream that is closed or a connection that is lost.
  private let owner: Canceller?

  public init(deadline: MonotonicTime = .never, canceller: Canceller? = nil, owner: Canceller? = nil) {
    self.deadline = deadline
    self.canceller = canceller
    self.owner = owner
  }

  /// - Parameter timeout: nanoseconds from now; 0 for no deadline.
  public init(timeout: Int64, canceller: Canceller? = nil) {
    self.init(deadline: .deadline(after: timeout), canceller: canceller)
  }

  public var isCancelled: Bool { canceller?.isCancelled == true || owner?.isCancelled == true }

  /// Whether the call is to end.
  public var isOver: Bool { isCancelled || deadline.isPast }

  /// Nanoseconds to the deadline, at least 1; 0 where there is none.
  public var remaining: Int64 {
    deadline == .never ? 0 : max(1, deadline.nanoseconds - MonotonicTime.now().nanoseconds)
  }

  /// The same token with `deadline` if that is earlier.
  public func until(_ deadline: MonotonicTime) -> CancellationToken {
    CancellationToken(deadline: min(self.deadline, deadline), canceller: canceller, owner: owner)
  }

  /// Throws the canceller's reason, or `deadlineExceeded`, when the call is to end.
  public func check() throws(Status) {
    if let owner, owner.isCancelled { throw owner.reason }
    if let canceller, canceller.isCancelled { throw canceller.reason }
    if deadline.isPast { throw CancellationToken.late }
  }

  private static let late = Status(
    .deadlineExceeded, "the call took longer than its timeout; allow more, or set a max side")
}
