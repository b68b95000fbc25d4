import FaceCore
import NIOCore
import NIOPosix
import Wire

/// Calls of the engine at one socket, on connections that are made when they are needed. Lives on one event loop.
actor EngineLink {
  /// Streams have connections of their own: their images delay no call.
  private enum Use {
    case calls, streams
  }

  /// Of the 32 connections that the engine gives a user, the others are for programs beside this one.
  private static let maxCallConnections = 6
  private static let maxStreamConnections = 14
  private static let maxWaiting = 512

  nonisolated let loop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
  nonisolated let path: String

  private var callConnections: [EngineConnection] = []
  private var streamConnections: [EngineConnection] = []
  private var connecting = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var described: ServiceDescriptors?

  init(path: String, loop: any EventLoop) {
    self.path = path
    self.loop = loop
  }

  /// A call of one answer. Cancelling the token cancels it in the engine, too.
  func call(
    _ request: EngineRequest, _ token: CallToken = CallToken()
  ) async throws(CallFailure) -> ByteBuffer {
    var request = request
    var connection = reserveCall()
    if connection == nil {
      let arrival = NIODeadline.now()
      while connection == nil {
        try await waitForRoom(.calls)
        connection = reserveCall()
      }
      do throws(CallFailure) {
        try request.shortenTimeout(since: arrival)
      } catch {
        await connection?.releaseCall()
        throw error
      }
    }
    guard let connection else { preconditionFailure("a connection was reserved") }
    let result = await withCheckedContinuation { continuation in
      connection.assumeIsolated { $0.begin(request, token, continuation) }
    }
    return try result.get()
  }

  func open(_ request: EngineRequest) async throws(CallFailure) -> EngineStream {
    let arrival = NIODeadline.now()
    var request = request
    while true {
      if let connection = reserveStream() {
        do throws(CallFailure) {
          try request.shortenTimeout(since: arrival)
        } catch {
          await connection.releaseStream()
          throw error
        }
        return try EngineStream.open(request, on: connection)
      }
      try await waitForRoom(.streams)
    }
  }

  /// What the engine has, as it describes it; asked for once as long as the connection lasts.
  func services() async throws(CallFailure) -> ServiceDescriptors {
    if let described { return described }
    let answer = try await call(EngineRequest(service: "faceengine.v1.Admin", method: "Describe"))
    do throws(Status) {
      var reader = ProtobufReader(answer)
      var descriptors = ServiceDescriptors()
      while let field = try reader.next() {
        if field.number == 1, let set = field.value.bytes { descriptors = try ServiceDescriptors(set) }
      }
      described = descriptors
      return descriptors
    } catch {
      throw CallFailure(.internal, "the engine's description cannot be read: \(error.message)")
    }
  }

  func close() {
    for connection in callConnections + streamConnections {
      connection.assumeIsolated { $0.close() }
    }
  }

  // MARK: Connections

  /// A connection with room for one more call, which is then taken.
  private func reserveCall() -> EngineConnection? {
    callConnections.first { $0.assumeIsolated { $0.reserveCall() } }
  }

  /// The same for a stream: one that has none, or where no more may be made, the one with the fewest.
  private func reserveStream() -> EngineConnection? {
    let ordered = streamConnections.sorted { a, b in
      a.assumeIsolated { $0.streamCount } < b.assumeIsolated { $0.streamCount }
    }
    guard let least = ordered.first else { return nil }
    let isIdle = least.assumeIsolated { $0.streamCount == 0 }
    guard isIdle || !mayConnect(.streams) else { return nil }
    return ordered.first { $0.assumeIsolated { $0.reserveStream() } }
  }

  /// Returns when there may be room: a connection more, or a place that has become free.
  private func waitForRoom(_ use: Use) async throws(CallFailure) {
    if mayConnect(use) {
      connecting += 1
      defer { connecting -= 1 }
      let made = try await connect()
      switch use {
      case .calls: callConnections.append(made)
      case .streams: streamConnections.append(made)
      }
      return wakeWaiting()
    }
    guard waiting.count < Self.maxWaiting else {
      throw CallFailure(
        .resourceExhausted, "\(waiting.count) calls wait for the engine, as many as may; try again later",
        .limit("gateway_waiting_calls"))
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func mayConnect(_ use: Use) -> Bool {
    switch use {
    case .calls: callConnections.count + connecting < Self.maxCallConnections
    case .streams: streamConnections.count + connecting < Self.maxStreamConnections
    }
  }

  private func connect() async throws(CallFailure) -> EngineConnection {
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop)
        .connectTimeout(.seconds(5))
        .connect(unixDomainSocketPath: path).get()
    } catch {
      wakeWaiting()
      throw CallFailure(
        .unavailable, "no engine answers at \(path); start it with face-engine serve --socket \(path)")
    }
    let connection = EngineConnection(channel, path: path) { [weak self] in
      self?.assumeIsolated { $0.connectionChanged() }
    }
    do throws(CallFailure) {
      try await connection.start()
    } catch {
      wakeWaiting()
      throw error
    }
    return connection
  }

  private func connectionChanged() {
    let isGone = { (connection: EngineConnection) in
      connection.assumeIsolated { !$0.isOpen }
    }
    callConnections.removeAll(where: isGone)
    streamConnections.removeAll(where: isGone)
    // Another engine may answer next.
    if callConnections.isEmpty { described = nil }
    wakeWaiting()
  }

  private func wakeWaiting() {
    let all = waiting
    waiting = []
    for one in all { one.resume() }
  }
}

extension EngineRequest {
  /// Takes off what the call has waited for its turn.
  fileprivate mutating func shortenTimeout(since arrival: NIODeadline) throws(CallFailure) {
    guard timeout > 0 else { return }
    timeout -= (NIODeadline.now() - arrival).nanoseconds
    if timeout <= 0 {
      throw CallFailure(
        .deadlineExceeded, "the time was over before the engine had room for the call")
    }
  }
}
