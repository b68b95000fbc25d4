package import EngineLink
import FaceCore
import GatewayCoding
import NIOCore

/// Implements `grpc.reflection.v1.ServerReflection`, and its v1alpha with the same messages, from the
/// descriptions of the engine and the gateway.
///
/// Source: grpc/grpc, src/proto/grpc/reflection/v1/reflection.proto.
package struct ReflectionService: GRPCService {
  package static let names = [
    "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
  ]

  let link: EngineLink
  let allowsAdmin: Bool
  /// The description of the gateway's own services.
  let own: ServiceDescriptors

  package init(link: EngineLink, allowsAdmin: Bool, own: ServiceDescriptors) {
    self.link = link
    self.allowsAdmin = allowsAdmin
    self.own = own
  }

  package func begin(_ call: GRPCCall) {
    guard call.head.method == "ServerReflectionInfo" else {
      return call.fail(
        CallFailure(
          .unimplemented,
          "\(call.head.service) has no method \(call.head.method); it has ServerReflectionInfo"))
    }
    call.handle(by: ReflectionHandler(call, self))
  }

  /// The reply to a request. Without an engine, its services are missing and the gateway's remain.
  fileprivate func reply(
    to request: ByteBuffer, _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) {
    link.services { result in
      do throws(CallFailure) {
        var all = own
        switch result {
        case .success(let engine): all.merge(engine)
        case .failure(let failure): guard failure.status.code == .unavailable else { throw failure }
        }
        let found = all
        completion(.success(try FaceCalls.coding { () throws(Status) in try reply(to: request, found) }))
      } catch {
        completion(.failure(error))
      }
    }
  }

  private func reply(to request: ByteBuffer, _ all: ServiceDescriptors) throws(Status) -> ByteBuffer {
    var host = ""
    var writer = ProtobufWriter()
    var reader = ProtobufReader(request)
    while let field = try reader.next() {
      let text = field.value.text ?? ""
      switch field.number {
      case 1: host = text
      case 3: files(all.files.firstIndex { $0.name == text }, text, all, &writer)
      case 4: files(all.symbols[text], text, all, &writer)
      case 5, 6: failure(.notFound, "there are no extensions here", &writer)
      case 7:
        writer.message(6) { list in
          for name in shown(all.services) { list.message(1) { $0.text(1, name) } }
        }
      default: continue
      }
    }
    if writer.bytes.readableBytes == 0 {
      failure(.invalidArgument, "the request asks for nothing that is known here", &writer)
    }
    var response = ProtobufWriter()
    response.text(1, host)
    response.bytes(2, request)
    var bytes = response.bytes
    bytes.writeImmutableBuffer(writer.bytes)
    return bytes
  }

  private func shown(_ services: [String]) -> [String] {
    services.filter {
      $0 != "faceengine.v1.Session" && (allowsAdmin || $0 != "faceengine.v1.Admin")
    }.sorted()
  }

  /// A file with its dependencies.
  private func files(
    _ index: Int?, _ name: String, _ all: ServiceDescriptors, _ writer: inout ProtobufWriter
  ) {
    guard let index else { return failure(.notFound, "there is no \(name) here", &writer) }
    var wanted = [index]
    var seen: Set<Int> = [index]
    writer.message(4) { list in
      while let next = wanted.popLast() {
        list.bytes(1, all.files[next].encoded)
        for dependency in all.files[next].dependencies {
          if let found = all.files.firstIndex(where: { $0.name == dependency }), seen.insert(found).inserted {
            wanted.append(found)
          }
        }
      }
    }
  }

  private func failure(_ code: StatusCode, _ message: String, _ writer: inout ProtobufWriter) {
    writer.message(7) { error in
      error.varint(1, UInt64(code.rawValue))
      error.text(2, message)
    }
  }
}

/// Answers requests one after the other, each when the client has taken the previous answer.
private final class ReflectionHandler: GRPCHandler {
  private let call: GRPCCall
  private let service: ReflectionService
  private var isAnswering = false
  private var isAtEnd = false

  init(_ call: GRPCCall, _ service: ReflectionService) {
    self.call = call
    self.service = service
  }

  var wantsMessage: Bool { !isAnswering }

  var needsMessage: Bool { false }

  func received(_ message: EngineMessage) {
    isAnswering = true
    service.reply(to: message.body) { [self] result in
      switch result {
      case .success(let reply): call.send(reply) { [weak self] in self?.answered(message) }
      case .failure(let failure): call.fail(failure)
      }
    }
  }

  private func answered(_ message: EngineMessage) {
    isAnswering = false
    call.release(message.byteCount)
    if isAtEnd { call.finish() } else { call.resume() }
  }

  func receivedEnd() {
    isAtEnd = true
    if !isAnswering { call.finish() }
  }

  func cancelled() {}

  func drainBegan() {
    if !isAnswering { call.finish() }
    isAtEnd = true
  }
}
