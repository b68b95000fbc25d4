import Capture
import FaceCore
import Posix

/// Frames of one source, searched as one stream, and what was found handed to a sink.
///
/// The source has a thread of its own, which fills a queue; so does the stream, which answers into it. All else is done by
/// the thread that calls `run`.
final class Watch {
  /// What became of the frames.
  struct Summary {
    var answered = 0
    var failed = 0
    var dropped: UInt64 = 0
  }

  /// A frame that has no answer yet, or failed before it could get one and waits for its turn.
  private struct Pending {
    let entry: WatchQueue.Entry
    let frame: CapturedFrame
    let image: ImageInput
    var failure: Status?
  }

  private let source: any FrameSource
  private let pacing: FramePacing
  private let sink: any WatchSink
  private let image: (ImageInput.Source) -> ImageInput
  private let interruption: Interruption
  private let queue: WatchQueue
  private let stream: any FrameStream
  private var pending: [Pending] = []
  private var isWanted = true
  /// Of the guided check; `nil` where there is none.
  private(set) var attempts: CheckAttempts?
  private(set) var summary = Summary()

  /// - Parameters:
  ///   - options: of which the mode does not count.
  ///   - attempts: where there is a guided check among the options.
  ///   - image: a frame's content as an image, with all that is known of it.
  ///   - interruption: what the source waits for beside its frames; signalled by `stop`.
  init(
    _ source: any FrameSource, _ pacing: FramePacing, _ detector: any StreamingDetector,
    _ options: StreamOptions, _ attempts: CheckAttempts?, to sink: any WatchSink,
    interruption: Interruption, image: @escaping (ImageInput.Source) -> ImageInput
  ) throws(Status) {
    self.source = source
    self.pacing = pacing
    self.attempts = attempts
    self.sink = sink
    self.image = image
    self.interruption = interruption
    let queue = WatchQueue(pacing)
    self.queue = queue
    var options = options
    // What is dropped is dropped in the queue, before it is sent anywhere.
    options.mode = .every
    stream = try detector.openStream(options) { event in queue.answer(event) }
  }

  /// Ends `run` after the frames that are with the engine. From any thread, by what is returned.
  var stop: @Sendable () -> Void {
    { [interruption, queue] in
      interruption.signal()
      queue.stop()
    }
  }

  /// Frames with the engine: where none is dropped, the next one is on its way while one is searched. With a check it waits
  /// for the answer, which says whether it begins another attempt.
  private var window: Int { pacing == .newest || attempts != nil ? 1 : 2 }

  /// Returns when the source has ended, when `stop` was called, or when the sink wants no more; throws where the source, the
  /// sink or the engine fails for good.
  func run() throws(Status) {
    let thread = try Thread(name: "face-capture", blockingSignals: true) {
      [queue, source, interruption] in queue.feed(from: source, or: interruption)
    }
    defer {
      stop()
      thread.join()
      stream.close()
      summary.dropped = queue.dropped
    }
    while true {
      let unanswered = pending.count { $0.failure == nil }
      switch queue.next(unanswered: unanswered, window: window) {
      case .answer(let event):
        guard let first = pending.first else { continue }
        pending.removeFirst()
        try tell(first, event)
      case .item(let entry): try begin(entry)
      case .end(let failure):
        if let failure { throw failure }
        return
      }
      while let first = pending.first, let failure = first.failure {
        pending.removeFirst()
        try tell(first, .failure(failure), left: [])
      }
    }
  }

  private func begin(_ entry: WatchQueue.Entry) throws(Status) {
    switch entry.item {
    case .frame(let frame):
      let image = image(frame.content)
      var failure: Status?
      if attempts?.begin(at: frame.origin.timestamp) == true { stream.restartCheck() }
      do throws(Status) {
        _ = try stream.submit(frame.held(as: image), timestamp: frame.origin.timestamp)
      } catch {
        // A camera goes on until the engine is back; of a stream no frame may be left out.
        guard pacing == .newest || !error.isOfTheStream else { throw error }
        failure = error
      }
      pending.append(Pending(entry: entry, frame: frame, image: image, failure: failure))
    case .broken(let status, let origin):
      try tell(
        FrameReport(
          number: entry.number, origin: origin, rate: nil, image: nil, outcome: .failure(status), left: [],
          check: nil, dropped: entry.dropped))
    case .camera(let event):
      if isWanted, try !sink.take(event) { endWanting() }
    case .ended: break
    }
  }

  private func tell(_ pending: Pending, _ event: FrameEvent) throws(Status) {
    switch event.outcome {
    case .faces(let result):
      try tell(pending, .success(result), left: event.left, event.check)
    case .failed(let status): try tell(pending, .failure(status), left: event.left, event.check)
    case .dropped:
      throw Status(.internal, "a frame was dropped from a stream that drops none; please report it")
    }
  }

  private func tell(
    _ pending: Pending, _ outcome: Result<DetectionResult, Status>, left: [UInt64],
    _ check: CheckReport? = nil
  ) throws(Status) {
    // The frame is borrowed up to here.
    try withExtendedLifetime(pending.frame) { () throws(Status) in
      try tell(
        FrameReport(
          number: pending.entry.number, origin: pending.frame.origin, rate: pending.frame.rate,
          image: pending.image, outcome: outcome, left: left, check: check,
          dropped: pending.entry.dropped))
    }
  }

  private func tell(_ report: FrameReport) throws(Status) {
    if case .success = report.outcome { summary.answered += 1 } else { summary.failed += 1 }
    guard isWanted else { return }
    let isWantedStill = try sink.take(report)
    if let check = report.check { attempts?.frame(at: report.origin.timestamp, is: check.state) }
    if !isWantedStill || attempts?.areOver == true { endWanting() }
  }

  private func endWanting() {
    isWanted = false
    stop()
  }
}

extension Status {
  /// It is the connection that failed, not this one frame.
  fileprivate var isOfTheStream: Bool {
    switch code {
    case .unavailable, .failedPrecondition, .deadlineExceeded, .internal: true
    default: false
    }
  }
}
