import FaceCore
import Posix
import Wire

/// Replacement of this engine by another process; see PROTOCOL.md, "Taking over".
extension ConnectionManager {
  /// The process that takes over.
  struct Successor {
    let connection: UInt64
    /// The stream of its call to begin, while the event loop has not answered that.
    var asksToBegin: UInt32?
    /// The stream of the call that is answered when this engine ends.
    var asksForEnd: UInt32?
    /// Whether the socket was handed over.
    var hasBegun = false
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
    switch try TakeOverCall.request(call.body.span.extracting(call.payload)) {
    case .begin:
      guard let passed, isSocketFolder(passed) else {
        throw Status(
          .permissionDenied,
          "taking over needs a descriptor of the folder that the engine's socket is in; pass one with BEGIN "
            + "(SCM_RIGHTS), on a connection to the socket itself")
      }
      guard isServing else { throw Self.isStopping }
      guard successor == nil else {
        throw Status(
          .failedPrecondition, "another process is replacing this engine already; wait until it has ended")
      }
      successor = Successor(connection: connection.id, asksToBegin: call.stream)
    case .end:
      guard successor?.connection == connection.id, successor?.hasBegun == true,
        successor?.asksForEnd == nil
      else {
        throw Status(.failedPrecondition, "nothing was taken over on this connection; send BEGIN first")
      }
      successor?.asksForEnd = call.stream
      connection.pendingCalls[call.stream] = .takeOver
    }
    record(CallRecord(call), of: connection)
  }

  /// Hands the socket over to the process that asked for it, with `send`, and finishes accepted calls until
  /// `deadline`. On failure, that process gets the error as its answer and nothing changes.
  /// - Returns: whether it was handed over; `nil` if no process has asked.
  func beginTakeOver(
    until deadline: MonotonicTime, at now: MonotonicTime,
    _ send: (any Transport, EngineCounters, _ stream: UInt32) throws(Status) -> [UInt8]
  ) -> Bool? {
    guard let asked = successor, let stream = asked.asksToBegin,
      let connection = connections[asked.connection]
    else { return nil }
    do throws(Status) {
      // It may have been told to stop since it was asked.
      guard isServing else { throw Self.isStopping }
      guard connection.outbox.isEmpty else {
        throw Status(.unavailable, "answers before this one are unread; read them and try again")
      }
      var counters = statistics.counters
      counters.nextConnection = nextID
      connection.outbox.append(try send(connection.transport, counters, stream))
    } catch {
      successor = nil
      connection.outbox.append(FailedCall.responseFrame(stream: stream, error))
      flush(connection)
      return false
    }
    successor?.asksToBegin = nil
    successor?.hasBegun = true
    phase = .draining(until: deadline)
    announceStop(at: now)
    return true
  }

  /// Whether a process that still exists is taking over.
  var isHandingOver: Bool { successor?.hasBegun == true }

  /// Resumes serving, since the process that was to take over is gone.
  func resume() {
    successor = nil
    phase = .serving
  }

  /// Answers the process that has taken over with the final counters.
  func endTakeOver() {
    guard let successor, let stream = successor.asksForEnd, let connection = connections[successor.connection]
    else { return }
    connection.pendingCalls[stream] = nil
    do throws(Status) {
      var counters = statistics.counters
      counters.nextConnection = nextID
      connection.outbox.append(try TakeOverCall.responseFrame(stream: stream, .init(counters: counters)))
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
