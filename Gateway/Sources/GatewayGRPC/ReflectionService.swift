package import EngineLink
import FaceCore
import GatewayCoding
import GatewayHTTP2
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
    to request: ByteBuffer, _ completion: @escaping (Result<[HTTP2Part], CallFailure>) -> Void
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

  private func reply(to request: ByteBuffer, _ all: ServiceDescriptors) throws(Status) -> [HTTP2Part] {
    var host = ""
    // The last one counts, as in every oneof.
    var question: (number: Int, text: String) = (0, "")
    var reader = ProtobufReader(request)
    while let field = try reader.next() {
      let text = field.value.text ?? ""
      if field.number == 1 { host = text }
      if (3...7).contains(field.number) { question = (field.number, text) }
    }
    var writer = ProtobufWriter()
    writer.text(1, host)
    writer.bytes(2, request)
    let text = question.text
    switch question.number {
    case 3: return files(all.files.firstIndex { $0.name == text }, text, all, writer)
    case 4: return files(all.symbols[text], text, all, writer)
    case 5, 6: return failure(.notFound, "there are no extensions here", writer)
    case 7:
      writer.message(6) { list in
        for name in shown(all.services) { list.message(1) { $0.text(1, name) } }
      }
      return [HTTP2Part(writer.bytes)]
    default:
      return failure(
        .invalidArgument, "the request has no query that this server supports; request a file or the services", writer)
    }
  }

  private func shown(_ services: [String]) -> [String] {
    services.filter {
      $0 != EngineBridge.session && (allowsAdmin || $0 != EngineBridge.admin)
    }.sorted()
  }

  /// A file with its dependencies, whose bytes are those of the description.
  private func files(
    _ index: Int?, _ name: String, _ all: ServiceDescriptors, _ start: ProtobufWriter
  ) -> [HTTP2Part] {
    guard let index else { return failure(.notFound, "there is no \(name) here", start) }
    var (wanted, seen) = ([index], Set([index]))
    var list: [(prefix: ByteBuffer, file: ByteBuffer)] = []
    while let next = wanted.popLast() {
      let file = all.files[next]
      var prefix = ProtobufWriter()
      prefix.prefix(1, file.encoded.readableBytes)
      list.append((prefix.bytes, file.encoded))
      let found = file.dependencies.compactMap { name in all.files.firstIndex { $0.name == name } }
      wanted += found.filter { seen.insert($0).inserted }
    }
    var writer = start
    writer.prefix(4, list.reduce(0) { $0 + $1.prefix.readableBytes + $1.file.readableBytes })
    return [HTTP2Part(writer.bytes)]
      + list.flatMap { [HTTP2Part($0.prefix), HTTP2Part($0.file, isShared: true)] }
  }

  private func failure(_ code: StatusCode, _ message: String, _ start: ProtobufWriter) -> [HTTP2Part] {
    var writer = start
    writer.message(7) { error in
      error.varint(1, UInt64(code.rawValue))
      error.text(2, message)
    }
    return [HTTP2Part(writer.bytes)]
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
