import Client
import FaceCore
import Wire

/// The client's end of a connection: what decides there, and what waits.
final class ClientEnd {
  final class Condition {}

  let wire: StandInWire
  var queue = SendQueue()
  var calls = CallTable(slotCount: 0, isDraining: false, draining: ClientEnd.draining)
  var collector = FrameCollector()
  /// What waits for a turn to send.
  let turns = Condition()
  /// Whether the thread that reads is to look up.
  var isInterrupted = false
  var features: Set<Feature> = []
  var callLimit = 0
  /// What has come: the number in GOAWAY, and the end.
  var goAway: UInt32?
  var isLost = false
  /// The calls that have a slot, and the number of CANCELs that were queued.
  var slots: Set<UInt32> = []
  var cancelCount = 0

  init(_ wire: StandInWire) { self.wire = wire }

  static let draining = Status(.unavailable, "the engine is stopping")
  static let gone = Status(.unavailable, "the engine is gone")
  static let refused = Status(.unavailable, "the engine closed the connection at once")
  static let ended = Status(.unavailable, "the engine closed the connection")

  var isUsable: Bool { queue.failure == nil && calls.isUsable }

  /// Reads what has arrived; `nil` at the end.
  func read() throws(Status) -> [Frame]? {
    guard let bytes = wire.read() else { return nil }
    return try collector.frames(in: bytes.span)
  }
}

/// What a call may come to.
final class ClientCall {
  let number: UInt64
  let isImmediate: Bool
  let bytes: [UInt8]
  /// Whether an engine may have served it, and how it has answered.
  var mayBeServed = false
  var answer: StatusCode?
  /// The CANCELs that come before it on its connection.
  var cancelsBefore = 0

  // Its last attempt.
  var stream: UInt32 = 0
  var hasBegun = false
  var end: ClientEnd?
  var attempts = 0

  init(_ number: UInt64, isImmediate: Bool) {
    (self.number, self.isImmediate) = (number, isImmediate)
    bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// Whether no engine has served it, as the client knows.
  var isUnserved: Bool { !hasBegun || end?.goAway.map { $0 < stream } == true }
}
