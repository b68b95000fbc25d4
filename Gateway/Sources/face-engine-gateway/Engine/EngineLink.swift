import FaceCore
import NIOCore

/// The calls and streams to the engine at one socket. Used on one event loop, where it also delivers the
/// answers.
final class EngineLink {
  /// The most connections for calls; streams have `maxStreamConnections`. The engine allows 32 per user: the
  /// others are left to further programs.
  private static let maxCallConnections = 6
  private static let maxStreamConnections = 14

  let loop: any EventLoop
  private let calls: EnginePool
  /// The connections for streams, which are separate so that their images delay no call.
  private let streams: EnginePool
  private var described: ServiceDescriptors?

  init(path: String, loop: any EventLoop) {
    self.loop = loop
    calls = EnginePool(path: path, loop: loop, use: .calls, most: Self.maxCallConnections)
    streams = EnginePool(path: path, loop: loop, use: .streams, most: Self.maxStreamConnections)
    // Another engine may answer next.
    calls.lostLast = { [weak self] in self?.described = nil }
  }

  /// Begins a call with one answer; `completion` is called once.
  @discardableResult
  func call(
    _ request: EngineRequest, _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) -> EngineCall {
    let call = EngineCall(request, calls, completion)
    calls.start(call)
    return call
  }

  /// Opens a stream whose messages go to `receiver`.
  func open(_ request: EngineRequest, _ receiver: any EngineStreamReceiver) -> EngineStream {
    let stream = EngineStream(request, streams, receiver)
    streams.start(stream)
    return stream
  }

  /// The engine's services from its own description, which is fetched once per connection.
  func services(_ completion: @escaping (Result<ServiceDescriptors, CallFailure>) -> Void) {
    if let described { return completion(.success(described)) }
    call(EngineRequest(service: "faceengine.v1.Admin", method: "Describe")) { result in
      completion(result.flatMap { self.read($0) })
    }
  }

  private func read(_ answer: ByteBuffer) -> Result<ServiceDescriptors, CallFailure> {
    do throws(Status) {
      var reader = ProtobufReader(answer)
      var descriptors = ServiceDescriptors()
      while let field = try reader.next() {
        if field.number == 1, let set = field.value.bytes { descriptors = try ServiceDescriptors(set) }
      }
      described = descriptors
      return .success(descriptors)
    } catch {
      return .failure(CallFailure(.internal, "the engine's description cannot be read: \(error.message)"))
    }
  }
}
