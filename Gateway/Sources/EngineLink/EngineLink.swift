import FaceCore
package import GatewayCoding
package import NIOCore
import Wire

/// The calls and streams to the engine at one socket. Used on one event loop, where it also delivers the
/// answers.
package final class EngineLink {
  /// The most connections for calls; streams have `maxStreamConnections`. The engine allows 32 per user: the
  /// others are left to further programs.
  private static let maxCallConnections = 6
  private static let maxStreamConnections = 14

  private static let checkName = Method.check.fullName

  /// Opens a connection to the engine's socket.
  package typealias Connect = () -> EventLoopFuture<any Channel>

  package let loop: any EventLoop
  private let calls: EnginePool
  /// The connections for streams, which are separate so that their images delay no call.
  private let streams: EnginePool
  private let sharing: ImageSharing
  private let probe: EngineProbe
  private let maxChecks: Int
  private let tell: (String) -> Void
  /// The guided checks that are open.
  package private(set) var checkCount = 0
  private var described: ServiceDescriptors?

  /// - Parameters:
  ///   - maxChecks: the most guided checks at a time.
  ///   - tell: tells the operator how the engine is.
  package init(
    path: String, maxChecks: Int, loop: any EventLoop, tell: @escaping (String) -> Void,
    connect: @escaping Connect
  ) {
    self.loop = loop
    self.tell = tell
    sharing = ImageSharing(loop: loop)
    calls = EnginePool(loop: loop, use: .calls, most: Self.maxCallConnections, sharing: sharing, connect)
    streams = EnginePool(
      loop: loop, use: .streams, most: Self.maxStreamConnections, sharing: sharing, connect)
    let probed = EnginePool(loop: loop, use: .calls, most: 1, sharing: sharing, connect)
    probe = EngineProbe(probed)
    self.maxChecks = maxChecks
    // The socket's path is for the operator's log: callers may be strangers.
    probed.reachableChanged = { isReachable in
      tell(
        isReachable
          ? "an engine answers at \(path)"
          : "no engine answers at \(path); start it with face-engine serve --socket \(path)")
    }
    // Another engine may answer next.
    calls.lostLast = { [weak self] in self?.described = nil }
    probe.changed = { [weak self] in self?.stuckChanged() }
  }

  /// Looks again and again whether the engine answers. Called once.
  package func watchEngine() {
    loop.assumeIsolated().scheduleTask(in: EngineProbe.interval) { [weak self] in
      guard let self else { return }
      let now = loop.now
      probe.tick(now)
      calls.tick(now)
      streams.tick(now)
      watchEngine()
    }
  }

  // MARK: An engine that does not answer

  private func stuckChanged() {
    tell(probe.isStuck ? "the engine does not answer" : "the engine answers again")
    for pool in [calls, streams] {
      if probe.isStuck { pool.refuse(.hung) } else { pool.accept() }
    }
  }

  /// The calls that wait for room on a connection to the engine.
  package var waitingCallCount: Int { calls.waitingCount }

  package var waitingStreamCount: Int { streams.waitingCount }

  /// Whether the gateway could call an engine, whether one runs or not.
  package var isLive: Bool { !calls.isStuck && !streams.isStuck && !probe.isLost }

  // MARK: Calls

  /// Begins a call with one answer; `completion` is called once.
  @discardableResult
  package func call(
    _ request: EngineRequest, _ completion: @escaping (Result<ByteBuffer, CallFailure>) -> Void
  ) -> EngineCall {
    let call = EngineCall(request, calls, completion)
    call.start()
    return call
  }

  /// Looks whether a stream could begin. `completion` is called once, within `FaceCalls.patience`.
  package func tryStream(_ completion: @escaping (CallFailure?) -> Void) {
    streams.start(PlaceCheck(completion))
  }

  /// Opens a stream whose messages go to `receiver`.
  package func open(_ request: EngineRequest, _ receiver: any EngineStreamReceiver) -> EngineStream {
    let stream = EngineStream(request, streams, receiver)
    let isCheck = request.name == Self.checkName
    if isCheck, checkCount >= maxChecks {
      stream.fail(tooManyChecks)
    } else {
      if isCheck { count(stream) }
      streams.start(stream)
    }
    return stream
  }

  private func count(_ check: EngineStream) {
    checkCount += 1
    check.mapEnd = { [weak self] failure in
      guard let self else { return failure }
      checkCount -= 1
      // The engine counts for each user, and the gateway is one user: its clients know nothing of that.
      return failure?.status.detail == .limit("checks_per_user") ? tooManyChecks : failure
    }
  }

  private var tooManyChecks: CallFailure {
    CallFailure(
      .resourceExhausted,
      "the gateway has \(checkCount) guided checks open, which is the limit; end one, or raise --max-checks, "
        + "and --limit checks-per-user of the engine", .limit("gateway_checks"))
  }

  /// The engine's services from its own description, which is fetched once per connection.
  package func services(_ completion: @escaping (Result<ServiceDescriptors, CallFailure>) -> Void) {
    if let described { return completion(.success(described)) }
    call(EngineRequest(.describe)) { result in
      completion(result.flatMap { self.read($0) })
    }
  }

  private func read(_ answer: ByteBuffer) -> Result<ServiceDescriptors, CallFailure> {
    Result { () throws(CallFailure) in
      let descriptors = try CallFailure.reading { () throws(Status) in
        try ServiceDescriptors(ByteBuffer(bytes: DescribeCall.response(answer.readableBytesUInt8Span)))
      }
      described = descriptors
      return descriptors
    }
  }
}
