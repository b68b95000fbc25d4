package import CallerOptions
package import FaceCore
package import GatewayCoding
package import NIOCore
package import Wire

/// A picture received by the gateway.
package enum SentPicture: Sendable {
  /// A complete JPEG, PNG or WebP file. The rest is sent from the buffer in which it came.
  case file(ByteBuffer, rest: ByteBuffer = ByteBuffer())
  /// The same in memory that the engine can map.
  case upload(SharedUpload)
  /// Rows of red, green and blue bytes without gaps.
  case pixels(ByteBuffer, width: Int, height: Int)

  /// A message with the picture.
  ///
  /// - Parameters:
  ///   - arguments: how its pixels are seen.
  ///   - encode: makes the message for an image, which is valid until `encode` returns, and the size of the file that
  ///     is sent behind it, if there is one.
  package func message(
    _ arguments: ImageArguments, _ encode: (MessageImage, _ file: Int?) -> [UInt8]
  ) throws(Status) -> EngineMessage {
    switch self {
    case .file(let start, let rest):
      let nothing = MessageImage.Source.encoded(UnsafeRawBufferPointer(start: nil, count: 0))
      let size = start.readableBytes + rest.readableBytes
      var head = ByteBuffer(bytes: encode(MessageImage(nothing, arguments), size))
      if rest.readableBytes == 0 { return EngineMessage(head: head, start) }
      head.writeImmutableBuffer(start)
      return EngineMessage(head: head, rest)
    case .upload(let upload):
      let part = SharedBytes(buffer: upload.number, offset: 0, size: UInt64(upload.count))
      return EngineMessage(
        ByteBuffer(bytes: encode(MessageImage(.sharedEncoded(part), arguments), nil)), naming: upload)
    case .pixels(let bytes, let width, let height):
      let result: Result<[UInt8], Status> = bytes.withUnsafeReadableBytes { bytes in
        Result { () throws(Status) in
          let view = try ImageView(format: .rgb, width: width, height: height, bytes: bytes)
          return encode(MessageImage(.pixels(view), arguments), nil)
        }
      }
      return EngineMessage(ByteBuffer(bytes: try result.get()))
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
    let payload = try Self.coding { () throws(Status) in
      try picture.message(image) { DetectCall.payload($0, options, file: $1) }
    }
    let answer = try await engine.call(
      EngineRequest(.detect, payload: payload, timeout: timeout, metadata: metadata))
    return try CallFailure.reading { () throws(Status) in
      try DetectCall.response(answer.readableBytesUInt8Span)
    }
  }

  package func isServing() async -> Bool {
    guard (try? await answer(HealthCall.self)) == .serving else { return false }
    return await engine.hasStreams()
  }

  package func stats() async throws(CallFailure) -> EngineStats { try await answer(StatsCall.self) }

  package func info() async throws(CallFailure) -> EngineInfo { try await answer(InfoCall.self) }

  package func models() async throws(CallFailure) -> [ListedModel] { try await answer(ListModelsCall.self) }

  /// The answer to a question about the engine itself, whose request has no fields.
  private func answer<Call: UnaryCall>(_ call: Call.Type) async throws(CallFailure) -> Call.Response {
    let answer = try await engine.call(EngineRequest(Call.coding.method, timeout: Self.patience))
    return try CallFailure.reading { () throws(Status) in try Call.response(answer.readableBytesUInt8Span) }
  }

  package static func coding<Value>(_ body: () throws(Status) -> Value) throws(CallFailure) -> Value {
    do throws(Status) { return try body() } catch { throw CallFailure(error) }
  }
}
