import FaceCore
package import GatewayCoding
import GatewayHTTP2
package import GatewayServing
package import NIOCore

/// An RPC of a client, from its headers to its status. Used on its connection's event loop.
///
/// Messages wait here, or in the client when the window is closed, until the handler wants them.
package final class GRPCCall: HTTP2StreamOwner {
  package let head: GRPCHead
  package let peer: PeerAddress
  package let arrival = NIODeadline.now()
  var caller: Caller
  private(set) var receivedByteCount = 0
  private(set) var sentByteCount = 0

  private let server: GRPCServer
  private let stream: HTTP2Stream
  private var connection: HTTP2Connection?
  private let budget: RequestBudget
  private var handler: (any GRPCHandler)?
  private var reader: GRPCMessageReader
  /// The bytes counted in the budget.
  private var heldByteCount = 0
  /// The bytes by which the client's window is still to be opened.
  private var unacknowledged = 0
  private var isRemoteDone = false
  private var hasToldEnd = false
  private var hasBegun = false
  /// The time at which a sweep first saw an incomplete message.
  private var receivingSince: NIODeadline?
  /// Whether the connection's place counts it as a request.
  private var isCounted = false

  init(
    _ head: GRPCHead, _ stream: HTTP2Stream, _ connection: HTTP2Connection, _ server: GRPCServer
  ) {
    self.head = head
    self.stream = stream
    self.connection = connection
    self.server = server
    peer = connection.place.peer
    caller = Caller(certificateName: connection.certificateName)
    budget = server.budget
    reader = GRPCMessageReader(limit: server.maxMessageBytes, isGzip: head.isGzip)
  }

  private var isOver: Bool { connection == nil }

  /// Starts the handler.
  package func handle(by handler: any GRPCHandler) {
    if isOver { return handler.cancelled() }
    self.handler = handler
    resume()
  }

  // MARK: From the client

  package func received(_ bytes: UnsafeRawBufferPointer) {
    if isOver { return }
    let count = bytes.count
    receivedByteCount += count
    unacknowledged += count
    hold(count)
    reader.append(bytes)
    resume()
    if budget.isExceeded, !isOver { end(budget.failure) }
  }

  /// Handles the end of the client's messages.
  package func receivedEnd() {
    if isOver { return }
    isRemoteDone = true
    resume()
  }

  /// Passes on the next message if the handler wants it.
  package func resume() {
    do throws(CallFailure) {
      while let handler, handler.wantsMessage {
        let growth = reader.growth
        guard let message = try reader.next() else { break }
        if reader.growth != growth {
          hold(reader.growth - growth)
          if budget.isExceeded { return end(budget.failure) }
        }
        receivingSince = nil
        count()
        handler.received(message)
      }
    } catch {
      return end(error)
    }
    guard let handler, handler.wantsMessage || isRemoteDone else { return }
    if isRemoteDone {
      tellEnd(handler)
    } else if unacknowledged >= HTTP2Session.streamWindow / 2 {
      connection?.openWindow(of: stream, by: unacknowledged)
      unacknowledged = 0
    }
  }

  /// Counts it as a request once it has a complete message. Health checks do not count, so that many watches cannot
  /// take every place.
  private func count() {
    if isCounted || head.service == HealthService.name { return }
    isCounted = true
    connection?.place.requestBegan()
  }

  private func tellEnd(_ handler: any GRPCHandler) {
    if hasToldEnd { return }
    if reader.isInside {
      // A complete message that the handler does not want yet comes first.
      guard handler.wantsMessage else { return }
      return end(CallFailure(.internal, "the call ends inside a message; send it as a whole"))
    }
    hasToldEnd = true
    handler.receivedEnd()
  }

  /// Counts bytes of its messages in the budget.
  private func hold(_ byteCount: Int) {
    heldByteCount += byteCount
    budget.used += byteCount
  }

  /// Returns bytes of its messages to the budget.
  package func release(_ byteCount: Int) {
    let count = min(byteCount, heldByteCount)
    heldByteCount -= count
    budget.used -= count
  }

  /// Ends a call whose time is over, or whose message takes too long to arrive.
  package func sweep(_ now: NIODeadline, _ most: TimeAmount) {
    // If the engine answers at all, it does so sooner.
    if head.timeout > 0, now - arrival > .nanoseconds(head.timeout) {
      return end(CallFailure(.deadlineExceeded, "the time was over before the call was answered"))
    }
    guard !isRemoteDone, let handler, handler.wantsMessage, reader.isInside || handler.needsMessage else {
      receivingSince = nil
      return
    }
    guard let since = receivingSince else {
      receivingSince = now
      return
    }
    if now - since > most {
      end(
        CallFailure(
          .deadlineExceeded,
          "the message took longer than \(most.nanoseconds / 1_000_000_000) s to arrive (--request-timeout)"))
    }
  }

  /// Handles the end of the client or its stream.
  package func closed() {
    if isOver { return }
    handler?.cancelled()
    if leave() != nil { server.over(self, .cancelled) }
  }

  package func stopAnnounced() { handler?.stopAnnounced() }

  package func drainBegan() { handler?.drainBegan() }

  /// Ends the call with a failure that the handler does not know of.
  private func end(_ failure: CallFailure) {
    handler?.cancelled()
    fail(failure)
  }

  // MARK: To the client

  /// Sends a message. `completion` is called when it fitted into the client's window.
  package func send(_ message: ByteBuffer, _ completion: (() -> Void)? = nil) {
    guard let connection else { return }
    write(message, connection, completion)
    connection.flush()
  }

  /// Sends the only message and ends the call.
  package func finish(with message: ByteBuffer) {
    guard let connection else { return }
    write(message, connection, nil)
    finish()
  }

  package func finish() {
    guard let connection = leave() else { return }
    begin(connection)
    connection.end(stream, GRPCTrailers.ok)
    server.over(self, .ok)
  }

  package func fail(_ failure: CallFailure) {
    guard let connection = leave() else { return }
    let trailers = GRPCTrailers.failure(failure, hasBegun: hasBegun)
    if hasBegun { connection.end(stream, trailers) } else { connection.answer(stream, trailers) }
    server.over(self, failure.status.code)
  }

  private func write(_ message: ByteBuffer, _ connection: HTTP2Connection, _ completion: (() -> Void)?) {
    begin(connection)
    sentByteCount += message.readableBytes
    connection.write(Self.framed(message), on: stream, completion)
  }

  private func begin(_ connection: HTTP2Connection) {
    if hasBegun { return }
    hasBegun = true
    connection.begin(stream, GRPCTrailers.begin)
  }

  /// Marks the call as ended. Its stream is closed when the end has been written.
  ///
  /// - Returns: the connection; `nil` if the call had already ended.
  private func leave() -> HTTP2Connection? {
    release(heldByteCount)
    handler = nil
    if isCounted { connection?.place.requestEnded() }
    return connection.take()
  }

  private static func framed(_ message: ByteBuffer) -> ByteBuffer {
    var bytes = ByteBufferAllocator().buffer(
      capacity: GRPCMessageReader.prefixSize + message.readableBytes)
    bytes.writeMultipleIntegers(UInt8(0), UInt32(message.readableBytes))
    bytes.writeImmutableBuffer(message)
    return bytes
  }
}
