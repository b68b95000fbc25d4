import FaceCore
import Service
import Wire

/// Which answers PROTOCOL.md allows.
extension PeerLedger {
  /// The engine, and its connection with this client.
  struct Context {
    let engine: SimulatedEngine
    let connection: UInt64
    let user: UInt32
    /// Whether the user has too many connections, so that this one gets no other answer.
    let isRefused: Bool
    let readCount: Int
    let now: MonotonicTime
  }

  /// The offer of a buffer, or its withdrawal.
  struct Offer {
    let buffer: UInt32
    var isWithdrawal = false
    var isWrong = false
  }

  // MARK: Calls

  /// What is wrong with the answer to a call.
  func fault(
    _ number: UInt32, _ call: Call, _ failure: Status?, _ payload: Span<UInt8>
  ) throws(Status) -> String? {
    guard let context else { return nil }
    let verdict = context.engine.queue.takeVerdict(context.connection, number)
    // The engine does not count calls after GOAWAY, and messages that it has skipped.
    if failure?.code != .unavailable, failure?.code != .resourceExhausted {
      context.engine.answered[call.method, default: 0] += 1
    }
    if let ping = pings.first, call.end > ping.end {
      return "call \(number) is handled before the PING"
    }
    if let fault = try fault(call, number, failure, verdict, context) {
      return "\(call.method.name) \(number) (\(call.kind)): \(failure?.description ?? "OK"): \(fault)"
    }
    guard call.method == .detectBatch, failure == nil, let verdict else { return nil }
    let outcomes = try DetectBatchCall.response(payload)
    guard outcomes.count == call.imageCount, call.imageCount <= context.engine.limits.batchImages else {
      return "batch \(number) of \(call.imageCount) images has \(outcomes.count) answers"
    }
    for (index, outcome) in outcomes.enumerated() {
      let code: StatusCode = if case .failure(let status) = outcome { status.code } else { .ok }
      let own = index < verdict.codes.count ? verdict.codes[index] : .deadlineExceeded
      let expected = own != .deadlineExceeded && call.image.isUnknown ? .notFound : own
      if code != expected { return "image \(index) of batch \(number) is \(code), and should be \(expected)" }
    }
    return nil
  }

  private func fault(
    _ call: Call, _ number: UInt32, _ failure: Status?, _ verdict: SimulatedQueue.Verdict?, _ context: Context
  ) throws(Status) -> String? {
    let (code, limits) = (failure?.code ?? .ok, context.engine.limits)
    // A message that is too long is not even read.
    if context.isRefused, call.size <= 64 << 10 || failure?.detail == .limit("connections_per_user") {
      return failure?.detail == .limit("connections_per_user") ? nil : "the connection is refused"
    }
    if call.size > limits.maxMessageBytes, failure?.detail != .limit("max_message_bytes") {
      return "it is too long"
    }
    if let limit = failure?.detail, code == .resourceExhausted { return fault(limit, call, verdict, context) }
    switch code {
    case .cancelled: return call.isCancelled ? nil : "nobody cancelled it"
    case .unavailable: return fault(unavailable: call, number, verdict, context)
    case .deadlineExceeded:
      guard call.kind == .single, call.deadline <= context.now else {
        return "its deadline is \(call.deadline.nanoseconds) ns"
      }
      return verdict?.codes == [.deadlineExceeded] ? nil : "it was in time: \(verdict?.codes ?? [])"
    case .failedPrecondition: return call.method == .hello && hasHello ? nil : "nothing is missing"
    case .notFound: return call.image.isUnknown ? nil : "it names no unknown buffer"
    case .permissionDenied: return call.method == .reloadModel && context.user != 0 ? nil : "it is allowed"
    case .dataLoss: return call.method == .reloadModel && context.user == 0 ? nil : "no model is broken"
    case .ok: break
    default: return "there is no such answer"
    }
    switch call.method {
    case .detect:
      guard verdict?.codes == [.ok], !call.image.isUnknown else {
        return "it has not run: \(verdict?.codes ?? [])"
      }
    case .reloadModel where context.user != 0: return "its user may not"
    case .detectBatch, .listModels, .reloadModel: if verdict == nil { return "it has not run" }
    case .hello: if hasHello { return "there is a Hello already" }
    case .healthWatch: return "it continues"
    default: return nil
    }
    // An engine that has resumed serves on.
    guard let lastServed, call.kind == .single, number > lastServed, call.method != .hello,
      context.engine.stopCount == goAways, !context.engine.hasResumed
    else { return nil }
    return "GOAWAY said that it was not served"
  }

  private func fault(
    _ limit: StatusDetail, _ call: Call, _ verdict: SimulatedQueue.Verdict?, _ context: Context
  ) -> String? {
    let (limits, earlier) = (context.engine.limits, calls.values.filter { $0.end < call.end })
    let size = max(call.size, call.frames.map(\.size).max() ?? 0)
    switch limit {
    case .limit("calls_per_connection"):
      let count = earlier.count { $0.kind == .single }
      return count == limits.callsPerConnection ? nil : "\(count) calls are unanswered"
    case .limit("streams_per_connection"):
      let count = earlier.count { $0.kind == .stream || $0.kind == .healthWatch }
      return count == limits.streamsPerConnection ? nil : "\(count) streams are open"
    case .limit("queued_calls"), .limit("queued_bytes"):
      return verdict?.isRefused == true ? nil : "there was room"
    case .limit("incoming_bytes"): return size > 64 << 10 ? nil : "it is short"
    case .limit("batch_images"):
      return call.imageCount > limits.batchImages ? nil : "it has only \(call.imageCount) images"
    case .limit("max_message_bytes"): return size > limits.maxMessageBytes ? nil : "it is not too long"
    default: return "a call has no such limit"
    }
  }

