import FaceCore
import Posix
import Wire

/// The first words on a connection: what goes beyond plain ttrpc.
enum Handshake {
  /// The stream that Hello takes; calls come after it.
  static let stream: UInt32 = 1

  /// Says Hello before anything else is sent on `link`; `nil` from an engine that knows none, which is used without.
  ///
  /// Throws `unavailable` when the engine closes instead, and when it does not answer, or `wakeup` is signalled, first.
  static func say(
    on link: FramedSocket, _ reader: inout Reader, or wakeup: borrowing Wakeup, asking features: Set<Feature>,
    _ token: CancellationToken
  ) throws(Status) -> HelloResponse? {
    let request = HelloRequest(
      client: "libfaceengine \(EngineVersion.text)", features: features.map(\.rawValue).sorted())
    let frame = try HelloCall.requestFrame(CallHeader(stream: stream), request)
    do throws(ExchangeFailure) {
      try link.sendControl(frame, token)
    } catch {
      throw error.status
    }
    while true {
      switch try reader.read(link.socket, or: wakeup, until: token.deadline) {
      case .frames(let frames):
        // A GOAWAY may come with it; calls that do not know of that are refused with the same reason.
        for frame in frames where frame.header.stream == stream { return try answer(frame) }
      case .nothing: throw token.failure
      case .ended:
        throw token.isCancelled
          ? token.failure
          : Status(
            .unavailable,
            "the engine at \(link.path) closed the connection at once; see that it runs and try again")
      }
    }
  }

  private static func answer(_ frame: Frame) throws(Status) -> HelloResponse? {
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: frame.body.span)
      if let failure = envelope.failure {
        // Refused as a peer, rather than for words it does not know.
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
