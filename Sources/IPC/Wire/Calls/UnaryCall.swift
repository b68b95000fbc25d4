import CProtocol
public import FaceCore

/// A call with one message each way.
public protocol UnaryCall: SendableMetatype {
  associatedtype Request
  associatedtype Response
  static var coding: CallCoding<Request, Response> { get }
}

/// The messages of a call.
public struct CallCoding<Request, Response>: Sendable {
  public let method: Method
  let request: MessageCoding<Request>
  let response: MessageCoding<Response>

  init(_ method: Method, _ request: MessageCoding<Request>, _ response: MessageCoding<Response>) {
    self.method = method
    self.request = request
    self.response = response
  }
}

extension UnaryCall {
  public static func requestFrame(_ call: CallHeader, _ request: Request) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.request(
      coding.method, call, coding.request.encode(request, arena), limit: FrameHeader.maxLength)
  }

  /// The request without frame and envelope.
  public static func payload(_ request: Request) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return CallFrame.payload([(0, coding.request.encode(request, arena))])
  }

  /// Throws `invalidArgument` if the payload is not such a message, or a field in it is wrong, and `unimplemented` for
  /// a field that only a later version knows, unless the method ignores those.
  public static func request(_ payload: Span<UInt8>) throws(Status) -> Request {
    try coding.request.decode(payload, coding.method.ignoresUnknownFields ? nil : "")
  }

  public static func responseFrame(stream: UInt32, _ response: Response) throws(Status) -> [UInt8] {
    let arena = Arena()
    defer { withExtendedLifetime(arena) {} }
    return try CallFrame.response(stream: stream, coding.response.encode(response, arena))
  }

  /// Throws `invalidArgument` if the payload is not such a message, or a field in it is wrong.
  public static func response(_ payload: Span<UInt8>) throws(Status) -> Response {
    try coding.response.decode(payload, nil)
  }
}

extension UnaryCall where Request == Void {
  public static func requestFrame(_ call: CallHeader) throws(Status) -> [UInt8] {
    try requestFrame(call, ())
  }
}

struct MessageCoding<Value>: Sendable {
  let encode: @Sendable (Value, Arena) -> UnsafePointer<ProtobufCMessage>
  /// With the path of the message as in `Decoder.decode`.
  let decode: @Sendable (Span<UInt8>, String?) throws(Status) -> Value

  /// - Parameter growth: see `Decoder.decode`.
  init<Wire: Message>(
    _ type: Wire.Type, growth: Int = 1,
    encode: @escaping @Sendable (Value, inout Wire, Arena) -> Void,
    decode: @escaping @Sendable (Wire) throws(Status) -> Value
  ) {
    self.encode = { value, arena in
      let message = arena.message(type)
      encode(value, &message.pointee, arena)
      return message.base
    }
    self.decode = { (payload, request) throws(Status) in
      try Decoder.decode(type, payload, growth: growth, request: request, decode)
    }
  }
}

extension MessageCoding where Value: WireValue {
  init(growth: Int = 1) {
    self.init(
      Value.Wire.self, growth: growth, encode: { $0.encode(into: &$1, $2) },
      decode: { (message) throws(Status) in try Value(decoding: message) })
  }
}

extension MessageCoding where Value == Void {
  /// A message without fields.
  init(empty type: (some Message).Type) {
    self.init(type, encode: { _, _, _ in }, decode: { _ in })
  }
}
