import FaceCore
import GatewayCoding
import NIOCore
import Posix
import Wire

/// A connection to the engine: sends calls and passes each its answer. Used on its event loop.
final class EngineConnection {
  private enum Waiting {
    case hello((Result<ByteBuffer, CallFailure>) -> Void)
    case call(EngineCall)
    case stream(EngineStream)
  }

  private enum Output {
    case bytes(ByteBuffer, EventLoopPromise<Void>?)
    /// The offer of memory, with its descriptor.
    case offer(SharedImages)
  }

  private let channel: any Channel
  private let pool: EnginePool
  private var waiting: [UInt32: Waiting] = [:]
  /// The output behind a descriptor that is being sent; `nil` if none is.
  private var held: [Output]?
  /// The calls and streams of offers that are not answered yet, in their order; `nil` for withdrawals, which
  /// are answered as well.
  private var offers: [UInt32?] = []
  private var takesBuffers = false
  private var nextStream: UInt32 = 1
  private var limits = EngineLimits()
  /// Whether calls may begin: after Hello, and before GOAWAY or the connection's end.
  private var isOpen = false
  private var callCount = 0
  private(set) var streamCount = 0

  init(_ channel: any Channel, pool: EnginePool) {
    self.channel = channel
    self.pool = pool
  }

  /// Begins to read and sends Hello. `completion` is called once, with the reason if the engine cannot be called.
  func start(_ completion: @escaping (CallFailure?) -> Void) {
    let number = takeNumber()
    // First, since the connection may end while it is written to.
    waiting[number] = .hello { [self] result in
      do {
        let hello = try HelloCall.response(Array(buffer: try result.get()).span)
        limits = hello.limits
        takesBuffers = hello.features.contains(.buffers)
        pool.sharing.limits = limits
        isOpen = true
        completion(nil)
      } catch {
        close()
        completion((error as? CallFailure) ?? (error as? Status).map { CallFailure($0) } ?? lost)
      }
    }
    do {
      // A channel that has ended already tells its handlers nothing.
      guard channel.isActive else { throw lost }
      try channel.pipeline.syncOperations.addHandler(FrameReceiver(self))
      let features = [Feature.cancel, .ping, .credit, .goaway, .buffers].map(\.rawValue)
      var frame = try HelloCall.requestFrame(
        CallHeader(stream: 0), HelloRequest(client: "face-engine-gateway", features: features))
      FrameHeader.setStream(number, in: &frame)
      channel.writeAndFlush(ByteBuffer(bytes: frame), promise: nil)
    } catch {
      end()
    }
  }

  /// Closes the connection and fails all that waits, whether or not its channel reports that it has ended.
  func end() {
    close()
    closed()
  }

  // MARK: Room

  /// Reserves a place for a call, which the caller then begins; returns whether there is one.
  func reserveCall() -> Bool {
    guard isOpen, callCount < limits.callsPerConnection else { return false }
    callCount += 1
    return true
  }

  /// Reserves a place for a stream, which the caller then opens; returns whether there is one.
  func reserveStream() -> Bool {
    guard isOpen, streamCount < limits.streamsPerConnection else { return false }
    streamCount += 1
    return true
  }

  /// Releases a reserved place.
  func release(_ use: EnginePool.Use) {
    switch use {
    case .calls: callCount -= 1
    case .streams: streamCount -= 1
    }
  }

  // MARK: Sending

  /// Sends a call with one answer in its reserved place, and completes `call` with the answer.
  ///
  /// - Parameter images: the images that the request names.
  func begin(
    _ request: EngineRequest, _ call: EngineCall, _ images: SharedImages?
  ) throws(CallFailure) -> UInt32 {
    let number = takeNumber()
    // First, since the connection may end while it is written to.
    waiting[number] = .call(call)
    do throws(CallFailure) {
      try send(request, number, images)
    } catch {
      waiting[number] = nil
      release(.calls)
      throw error
    }
    return number
  }

  /// Opens a stream in its reserved place, and passes its messages to `stream`.
  func open(_ request: EngineRequest, _ stream: EngineStream) throws(CallFailure) -> UInt32 {
    let number = takeNumber()
    waiting[number] = .stream(stream)
    do throws(CallFailure) {
      try send(request, number)
    } catch {
      waiting[number] = nil
      release(.streams)
      throw error
    }
    return number
  }

