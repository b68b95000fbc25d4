import FaceCore
import GatewayCoding
package import GatewayHTTP2
package import GatewayServing
package import NIOCore
import NIOSSL

/// Takes RPCs from connections and passes them to the named service. Used on the event loop of its
/// connections.
package final class GRPCServer: HTTP2Server {
  private let services: [String: any GRPCService]
  private let gate: RequestGate
  package let connections: ConnectionTable
  package let answers: AnswerBudget
  package let endsUploads = true
  package var authoritiesVersion: Int { gate.credentials.authoritiesVersion }
  package let requestTimeout: TimeAmount
  let memory: RequestMemory
  let maxMessageBytes: Int
  package let maxHeaderBytes = 16 << 10

  /// - Parameter services: the services by full name.
  package init(
    loop: any EventLoop, services: [String: any GRPCService], gate: RequestGate, memory: RequestMemory,
    answers: AnswerBudget, options: ServingOptions
  ) {
    self.services = services
    self.gate = gate
    self.memory = memory
    self.answers = answers
    maxMessageBytes = options.maxBody << 20
    requestTimeout = .seconds(Int64(options.requestTimeout))
    connections = ConnectionTable(loop, most: options.maxConnections, requestTimeout: requestTimeout)
  }

  package func makeHeadReader() -> any HTTP2HeadReader { GRPCHeadReader(self) }

  package func serve(
    _ channel: any Channel, _ place: ConnectionTable.Place, _ tls: TLSContexts?
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.grpc)) }
    try pipeline.addHandler(HTTP2Connection(self, place))
  }

  /// Gives a stream its call, or an answer.
  func begin(_ head: GRPCHead, on stream: HTTP2Stream, _ connection: HTTP2Connection) {
    guard head.isGRPC || head.isTooLarge else {
      return connection.answer(stream, GRPCTrailers.unsupported)
    }
    let call = GRPCCall(head, stream, connection, self)
    stream.owner = call
    if let failure = connection.unread.failure { return call.fail(failure) }
    begin(call, isProbeOnly: connection.place.isSpare)
  }

  /// - Parameter isProbeOnly: whether the connection has a place that is kept for health checks.
  private func begin(_ call: GRPCCall, isProbeOnly: Bool) {
    let head = call.head
    do throws(CallFailure) {
      guard !head.isTooLarge else {
        throw CallFailure(
          .resourceExhausted,
          "the headers have more than \(maxHeaderBytes) bytes; send less metadata",
          .limit("header_bytes"))
      }
      try gate.admit(
        call.peer, head.authorization, head.service == HealthService.name ? .probe : .call,
        isProbeOnly: isProbeOnly, &call.caller, at: memory.loop.now)
      if let wrong = head.wrongTimeout {
        throw CallFailure(
          .internal,
          "grpc-timeout is malformed: \(wrong.prefix(32)); send up to eight digits, then one of H, M, S, m, u and n")
      }
      guard head.isProtobuf else {
        throw CallFailure(
          .unimplemented,
          "messages are not protobuf (application/grpc\(head.content ?? "")); send application/grpc")
      }
      guard head.timeout >= 0 else {
        throw CallFailure(.deadlineExceeded, "the call's deadline had passed when the call arrived")
      }
      guard head.encoding == "identity" || head.isGzip else {
        throw CallFailure(
          .unimplemented,
          "messages are compressed with \(head.encoding); use gzip or no compression (pictures are compressed already)"
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

  func stillAdmits(_ caller: inout Caller) -> Bool { gate.stillAdmits(&caller) }

  func logEnd(of call: GRPCCall, _ code: StatusCode) {
    gate.log(
      "grpc", call.head.name, code, status: nil, since: call.arrival, receivedBytes: call.receivedByteCount,
      sentBytes: call.sentByteCount, call.peer, caller: call.caller, traceparent: call.head.traceparent)
  }
}
