import FaceCore
import NIOCore
import Wire

/// One connection to the engine: sends calls, and gives each its answer. Lives on its event loop.
actor EngineConnection {
  private enum Waiting {
    case call(CheckedContinuation<Result<ByteBuffer, CallFailure>, Never>, CallToken)
    case stream(EngineStream)
  }

  nonisolated let loop: any EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  private let channel: any Channel
  private let path: String
  private var waiting: [UInt32: Waiting] = [:]
  private var nextStream: UInt32 = 1
  private(set) var limits = EngineLimits()
  /// Whether calls may begin: said Hello, not told to go away, not closed.
  private(set) var isOpen = false
  private(set) var callCount = 0
  private(set) var streamCount = 0
  /// Called when a place has become free, or the connection is closed.
  private let changed: @Sendable () -> Void

  init(_ channel: any Channel, path: String, changed: @escaping @Sendable () -> Void) {
    self.channel = channel
    self.path = path
    self.changed = changed
    loop = channel.eventLoop
  }

  /// Begins to read, and says Hello.
  func start() async throws(CallFailure) {
    do {
      try channel.pipeline.syncOperations.addHandlers(
        ByteToMessageHandler(EngineFrameDecoder()), FrameReceiver(self))
    } catch {
      throw unavailable("\(error)")
    }
    let features = [Feature.cancel, .ping, .credit, .goaway].map(\.rawValue)
    let hello: HelloResponse
    do {
      var frame = try HelloCall.requestFrame(
        CallHeader(stream: 0), HelloRequest(client: "face-engine-gateway", features: features))
      let number = takeNumber()
      FrameHeader.setStream(number, in: &frame)
      let answer = await withCheckedContinuation { continuation in
        waiting[number] = .call(continuation, CallToken())
        callCount += 1
        channel.writeAndFlush(ByteBuffer(bytes: frame), promise: nil)
      }
      hello = try HelloCall.response(Array(buffer: try answer.get()).span)
    } catch let failure as CallFailure {
      throw failure
    } catch let status as Status {
      throw CallFailure(status)
    } catch {
      throw unavailable("\(error)")
    }
    limits = hello.limits
    isOpen = true
  }

  // MARK: Sending

  /// Whether there is room for a call; if so, it is the caller's, who begins one.
  func reserveCall() -> Bool {
    guard isOpen, callCount < limits.callsPerConnection else { return false }
    callCount += 1
    return true
  }

  /// Gives back what was reserved.
  func releaseCall() {
    callCount -= 1
    changed()
  }

  /// The same for a stream, which the caller opens.
  func reserveStream() -> Bool {
    guard isOpen, streamCount < limits.streamsPerConnection else { return false }
    streamCount += 1
    return true
  }

  func releaseStream() {
    streamCount -= 1
    changed()
  }

  /// Sends a call of one answer, for which there is room, and resumes `continuation` with that.
  func begin(
    _ request: EngineRequest, _ token: CallToken,
    _ continuation: CheckedContinuation<Result<ByteBuffer, CallFailure>, Never>
  ) {
    let number = takeNumber()
    do throws(CallFailure) {
      try send(request, number)
    } catch {
      callCount -= 1
      changed()
      return continuation.resume(returning: .failure(error))
    }
    waiting[number] = .call(continuation, token)
    token.arm { [self] in loop.execute { self.assumeIsolated { $0.cancel(number) } } }
  }

  /// Opens a stream, for which there is room, and hands its messages to `stream`.
  func open(_ request: EngineRequest, _ stream: EngineStream) throws(CallFailure) -> UInt32 {
    let number = takeNumber()
    do throws(CallFailure) {
      try send(request, number)
    } catch {
      streamCount -= 1
      changed()
      throw error
    }
    waiting[number] = .stream(stream)
    return number
  }

  private func send(_ request: EngineRequest, _ number: UInt32) throws(CallFailure) {
    guard channel.isActive else { throw lost }
    let head = try request.head(stream: number, limit: limits.maxMessageBytes)
    channel.write(head, promise: nil)
    if request.payload.readableBytes > 0 { channel.write(request.payload, promise: nil) }
    channel.flush()
  }

  /// One message of a stream. Returns when the socket has taken it.
  func send(_ message: ByteBuffer, on stream: UInt32) async throws(CallFailure) {
    let head = try EngineFrame.head(
      .data, stream: stream, length: message.readableBytes, limit: limits.maxMessageBytes)
    channel.write(head, promise: nil)
    do {
      try await channel.writeAndFlush(message).get()
    } catch {
      throw lost
    }
  }

  /// No more messages come on the stream.
  func finish(_ stream: UInt32) {
    channel.writeAndFlush(ByteBuffer(bytes: StreamEnd.dataFrame(stream: stream)), promise: nil)
  }

  func cancel(_ stream: UInt32) {
    guard waiting[stream] != nil else { return }
    send(.cancel(stream: stream))
  }

  /// Asks for a PONG, which comes after everything that the engine says to what was sent before.
  func ping(_ stream: UInt32) { send(.ping(UInt64(stream))) }

  private func send(_ control: ControlFromClient) {
    channel.writeAndFlush(ByteBuffer(bytes: control.frame), promise: nil)
  }

  private func takeNumber() -> UInt32 {
    defer { nextStream &+= 2 }
    // Two thousand million calls: no later number may be smaller, so the next connection has the next ones.
    if nextStream > 0xffff_fff0 { isOpen = false }
    return nextStream
  }

  func close() {
    isOpen = false
    channel.close(promise: nil)
  }

  // MARK: Receiving

  fileprivate func received(_ frame: EngineFrame) {
    let number = frame.header.stream
    switch FrameType(rawValue: frame.header.type) {
    case .response: complete(number, frame.data)
    case .data:
      guard case .stream(let stream)? = waiting[number] else { return }
      stream.assumeIsolated { $0.received(frame.data) }
    case .goAway:
      isOpen = false
      changed()
    case .ping:
      if let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt64.self) { send(.pong(value)) }
    case .pong:
      guard let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt64.self),
        let stream = UInt32(exactly: value), case .stream(let opened)? = waiting[stream]
      else { return }
      opened.assumeIsolated { $0.learntMode() }
    case .credit:
      guard let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt32.self),
        case .stream(let opened)? = waiting[number]
      else { return }
      opened.assumeIsolated { $0.received(credit: Int(value)) }
    default: return
    }
  }

  private func complete(_ number: UInt32, _ data: ByteBuffer) {
    let result = Self.result(data)
    switch waiting.removeValue(forKey: number) {
    case .call(let continuation, let token):
      callCount -= 1
      token.disarm()
      continuation.resume(returning: result)
    case .stream(let stream):
      streamCount -= 1
      stream.assumeIsolated { stream in
        switch result {
        case .success(let last):
          if last.readableBytes > 0 { stream.received(last) }
          stream.ended(nil)
        case .failure(let failure): stream.ended(failure)
        }
      }
    case nil: return
    }
    changed()
  }

  private static func result(_ data: ByteBuffer) -> Result<ByteBuffer, CallFailure> {
    do throws(Status) {
      var payload = ByteBuffer()
      var reader = ProtobufReader(data)
      while let field = try reader.next() {
        guard case .bytes(let bytes) = field.value else { continue }
        if field.number == 1, let failure = try CallFailure(decoding: bytes) { return .failure(failure) }
        if field.number == 2 { payload = bytes }
      }
      return .success(payload)
    } catch {
      return .failure(CallFailure(.internal, "the engine's answer cannot be read: \(error.message)"))
    }
  }

  fileprivate func closed() {
    isOpen = false
    let left = waiting
    waiting = [:]
    (callCount, streamCount) = (0, 0)
    for entry in left.values {
      switch entry {
      case .call(let continuation, let token):
        token.disarm()
        continuation.resume(returning: .failure(lost))
      case .stream(let stream): stream.assumeIsolated { [lost] in $0.ended(lost) }
      }
    }
    changed()
  }

  private var lost: CallFailure { unavailable("the engine closed the connection") }

  private func unavailable(_ what: String) -> CallFailure {
    CallFailure(.unavailable, "\(what) at \(path); see that it runs and try again")
  }
}

/// Hands what arrives to the connection.
private final class FrameReceiver: ChannelInboundHandler {
  typealias InboundIn = EngineFrame

  private let connection: EngineConnection

  init(_ connection: EngineConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    connection.assumeIsolated { $0.received(frame) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.assumeIsolated { $0.closed() }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
