import FaceCore
import Posix
import Wire

extension Handshake {
  /// Sends Hello as the first frame on `socket` and returns the reply.
  ///
  /// Throws `unavailable` if the engine closes the connection, and the token's failure if it does not answer
  /// in time or `wakeup` is signalled.
  static func perform(
    on socket: FramedSocket, _ reader: inout FrameReader, or wakeup: borrowing Wakeup,
    requesting features: Set<Feature>,
    _ token: CancellationToken
  ) throws(Status) -> Outcome {
    let frame = try request(features)
    do throws(ExchangeFailure) {
      try socket.sendControl(frame, token)
    } catch {
      throw error.status
    }
    while true {
      switch try reader.read(socket.unixSocket, or: wakeup, until: token.deadline) {
      case .frames(let frames): if let outcome = try outcome(in: frames) { return outcome }
      case .nothing: throw token.failure
      case .ended:
        throw token.isCancelled
          ? token.failure
          : Status(
            .unavailable,
            "the engine at \(socket.path) closed the connection at once; check that it runs, and try again")
      }
    }
  }
}
