import FaceCore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore

typealias GRPCTransport = HTTP2ServerTransport.Posix
typealias GRPCResponsePart = RPCResponsePart<GRPCNIOTransportBytes>

/// One RPC of a client: its messages as bytes, and the way back.
struct GRPCExchange {
  let service: String
  let method: String
  let metadata: Metadata
  let peer: String
  /// Nanoseconds that the client waits; 0 for as long as it takes.
  let timeout: Int64
  /// When it arrived.
  let arrival = NIODeadline.now()
  /// Most bytes of one message.
  let limit: Int
  let requests: GRPCRequests
  let replies: GRPCReplies

  var name: String { "\(service)/\(method)" }
}

/// The messages of a client, in order. One task reads them.
final class GRPCRequests {
  private var iterator: RPCAsyncSequence<RPCRequestPart<GRPCNIOTransportBytes>, any Error>.AsyncIterator
  private(set) var byteCount = 0

  init(_ iterator: consuming RPCAsyncSequence<RPCRequestPart<GRPCNIOTransportBytes>, any Error>.AsyncIterator)
  {
    self.iterator = iterator
  }

  /// `nil` when the client sends no more. Throws `cancelled` when it has gone.
  func next(isolation: isolated (any Actor)? = #isolation) async throws(CallFailure) -> ByteBuffer? {
    do {
      while let part = try await iterator.next(isolation: isolation) {
        guard case .message(let bytes) = part else { continue }
        byteCount += bytes.count
        return bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }
      }
      return nil
    } catch {
      throw CallFailure(.cancelled, "the client has gone")
    }
  }
}

/// The way back to a client. One task writes.
final class GRPCReplies {
  private let writer: RPCWriter<GRPCResponsePart>.Closable
  private var hasBegun = false
  private(set) var byteCount = 0

  init(_ writer: RPCWriter<GRPCResponsePart>.Closable) {
    self.writer = writer
  }

  /// Returns when the client's window has room again. Throws `cancelled` when it has gone.
  func send(_ message: ByteBuffer) async throws(CallFailure) {
    try await write(begun([.message(GRPCNIOTransportBytes(message.readableBytesView))]))
    byteCount += message.readableBytes
  }

  /// The only message, and the end.
  func finish(with message: ByteBuffer) async throws(CallFailure) {
    byteCount += message.readableBytes
    try await write(
      begun([.message(GRPCNIOTransportBytes(message.readableBytesView)), .status(Self.ok, [:])]))
  }

  func finish() async throws(CallFailure) { try await write(begun([.status(Self.ok, [:])])) }

  func fail(_ failure: CallFailure) async {
    var trailers = Metadata()
    if let encoded = failure.encoded { trailers.addBinary(encoded, forKey: "grpc-status-details-bin") }
    let status = GRPCCore.Status(
      code: .init(rawValue: Int(failure.status.code.rawValue)) ?? .unknown, message: failure.status.message)
    // A client that has gone hears nothing.
    try? await write([.status(status, trailers)])
  }

  private static let ok = GRPCCore.Status(code: .ok, message: "")

  private func begun(_ parts: [GRPCResponsePart]) -> [GRPCResponsePart] {
    if hasBegun { return parts }
    hasBegun = true
    return [.metadata([:])] + parts
  }

  private func write(_ parts: [GRPCResponsePart]) async throws(CallFailure) {
    do {
      try await writer.write(contentsOf: parts)
    } catch {
      throw CallFailure(.cancelled, "the client has gone")
    }
  }
}

/// The `grpc-timeout` of a request. Source: gRPC over HTTP2, "Timeout".
enum GRPCTimeout {
  /// Nanoseconds; 0 for none, or for what is no timeout.
  static func parse(_ metadata: Metadata) -> Int64 {
    guard let text = metadata[stringValues: "grpc-timeout"].first(where: { _ in true }), let unit = text.last,
      text.utf8.count <= 9, let value = Int64(text.dropLast())
    else { return 0 }
    let factor: Int64? =
      switch unit {
      case "H": 3_600_000_000_000
      case "M": 60_000_000_000
      case "S": 1_000_000_000
      case "m": 1_000_000
      case "u": 1000
      case "n": 1
      default: nil
      }
    guard let factor else { return 0 }
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    // A deadline that has passed is told as one below 0: 0 is none.
    return overflow ? 0 : product == 0 ? -1 : product
  }
}
