import FaceCore
import Posix
import Wire

/// Agrees with the engine on the connection's extensions of ttrpc.
enum Handshake {
  /// The stream number of Hello; calls use higher numbers.
  static let stream: UInt32 = 1

  /// The engine's reply on a connection.
  struct Outcome {
    /// The answer to Hello; `nil` from an engine that does not know it.
    var hello: HelloResponse?
    /// Whether the engine takes no calls on this connection; another connection may lead to the engine that
    /// takes its place.
    var isDraining = false
  }

  /// Sends Hello as the first frame on `socket` and returns the reply.
  ///
  /// Throws `unavailable` if the engine closes the connection, and the token's failure if it does not answer
  /// in time or `wakeup` is signalled.
  static func perform(
    on socket: FramedSocket, _ reader: inout FrameReader, or wakeup: borrowing Wakeup,
    requesting features: Set<Feature>,
    _ token: CancellationToken
  ) throws(Status) -> Outcome {
    let request = HelloRequest(
      client: "libfaceengine \(EngineVersion.text)", features: features.map(\.rawValue).sorted())
    let frame = try HelloCall.requestFrame(CallHeader(stream: stream), request)
    do throws(ExchangeFailure) {
      try socket.sendControl(frame, token)
    } catch {
      throw error.status
    }
    while true {
      switch try reader.read(socket.unixSocket, or: wakeup, until: token.deadline) {
      case .frames(let frames):
        guard let answer = frames.first(where: { $0.header.stream == stream }) else { continue }
        return Outcome(
          hello: try response(answer),
          isDraining: frames.contains { FrameType(rawValue: $0.header.type) == .goAway })
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

  private static func response(_ frame: Frame) throws(Status) -> HelloResponse? {
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: frame.body.span)
      if let failure = envelope.failure {
        // The peer was refused, which is different from an unknown Hello.
        if failure.code == .permissionDenied || failure.code == .resourceExhausted { throw failure }
        return nil
      }
      return try HelloCall.response(frame.body.span.extracting(envelope.payload))
    } catch {
      guard error.code == .invalidArgument else { throw error }
      throw Status(.internal, "the engine's Hello cannot be read: \(error.message)")
    }
  }
}
