import CProtocol
public import FaceCore

/// The method of a request, and the time that its caller waits.
public struct CallHeader: Equatable, Sendable, BitwiseCopyable {
  /// The stream number: odd, and not in use on the connection.
  public var stream: UInt32
  /// The time limit; 0 for none.
  public var timeout: TimeSpan

  public init(stream: UInt32, timeout: TimeSpan = .zero) {
    self.stream = stream
    self.timeout = timeout
  }
}

/// Encodes whole frames: header, envelope and payload, each in a single allocation.
enum CallFrame {
  /// - Parameter limit: the most bytes of the frame's data; throws `resourceExhausted` beyond.
  static func request(
    _ method: Method, _ call: CallHeader, _ message: UnsafePointer<ProtobufCMessage>, limit: Int,
    flags: FrameFlags = []
  ) throws(Status) -> [UInt8] {
    let payload = protobuf_c_message_get_packed_size(message)
    let service = "\(method.service)"
    let name = "\(method.name)"
    let length =
      FieldWriter.bytesSize(service.utf8.count) + FieldWriter.bytesSize(name.utf8.count)
      + FieldWriter.bytesSize(payload) + FieldWriter.integerSize(call.timeout.nanoseconds)
    try check(length, limit)
    return frame(FrameHeader(length: length, stream: call.stream, type: .request, flags: flags)) { output in
      FieldWriter.string(1, service, to: &output)
      FieldWriter.string(2, name, to: &output)
      pack(message, number: 3, size: payload, to: &output)
      FieldWriter.integer(4, call.timeout.nanoseconds, to: &output)
    }
  }

  private static func check(_ length: Int, _ limit: Int) throws(Status) {
    guard length <= limit else {
      throw Status(
        .resourceExhausted,
        "the request has \(length) bytes and the engine accepts \(limit) in one message; scale the images down")
    }
  }

  /// A message of a stream.
  /// - Parameter limit: the most bytes of the frame's data; throws `resourceExhausted` beyond.
  static func data(
    stream: UInt32, _ message: UnsafePointer<ProtobufCMessage>, limit: Int
  ) throws(Status) -> [UInt8] {
    try check(protobuf_c_message_get_packed_size(message), limit)
    return data(stream: stream, message)
  }

  /// A message of a stream that is known to be small.
  static func data(stream: UInt32, _ message: UnsafePointer<ProtobufCMessage>) -> [UInt8] {
    let length = protobuf_c_message_get_packed_size(message)
    return frame(FrameHeader(length: length, stream: stream, type: .data)) { output in
      pack(message, size: length, to: &output)
    }
  }

  /// An answer on a stream. Throws `resourceExhausted` if it is larger than any peer accepts.
  static func answer(
    stream: UInt32, _ message: UnsafePointer<ProtobufCMessage>
  ) throws(Status) -> [UInt8] {
    try checkAnswer(protobuf_c_message_get_packed_size(message))
    return data(stream: stream, message)
  }

  private static func checkAnswer(_ length: Int) throws(Status) {
    guard length <= FrameHeader.maxLength else {
      throw Status(
        .resourceExhausted,
        "the answer has \(length) bytes and a message can have \(FrameHeader.maxLength); "
          + "set a lower max_faces, or request fewer outputs, such as landmarks")
    }
  }

  /// Throws `resourceExhausted` if the answer is larger than any peer accepts.
  static func response(
    stream: UInt32, _ message: UnsafePointer<ProtobufCMessage>
  ) throws(Status) -> [UInt8] {
    let payload = protobuf_c_message_get_packed_size(message)
    let length = FieldWriter.bytesSize(payload)
    try checkAnswer(length)
    return frame(FrameHeader(length: length, stream: stream, type: .response)) { output in
      pack(message, number: 2, size: payload, to: &output)
    }
  }

