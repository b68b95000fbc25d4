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

  private let channel: any Channel
  private let writer: EngineWriter
  private let pool: EnginePool
  private var waiting: [UInt32: Waiting] = [:]
  private var takesBuffers = false
  private var takesPings = false
  /// The ticks since the last PING, which is not answered yet; negative if the next one is still to be sent.
  private var pingTicks = EngineConnection.pause
  private var nextStream: UInt32 = 1
  private var limits = EngineLimits()
  /// Whether calls may begin: after Hello, and before GOAWAY or the connection's end.
  private(set) var isOpen = false
  private var callCount = 0
  private(set) var streamCount = 0

  init(_ channel: any Channel, pool: EnginePool) {
    self.channel = channel
    writer = EngineWriter(channel)
    self.pool = pool
  }

  /// Begins to read and sends Hello. `completion` is called once, with the reason if the engine cannot be called.
  func start(_ completion: @escaping (CallFailure?) -> Void) {
    let number = takeNumber()
    // First, since the connection may end while it is written to.
    waiting[number] = .hello { [self] result in
      do {
        let answer = try result.get()
        let hello = try HelloCall.response(answer.readableBytesUInt8Span)
        limits = hello.limits
        takesBuffers = hello.features.contains(.buffers)
        takesPings = hello.features.contains(.ping)
        pool.sharing.limits = limits
        isOpen = true
        completion(nil)
      } catch let failure as CallFailure where failure.isEngineDown {
        writer.close()
        completion(failure)
      } catch {
        writer.close()
        // Nobody who calls the gateway has sent a Hello.
        let reason = (error as? CallFailure)?.status.message ?? (error as? Status)?.message ?? ""
        completion(
          CallFailure(.unavailable, "the engine does not accept the gateway: \(reason); try again later"))
      }
    }
    do {
      // A channel that has ended already tells its handlers nothing.
      guard channel.isActive else { throw CallFailure.connectionLost }
      try channel.pipeline.syncOperations.addHandler(EngineFrameReceiver(self))
      let features = [Feature.cancel, .ping, .credit, .goaway, .buffers].map(\.rawValue)
      let frame = try HelloCall.requestFrame(
        CallHeader(stream: number), HelloRequest(client: "face-engine-gateway", features: features))
      writer.write(ByteBuffer(bytes: frame))
    } catch {
      end(.connectionLost)
    }
  }

  /// Fails all that waits, and closes the connection, whether or not its channel reports that it has ended.
  func end(_ failure: CallFailure) {
    closed(failure)
    writer.close()
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

  func release(_ use: EnginePool.Use) {
    switch use {
    case .calls: callCount -= 1
    case .streams: streamCount -= 1
    }
    assert(callCount >= 0 && streamCount >= 0, "a place was released that was not reserved")
  }

  // MARK: Sending

  /// Sends a call with one answer in its reserved place, and completes `call` with the answer.
  ///
  /// - Parameter images: the images that the request names.
  func begin(
    _ request: EngineRequest, _ call: EngineCall, _ images: SharedImages?
  ) throws(CallFailure) -> UInt32 {
    try send(request, images, .call(call), in: .calls)
  }

  /// Opens a stream in its reserved place, and passes its messages to `stream`.
  func open(_ request: EngineRequest, _ stream: EngineStream) throws(CallFailure) -> UInt32 {
    try send(request, nil, .stream(stream), in: .streams)
  }

  private func send(
    _ request: EngineRequest, _ images: SharedImages?, _ owner: Waiting, in use: EnginePool.Use
  ) throws(CallFailure) -> UInt32 {
    let number = takeNumber()
    // First, since the connection may end while it is written to.
    waiting[number] = owner
    do throws(CallFailure) {
      guard channel.isActive else { throw CallFailure.connectionLost }
      let frame = try FaceCalls.coding { () throws(Status) in
        try request.frame(stream: number, limit: limits.maxMessageBytes)
      }
      try sharing(images, number) { writer.write(frame, request.separatePayload) }
    } catch {
      waiting[number] = nil
      release(use)
      throw error
    }
    return number
  }

  /// Sends a message of a stream. `completion` is called when the socket has taken it.
  ///
  /// - Parameter images: the images that the message names.
  func send(
    _ message: EngineMessage, on stream: UInt32, _ images: SharedImages?, _ completion: @escaping () -> Void
  ) throws(CallFailure) {
    let head = try FaceCalls.coding { () throws(Status) in
      try message.frame(stream: stream, limit: limits.maxMessageBytes)
    }
    let promise = channel.eventLoop.makePromise(of: Void.self)
    // If the connection is lost, the stream is notified in the same way as all others.
    promise.futureResult.assumeIsolated().whenSuccess { completion() }
    do throws(CallFailure) {
      try sharing(images, stream) { writer.write(head, message.body, promise: promise) }
    } catch {
      promise.fail(error)
      throw error
    }
  }

  /// Ends the client's side of the stream.
  func finish(_ stream: UInt32) {
    writer.write(ByteBuffer(bytes: StreamEnd.dataFrame(stream: stream)))
  }

  func cancel(_ stream: UInt32) {
    guard waiting[stream] != nil else { return }
    send(.cancel(stream: stream))
  }

  /// Requests a PONG, which comes after everything that the engine sends in response to earlier messages.
  func ping(_ stream: UInt32) { send(.ping(UInt64(stream))) }

  private func send(_ control: ControlFromClient) {
    writer.write(ByteBuffer(bytes: control.frame))
  }

  private func takeNumber() -> UInt32 {
    defer { nextStream &+= 2 }
    // After two thousand million calls. Numbers must not decrease, so the next connection starts over.
    if nextStream > 0xffff_fff0 { retire() }
    return nextStream
  }

  /// Stops taking new calls.
  private func retire() {
    isOpen = false
    pool.retired()
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
        "the image is larger than a message of the engine (max_message_bytes), and the engine accepts no shared memory; "
          + "scale the image down", .limit("max_message_bytes"))
    }
    writer.write(images, for: number, write)
  }

  /// Handles the answer to an offer or a withdrawal.
  private func answered(_ buffer: UInt32, _ failure: Status?) {
    guard let answered = writer.answered() else { return writer.close() }
    guard case .offer(let number) = answered, let failure else { return }
    switch waiting[number] {
    case .call(let call)?: call.refused(failure)
    case .stream(let stream)?: stream.refused(buffer, failure)
    case .hello?, nil: return
    }
  }

  /// The ticks between two PINGs, and those in which one is answered: the engine does so at once, whatever it computes.
  private static let pause = -2
  private static let patience = 8

  /// Fails the calls whose time is over, if the engine does not, and the connection if the engine hangs on it.
  func tick(_ now: NIODeadline) {
    for case .call(let call) in Array(waiting.values) { call.sweep(now) }
    guard takesPings, !waiting.isEmpty || pingTicks >= 0 else { return }
    pingTicks += 1
    if pingTicks == 0 { send(.ping(0)) }
    if pingTicks == Self.patience { end(.hung) }
  }

  // MARK: Receiving

  func received(_ frame: Frame) {
    guard let type = FrameType(rawValue: frame.header.type) else { return }
    switch type {
    case .response: complete(frame)
    case .data:
      if case .stream(let stream)? = waiting[frame.header.stream] {
        stream.received(ByteBuffer(bytes: frame.body))
      }
    case .request, .cancel: return
    case .goAway, .ping, .pong, .credit, .bufferOffer:
      let control = try? ControlFromEngine(type, stream: frame.header.stream, frame.body.span)
      if let control { received(control) } else { writer.close() }
    }
  }

  private func received(_ control: ControlFromEngine) {
    switch control {
    case .goAway(let last):
      retire()
      moveOn(after: last)
    case .ping(let value): send(.pong(value))
    case .pong(let value):
      guard let stream = UInt32(exactly: value) else { return }
      if stream == 0 { pingTicks = Self.pause }
      if case .stream(let opened)? = waiting[stream] { opened.learntMode() }
    case .credit(let number, let more):
      if case .stream(let stream)? = waiting[number] { stream.received(credit: Int(more)) }
    case .registration(let buffer, let failure): answered(buffer, failure)
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

  private func complete(_ frame: Frame) {
    guard let ended = waiting.removeValue(forKey: frame.header.stream) else { return }
    let result = EngineRequest.result(frame.body)
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

  /// - Parameter failure: why all that waits fails.
  func closed(_ failure: CallFailure = .connectionLost) {
    isOpen = false
    let left = waiting
    waiting = [:]
    (callCount, streamCount) = (0, 0)
    writer.closed()
    for entry in left.values {
      switch entry {
      case .hello(let completion): completion(.failure(failure))
      case .call(let call): call.fail(failure)
      case .stream(let stream): stream.ended(failure)
      }
    }
    pool.lost(self)
  }
}
