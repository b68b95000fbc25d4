package import FaceCore
package import Wire

/// Agrees with the engine on the connection's extensions of ttrpc.
package enum Handshake {
  /// The stream number of Hello; calls use higher numbers.
  package static let stream: UInt32 = 1

  /// The engine's reply on a connection.
  package struct Outcome {
    /// The answer to Hello; `nil` from an engine that does not know it.
    package var hello: HelloResponse?
    /// Whether the engine takes no calls on this connection; another connection may lead to the engine that
    /// takes its place.
    package var isDraining = false
  }

  package static func request(_ features: Set<Feature>) throws(Status) -> [UInt8] {
    let request = HelloRequest(
      client: "libfaceengine \(EngineVersion.text)", features: features.map(\.rawValue).sorted())
    return try HelloCall.requestFrame(CallHeader(stream: stream), request)
  }

  /// The reply in the first frames of the engine; `nil` if it is not there yet.
  ///
  /// Throws the engine's reason for refusing the peer, and `internal` for a reply that cannot be read.
  package static func outcome(in frames: [Frame]) throws(Status) -> Outcome? {
    guard let answer = frames.first(where: { $0.header.stream == stream }) else { return nil }
    return Outcome(
      hello: try response(answer),
      isDraining: frames.contains { FrameType(rawValue: $0.header.type) == .goAway })
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

/// Splits what an engine sends into frames.
package struct FrameCollector: Sendable {
  private var parser = FrameParser(limit: FrameHeader.maxLength)

  package init() {}

  /// The frames that `bytes` complete. Throws `dataLoss` for data that no engine sends.
  package mutating func frames(in bytes: Span<UInt8>) throws(Status) -> [Frame] {
    var frames: [Frame] = []
    var offset = 0
    while let event = parser.next(bytes, &offset) {
      guard case .frame(let frame) = event, let type = FrameType(rawValue: frame.header.type),
        type != .request
      else {
        throw Status(
          .dataLoss, "the engine sent an invalid response; check that a FaceEngine listens at that socket")
      }
      frames.append(frame)
    }
    return frames
  }
}
