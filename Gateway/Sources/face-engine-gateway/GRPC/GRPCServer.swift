import FaceCore
import NIOCore

/// Takes RPCs from connections and passes them to the named service. Used on the event loop of its
/// connections.
final class GRPCServer {
  private static let sweepInterval = TimeAmount.seconds(1)

  private let loop: any EventLoop
  private let services: [String: any GRPCService]
  private let gate: RequestGate
  private let budget: RequestBudget
  let table: ConnectionTable
  /// The most bytes of a message.
  private let maxMessageBytes: Int
  /// The time in which a request has to arrive.
  private let requestTimeout: TimeAmount
  private var connections: [ObjectIdentifier: GRPCConnection] = [:]
  private var sweeps: Scheduled<Void>?
  private var stopped: EventLoopPromise<Void>?

  /// - Parameter services: the services by full name.
  init(
    loop: any EventLoop, services: [String: any GRPCService], gate: RequestGate, budget: RequestBudget,
    options: ServingOptions
  ) {
    self.loop = loop
    self.services = services
    self.gate = gate
    self.budget = budget
    table = ConnectionTable(most: options.maxConnections)
    maxMessageBytes = options.maxBody << 20
    requestTimeout = .seconds(Int64(options.requestTimeout))
  }

  // MARK: Connections

  var isStopping: Bool { stopped != nil }

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
      stopped?.succeed()
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
    if connections.isEmpty { promise.succeed() }
    for connection in Array(connections.values) { connection.drain() }
    return promise.futureResult
  }

  // MARK: Calls

  func makeCall(
    _ head: GRPCHead, _ peer: PeerAddress, _ stream: HTTP2Stream, _ connection: GRPCConnection
  ) -> GRPCCall { GRPCCall(head, peer, stream, connection, budget, limit: maxMessageBytes) }

  /// - Parameter isProbeOnly: whether the connection has a place that is kept for health checks.
  func begin(_ call: GRPCCall, isProbeOnly: Bool) {
    let head = call.head
    do throws(CallFailure) {
      guard !head.isTooLarge else {
        throw CallFailure(
          .resourceExhausted,
          "the headers have more than \(HTTP2Session.maxHeaderBytes) bytes; send less metadata",
          .limit("header_bytes"))
      }
      try gate.admit(
        call.peer, head.authorization, head.service == HealthService.name ? .probe : .call, &call.caller)
      if isProbeOnly, head.service != HealthService.name {
        throw CallFailure(
          .unavailable, "all connections are in use (--max-connections); try again later",
          .limit("connections"))
      }
      guard head.timeout >= 0 else {
        throw CallFailure(.deadlineExceeded, "the time was over before the call came")
      }
      guard head.encoding == "identity" || head.isGzip else {
        throw CallFailure(
          .unimplemented,
          "messages are compressed with \(head.encoding); send them as they are, since pictures are compressed already, or with gzip"
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
