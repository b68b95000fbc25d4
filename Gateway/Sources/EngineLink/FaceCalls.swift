package import FaceCore
package import GatewayCoding
package import NIOCore
import Wire

/// A picture received by the gateway.
package enum SentPicture: Sendable {
  /// A complete JPEG, PNG or WebP file.
  case file(ByteBuffer)
  /// Rows of red, green and blue bytes without gaps.
  case pixels(ByteBuffer, width: Int, height: Int)

  /// Calls `body` with the picture as an image, which is valid until `body` returns.
  package func withImage<Value>(_ body: (ImageInput) throws(Status) -> Value) throws(Status) -> Value {
    let bytes: ByteBuffer
    switch self {
    case .file(let buffer), .pixels(let buffer, _, _): bytes = buffer
    }
    let result: Result<Value, Status> = bytes.withUnsafeReadableBytes { bytes in
      Result { () throws(Status) in
        switch self {
        case .file: return try body(ImageInput(.encoded(bytes)))
        case .pixels(_, let width, let height):
          let view = try ImageView(format: .rgb, width: width, height: height, bytes: bytes)
          return try body(ImageInput(.pixels(view)))
        }
      }
    }
    return try result.get()
  }
}

/// The calls that the gateway itself makes, with decoded values.
package struct FaceCalls: Sendable {
  /// The time limit of questions about the engine itself, in nanoseconds.
  package static let patience: Int64 = 2_000_000_000

  package let engine: EngineClient

  package init(engine: EngineClient) {
    self.engine = engine
  }

  package func detect(
    _ picture: SentPicture, _ options: DetectionOptions, timeout: Int64, _ token: CallToken,
    metadata: [(key: String, value: String)] = []
  ) async throws(CallFailure) -> DetectionResult {
    let call = CallHeader(stream: 0, timeout: timeout)
    let frame = try Self.coding { () throws(Status) in
      // Beyond the engine's own limit, so that the connection refuses it and names the limit.
      try picture.withImage { (image) throws(Status) in
        try DetectCall.requestFrame(call, image, options, limit: .max)
      }
    }
    var request = try EngineRequest(frame: frame)
    request.metadata = metadata
    let answer = try await engine.call(request, token)
    return try Self.coding { () throws(Status) in try DetectCall.response(Array(buffer: answer).span) }
  }

  /// Whether the engine takes calls. One that is gone, or does not answer in time, does not.
  package func isServing() async throws(CallFailure) -> Bool {
    do throws(CallFailure) {
      return try await health() == .serving
    } catch  where error.isEngineDown {
      return false
    }
  }

  private func health() async throws(CallFailure) -> ServingStatus {
    let answer = try await engine.call(
      EngineRequest(service: "faceengine.v1.Health", method: "Check", timeout: Self.patience))
    return try Self.coding { () throws(Status) in try HealthCall.response(Array(buffer: answer).span) }
  }

  package func stats() async throws(CallFailure) -> EngineStats {
    let answer = try await engine.call(
      EngineRequest(service: "faceengine.v1.Admin", method: "Stats", timeout: Self.patience))
    return try Self.coding { () throws(Status) in try StatsCall.response(Array(buffer: answer).span) }
  }

  package func info() async throws(CallFailure) -> EngineInfo {
    let answer = try await engine.call(
      EngineRequest(service: "faceengine.v1.Admin", method: "Info", timeout: Self.patience))
    return try Self.coding { () throws(Status) in try InfoCall.response(Array(buffer: answer).span) }
  }

  package func models() async throws(CallFailure) -> [ListedModel] {
    let answer = try await engine.call(
      EngineRequest(service: "faceengine.v1.Admin", method: "ListModels", timeout: Self.patience))
    return try Self.coding { () throws(Status) in try ListModelsCall.response(Array(buffer: answer).span) }
  }

  package static func coding<Value>(_ body: () throws(Status) -> Value) throws(CallFailure) -> Value {
    do throws(Status) { return try body() } catch { throw CallFailure(error) }
  }
}

extension EngineRequest {
  /// Reads a call as encoded by `Wire`: a complete request frame.
  package init(frame: [UInt8]) throws(CallFailure) {
    let envelope = try FaceCalls.coding { () throws(Status) in
      try RequestEnvelope(decoding: frame.span.extracting(FrameHeader.size..<frame.count))
    }
    let start = FrameHeader.size + envelope.payload.lowerBound
    self.init(
      service: envelope.service, method: envelope.method,
      payload: ByteBuffer(bytes: frame[start..<start + envelope.payload.count]), timeout: envelope.timeout)
  }
}
