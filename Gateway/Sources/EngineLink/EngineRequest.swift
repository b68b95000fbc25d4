import FaceCore
import GatewayCoding
import NIOCore
package import Wire

/// A call to the engine. The gateway does not decode its payload.
package struct EngineRequest: Sendable {
  package enum Kind {
    case single
    /// A request with several answers.
    case answers
    /// Messages both ways.
    case messages

    fileprivate var flags: FrameFlags {
      switch self {
      case .single: []
      case .answers: .remoteClosed
      case .messages: .remoteOpen
      }
    }
  }

  package let service: String
  package let method: String
  package var payload: EngineMessage
  /// The time limit in nanoseconds; 0 for none.
  package var timeout: Int64
  package let metadata: [(key: String, value: String)]
  package let kind: Kind

  package init(
    service: String, method: String, payload: EngineMessage = EngineMessage(), timeout: Int64 = 0,
    metadata: [(key: String, value: String)] = [], kind: Kind = .single
  ) {
    self.service = service
    self.method = method
    self.payload = payload
    self.timeout = timeout
    self.metadata = metadata
    self.kind = kind
  }

  package init(
    _ method: Method, payload: EngineMessage = EngineMessage(), timeout: Int64 = 0,
    metadata: [(key: String, value: String)] = [], kind: Kind = .single
  ) {
    self.init(
      service: "\(method.service)", method: "\(method.name)", payload: payload, timeout: timeout,
      metadata: metadata, kind: kind)
  }

  package var name: String { "\(service)/\(method)" }

  /// The largest payload, in bytes, that is copied into its frame, which costs less than another buffer for
  /// the socket.
  private static let maxCopied = 4096

  private var copiesPayload: Bool { payload.body.readableBytes <= Self.maxCopied }

  /// The bytes after the frame of `frame(stream:limit:)`; empty if the frame includes the payload.
  var separatePayload: ByteBuffer { copiesPayload ? ByteBuffer() : payload.body }

  /// The request frame up to its payload, including the payload if that is short.
  ///
  /// Throws `resourceExhausted`, naming the limit, if the engine does not accept frames of this size.
  func frame(stream: UInt32, limit: Int) throws(Status) -> ByteBuffer {
    let (first, body) = (payload.head, payload.body)
    let head = try RequestHead(
      service: service, method: method, CallHeader(stream: stream, timeout: .nanoseconds(timeout)),
      metadata: metadata, payloadSize: first.readableBytes + body.readableBytes, flags: kind.flags,
      limit: limit)
    let room = head.byteCount + first.readableBytes + (copiesPayload ? body.readableBytes : 0)
    var frame = ByteBufferAllocator().buffer(capacity: room)
    frame.write(head.byteCount) { head.encode(to: &$0) }
    frame.writeImmutableBuffer(first)
    if copiesPayload { frame.writeImmutableBuffer(body) }
    return frame
  }

  /// Reads the data of a response: its payload, or its failure.
  static func result(_ data: [UInt8]) -> Result<ByteBuffer, CallFailure> {
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: data.span)
      guard let failure = envelope.failure else { return .success(ByteBuffer(bytes: data[envelope.payload])) }
      return .failure(CallFailure(failure, encoded: envelope.detailedStatus.map { Array(data[$0]) }))
    } catch {
      return .failure(CallFailure(.internal, "the engine's answer cannot be read: \(error.message)"))
    }
  }
}

extension ByteBuffer {
  /// Appends `count` bytes, which `body` writes.
  mutating func write(_ count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
    writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      let buffer = UnsafeMutableBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[..<count])
      var output = OutputSpan(buffer: buffer, initializedCount: 0)
      body(&output)
      return output.finalize(for: buffer)
    }
  }
}
