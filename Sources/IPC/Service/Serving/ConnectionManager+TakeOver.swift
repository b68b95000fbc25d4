import FaceCore
import Posix
import Wire

/// Replacement of this engine by another process; see PROTOCOL.md, "Taking over".
extension ConnectionManager {
  /// The process that takes over.
  struct Successor {
    let connection: UInt64
    /// Its call that the event loop has not answered yet.
    var asked: (step: TakeOverCall.Step, stream: UInt32)?
    /// Whether it has the socket, which it serves if this engine ends.
    var hasSocket = false
    /// Whether it accepts the connections.
    var hasBegun = false
    /// The time by which it must have sent END, and that by which accepted calls must then be finished.
    var endDeadline = MonotonicTime.never
    var drainDeadline = MonotonicTime.never
    /// The stream of the call that is answered when this engine ends.
    var asksForEnd: UInt32?
  }

  private static let isStopping = Status(
    .unavailable, "the engine is stopping; start another one when it has ended")

  func handleTakeOver(_ call: Call, from connection: Connection) throws(Status) {
    // First, since a descriptor that stays with the connection ends it.
    let passed = connection.claimDescriptor()
    guard connection.peer.mayAdminister(processOf: CurrentProcess.user) else {
      throw Status(
        .permissionDenied,
        "uid \(connection.peer.user) may not take over; only root and the engine's own user, uid \(CurrentProcess.user), may"
      )
    }
    let step = try TakeOverCall.request(call.body.span.extracting(call.payload))
    let isKnown = successor?.connection == connection.id && successor?.asked == nil
    switch step {
    case .prepare:
      guard let passed, isSocketFolder(passed) else {
        throw Status(
          .permissionDenied,
          "taking over needs a descriptor of the folder that the engine's socket is in; pass one with PREPARE "
            + "(SCM_RIGHTS), on a direct connection to the engine's socket, not through a gateway")
      }
      guard isServing else { throw Self.isStopping }
      guard successor == nil else {
        throw Status(
          .failedPrecondition, "another process is replacing this engine already; wait until that process has ended")
      }
      guard !hasPredecessor else {
        throw Status(
          .failedPrecondition,
          "the engine before this one still finishes its calls; wait until that engine has ended, or kill it")
      }
      successor = Successor(connection: connection.id, asked: (step, call.stream))
    case .begin:
      guard isKnown, successor?.hasSocket == true, successor?.hasBegun == false else {
        throw Status(.failedPrecondition, "this connection has not prepared a take-over; send PREPARE first")
      }
      successor?.asked = (step, call.stream)
    case .end:
      guard isKnown, let begun = successor, begun.hasBegun, begun.asksForEnd == nil else {
        throw Status(
          .failedPrecondition,
          "END must follow BEGIN on the same connection, within "
            + "\(endTimeout / .seconds(1)) s; send BEGIN again, then END")
      }
      successor?.asksForEnd = call.stream
      if case .draining(let until) = phase { phase = .draining(until: min(until, begun.drainDeadline)) }
      connection.pendingCalls[call.stream] = .takeOver
    }
    record(CallRecord(call), of: connection)
  }

  /// Answers the process that takes over, if it has asked: passes the socket with `send` to the one that prepares;
  /// to the one that begins, leaves new connections, and finishes accepted calls until `deadline`. On failure, that
  /// process gets the error as its answer and nothing changes.
  /// - Returns: the step that was made; `nil` if there was none.
  func answerSuccessor(
    until deadline: MonotonicTime, at now: MonotonicTime,
    _ send: (any Transport, EngineCounters, _ stream: UInt32) throws(Status) -> [UInt8]
  ) -> TakeOverCall.Step? {
    guard let asked = successor, let (step, stream) = asked.asked,
      let connection = connections[asked.connection]
    else { return nil }
    successor?.asked = nil
    do throws(Status) {
      switch step {
      case .prepare:
        // It may have been told to stop since it was asked.
        guard isServing else { throw Self.isStopping }
        guard connection.outbox.isEmpty else {
          throw Status(.unavailable, "answers before this one are unread; read them and try again")
        }
        connection.outbox.append(try send(connection.transport, countersSoFar, stream))
        successor?.hasSocket = true
      case .begin, .end:
        connection.outbox.append(
          try TakeOverCall.responseFrame(stream: stream, .init(counters: countersSoFar)))
        begin(until: deadline, at: now)
      }
      flush(connection)
      return step
    } catch {
      if step == .prepare { successor = nil }
      connection.outbox.append(FailedCall.responseFrame(stream: stream, error))
      flush(connection)
      return nil
    }
  }

  private func begin(until deadline: MonotonicTime, at now: MonotonicTime) {
    let endDeadline = now + endTimeout
    successor?.hasBegun = true
    successor?.endDeadline = endDeadline
    successor?.drainDeadline = deadline
    // One that stops does so by its own deadline.
    guard isServing else { return }
    phase = .draining(until: max(deadline, endDeadline))
    announceStop(at: now)
  }

  private var countersSoFar: EngineCounters {
    var counters = statistics.counters
    counters.nextConnection = nextID
    return counters
  }

  /// Whether a process that still exists is taking over.
  var isHandingOver: Bool { successor?.hasBegun == true }

  /// Whether a process that still exists serves the socket if this engine ends.
  var hasHeir: Bool { successor?.hasSocket == true }

  /// The time by which the other process must have sent END; `never` if none has to.
  var endDeadline: MonotonicTime {
    guard let successor, successor.hasBegun, successor.asksForEnd == nil else { return .never }
    return successor.endDeadline
  }

  /// Stops handing over to a process that has not sent END in time. It keeps the socket until it ends.
  func giveUpSuccessor(at now: MonotonicTime) {
    guard endDeadline <= now else { return }
    successor?.hasBegun = false
    hasLostSuccessor = true
  }

  /// Resumes serving, since the process that was to take over is gone.
  func resume() { phase = .serving }

  /// Answers the process that has taken over with the final counters.
  func endTakeOver() {
    guard let successor, let stream = successor.asksForEnd, let connection = connections[successor.connection]
    else { return }
    connection.pendingCalls[stream] = nil
    do throws(Status) {
      connection.outbox.append(
        try TakeOverCall.responseFrame(stream: stream, .init(counters: countersSoFar)))
    } catch {
      connection.outbox.append(FailedCall.responseFrame(stream: stream, error))
    }
    flush(connection)
  }

  /// Whether a connection is served as before although another process takes over: its peer does not know
  /// GOAWAY, and moves its calls only when the connection ends.
  func isServedToTheEnd(_ connection: Connection) -> Bool {
    isHandingOver && connection.features?.contains(.goaway) != true
  }

  /// Whether the engine may end while handing over. Peers that do not know GOAWAY, or have not said so yet,
  /// have until the deadline.
  var hasHandedOver: Bool {
    guard let successor, successor.asksForEnd != nil else { return false }
    return connections.values.allSatisfy { connection in
      connection.id == successor.connection || !isServedToTheEnd(connection)
    }
  }
}