  private func send(
    _ request: EngineRequest, _ number: UInt32, _ images: SharedImages? = nil
  ) throws(CallFailure) {
    guard channel.isActive else { throw lost }
    let frame = try request.frame(stream: number, limit: limits.maxMessageBytes)
    try sharing(images, number) { write(frame, request.separatePayload, promise: nil) }
  }

  /// Sends a message of a stream. `completion` is called when the socket has taken it.
  ///
  /// - Parameter images: the images that the message names.
  func send(
    _ message: EngineMessage, on stream: UInt32, _ images: SharedImages?, _ completion: @escaping () -> Void
  ) throws(CallFailure) {
    var head = EngineFrame.room(message.head.readableBytes)
    head.writeImmutableBuffer(message.head)
    try EngineFrame.setHead(
      .data, stream: stream, of: &head, andMore: message.body.readableBytes, limit: limits.maxMessageBytes)
    let promise = channel.eventLoop.makePromise(of: Void.self)
    // If the connection is lost, the stream is notified in the same way as all others.
    promise.futureResult.assumeIsolated().whenSuccess { completion() }
    do throws(CallFailure) {
      try sharing(images, stream) { write(head, message.body, promise: promise) }
    } catch {
      promise.fail(error)
      throw error
    }
  }

  private func write(_ frame: ByteBuffer, _ payload: ByteBuffer, promise: EventLoopPromise<Void>?) {
    if held != nil {
      let isWhole = payload.readableBytes == 0
      held?.append(.bytes(frame, isWhole ? promise : nil))
      if !isWhole { held?.append(.bytes(payload, promise)) }
      return
    }
    if payload.readableBytes == 0 { return channel.writeAndFlush(frame, promise: promise) }
    channel.write(frame, promise: nil)
    channel.writeAndFlush(payload, promise: promise)
  }

  /// Ends the client's side of the stream.
  func finish(_ stream: UInt32) {
    write(ByteBuffer(bytes: StreamEnd.dataFrame(stream: stream)), ByteBuffer(), promise: nil)
  }

  func cancel(_ stream: UInt32) {
    guard waiting[stream] != nil else { return }
    send(.cancel(stream: stream))
  }

  /// Requests a PONG, which comes after everything that the engine sends in response to earlier messages.
  func ping(_ stream: UInt32) { send(.ping(UInt64(stream))) }

  private func send(_ control: ControlFromClient) {
    write(ByteBuffer(bytes: control.frame), ByteBuffer(), promise: nil)
  }

  private func takeNumber() -> UInt32 {
    defer { nextStream &+= 2 }
    // After two thousand million calls. Numbers must not decrease, so the next connection starts over.
    if nextStream > 0xffff_fff0 { retire() }
    return nextStream
  }

  func close() { channel.close(promise: nil) }

  /// Stops taking new calls.
  private func retire() {
    isOpen = false
    pool.lost(self)
  }

  // MARK: Shared memory

  /// Writes a message between the offer of the memory that it names and its withdrawal.
  ///
  /// The engine reads these frames one after the other, and what the message began keeps the memory: so no
  /// other message of this connection, whose sender chooses its buffers, can name it.
  private func sharing(
    _ images: SharedImages?, _ number: UInt32, _ write: () -> Void
  ) throws(CallFailure) {
    guard let images else { return write() }
    guard takesBuffers else {
      throw CallFailure(
        .resourceExhausted,
        "the image is larger than a message of the engine (max_message_bytes), which takes no shared memory; "
          + "scale the image down", .limit("max_message_bytes"))
    }
    offers += [number, nil]
    offer(images)
    write()
    self.write(ByteBuffer(bytes: images.upload.withdrawal), ByteBuffer(), promise: nil)
  }

  /// Writes an offer, whose descriptor NIO cannot send: it is sent to the channel's socket directly, once NIO
  /// has written all that came before. What comes meanwhile is held back, so that frames keep their order.
  private func offer(_ images: SharedImages) {
    guard held == nil else {
      held?.append(.offer(images))
      return
    }
    guard channel.isActive else { return }
    held = []
    let promise = channel.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenSuccess { [self] in sendDescriptor(images) }
    channel.writeAndFlush(ByteBuffer(), promise: promise)
  }

