package import FaceCore
package import Posix

/// The failure of a call on a connection.
package enum ExchangeFailure: Error, Equatable {
  /// The engine was gone before any byte was sent, or has said that it does not serve the call; the same call
  /// may be made on a new connection.
  case unsent(Status)
  case failed(Status)

  package var status: Status {
    switch self {
    case .unsent(let status), .failed(let status): status
    }
  }
}

extension Status {
  /// The failure of a call whose deadline has passed.
  package static let unanswered = Status(
    .deadlineExceeded, "the engine did not answer in time; allow more time, or send smaller images")
}

/// What was not sent yet on a connection, and whether a thread sends: see `SendTurn`.
package struct SendQueue: Sendable {
  fileprivate var isSending = false
  /// Control frames for which no thread waits, after the rest of a frame whose sender has left.
  fileprivate var queued: [[UInt8]] = []
  /// Why nothing more can be sent.
  package private(set) var failure: Status?

  package init() {}

  /// Stops all sending. Only the first reason is kept.
  /// - Returns: the first reason.
  @discardableResult
  package mutating func fail(_ reason: Status) -> Status {
    failure = failure ?? reason
    return failure ?? reason
  }
}

/// Decides what a thread sends on a connection, and when: first what others have left or queued, then its own
/// frame, then what others have queued meanwhile. Whole frames follow one another.
package struct SendTurn {
  package enum Step {
    /// Wait until another turn has ended.
    case awaitTurn
    /// Make the frame, then call `made`.
    case makeFrame
    /// Write `rest`, then call `wrote`.
    /// - Parameter isStart: whether the own frame begins, with which a descriptor goes.
    case write(isStart: Bool)
    /// Wait for room, not past the end of the call.
    case awaitRoom
    /// Let another thread have its turn.
    /// - Parameter outcome: whether the own frame was sent whole. Otherwise the next turn sends the rest of it.
    case done(outcome: Result<Bool, ExchangeFailure>)
  }

  private enum Phase {
    case waiting, queue, making, frame, end, done
  }

  private var phase = Phase.waiting
  private var bytes: [UInt8] = []
  private var sent = 0
  /// Whether the last write found no room.
  private var isBlocked = false
  private var outcome: Result<Bool, ExchangeFailure> = .success(true)
  /// The failure when the engine takes no more bytes.
  private let gone: Status

  package init(gone: Status) {
    self.gone = gone
  }

  /// A turn for a control frame that no thread waits for; `nil` if another thread has its turn, which sends it.
  package init?(queuing frame: [UInt8], in queue: inout SendQueue, gone: Status) {
    guard queue.failure == nil else { return nil }
    self.init(gone: gone)
    queue.queued.append(frame)
    if queue.isSending { return nil }
    queue.isSending = true
    phase = .end
  }

  package var rest: ArraySlice<UInt8> { bytes[sent...] }

  /// - Parameter end: the reason to end the call now, if there is one.
  package mutating func next(_ queue: inout SendQueue, end: Status?) -> Step {
    if phase == .waiting {
      if let failure = queue.failure { return finish(.failure(.unsent(failure))) }
      if let end, queue.isSending { return finish(.failure(.failed(end))) }
      if queue.isSending { return .awaitTurn }
      queue.isSending = true
      phase = .queue
    }
    if isBlocked {
      isBlocked = false
      guard let end else { return .awaitRoom }
      leave(&queue, end)
    }
    if sent == bytes.count { take(&queue) }
    switch phase {
    case .making: return .makeFrame
    case .done: return .done(outcome: outcome)
    case .waiting, .queue, .frame, .end: return .write(isStart: phase == .frame && sent == 0)
    }
  }

  private mutating func finish(_ outcome: Result<Bool, ExchangeFailure>) -> Step {
    phase = .done
    return .done(outcome: outcome)
  }

  /// Takes what is sent next.
  private mutating func take(_ queue: inout SendQueue) {
    (bytes, sent) = ([], 0)
    if phase == .frame { phase = .end }
    guard phase == .queue || phase == .end else { return }
    if queue.failure == nil, !queue.queued.isEmpty {
      bytes = queue.queued.removeFirst()
    } else if phase == .queue {
      phase = .making
    } else {
      queue.isSending = false
      phase = .done
    }
  }

  /// Leaves what was begun to the next turn: the engine could not understand anything else.
  private mutating func leave(_ queue: inout SendQueue, _ end: Status) {
    if phase != .frame || sent > 0 { queue.queued.insert(Array(rest), at: 0) }
    if phase == .queue || phase == .frame && sent == 0 { outcome = .failure(.failed(end)) }
    if phase == .frame, sent > 0 { outcome = .success(false) }
    queue.isSending = false
    (bytes, sent, phase) = ([], 0, .done)
  }

  package mutating func made(_ frame: Result<[UInt8], ExchangeFailure>) {
    switch frame {
    case .success(let frame): (bytes, phase) = (frame, .frame)
    case .failure(let failure): (outcome, phase) = (.failure(failure), .end)
    }
  }

  package mutating func wrote(_ transfer: Transfer, _ queue: inout SendQueue) {
    switch transfer {
    case .bytes(let count): sent += count
    case .notNow: isBlocked = true
    case .ended:
      // The engine may have sent a reason before it went; the reading thread finds it.
      if phase == .frame, sent > 0 { return sent = bytes.count }
      queue.fail(gone)
      if phase != .end { outcome = .failure(.unsent(gone)) }
      (bytes, sent, phase) = ([], 0, .end)
    }
  }
}
