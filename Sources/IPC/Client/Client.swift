public import FaceCore
import Posix
import Wire

/// How a client calls.
public struct ClientOptions: Sendable, Equatable {
  /// Nanoseconds that a call may take, connecting included; 0 for as long as it takes.
  public var timeout: Int64 = 60_000_000_000
  /// Bytes of the largest request; what the engine takes is in its `Info`.
  public var maxMessageBytes = FrameHeader.maxLength
  /// A user that the engine may run as besides this one, root, and the owner of a socket's folder that root made for it.
  public var engineUser: UInt32?

  public init() {}
}

/// A running engine, reached through its socket: the same calls as in process.
///
/// Threads may share one and have several calls in flight on its one connection; calls beyond what the engine allows wait
/// for a slot, for as long as their time allows. It has no thread of its own: of the callers that wait, one reads for all.
/// Streams have a connection and a thread each; see `openStream`.
///
/// When the engine is gone the calls in flight end with `unavailable`, and the next call connects anew. While no engine listens
/// each call tries once and fails at once, whatever its time: it never waits for an engine. One that listens and does not serve
/// yet, as while it loads its models, is waited for. After one has refused the connection calls fail with its reason for 50 ms,
/// and twice as long after each further refusal, up to 2 s.
///
/// After a fork both sides may go on: the child makes a connection of its own.
public final class Client: BatchDetector {
  /// Path of the socket.
  public let socket: String
  public let options: ClientOptions
  let address: EngineAddress
  private let connector: Connector
  let shares = MemoryShares()

  /// Connects. Throws `unavailable` when no engine listens at `socket`, `permissionDenied` when it is not for this
  /// user, or of a user who is not trusted (see `EngineAddress.check`), and `invalidArgument` for a path that no socket can have.
  public init(socket: String, options: ClientOptions = ClientOptions()) throws(Status) {
    self.socket = socket
    self.options = options
    address = EngineAddress(path: try SocketPath(socket), user: options.engineUser)
    connector = Connector(address)
    _ = try connector.connection(CancellationToken(timeout: options.timeout))
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
    return try call(frame, isImmediate: true) { (payload) throws(Status) in
      try DescribeCall.response(payload)
    }
  }

  /// Makes a call without images.
  func call<Value>(
    _ frame: [UInt8], isImmediate: Bool, _ decode: (Span<UInt8>) throws(Status) -> Value
  ) throws(Status) -> Value {
    let body = try withConnection(CancellationToken(timeout: options.timeout)) {
      (connection, token) throws(ExchangeFailure) in
      try connection.exchange(frame, isImmediate: isImmediate, token)
    }
    return try Client.value(of: body, decode)
  }

  /// As many engines may take each other's place during one call.
  private static let maxAttempts = 8

  /// Runs `body` on the connection, and again on a new one when the engine has not served the call: that it was restarted is
  /// found out only when a call is made, and one that stops says which calls it does not serve.
  func withConnection<Value>(
    _ token: CancellationToken,
    _ body: (ClientConnection, CancellationToken) throws(ExchangeFailure) -> Value
  ) throws(Status) -> Value {
    if token.isCancelled { throw token.failure }
    var attempts = 0
    while true {
      let connection = try connector.connection(token)
      do throws(ExchangeFailure) {
        return try body(connection, token)
      } catch {
        attempts += 1
        guard case .unsent = error, attempts < Self.maxAttempts else { throw error.status }
      }
    }
  }

  /// What the response `body` holds; throws the failure that it holds.
  static func value<Value>(
    of body: [UInt8], _ decode: (Span<UInt8>) throws(Status) -> Value
  ) throws(Status) -> Value {
    let failure: Status
    do throws(Status) {
      let envelope = try ResponseEnvelope(decoding: body.span)
      guard let status = envelope.failure else { return try decode(body.span.extracting(envelope.payload)) }
      failure = status
    } catch {
      throw Status(.internal, "the engine's answer cannot be read: \(error.message)")
    }
    throw failure
  }
}
