import FaceCore
import NIOCore

/// Takes RPCs from connections and passes them to the named service. Used on the event loop of its
/// connections.
final class GRPCServer {
  private static let sweepInterval = TimeAmount.seconds(1)

  private let loop: any EventLoop
  private let services: [String: any GRPCService]
  private let gate: RequestGate
  private let budget = RequestBudget()
  private let maxConnections: Int
  /// The most bytes of a message: more than the engine's own limit, so that its sender learns the limit's
  /// name.
  private let maxMessageBytes: Int
  /// The time in which a request has to arrive.
  private let requestTimeout: TimeAmount
  private var connections: [ObjectIdentifier: GRPCConnection] = [:]
  private var admitted = 0
  private var sweeps: Scheduled<Void>?
  private var stopped: EventLoopPromise<Void>?

  /// - Parameter services: the services by full name.
  init(
    loop: any EventLoop, services: [String: any GRPCService], gate: RequestGate, maxConnections: Int,
    maxMessageBytes: Int, requestTimeout: TimeAmount
  ) {
    self.loop = loop
    self.services = services
    self.gate = gate
    self.maxConnections = maxConnections
    self.maxMessageBytes = maxMessageBytes
    self.requestTimeout = requestTimeout
  }

  // MARK: Connections

  /// Counts a connection until it is closed. Returns `false` if there are too many.
  func admit(_ channel: any Channel) -> Bool {
    guard admitted < maxConnections, stopped == nil else { return false }
    admitted += 1
    channel.closeFuture.assumeIsolated().whenComplete { _ in
      self.admitted -= 1
      if self.admitted == 0 { self.stopped?.succeed() }
    }
    return true
  }

  func opened(_ connection: GRPCConnection) {
    connections[ObjectIdentifier(connection)] = connection
    if sweeps == nil {
      scheduleSweep()
    }
  }

  func closed(_ connection: GRPCConnection) {
    connections[ObjectIdentifier(connection)] = nil
    if connections.isEmpty {
      sweeps?.cancel()
      sweeps = nil
    }
  }

  /// Schedules one timer for all connections, so that calls need none.
  private func scheduleSweep() {
    sweeps = loop.assumeIsolated().scheduleTask(in: Self.sweepInterval) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    scheduleSweep()
    let now = NIODeadline.now()
    for connection in Array(connections.values) {
      // Connections without calls are closed, too.
      connection.sweep(now, idleTimeout: requestTimeout * 5, requestTimeout: requestTimeout)
    }
  }

  func announceStop() {
    for connection in connections.values { connection.announceStop() }
  }

  /// Finishes the calls that have begun. The future completes when no connection is left.
  func stop() -> EventLoopFuture<Void> {
    if let stopped { return stopped.futureResult }
    let promise = loop.makePromise(of: Void.self)
    stopped = promise
    if admitted == 0 { promise.succeed() }
    for connection in Array(connections.values) { connection.drain() }
    return promise.futureResult
  }

  // MARK: Calls

  func makeCall(
    _ head: GRPCHead, _ peer: PeerAddress, _ stream: HTTP2Stream, _ connection: GRPCConnection
  ) -> GRPCCall { GRPCCall(head, peer, stream, connection, budget, limit: maxMessageBytes) }

  func begin(_ call: GRPCCall) {
    let head = call.head
    do throws(CallFailure) {
      try gate.admit(
        call.peer, authorization: head.authorization, isProbe: head.service == HealthService.name)
      guard head.timeout >= 0 else {
        throw CallFailure(.deadlineExceeded, "the time was over before the call came")
      }
      guard head.encoding == "identity" else {
        throw CallFailure(
          .unimplemented,
          "messages are compressed (\(head.encoding)); send them as they are: pictures are compressed already"
        )
      }
      guard let service = services[head.service] ?? services[EngineBridge.package(of: head.service)] else {
        throw CallFailure(
          .unimplemented,
          "there is no service \(head.service) here; grpc.reflection.v1 lists the services")
      }
      service.begin(call)
    } catch {
      call.fail(error)
    }
  }

  func over(_ call: GRPCCall, _ code: StatusCode) { gate.log(call, code) }
}