  private static func frame(
    _ header: FrameHeader, _ body: (inout OutputSpan<UInt8>) -> Void
  ) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size + Int(header.length)) { output in
      header.encode(to: &output)
      body(&output)
    }
  }

  private static func pack(
    _ message: UnsafePointer<ProtobufCMessage>, number: UInt8, size: Int, to output: inout OutputSpan<UInt8>
  ) {
    if size == 0 { return }
    FieldWriter.prefix(number, size, to: &output)
    pack(message, size: size, to: &output)
  }

  private static func pack(
    _ message: UnsafePointer<ProtobufCMessage>, size: Int, to output: inout OutputSpan<UInt8>
  ) {
    output.withUnsafeMutableBufferPointer { buffer, count in
      precondition(buffer.count - count >= size)
      count += protobuf_c_message_pack(message, buffer.baseAddress.map { $0 + count })
    }
  }

  /// A message alone, for a caller that writes the frame itself.
  ///
  /// - Parameters:
  ///   - parts: the message, then the last field of each one before, with its number there.
  ///   - file: the size of a file that is sent behind it, as field 1 of the last part; `nil` for none.
  static func payload(
    _ parts: [(number: UInt8, message: UnsafePointer<ProtobufCMessage>)], file: Int? = nil
  ) -> [UInt8] {
    var inner = file ?? 0
    var prefixes: [(number: UInt8, count: Int)] = []
    if file != nil { prefixes.append((1, inner)) }
    for part in parts.reversed() {
      if let last = prefixes.last { inner = FieldWriter.fieldSize(last.count) }
      inner += protobuf_c_message_get_packed_size(part.message)
      prefixes.append((part.number, inner))
    }
    return [UInt8](capacity: inner - (file ?? 0)) { output in
      for part in parts {
        pack(part.message, size: protobuf_c_message_get_packed_size(part.message), to: &output)
        prefixes.removeLast()
        if let next = prefixes.last { FieldWriter.prefix(next.number, next.count, to: &output) }
      }
    }
  }

  static func failure(stream: UInt32, _ status: Status, _ trace: RequestTrace) -> [UInt8] {
    let inner = encode(status, trace)
    let header = FrameHeader(length: FieldWriter.bytesSize(inner.count), stream: stream, type: .response)
    return frame(header) { output in
      FieldWriter.prefix(1, inner.count, to: &output)
      for byte in inner { output.append(byte) }
    }
  }

  /// A `ttrpc.Status`.
  fileprivate static func encode(_ status: Status, _ trace: RequestTrace) -> [UInt8] {
    let details = DetailCoding.fields(status.detail, trace)
    let code = Int64(status.code.rawValue)
    let count =
      FieldWriter.integerSize(code) + FieldWriter.bytesSize(status.message.utf8.count) + details.count
    return [UInt8](capacity: count) { output in
      FieldWriter.integer(1, code, to: &output)
      FieldWriter.string(2, status.message, to: &output)
      for byte in details { output.append(byte) }
    }
  }
}

extension FrameHeader {
  /// - Parameter length: the length of the data. Callers keep it below `maxPlausibleLength`.
  fileprivate init(length: Int, stream: UInt32, type: FrameType, flags: FrameFlags = []) {
    self.init(length: UInt32(clamping: length), stream: stream, type: type.rawValue, flags: flags)
  }
}

/// The answer to a call that failed.
public enum FailedCall {
  /// - Parameters:
  ///   - status: any status but `ok`; messages beyond 4 KiB are truncated.
  ///   - trace: the request's trace, returned in the details.
  public static func responseFrame(
    stream: UInt32, _ status: Status, trace: RequestTrace = RequestTrace()
  ) -> [UInt8] {
    CallFrame.failure(stream: stream, Status(status.code, sentence(status.message), status.detail), trace)
  }

  /// The status as a `ttrpc.Status`, whose encoding is that of `google.rpc.Status`.
  public static func encodedStatus(_ status: Status) -> [UInt8] { CallFrame.encode(status, RequestTrace()) }

  /// The first 4 KiB of `message`.
  static func sentence(_ message: String) -> String {
    message.utf8.count > 4096 ? String(decoding: message.utf8.prefix(4096), as: UTF8.self) : message
  }
}

/// Encodes the end of a stream for each side.
public enum StreamEnd {
  /// The client's end: it sends no more, and answers still come.
  public static func dataFrame(stream: UInt32) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size) { output in
      FrameHeader(
        length: 0, stream: stream, type: FrameType.data.rawValue, flags: [.remoteClosed, .noData]
      ).encode(to: &output)
    }
  }

  /// The engine's end of a stream without failure, after all answers; a failure is sent with
  /// `FailedCall.responseFrame`.
  public static func responseFrame(stream: UInt32) -> [UInt8] {
    [UInt8](capacity: FrameHeader.size) { output in
      FrameHeader(length: 0, stream: stream, type: FrameType.response.rawValue).encode(to: &output)
    }
  }
}
