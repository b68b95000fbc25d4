package import EngineLink
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
  private let connection: HTTP2Connection
  private var state = GRPCCallState.start
  private let share: RequestShare
  /// Whether anybody may call it, so that it must hold next to nothing.
  private let isProbe: Bool
  private var handler: (any GRPCHandler)?
  private var reader: GRPCMessageReader
  /// The bytes that the client may send.
  private var credit = HTTP2Session.streamWindow
  private var rate = TransferRate()

  init(
    _ head: GRPCHead, _ stream: HTTP2Stream, _ connection: HTTP2Connection, _ server: GRPCServer
  ) {
    self.head = head
    self.stream = stream
    self.connection = connection
    self.server = server
    peer = connection.place.peer
    caller = Caller(certificateName: connection.certificateName)
    share = RequestShare(server.memory, holder: connection.place.peer.host)
    isProbe = head.service == HealthService.name
    let maxMessageBytes = isProbe ? HealthService.maxMessageBytes : server.maxMessageBytes
    reader = GRPCMessageReader(
      limit: maxMessageBytes, isShared: NamedImages.areIn(head.name), isGzip: head.isGzip)
  }

  private var isOver: Bool { state == .over }

  var hasAllMessages: Bool { state.input == .told }

  package func handle(by handler: any GRPCHandler) {
    if isOver { return handler.cancelled() }
    self.handler = handler
    share.holder = caller.holder(at: peer)
    resume()
  }

  // MARK: From the client

  package func received(_ bytes: UnsafeRawBufferPointer) {
    if isOver { return }
    let count = bytes.count
    receivedByteCount += count
    credit -= count
    if isProbe, receivedByteCount > GRPCMessageReader.prefixSize + HealthService.maxMessageBytes {
      return end(Self.isTooLong)
    }
    do throws(CallFailure) { try share.add(count) } catch { return end(error) }
    reader.append(bytes)
    resume()
  }

  /// Handles the end of the client's messages.
  package func receivedEnd() {
    if isOver { return }
    state.apply(.clientEnded)
    resume()
  }

  /// Passes on the next message if the handler wants it.
  package func resume() {
    do throws(CallFailure) {
      while let handler, handler.wantsMessage, state.takesMessages {
        guard let (message, isCompressed) = try reader.next(share) else { break }
        rate = TransferRate()
        share.stopWaiting()
        // Health checks do not count, so that many watches cannot take every place.
        if !state.isAsked, !isProbe { connection.place.requestBegan() }
        state.apply(.message(isCompressed: isCompressed))
        if isCompressed { inflate(message.body) } else { handler.received(message) }
      }
    } catch {
      return refuse(error)
    }
    guard let handler, state.takesMessages, handler.wantsMessage || state.input == .ended else { return }
    if state.input == .ended {
      tellEnd(handler)
    } else if reader.missing > RequestMemory.unreserved, reader.receivedByteCount >= RequestMemory.begun {
      makeRoom()
    } else if state.input == .arriving, !share.isWaiting {
      // The prefix of a message needs a window, too.
      let needed =
        reader.missing > 0
        ? min(reader.missing, RequestMemory.unreserved) + HTTP2Session.maxPadding
        : HTTP2Session.streamWindow / 2
      if credit < needed { openWindow(to: max(needed, HTTP2Session.streamWindow)) }
    }
  }

  /// Reserves room for the rest of a large message, for which the client waits, and opens the window for all of it.
  private func makeRoom() {
    if state.input == .fitting || share.isWaiting { return }
    share.reserve(reader.missing) { [weak self] failure in
      guard let self, !isOver else { return }
      do throws(CallFailure) {
        if let failure { throw failure }
        try reader.makePlace()
        state.apply(.granted)
        openWindow(to: reader.missing + HTTP2Session.maxPadding)
      } catch {
        end(error)
      }
    } lost: { [weak self] in
      self?.end($0)
    }
  }

  private func inflate(_ message: ByteBuffer) {
    share.inflate(message, .gzip, limit: reader.limit) { [weak self] result in
      guard let self, !isOver else { return }
      state.apply(.inflated)
      do throws(CallFailure) {
        handler?.received(EngineMessage(try result.get()))
      } catch {
        return refuse(error)
      }
      resume()
    }
  }

  /// Ends the call because of its message.
  private func refuse(_ failure: CallFailure) {
    end(isProbe && failure.status.detail == .limit("max_body") ? Self.isTooLong : failure)
  }

  /// The failure of a call that anybody may make.
  private static let isTooLong = CallFailure(
    .resourceExhausted,
    "a health check has one message of at most \(HealthService.maxMessageBytes) bytes; name one service",
    .limit("health_bytes"))

  private func openWindow(to byteCount: Int) {
    guard byteCount > credit else { return }
    connection.extendWindow(of: stream, by: byteCount - credit)
    credit = byteCount
  }

  private func tellEnd(_ handler: any GRPCHandler) {
    if reader.isInside {
      // A complete message that the handler does not want yet comes first.
      guard handler.wantsMessage else { return }
      return end(CallFailure(.internal, "the call ends inside a message; send it as a whole"))
    }
    if handler.needsMessage { return end(CallFailure(.internal, "the call has no message; send one")) }
    state.apply(.toldEnd)
    handler.receivedEnd()
  }

  package func release(_ byteCount: Int) { share.release(byteCount) }

  /// A message that may outlive the call, with its bytes of the memory.
  package func holding(_ message: EngineMessage) -> EngineMessage {
    var message = message
    if message.hold == nil { message.hold = share.split(message.byteCount) }
    return message
  }

  /// Ends a call whose time is over, or whose message takes too long to arrive.
  package func sweep(_ now: NIODeadline, _ most: TimeAmount) {
    guard server.stillAdmits(&caller) else { return end(RequestGate.expired) }
    // If the engine answers at all, it does so sooner.
    if head.timeout > 0, now - arrival > .nanoseconds(head.timeout) {
      return end(CallFailure(.deadlineExceeded, "the call's deadline passed before it was answered"))
    }
    let isAwaited =
      (state.input == .arriving || state.input == .fitting) && handler?.wantsMessage == true
      && !share.isWaiting && (reader.isInside || handler?.needsMessage == true)
    if !rate.suffices(now, receivedByteCount, isAwaited: isAwaited, in: most) {
      end(CallFailure(Status.slow(most)))
    }
  }

  /// Handles the end of the client or its stream.
  package func closed() {
    let handler = handler
    guard leave() else { return }
    // Not before: a handler may end its call when it is cancelled, and the stream takes no more answers.
    handler?.cancelled()
    server.logEnd(of: self, .cancelled)
  }

  package func certificateExpired() {
    if !isProbe { end(RequestGate.expired) }
  }

  package func stopAnnounced() { handler?.stopAnnounced() }

  package func drainBegan() { handler?.drainBegan() }

  /// Ends the call with a failure that the handler does not know of.
  private func end(_ failure: CallFailure) {
    let handler = handler
    fail(failure)
    handler?.cancelled()
  }

  // MARK: To the client

  /// Sends a message. `completion` is called when it fitted into the client's window.
  package func send(_ message: ByteBuffer, _ completion: (() -> Void)? = nil) {
    if isOver { return }
    write(message, completion)
    connection.flush()
  }

  /// Sends a message in parts; parts may be shared with other calls.
  func send(_ parts: [HTTP2Part], _ completion: @escaping () -> Void) {
    if isOver { return }
    let byteCount = parts.reduce(0) { $0 + $1.byteCount }
    begin()
    sentByteCount += byteCount
    connection.write(HTTP2Part(Self.prefix(byteCount)), on: stream, nil)
    for part in parts.dropLast() { connection.write(part, on: stream, nil) }
    connection.write(parts.last ?? HTTP2Part(ByteBuffer()), on: stream, completion)
    connection.flush()
  }

  /// Sends the only message and ends the call.
  package func finish(with message: ByteBuffer) {
    if isOver { return }
    write(message, nil)
    finish()
  }

  package func finish() {
    if isOver { return }
    begin()
    leave()
    connection.end(stream, GRPCTrailers.ok)
    server.logEnd(of: self, .ok)
  }

  package func fail(_ failure: CallFailure) {
    let hasBegun = state.isAnswered
    guard leave() else { return }
    let trailers = GRPCTrailers.failure(failure, hasBegun: hasBegun)
    if hasBegun { connection.end(stream, trailers) } else { connection.answer(stream, trailers) }
    server.logEnd(of: self, failure.status.code)
  }

  private func write(_ message: ByteBuffer, _ completion: (() -> Void)?) {
    begin()
    sentByteCount += message.readableBytes
    guard message.readableBytes > Self.maxCopied else {
      var framed = Self.prefix(message.readableBytes)
      framed.writeImmutableBuffer(message)
      return connection.write(HTTP2Part(framed), on: stream, completion)
    }
    connection.write(HTTP2Part(Self.prefix(message.readableBytes)), on: stream, nil)
    connection.write(HTTP2Part(message), on: stream, completion)
  }

  private func begin() {
    if state.apply(.answerBegan) { connection.begin(stream, GRPCTrailers.begin) }
  }

  /// Marks the call as ended. Its stream is closed when the end has been written.
  ///
  /// - Returns: whether the call had not ended yet.
  @discardableResult
  private func leave() -> Bool {
    if state.isAsked, !isProbe { connection.place.requestEnded() }
    share.end()
    handler = nil
    return state.apply(.end)
  }

  /// The largest message in bytes that is copied behind its prefix, which costs less than another part.
  private static let maxCopied = 4096

  /// The bytes before a message, with room for one that is copied.
  private static func prefix(_ byteCount: Int) -> ByteBuffer {
    var bytes = ByteBufferAllocator().buffer(
      capacity: GRPCMessageReader.prefixSize + (byteCount <= maxCopied ? byteCount : 0))
    bytes.writeMultipleIntegers(UInt8(0), UInt32(byteCount))
    return bytes
  }
}
