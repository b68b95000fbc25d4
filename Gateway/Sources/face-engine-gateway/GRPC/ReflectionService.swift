import FaceCore
import NIOCore

/// `grpc.reflection.v1.ServerReflection`, and its v1alpha of the same messages, from the engine's description of itself and
/// the gateway's.
///
/// Source: grpc/grpc, src/proto/grpc/reflection/v1/reflection.proto.
struct ReflectionService {
  static let names = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]

  let link: EngineLink
  let allowsAdmin: Bool
  /// Of the gateway's own services.
  let own: ServiceDescriptors

  func handle(_ exchange: GRPCExchange) async throws(CallFailure) {
    while let request = try await exchange.requests.next() {
      let all = try await descriptors()
      do throws(Status) {
        try await reply(to: request, all, exchange.replies)
      } catch {
        throw CallFailure(error)
      }
    }
    try await exchange.replies.finish()
  }

  /// An engine that is gone takes its own services with it; the gateway's stay.
  private func descriptors() async throws(CallFailure) -> ServiceDescriptors {
    var all = own
    do throws(CallFailure) {
      all.merge(try await link.services())
    } catch  where error.status.code == .unavailable {}
    return all
  }

  private func reply(
    to request: ByteBuffer, _ all: ServiceDescriptors, _ replies: GRPCReplies
  ) async throws(Status) {
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
    do throws(CallFailure) {
      try await replies.send(bytes)
    } catch {
      throw error.status
    }
  }

  private func shown(_ services: [String]) -> [String] {
    services.filter {
      $0 != "faceengine.v1.Session" && (allowsAdmin || $0 != "faceengine.v1.Admin")
    }.sorted()
  }

  /// A file with all that it stands on.
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
