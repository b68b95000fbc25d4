public import FaceCore
import Posix
import Synchronization
public import Wire

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
/// Threads may share one and have several calls in flight on its one connection. There is no thread behind it: of the
/// callers that wait, one reads for all. When the engine is gone its calls end with `unavailable`; the next call
/// connects anew.
public final class Client: FaceDetector {
  /// Path of the socket.
  public let socket: String
  public let options: ClientOptions
  private let path: SocketPath
  private let connection: Mutex<ClientConnection?>

  /// Connects. Throws `unavailable` when no engine listens at `socket`, `permissionDenied` when it is not for this
  /// user, and `invalidArgument` for a path that no socket can have.
  public init(socket: String, options: ClientOptions = ClientOptions()) throws(Status) {
    self.socket = socket
    self.options = options
    path = try SocketPath(socket)
    connection = Mutex(nil)
    do throws(ExchangeFailure) {
      _ = try connected(until: deadline(options.timeout))
    } catch {
      throw error.status
    }
  }

  /// A large image is handed over in shared memory. Throws `resourceExhausted` for one that does not fit in a message when
  /// the engine takes no such memory, and what the engine says.
  public func detect(_ image: ImageInput, options: DetectionOptions) throws(Status) -> DetectionResult {
    try detect(image, options: options, timeout: self.options.timeout)
  }

  /// - Parameter timeout: nanoseconds for this call; 0 for as long as it takes.
  public func detect(
    _ image: ImageInput, options: DetectionOptions, timeout: Int64
  ) throws(Status) -> DetectionResult {
    try options.check()
    let request = DetectRequest(
      image: image, options: options, timeout: timeout, limit: self.options.maxMessageBytes)
    let deadline = deadline(timeout)
    let body = try exchange(until: deadline) { (connection) throws(ExchangeFailure) in
      try connection.detect(request, until: deadline)
    }
    return try answer(body) { (payload) throws(Status) in try DetectCall.response(payload) }
  }

  /// Whether calls are served.
  /// - Parameter service: full name, as in "faceengine.v1.Detector"; empty for the engine as a whole.
  public func health(of service: String = "") throws(Status) -> ServingStatus {
    let header = CallHeader(stream: 0, timeout: options.timeout)
    let frame = try HealthCall.requestFrame(header, service: service)
    return try call(frame, options.timeout) { (payload) throws(Status) in try HealthCall.response(payload) }
  }

  /// What the engine is, has loaded and allows.
  public func info() throws(Status) -> EngineInfo {
    let frame = try InfoCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, options.timeout) { (payload) throws(Status) in try InfoCall.response(payload) }
  }

  /// What the engine has done since it was started.
  public func stats() throws(Status) -> EngineStats {
    let frame = try StatsCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, options.timeout) { (payload) throws(Status) in try StatsCall.response(payload) }
  }

  /// The models that the engine could load, and those it has.
  public func listModels() throws(Status) -> [ListedModel] {
    let frame = try ListModelsCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, options.timeout) { (payload) throws(Status) in
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
    return try call(frame, options.timeout) { (payload) throws(Status) in
      try ReloadModelCall.response(payload)
    }
  }

  /// The engine's face_engine.proto, compiled: the bytes of a `google.protobuf.FileDescriptorSet`.
  public func describe() throws(Status) -> [UInt8] {
    let frame = try DescribeCall.requestFrame(CallHeader(stream: 0, timeout: options.timeout))
    return try call(frame, options.timeout) { (payload) throws(Status) in try DescribeCall.response(payload) }
  }

  private func deadline(_ timeout: Int64) -> MonotonicTime {
    timeout == 0 ? .never : MonotonicTime.now().advanced(byNanoseconds: timeout)
  }

  private func call<Value>(
    _ frame: [UInt8], _ timeout: Int64, _ decode: (Span<UInt8>) throws(Status) -> Value
  ) throws(Status) -> Value {
    let deadline = deadline(timeout)
    let body = try exchange(until: deadline) { (connection) throws(ExchangeFailure) in
      try connection.exchange(frame, until: deadline)
    }
    return try answer(body, decode)
  }

  private func answer<Value>(
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

  private func exchange(
    until deadline: MonotonicTime, _ attempt: (ClientConnection) throws(ExchangeFailure) -> [UInt8]
  ) throws(Status) -> [UInt8] {
    do throws(ExchangeFailure) {
      return try attempt(try connected(until: deadline))
    } catch {
      // An engine that was restarted while nobody called is noticed only now. Nothing of the call has left, so it is
      // safe to make it once more.
      guard case .unsent = error else { throw error.status }
    }
    do throws(ExchangeFailure) {
      return try attempt(try connected(until: deadline))
    } catch {
      throw error.status
    }
  }

  /// The connection that calls share, made anew when the last one was lost.
  private func connected(until deadline: MonotonicTime) throws(ExchangeFailure) -> ClientConnection {
    try connection.withLock { (current) throws(ExchangeFailure) in
      if let current, current.isUsable { return current }
      let fresh = try Result { () throws(Status) in try ClientConnection(path, until: deadline) }
        .mapError(ExchangeFailure.failed).get()
      try fresh.greet(until: deadline)
      current = fresh
      return fresh
    }
  }
}
