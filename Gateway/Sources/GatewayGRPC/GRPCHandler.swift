package import EngineLink
import FaceCore
package import GatewayCoding
package import NIOCore

/// Handles one RPC for a service. Called on the event loop; after the RPC has its status, only `cancelled` is.
package protocol GRPCHandler: AnyObject {
  /// Whether the next message is wanted: if not, the client's window closes until `GRPCCall.resume`.
  var wantsMessage: Bool { get }

  /// Whether the client may not end its messages yet.
  var needsMessage: Bool { get }

  func received(_ message: EngineMessage)

  func receivedEnd()

  /// The client has gone, or the RPC was ended for it. There is nobody to answer any more.
  func cancelled()

  /// The gateway is going to stop: RPCs continue, and new ones may begin.
  func stopAnnounced()

  /// The gateway is stopping: RPCs are finished, and no new ones begin.
  func drainBegan()
}

extension GRPCHandler {
  package func receivedEnd() {}
  package func stopAnnounced() {}
  package func drainBegan() {}
}

/// A service, or several similar ones.
package protocol GRPCService {
  /// Gives `call` a handler, or a status.
  func begin(_ call: GRPCCall)
}

/// Takes one message and answers it with one.
package final class UnaryHandler: GRPCHandler {
  package typealias Completion = (Result<ByteBuffer, CallFailure>) -> Void
  /// Begins to answer a message, and returns a function that cancels this.
  package typealias Answer = (EngineMessage, @escaping Completion) -> () -> Void

  private let call: GRPCCall
  private let answer: Answer
  private var cancel: (() -> Void)?
  package private(set) var needsMessage = true

  package init(_ call: GRPCCall, _ answer: @escaping Answer) {
    self.call = call
    self.answer = answer
  }

  package var wantsMessage: Bool { needsMessage }

  package func received(_ message: EngineMessage) {
    needsMessage = false
    let call = call
    cancel = answer(message) { result in
      switch result {
      case .success(let reply): call.finish(with: reply)
      case .failure(let failure): call.fail(failure)
      }
    }
  }

  package func cancelled() { cancel?() }
}
