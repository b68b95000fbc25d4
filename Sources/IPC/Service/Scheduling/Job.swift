package import FaceCore

/// Identifies one call of one connection; no two calls have the same value.
package struct RequestID: Hashable, Sendable {
  package let user: UInt32
  package let connection: UInt64
  package let stream: UInt32
  /// Distinguishes calls that used the same stream number one after the other.
  package let serial: UInt64

  package init(user: UInt32, connection: UInt64, stream: UInt32, serial: UInt64) {
    (self.user, self.connection, self.stream, self.serial) = (user, connection, stream, serial)
  }
}

/// The work of a worker in one turn.
package struct Job<Work: Sendable>: Sendable {
  package let requestID: RequestID
  /// The time at which its caller stops waiting.
  package let deadline: MonotonicTime
  /// The size of its message in bytes.
  package let size: Int
  /// Whether it detects or loads a model, unlike a query of the engine's state.
  package let usesModels: Bool
  package let work: Work
  /// The reservation for its place in the queue; `nil` if it is not queued.
  var reservation: Reservation?

  package init(
    requestID: RequestID, deadline: MonotonicTime, size: Int, usesModels: Bool, work: Work
  ) {
    (self.requestID, self.deadline, self.size) = (requestID, deadline, size)
    (self.usesModels, self.work) = (usesModels, work)
  }

  /// The amounts that it takes up in the queue.
  var amounts: UserAccount { UserAccount(queuedCalls: 1, queuedBytes: size) }
}
