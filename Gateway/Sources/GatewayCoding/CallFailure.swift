package import FaceCore
import Wire

/// The failure of a call, with the engine's details for programs.
package struct CallFailure: Error {
  package var status: Status
  /// The encoded `google.rpc.Status` with its details; `nil` if there are none.
  package var encoded: [UInt8]?

  /// - Parameter encoded: the status as it came, with all its details; `nil` for the one that is known.
  package init(_ status: Status, encoded: [UInt8]? = nil) {
    self.status = status
    self.encoded = encoded ?? status.detail.map { _ in FailedCall.encodedStatus(status) }
  }

  package init(_ code: StatusCode, _ message: String, _ detail: StatusDetail? = nil) {
    self.init(Status(code, message, detail))
  }

  /// Of an engine at whose socket nobody listens.
  package static let unreachable = CallFailure(.unavailable, "the engine is not reachable; try again soon")

  /// Of a connection to the engine that has ended.
  package static let connectionLost = CallFailure(
    .unavailable, "the engine closed the connection; try again soon")

  /// Of an engine that hangs, or of a connection on which it does.
  package static let hung = CallFailure(.unavailable, "the engine does not answer; try again soon")

  /// Of an engine that has not answered within a call's time.
  package static let unanswered = CallFailure(
    .deadlineExceeded, "the engine did not answer in time; check that it runs, and try again")

  /// Decodes what the engine sent. An answer that cannot be read is not the fault of whoever called.
  package static func reading<Value>(
    _ body: () throws(Status) -> Value
  ) throws(CallFailure) -> Value {
    do throws(Status) {
      return try body()
    } catch {
      throw CallFailure(.internal, "the engine's answer cannot be read: \(error.message)")
    }
  }

  /// Whether the engine is gone, or does not answer in time.
  package var isEngineDown: Bool { status.code == .unavailable || status.code == .deadlineExceeded }
}
