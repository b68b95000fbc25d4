public import FaceCore
import Posix
import Wire

/// How a client calls.
public struct ClientOptions: Sendable, Equatable {
  /// Nanoseconds that a call may take, connecting included; 0 for as long as it takes.
  public var timeout: Int64 = 60_000_000_000
  /// Bytes of the largest request; what the engine takes is in its `Info`.
  public var maxMessageBytes = FrameHeader.maxLength

  public init() {}
}

/// A running engine, reached through its socket: the same calls as in process.
///
/// Threads may share one and have several calls in flight on its one connection; of more than the engine allows on one, each
/// waits for its turn, for as long as its time allows. There is no thread behind it: of the callers that wait, one reads for
/// all. Streams have a connection and a thread each; see `openStream`.
///
/// When the engine is gone the calls in flight end with `unavailable`, and the next call connects anew. While no engine is
/// found, attempts are made at growing distances, 50 ms to 2 s: a call that comes in between waits for the next attempt
/// when its time allows, else it fails at once.
///
/// After a fork both sides may go on: the child makes a connection of its own.
public final class Client: BatchDetector {
  /// Path of the socket.
  public let socket: String
  public let options: ClientOptions
  let path: SocketPath
  private let connector: Connector
  let shares = MemoryShares()

  /// Connects. Throws `unavailable` when no engine listens at `socket`, `permissionDenied` when it is not for this
  /// user, and `invalidArgument` for a path that no socket can have.
  public init(socket: String, options: ClientOptions = ClientOptions()) throws(Status) {
    self.socket = socket
    self.options = options
    path = try SocketPath(socket)
    connector = Connector(path)
    do throws(ExchangeFailure) {
      _ = try connector.connection(CancellationToken(timeout: options.timeout))
    } catch {
      throw error.status
    }
  }

  /// A large image is handed over in shared memory. The image's canceller ends the call at once, and the engine's work for
  /// it; without a token of its own the call has `options.timeout`.
  ///
  /// Throws `resourceExhausted` for an image that does not fit in a message when the engine takes no shared memory, and what
  /// the engine says.
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try options.validate()
    let request = DetectRequest(
      images: [image], options: options, method: .detect, limit: self.options.maxMessageBytes)
    let token = image.cancellation ?? CancellationToken(timeout: self.options.timeout)
    let body = try exchange(token) { (connection, token) throws(ExchangeFailure) in
      try connection.detect(request, token)
    }
    return try answer(body) { (payload) throws(Status) in try DetectCall.response(payload) }
  }

  /// What the engine is, has loaded and allows.
  public func info() throws(Status) -> EngineInfo {
    let frame = try InfoCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try InfoCall.response(payload) }
  }

  /// What the engine has done since it was started.
  public func stats() throws(Status) -> EngineStats {
    let frame = try StatsCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try StatsCall.response(payload) }
  }

  /// The models that the engine could load, and those it has.
  public func listModels() throws(Status) -> [ListedModel] {
    let frame = try ListModelsCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, isImmediate: false) { (payload) throws(Status) in
      try ListModelsCall.response(payload)
    }
  }

  /// Has the engine load a model again from its folder, and returns those reloaded.
  ///
  /// Throws `permissionDenied` for others than root and the engine's own user, `notFound` when no loaded model has that
  /// name, and `failedPrecondition` when its files are damaged; then nothing has changed.
  /// - Parameter name: empty for every loaded model.
  @discardableResult
  public func reloadModel(named name: String = "") throws(Status) -> [ModelInfo] {
    let header = CallHeader(stream: 0, timeout: options.timeout)
    let frame = try ReloadModelCall.requestFrame(header, name: name)
    return try call(frame, isImmediate: false) { (payload) throws(Status) in
      try ReloadModelCall.response(payload)
    }
  }

  /// The engine's face_engine.proto, compiled: the bytes of a `google.protobuf.FileDescriptorSet`.
  public func describe() throws(Status) -> [UInt8] {
    let frame = try DescribeCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, isImmediate: true) { (payload) throws(Status) in try DescribeCall.response(payload)
    }
  }

  func call<Value>(
    _ frame: [UInt8], isImmediate: Bool, _ decode: (Span<UInt8>) throws(Status) -> Value
  ) throws(Status) -> Value {
    let token = CancellationToken(timeout: options.timeout)
    let body = try exchange(token) { (connection, token) throws(ExchangeFailure) in
      try connection.exchange(frame, isImmediate: isImmediate, token)
    }
    return try answer(body, decode)
  }

  func answer<Value>(
    _ body: [UInt8], _ decode: (Span<UInt8>) throws(Status) -> Value
  ) throws(Status) -> Value {
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: body.span)
      if envelope.failure == nil { return try decode(body.span.extracting(envelope.payload)) }
    } catch {
      throw Status(.internal, "the engine's answer cannot be read: \(error.message)")
    }
    throw try failure(body)
  }

  private func failure(_ body: [UInt8]) throws(Status) -> Status {
    try ResponseEnvelope(decoding: body.span).failure ?? Status(.unknown, "the engine gave no reason")
  }

  func exchange<Value>(
    _ token: CancellationToken,
    _ attempt: (ClientConnection, CancellationToken) throws(ExchangeFailure) -> Value
  ) throws(Status) -> Value {
    if token.isCancelled { throw token.failure }
    do throws(ExchangeFailure) {
      return try attempt(try connector.connection(token), token)
    } catch {
      // An engine that was restarted while nobody called is noticed only now. Nothing of the call has left, so it is
      // safe to make it once more.
      guard case .unsent = error else { throw error.status }
    }
    do throws(ExchangeFailure) {
      return try attempt(try connector.connection(token), token)
    } catch {
      throw error.status
    }
  }
}
