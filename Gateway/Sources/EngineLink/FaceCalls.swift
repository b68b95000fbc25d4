package import CallerOptions
package import FaceCore
package import GatewayCoding
package import NIOCore
package import Wire

/// A picture received by the gateway.
package enum SentPicture: Sendable {
  /// A complete JPEG, PNG or WebP file.
  case file(ByteBuffer)
  /// The same in memory that the engine can map.
  case upload(SharedUpload)
  /// Rows of red, green and blue bytes without gaps.
  case pixels(ByteBuffer, width: Int, height: Int)

  /// A message with the picture.
  ///
  /// - Parameters:
  ///   - method: the method whose message it is.
  ///   - arguments: how its pixels are seen.
  ///   - encode: makes the message for an image, which is valid until `encode` returns.
  package func message(
    of method: Method, _ arguments: ImageArguments, _ encode: (MessageImage) throws(Status) -> ByteBuffer
  ) throws(Status) -> EngineMessage {
    switch self {
    case .file(let bytes):
      let nothing = MessageImage(.encoded(UnsafeRawBufferPointer(start: nil, count: 0)), arguments)
      let path = NamedImages.paths["\(method.service)/\(method.name)"] ?? []
      return try EngineMessage(encode(nothing), path: path, ending: bytes)
    case .upload(let upload):
      let part = SharedBytes(buffer: upload.number, offset: 0, size: UInt64(upload.count))
      return EngineMessage(try encode(MessageImage(.sharedEncoded(part), arguments)), naming: upload)
    case .pixels(let bytes, let width, let height):
      let result: Result<ByteBuffer, Status> = bytes.withUnsafeReadableBytes { bytes in
        Result { () throws(Status) in
          let view = try ImageView(format: .rgb, width: width, height: height, bytes: bytes)
          return try encode(MessageImage(.pixels(view), arguments))
        }
      }
      return EngineMessage(try result.get())
    }
  }
}

extension MessageImage {
  fileprivate init(_ source: Source, _ arguments: ImageArguments) {
    var input = ImageInput(.encoded(UnsafeRawBufferPointer(start: nil, count: 0)))
    arguments.set(&input)
    self.init(source, like: input)
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
    _ picture: SentPicture, _ image: ImageArguments, _ options: DetectionOptions, timeout: Int64,
    metadata: [(key: String, value: String)] = []
  ) async throws(CallFailure) -> DetectionResult {
    let method = Method.detect
    var request = EngineRequest(
      service: "\(method.service)", method: "\(method.name)", timeout: timeout, metadata: metadata)
    request.payload = try Self.coding { () throws(Status) in
      try picture.message(of: method, image) { (image) throws(Status) in
        // Beyond the engine's own limit, so that the connection refuses it and names the limit.
        let frame = try DetectCall.requestFrame(CallHeader(stream: 0), image, options, limit: .max)
        return try Self.payload(of: frame)
      }
    }
    let answer = try await engine.call(request)
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

  /// The payload of a complete request frame, as encoded by `Wire`.
  private static func payload(of frame: [UInt8]) throws(Status) -> ByteBuffer {
    let data = frame.span.extracting(FrameHeader.size..<frame.count)
    let payload = try RequestEnvelope(decoding: data).payload
    let start = FrameHeader.size + payload.lowerBound
    return ByteBuffer(bytes: frame[start..<start + payload.count])
  }
}