  private func fault(
    unavailable call: Call, _ number: UInt32, _ verdict: SimulatedQueue.Verdict?, _ context: Context
  ) -> String? {
    if verdict?.codes == [.unavailable] { return nil }
    if context.engine.isEnding { return nil }
    guard call.kind == .single, hasHello else {
      return context.engine.stopCount > 0 || !context.engine.connections.isServing ? nil : "the engine serves"
    }
    return call.isReused || lastServed.map { number > $0 } == true
      ? nil : "it is among the calls that are served"
  }

  // MARK: Frames

  /// What is wrong with the answer to a frame.
  func fault(_ number: UInt32, _ call: Call, _ frame: SentFrame, _ event: FrameEvent) -> String? {
    guard let context else { return nil }
    let verdict = context.engine.queue.takeVerdict(context.connection, number, frame.number)
    let text = fault(call, frame, event, verdict, context)
    return text.map { "frame \(frame.number) of stream \(number): \(event.outcome): \($0)" }
  }

  private func fault(
    _ call: Call, _ frame: SentFrame, _ event: FrameEvent, _ verdict: SimulatedQueue.Verdict?,
    _ context: Context
  ) -> String? {
    switch event.outcome {
    case .dropped(let total):
      guard call.mode == .newest else { return "no frame is dropped in this mode" }
      guard call.frames.count > 1, call.frames[1].end <= context.readCount else {
        return "no newer frame has come"
      }
      guard verdict == nil else { return "it was searched" }
      return total == call.dropped + 1 ? nil : "\(call.dropped) were dropped before"
    case .faces:
      guard verdict?.codes == [.ok], !frame.image.isUnknown,
        frame.size <= context.engine.limits.maxMessageBytes
      else {
        return "it was not searched"
      }
      let faces = call.carried + frame.followed
      guard !call.isTracked || verdict?.followed == faces else {
        return "faces \(verdict?.followed ?? []) were followed, and not \(faces)"
      }
      return nil
    case .failed(let status):
      // These failures have no details.
      switch status.code {
      case .notFound: return frame.image.isUnknown ? nil : "it names no unknown buffer"
      case .resourceExhausted where status.message.contains("frames of this stream are unanswered"):
        return call.mode == .every && !frame.isWithinCredit ? nil : "it was within the credit"
      case .resourceExhausted:
        // Frames have room of their own while they wait in their stream.
        let isFrameRoom = verdict == nil && status.message.contains("queued_bytes")
        return verdict?.isRefused == true || isFrameRoom ? nil : "there was room"
      case .deadlineExceeded:
        guard min(frame.deadline, call.deadline) <= context.now else { return "its deadline has not passed" }
        return verdict?.codes == [.deadlineExceeded] ? nil : "it was in time"
      default: return verdict?.codes == [status.code] ? nil : "there is no such answer"
      }
    }
  }

  // MARK: Control frames

  /// What is wrong with the number in a GOAWAY.
  func fault(goAway last: UInt32) -> String? {
    guard let context else { return nil }
    let read = requests.filter { $0.end <= context.readCount }
    // A long message that was refused before it came does not count.
    let least = read.filter { $0.size <= 64 << 10 }.map(\.number).max() ?? 0
    let allowed = [least] + read.map(\.number).filter { $0 > least }
    let isRight =
      context.engine.isAnnouncing ? allowed.contains(last) : last > 0 && last <= allowed.max() ?? 0
    return isRight ? nil : "GOAWAY names stream \(last), and \(allowed) were read"
  }

  /// What is wrong with the answer to an offer.
  func fault(_ offer: Offer, _ failure: Status?) -> String? {
    guard let context else { return nil }
    let limits = context.engine.limits
    let isFull = buffers.count >= limits.buffersPerConnection
    if offer.isWithdrawal { return failure.map { "buffer \(offer.buffer) is not withdrawn: \($0)" } }
    guard let failure else {
      return isFull || offer.isWrong ? "buffer \(offer.buffer) is one too many, or wrong" : nil
    }
    switch failure.code {
    case .invalidArgument where offer.isWrong: return nil
    case .resourceExhausted where failure.message.contains("buffers, which is the limit"):
      // Withdrawn buffers count until the calls that name them are answered.
      let isUsed =
        calls.values.contains { $0.image.isNamed || $0.frames.contains { $0.image.isNamed } }
        || context.engine.queue.workers.values.contains { $0.job?.requestID.connection == context.connection }
      return isFull || isUsed ? nil : "only \(buffers.count) buffers are there"
    case .resourceExhausted where failure.message.contains("mapped") || failure.message.contains("shares"):
      return nil
    default: return "buffer \(offer.buffer) is refused: \(failure)"
    }
  }
}