  /// - Parameter pause: how long to wait before the next attempt, if the socket is full.
  private func sendDescriptor(_ images: SharedImages, pause: TimeAmount = .milliseconds(1)) {
    guard channel.isActive else { return }
    let offer = images.upload.offer
    do {
      let sent = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
        (socket: NIOBSDSocket.Handle) in try images.upload.send(offer, to: socket)
      }
      switch sent {
      case .bytes(let count): writeHeld(after: offer[count...])
      case .notNow:
        // The socket is full, and NIO, which has nothing to write, does not say when it is not.
        channel.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
          sendDescriptor(images, pause: min(pause * 2, Self.maxPause))
        }
      case .ended, nil: close()
      }
    } catch {
      close()
    }
  }

  private static let maxPause = TimeAmount.milliseconds(32)

  private func writeHeld(after rest: ArraySlice<UInt8>) {
    let outputs = held ?? []
    held = nil
    if !rest.isEmpty { write(ByteBuffer(bytes: rest), ByteBuffer(), promise: nil) }
    // Behind a further descriptor they are held again.
    for output in outputs {
      switch output {
      case .bytes(let bytes, let promise): write(bytes, ByteBuffer(), promise: promise)
      case .offer(let images): offer(images)
      }
    }
  }

  /// Handles the answer to an offer or a withdrawal.
  private func answered(_ data: ByteBuffer) {
    guard
      case .registration(let buffer, let failure)? = try? ControlFromEngine(
        .bufferOffer, stream: 0, Array(buffer: data).span), !offers.isEmpty
    else { return close() }
    guard let number = offers.removeFirst(), let failure else { return }
    switch waiting[number] {
    case .call(let call)?: call.refused(failure)
    case .stream(let stream)?: stream.refused(buffer, failure)
    case .hello?, nil: return
    }
  }

  /// Fails the calls whose time is over, if the engine does not.
  func sweep(_ now: NIODeadline, isStuck: Bool) {
    for case .call(let call) in Array(waiting.values) { call.sweep(now, isStuck: isStuck) }
  }

  // MARK: Receiving

  fileprivate func received(_ frame: EngineFrame) {
    let number = frame.header.stream
    switch FrameType(rawValue: frame.header.type) {
    case .response: complete(number, frame.data)
    case .data:
      if case .stream(let stream)? = waiting[number] { stream.received(frame.data) }
    case .goAway:
      retire()
      if let last = frame.data.getInteger(at: frame.data.readerIndex, as: UInt32.self) { moveOn(after: last) }
    case .ping:
      if let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt64.self) { send(.pong(value)) }
    case .pong:
      guard let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt64.self),
        let stream = UInt32(exactly: value), case .stream(let opened)? = waiting[stream]
      else { return }
      opened.learntMode()
    case .credit:
      guard let value = frame.data.getInteger(at: frame.data.readerIndex, as: UInt32.self),
        case .stream(let opened)? = waiting[number]
      else { return }
      opened.received(credit: Int(value))
    case .bufferOffer: answered(frame.data)
    default: return
    }
  }

  /// Moves on from an engine that is stopping: it begins nothing above `last`, whatever it answers.
  private func moveOn(after last: UInt32) {
    for number in waiting.keys.filter({ $0 > last }).sorted() {
      switch waiting[number] {
      case .call(let call)?:
        waiting[number] = nil
        release(.calls)
        call.moveOn()
      case .stream(let stream)? where stream.isRepeatable:
        waiting[number] = nil
        release(.streams)
        stream.moveOn()
      default: continue
      }
    }
  }

  private func complete(_ number: UInt32, _ data: ByteBuffer) {
    guard let ended = waiting.removeValue(forKey: number) else { return }
    let result = Self.result(data)
    switch ended {
    case .hello(let completion): return completion(result)
    case .call(let call):
      release(.calls)
      call.complete(result)
    case .stream(let stream):
      release(.streams)
      switch result {
      case .success(let last):
        if last.readableBytes > 0 { stream.received(last) }
        stream.ended(nil)
      case .failure(let failure): stream.ended(failure)
      }
    }
    pool.roomFreed()
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
    offers = []
    for case .bytes(_, let promise) in held.take() ?? [] { promise?.fail(ChannelError.ioOnClosedChannel) }
    for entry in left.values {
      switch entry {
      case .hello(let completion): completion(.failure(lost))
      case .call(let call): call.fail(lost)
      case .stream(let stream): stream.ended(lost)
      }
    }
    pool.lost(self)
  }

  private var lost: CallFailure {
    CallFailure(.unavailable, "the engine closed the connection; try again soon")
  }
}

/// Passes received bytes to the connection.
private final class FrameReceiver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: EngineConnection
  private var reader = EngineFrameReader()

  init(_ connection: EngineConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    reader.append(unwrapInboundIn(data))
    do throws(CallFailure) {
      while let frame = try reader.next() { connection.received(frame) }
    } catch {
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.closed()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
