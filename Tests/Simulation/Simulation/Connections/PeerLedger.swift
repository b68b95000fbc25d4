import FaceCore
import Service
import Wire

/// What a client has sent on one connection and what it has been answered: each call once, each frame in order.
struct PeerLedger {
  enum Kind: Equatable {
    case single, stream, healthWatch, hello, takeOver
  }

  struct SentFrame {
    let number: UInt64
    /// The position after its last byte.
    let end: Int
    let size: Int
    var timeout = TimeSpan.zero
    var image = NamedBuffer()
    /// The faces that it wants followed.
    var followed: [UInt64] = []
    /// Whether it was within the stream's credit.
    var isWithinCredit = true
    var arrival: MonotonicTime?

    var deadline: MonotonicTime { arrival.map { $0.deadline(after: timeout) } ?? .never }
  }

  /// The buffer that an image names, if any, and whether the engine does not have it.
  struct NamedBuffer {
    var isNamed = false
    var isUnknown = false
  }

  struct Call {
    let kind: Kind
    let method: Method
    /// The position after the last byte of the request.
    let end: Int
    let size: Int
    let timeout: TimeSpan
    let image: NamedBuffer
    var imageCount = 1
    /// When the engine has read the request.
    var arrival: MonotonicTime?
    /// The frames of a stream without an answer.
    var frames: [SentFrame] = []
    /// Since when the first of them has been the first.
    var firstSince = MonotonicTime(nanoseconds: 0)
    var isClosed = false
    /// Whether another call had its number: then GOAWAY says nothing about it.
    var isReused = false
    /// The position after its CANCEL.
    var cancelEnd: Int?
    var isCancelled: Bool { cancelEnd != nil }
    var mode = StreamMode.newest
    var isTracked = false
    var credit = 0
    /// The number of dropped frames, and the faces of those since the last one that was not.
    var dropped: UInt64 = 0
    var carried: [UInt64] = []
    /// The status of a `Health/Watch` that was sent last.
    var status: ServingStatus?

    var deadline: MonotonicTime { arrival.map { $0.deadline(after: timeout) } ?? .never }
  }

  /// The unanswered calls by stream number.
  private(set) var calls: [UInt32: Call] = [:]
  /// All requests, with the position after each.
  private(set) var requests: [(number: UInt32, end: Int, size: Int, method: Method)] = []
  private var readRequests = 0
  /// Whether the client has broken the rules: then only the form of the answers is checked.
  var isRude = false
  var pings: [(value: UInt64, end: Int)] = []
  var offers: [Offer] = []
  /// Buffers that the engine has mapped.
  private(set) var buffers: Set<UInt32> = []
  private(set) var hasHello = false
  private(set) var goAways = 0
  /// The number in the last GOAWAY.
  private(set) var lastServed: UInt32?
  /// What the engine does meanwhile; `nil` if the answers are not compared with that.
  var context: Context?
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

  mutating func add(
    _ number: UInt32, _ kind: Kind, _ method: Method, end: Int, size: Int = 0, timeout: TimeSpan = .zero,
    image: NamedBuffer = NamedBuffer(), imageCount: Int = 1
  ) {
    calls[number] = Call(
      kind: kind, method: method, end: end, size: size, timeout: timeout, image: image, imageCount: imageCount
    )
    calls[number]?.isReused = requests.contains { $0.number == number }
    requests.append((number, end, size, method))
  }

  mutating func begin(_ number: UInt32, _ mode: StreamMode, isTracked: Bool) {
    calls[number]?.mode = mode
    calls[number]?.isTracked = isTracked
  }

  mutating func add(_ frame: SentFrame, of number: UInt32) {
    guard let call = calls[number] else { return }
    var frame = frame
    frame.isWithinCredit = call.frames.count < call.credit
    calls[number]?.frames.append(frame)
  }

  mutating func close(_ number: UInt32) { calls[number]?.isClosed = true }
  mutating func closeAll() { for number in calls.keys { close(number) } }
  mutating func cancel(_ number: UInt32, end: Int) { calls[number]?.cancelEnd = end }

  /// The requests that the engine has read since the last call.
  mutating func takeRead(_ count: Int) -> [Method] {
    let first = readRequests
    while readRequests < requests.count, requests[readRequests].end <= count { readRequests += 1 }
    return requests[first..<readRequests].map(\.method)
  }

  /// The engine has read `count` bytes.
  mutating func noteRead(_ count: Int, at now: MonotonicTime) {
    for (number, call) in calls where call.arrival == nil && call.end <= count {
      calls[number]?.arrival = now
    }
    for (number, call) in calls {
      for place in call.frames.indices
      where call.frames[place].arrival == nil && call.frames[place].end <= count {
        calls[number]?.frames[place].arrival = now
      }
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
    if let fault = try fault(number, call, envelope.failure, payload) { return fault }
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
    let fault = fault(number, call, first, event)
    calls[number]?.frames.removeFirst()
    if let now = context?.now { calls[number]?.firstSince = now }
    if case .dropped = event.outcome {
      calls[number]?.dropped += 1
      calls[number]?.carried += first.followed
    } else {
      calls[number]?.carried = []
    }
    return fault
  }

  private mutating func receive(_ control: ControlFromEngine) -> String? {
    switch control {
    case .goAway(let last):
      goAways += 1
      lastServed = last
      return fault(goAway: last)
    case .ping: return "an engine does not ping"
    case .pong(let value):
      guard pings.first?.value == value else { return "pong \(value) was not asked for" }
      pings.removeFirst()
    case .credit(let stream, let count):
      guard let call = calls[stream], call.mode == .every else { return "credit for no stream" }
      calls[stream]?.credit += Int(count)
      if let context, call.credit + Int(count) != context.engine.limits.frameCredit {
        return "stream \(stream) has a credit of \(call.credit + Int(count))"
      }
    case .registration(let buffer, let failure):
      guard let offer = offers.first, offer.buffer == buffer else {
        return "an answer to no offer: \(buffer)"
      }
      offers.removeFirst()
      let fault = fault(offer, failure)
      if failure == nil { if buffers.remove(buffer) == nil { buffers.insert(buffer) } }
      return fault
    }
    return nil
  }
}
