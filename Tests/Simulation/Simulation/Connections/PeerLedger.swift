import FaceCore
import Service
import Wire

/// What a client has sent on one connection and what it has been answered: each call once, each frame in order.
struct PeerLedger {
  enum Kind: Equatable {
    case single, stream, healthWatch, hello, takeOver
  }

  struct Call {
    let kind: Kind
    /// The position after the last byte of the request.
    let end: Int
    let timeout: TimeSpan
    /// When the engine has read the request.
    var arrival: MonotonicTime?
    /// The frames of a stream without an answer, with the position after each.
    var frames: [(number: UInt64, end: Int)] = []
    var isClosed = false
    var isCancelled = false
    /// The status of a `Health/Watch` that was sent last.
    var status: ServingStatus?

    var deadline: MonotonicTime { arrival.map { $0.deadline(after: timeout) } ?? .never }
  }

  /// The unanswered calls by stream number.
  private(set) var calls: [UInt32: Call] = [:]
  /// Whether the client has broken the rules: then only the form of the answers is checked.
  var isRude = false
  var pings: [UInt64] = []
  var offers: [UInt32] = []
  /// Buffers that the engine has mapped.
  private(set) var buffers: Set<UInt32> = []
  private(set) var hasHello = false
  private(set) var goAways = 0
  private(set) var answerCount = 0
  /// The counters that came with the answers to the steps of a take-over, and whether one was refused.
  private(set) var handed: [EngineCounters] = []
  private(set) var isRefused = false
  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var lastNumber: UInt32 = 1
  private var cancelledNumbers: [UInt32] = []

  // MARK: Sending

  mutating func nextNumber() -> UInt32 {
    defer { lastNumber += 2 }
    return lastNumber
  }

  /// The number of a call that was cancelled and answered, if there is one.
  mutating func usedNumber() -> UInt32? { cancelledNumbers.popLast() }

  mutating func add(_ number: UInt32, _ kind: Kind, end: Int, timeout: TimeSpan = .zero) {
    calls[number] = Call(kind: kind, end: end, timeout: timeout)
  }

  mutating func addFrame(_ frame: UInt64, of number: UInt32, end: Int) {
    calls[number]?.frames.append((frame, end))
  }

  mutating func close(_ number: UInt32) { calls[number]?.isClosed = true }
  mutating func closeAll() { for number in calls.keys { close(number) } }
  mutating func cancel(_ number: UInt32) { calls[number]?.isCancelled = true }

  /// The engine has read `count` bytes.
  mutating func noteRead(_ count: Int, at now: MonotonicTime) {
    for (number, call) in calls where call.arrival == nil && call.end <= count {
      calls[number]?.arrival = now
    }
  }

  var openStreams: [UInt32] { numbers { $0.kind == .stream && !$0.isClosed } }

  func numbers(where isMeant: (Call) -> Bool) -> [UInt32] {
    calls.filter { isMeant($0.value) }.keys.sorted()
  }

  // MARK: Receiving

  /// - Returns: what is wrong with the bytes; `nil` if nothing is.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
    var offset = 0
    let span = bytes.bindMemory(to: UInt8.self).span
    while let event = parser.next(span, &offset) {
      guard case .frame(let frame) = event else { return "the engine sends \(event)" }
      if let fault = receive(frame), !isRude { return fault }
    }
    return nil
  }

  private mutating func receive(_ frame: Frame) -> String? {
    let number = frame.header.stream
    do throws(Status) {
      switch FrameType(rawValue: frame.header.type) {
      case .response: return try receiveResponse(number, frame.body)
      case .data: return try receiveData(number, frame.body)
      case let type?: return receive(try ControlFromEngine(type, stream: number, frame.body.span))
      case nil: return "the engine sends a frame of type \(frame.header.type)"
      }
    } catch {
      isRude = false
      return "the engine's frame cannot be read: \(error.message)"
    }
  }

  private mutating func receiveResponse(_ number: UInt32, _ body: [UInt8]) throws(Status) -> String? {
    let envelope = try ResponseEnvelope(decoding: body.span)
    answerCount += 1
    guard let call = calls.removeValue(forKey: number) else {
      return "stream \(number) is answered once more"
    }
    let payload = body.span.extracting(envelope.payload)
    switch call.kind {
    case .hello: if envelope.failure == nil { hasHello = true }
    case .takeOver:
      isRefused = envelope.failure != nil
      if !isRefused { handed.append(try TakeOverCall.response(payload).counters) }
    case .stream:
      if envelope.failure == nil, !call.frames.isEmpty || !call.isClosed {
        return "stream \(number) ends well with \(call.frames.count) frames unanswered"
      }
    case .single: if call.isCancelled { cancelledNumbers.append(number) }
    case .healthWatch: break
    }
    return nil
  }

  private mutating func receiveData(_ number: UInt32, _ body: [UInt8]) throws(Status) -> String? {
    guard let call = calls[number] else { return "stream \(number) continues after its end" }
    if call.kind == .healthWatch {
      let status = try HealthCall.response(body.span)
      if call.status == status { return "health is reported twice: \(status)" }
      calls[number]?.status = status
      return nil
    }
    let event = try WatchCall.response(body.span)
    guard let first = call.frames.first, first.number == event.frame.number else {
      return
        "frame \(event.frame.number) of stream \(number) is answered, not \(call.frames.first?.number ?? 0)"
    }
    calls[number]?.frames.removeFirst()
    return nil
  }

  private mutating func receive(_ control: ControlFromEngine) -> String? {
    switch control {
    case .goAway:
      goAways += 1
    case .ping: return "an engine does not ping"
    case .pong(let value):
      guard pings.first == value else { return "pong \(value) was not asked for" }
      pings.removeFirst()
    case .credit(let stream, _): return calls[stream] == nil ? "credit for no stream" : nil
    case .registration(let buffer, let failure):
      guard offers.first == buffer else { return "an answer to no offer: \(buffer)" }
      offers.removeFirst()
      if failure == nil { if buffers.remove(buffer) == nil { buffers.insert(buffer) } }
    }
    return nil
  }
}
