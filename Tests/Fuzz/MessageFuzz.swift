import FaceCore
import Wire

/// A payload is refused with a status, or decodes to something that arrives unchanged when it is sent on.
///
/// The input: a byte that chooses the message, then the message.
enum MessageFuzz {
  /// The numbers stay as they are: the first byte of each file of the corpus is one of them.
  private enum Kind: UInt8 {
    case detectRequest, detectResponse, healthRequest, healthResponse, infoRequest, infoResponse
  }

  static func run(_ input: Span<UInt8>) {
    guard input.count >= 1, let kind = Kind(rawValue: input[0]) else { return }
    do throws(Status) {
      try run(kind, input.extracting(1...))
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
  }

  private static func run(_ kind: Kind, _ bytes: Span<UInt8>) throws(Status) {
    switch kind {
    case .detectRequest: try detectRequest(bytes)
    case .detectResponse: try detectResponse(bytes)
    case .healthRequest: try healthRequest(bytes)
    case .healthResponse: try healthResponse(bytes)
    case .infoRequest: try infoRequest(bytes)
    case .infoResponse: try infoResponse(bytes)
    }
  }

  private static func detectRequest(_ bytes: Span<UInt8>) throws(Status) {
    try DetectCall.withRequest(bytes) { (input, options) throws(Status) in
      touch(input)
      sendOn { () throws(Status) in
        let again = try payload(request: try DetectCall.requestFrame(CallHeader(stream: 1), input, options))
        try DetectCall.withRequest(again.span) { (sameInput, sameOptions) throws(Status) in
          precondition(sameOptions == options)
          precondition(sameInput.orientation == input.orientation)
          expectSame(sameInput, input)
        }
      }
    }
  }

  /// What was taken once must be taken again.
  private static func sendOn(_ body: () throws(Status) -> Void) {
    do throws(Status) {
      try body()
    } catch {
      preconditionFailure("refused when sent on: \(error.message)")
    }
  }

  /// Reads each byte that the decoder says is there; the address sanitizer knows whether it is.
  private static func touch(_ input: ImageInput) {
    switch input.source {
    case .encoded(let bytes): _ = bytes.reduce(0 as UInt8, ^)
    case .pixels(let view): _ = view.bytes.reduce(0 as UInt8, ^)
    }
  }

  private static func expectSame(_ a: ImageInput, _ b: ImageInput) {
    switch (a.source, b.source) {
    case (.encoded(let a), .encoded(let b)): precondition(a.elementsEqual(b))
    case (.pixels(let a), .pixels(let b)):
      precondition(a.format == b.format && a.size == b.size && a.stride == b.stride)
      // What lies behind the last row is not sent on.
      precondition(b.bytes.starts(with: a.bytes))
    default: preconditionFailure("one is encoded and the other is not")
    }
  }

  private static func detectResponse(_ bytes: Span<UInt8>) throws(Status) {
    let result = try DetectCall.response(bytes)
    sendOn { () throws(Status) in
      let again = try payload(response: try DetectCall.responseFrame(stream: 1, result))
      let same = try DetectCall.response(again.span)
      precondition(same == result)
    }
  }

  private static func healthRequest(_ bytes: Span<UInt8>) throws(Status) {
    let service = try HealthCall.request(bytes)
    sendOn { () throws(Status) in
      let again = try payload(request: try HealthCall.requestFrame(CallHeader(stream: 1), service: service))
      let same = try HealthCall.request(again.span)
      precondition(same == service)
    }
  }

  private static func healthResponse(_ bytes: Span<UInt8>) throws(Status) {
    let status = try HealthCall.response(bytes)
    sendOn { () throws(Status) in
      let again = try payload(response: try HealthCall.responseFrame(stream: 1, status))
      let same = try HealthCall.response(again.span)
      precondition(same == status)
    }
  }

  private static func infoRequest(_ bytes: Span<UInt8>) throws(Status) {
    try InfoCall.request(bytes)
  }

  private static func infoResponse(_ bytes: Span<UInt8>) throws(Status) {
    let info = try InfoCall.response(bytes)
    sendOn { () throws(Status) in
      let again = try payload(response: try InfoCall.responseFrame(stream: 1, info))
      let same = try InfoCall.response(again.span)
      precondition(same == info)
    }
  }

  private static func payload(request frame: [UInt8]) throws(Status) -> [UInt8] {
    let body = frame.span.extracting(FrameHeader.size...)
    return body.extracting(try RequestEnvelope(decoding: body).payload).withUnsafeBufferPointer(Array.init)
  }

  private static func payload(response frame: [UInt8]) throws(Status) -> [UInt8] {
    let body = frame.span.extracting(FrameHeader.size...)
    return body.extracting(try ResponseEnvelope(decoding: body).payload).withUnsafeBufferPointer(Array.init)
  }
}
