import CProtocol
import FaceCore
import Wire

/// Hand-decoded envelopes have the same meaning as those of protobuf-c.
///
/// The input: a byte that chooses request (even) or response (odd), then the envelope.
enum EnvelopeFuzz {
  static func run(_ input: Span<UInt8>) {
    guard input.count >= 1 else { return }
    let bytes = input.extracting(1...)
    if input[0] & 1 == 0 { request(bytes) } else { response(bytes) }
  }

  private static func request(_ bytes: Span<UInt8>) {
    guard let envelope = try? RequestEnvelope(decoding: bytes) else { return }
    precondition(envelope.payload.lowerBound >= 0 && envelope.payload.upperBound <= bytes.count)
    let reference = bytes.withUnsafeBufferPointer { ttrpc__request__unpack(nil, $0.count, $0.baseAddress) }
    // protobuf-c also checks metadata, which the engine skips.
    guard let reference else { return }
    defer { ttrpc__request__free_unpacked(reference, nil) }
    precondition(isSame(envelope.service, reference.pointee.service))
    precondition(isSame(envelope.method, reference.pointee.method))
    precondition(envelope.timeout.nanoseconds == reference.pointee.timeout_nano)
    precondition(isSame(bytes.extracting(envelope.payload), reference.pointee.payload))
  }

  private static func response(_ bytes: Span<UInt8>) {
    guard let envelope = try? ResponseEnvelope(decoding: bytes) else { return }
    precondition(envelope.payload.lowerBound >= 0 && envelope.payload.upperBound <= bytes.count)
    let reference = bytes.withUnsafeBufferPointer { ttrpc__response__unpack(nil, $0.count, $0.baseAddress) }
    guard let reference else { return }
    defer { ttrpc__response__free_unpacked(reference, nil) }
    precondition(isSame(bytes.extracting(envelope.payload), reference.pointee.payload))
    let code = reference.pointee.status?.pointee.code ?? 0
    precondition((envelope.failure == nil) == (code == 0))
    if let failure = envelope.failure {
      precondition(failure.code == StatusCode(rawValue: code) ?? .unknown)
      // The engine's re-encoding of it decodes to the same values.
      let frame = FailedCall.responseFrame(stream: 1, failure)
      let again = try? ResponseEnvelope(decoding: frame.span.extracting(FrameHeader.size...))
      precondition(again?.failure?.code == failure.code && again?.failure?.detail == failure.detail)
      precondition(again?.failure?.message == failure.message || failure.message.utf8.count > 4096)
    }
  }

  /// C strings end at the first zero.
  private static func isSame(_ text: String, _ reference: UnsafePointer<CChar>?) -> Bool {
    guard let reference else { return text.isEmpty }
    return text.utf8.prefix { $0 != 0 }.elementsEqual(String(cString: reference).utf8)
  }

  private static func isSame(_ bytes: Span<UInt8>, _ reference: ProtobufCBinaryData) -> Bool {
    bytes.withUnsafeBufferPointer {
      $0.elementsEqual(UnsafeBufferPointer(start: reference.data, count: reference.len))
    }
  }
}
