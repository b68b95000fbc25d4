import FaceCore
import Posix
import Wire

/// What happens when another process takes this engine's place; see PROTOCOL.md, "Taking over".
extension ConnectionManager {
  /// The process that takes over.
  struct Successor {
    let connection: UInt64
    /// The stream of its call that the event loop has not answered yet.
    var asksToBegin: UInt32?
    /// The stream of the call that is answered at this engine's end.
    var asksForEnd: UInt32?
    /// The socket is handed over.
    var hasBegun = false
  }

  func handleTakeOver(_ call: Call, from connection: Connection) throws(Status) {
    guard connection.peer.mayAdminister(processOf: CurrentProcess.user) else {
      throw Status(
        .permissionDenied,
        "uid \(connection.peer.user) may not take over; root and the engine's own user, uid \(CurrentProcess.user), may"
      )
    }
    switch try TakeOverCall.request(call.body.span.extracting(call.payload)) {
    case .begin:
      guard isServing else {
        throw Status(.unavailable, "the engine is stopping; start another one when it has ended")
      }
      guard successor == nil else {
        throw Status(
          .failedPrecondition, "another process takes this engine's place already; see what that does")
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

  /// Hands the socket over to the process that has asked for it, by `send`, and finishes what was accepted, until `deadline`. A
  /// failure is the answer to that process, and nothing has changed.
  /// - Returns: whether it was handed over; `nil` when no process has asked.
  func beginTakeOver(
    until deadline: MonotonicTime,
    _ send: (borrowing UnixSocket, EngineCounters, _ stream: UInt32) throws(Status) -> [UInt8]
  ) -> Bool? {
    guard let asked = successor, let stream = asked.asksToBegin,
      let connection = connections[asked.connection]
    else { return nil }
    do throws(Status) {
      guard connection.outbox.isEmpty else {
        throw Status(.unavailable, "answers before this one are unread; read them and try again")
      }
      var counters = statistics.counters
      counters.nextConnection = nextID
      connection.outbox.append(try send(connection.socket, counters, stream))
    } catch {
      successor = nil
      connection.outbox.append(FailedCall.responseFrame(stream: stream, error))
      flush(connection)
      return false
    }
    successor?.asksToBegin = nil
    successor?.hasBegun = true
    phase = .draining(until: deadline)
    announceStop()
    return true
  }

  /// Whether a process takes over that is there still.
  var isHandingOver: Bool { successor?.hasBegun == true }

  /// Serves on, since the process that was to take over is gone.
  func resume() {
    successor = nil
    phase = .serving
  }

  /// Answers the process that has taken over, with what was counted to the end.
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

  /// Whether a connection is served as before although another process takes over: its peer knows no GOAWAY, and takes its calls
  /// elsewhere only when the connection ends.
  func isServedToTheEnd(_ connection: Connection) -> Bool {
    isHandingOver && connection.features?.contains(.goaway) != true
  }

  /// While handing over: whether the engine may end. Peers that know no GOAWAY, or have not said yet whether they do, have until
  /// the deadline.
  var hasHandedOver: Bool {
    guard let successor, successor.asksForEnd != nil else { return false }
    return connections.values.allSatisfy { connection in
      connection.id == successor.connection || !isServedToTheEnd(connection)
    }
  }
}
