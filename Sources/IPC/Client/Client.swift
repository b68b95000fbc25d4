public import FaceCore
import Posix
public import Wire

/// The settings of a client's calls.
public struct ClientOptions: Sendable, Equatable {
  /// How long a call may take, including connecting; 0 for no limit.
  public var timeout: TimeSpan = .seconds(60)
  /// The size of the largest request in bytes; the engine's own limit is in its `Info`.
  public var maxMessageBytes = FrameHeader.maxLength
  /// The user the engine may run as, in addition to this one, root, and the owner of the socket's folder if
  /// root made it for that user.
  public var engineUser: UInt32?

  public init() {}
}

/// A running engine, reached through its socket. It offers the same calls as an engine in process.
///
/// Threads may share a client and have several calls in flight on its one connection. Calls beyond the
/// engine's limit wait for a slot, within their time limit. The client has no thread of its own: one of the
/// waiting callers reads for all. Streams have a connection and a thread each; see `openStream`.
///
/// If the engine goes away, calls in flight end with `unavailable`, and the next call connects again. While
/// no engine listens, each call tries once and fails at once, whatever its time limit. An engine that listens
/// and does not serve yet, for example while it loads its models, is waited for. After an engine has refused
/// the connection, calls fail with its reason for 50 ms, and twice as long after each further refusal, up to
/// 2 s.
///
/// After a fork, both processes may go on: the child makes a connection of its own.
public final class Client: BatchDetector {
  /// The path of the socket.
  public let socket: String
  public let options: ClientOptions
  let address: EngineAddress
  private let connector: Connector
  let shares = MemoryShares()

  /// Connects. Throws `unavailable` if no engine listens at `socket`, `permissionDenied` if this user may not
  /// use the engine or its user is not trusted (see `EngineAddress.check`), and `invalidArgument` for an
  /// impossible path.
  /// - Parameters:
  ///   - patience: how long to wait for an engine that accepts the connection and says nothing; `nil` for the calls'
  ///     timeout.
  ///   - canceller: ends the connecting.
  public init(
    socket: String, options: ClientOptions = ClientOptions(), connectingWithin patience: TimeSpan? = nil,
    canceller: Canceller? = nil
  ) throws(Status) {
    self.socket = socket
    self.options = options
    address = EngineAddress(path: try SocketPath(socket), user: options.engineUser)
    connector = Connector(address)
    _ = try connector.connection(
      CancellationToken(timeout: patience ?? options.timeout, canceller: canceller))
  }

  /// Describes the engine, its loaded models and its limits.
  public func info() throws(Status) -> EngineInfo { try call(InfoCall.self, ()) }

  /// The engine's statistics since its start.
  public func stats() throws(Status) -> EngineStats { try call(StatsCall.self, ()) }

  /// Returns whether calls are served.
  /// - Parameter service: the full name, as in "faceengine.v1.Detector"; empty for the engine as a whole.
  public func health(of service: String = "") throws(Status) -> ServingStatus {
    try call(HealthCall.self, service)
  }

  /// The models that the engine could load, and the loaded ones.
  public func listModels() throws(Status) -> [ListedModel] {
    try call(ListModelsCall.self, (), isImmediate: false)
  }

  /// Makes the engine load a model again from its folder; returns the reloaded models.
  ///
  /// Throws `permissionDenied` for users other than root and the engine's own, `notFound` if no loaded model
  /// has that name, and `failedPrecondition` if its files are damaged; then nothing has changed.
  /// - Parameter name: the model's name; empty for every loaded model.
  @discardableResult
  public func reloadModel(named name: String = "") throws(Status) -> [ModelInfo] {
    try call(ReloadModelCall.self, name, isImmediate: false)
  }

  /// The engine's face_engine.proto, compiled: the bytes of a `google.protobuf.FileDescriptorSet`.
  public func describe() throws(Status) -> [UInt8] { try call(DescribeCall.self, ()) }

  /// The outputs that the engine knows: an older engine refuses a request for others.
  public func knownOutputs() throws(Status) -> FaceOutputs {
    let described = try describe()
    return try DescribeCall.outputs(of: described)
  }

  /// Makes a call without images.
  /// - Parameter isImmediate: see `ClientConnection.exchange`.
  private func call<Call: UnaryCall>(
    _: Call.Type, _ request: Call.Request, isImmediate: Bool = true
  ) throws(Status) -> Call.Response {
    let frame = try Call.requestFrame(CallHeader(stream: 0, timeout: options.timeout), request)
    let body = try withConnection(CancellationToken(timeout: options.timeout)) {
      (connection, token) throws(ExchangeFailure) in
      try connection.exchange(frame, isImmediate: isImmediate, token)
    }
    return try Client.value(of: body, Call.response)
  }

  /// Runs `body` on the connection, and again on a new one if the engine has not served the call: see `Retries`.
  func withConnection<Value>(
    _ token: CancellationToken,
    _ body: (ClientConnection, CancellationToken) throws(ExchangeFailure) -> Value
  ) throws(Status) -> Value {
    if token.isCancelled { throw token.failure }
    var retries = Retries()
    while true {
      let connection = try connector.connection(token)
      do throws(ExchangeFailure) {
        return try body(connection, token)
      } catch {
        guard retries.continues(after: error) else { throw error.status }
      }
    }
  }

  /// The value in the response `body`; throws the failure in it.
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
