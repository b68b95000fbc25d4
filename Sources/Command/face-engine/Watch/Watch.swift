import Capture
import FaceCore
import Posix

/// Searches the frames of one source as one stream, and writes the results to a sink.
///
/// The source has a thread of its own, which fills a queue, and so does the stream, which delivers its
/// answers there. The thread that calls `run` does the rest.
final class Watch {
  /// The outcome of the frames.
  struct Summary {
    var answered = 0
    var failed = 0
    var dropped: UInt64 = 0
  }

  private let source: any FrameSource
  private let mode: StreamMode
  private let sink: any WatchSink
  private let image: (CapturedFrame) -> ImageInput
  private let interruption: Interruption
  private let queue: WatchQueue
  private let stream: any FrameStream
  private let best: BestPictureFolder?
  private var isWanted = true
  /// The attempts of the guided check; `nil` without one.
  private(set) var attempts: CheckAttempts?
  private(set) var summary = Summary()

  /// - Parameters:
  ///   - mode: the mode for the source's frames; the mode of `options` is ignored.
  ///   - attempts: the attempts of the guided check, if the options have one.
  ///   - image: makes an image of a frame.
  ///   - best: the folder for the best pictures that the stream keeps, if it keeps any.
  ///   - interruption: ends the source's wait for frames; signalled by `stop`.
  init(
    _ source: any FrameSource, _ mode: StreamMode, _ detector: any StreamingDetector,
    _ options: StreamOptions, _ attempts: CheckAttempts?, to sink: any WatchSink,
    _ best: BestPictureFolder?, interruption: Interruption, image: @escaping (CapturedFrame) -> ImageInput
  ) throws(Status) {
    self.source = source
    self.mode = mode
    self.attempts = attempts
    self.sink = sink
    self.best = best
    self.image = image
    self.interruption = interruption
    let queue = WatchQueue(mode)
    self.queue = queue
    var options = options
    // Frames are dropped in the queue, before they are sent anywhere.
    options.mode = .every
    stream = try detector.openStream(options) { event in queue.settle(event) }
  }

  /// A function that ends `run` after the frames that are with the engine. It may be called from any thread.
  var stop: @Sendable () -> Void {
    { [interruption, queue] in
      interruption.signal()
      queue.stop()
    }
  }

  /// The number of frames with the engine. If none may be dropped, the next one is sent while one is
  /// searched. In a check, the next one waits for the answer, which decides whether it starts another
  /// attempt.
  private var window: Int { mode == .newest || attempts != nil ? 1 : 2 }

  /// Returns when the source has ended, `stop` was called, or the sink wants no more. Throws permanent
  /// failures of the source, the sink or the engine.
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
    do throws(Status) {
      try pass()
    } catch {
      try? sink.end()
      throw error
    }
    try sink.end()
  }

  /// Passes frames to the stream and their answers to the sink until all have been answered.
  private func pass() throws(Status) {
    while true {
      switch queue.next(window: window) {
      case .submit(let entry): try submit(entry)
      case .report(.frame(let entry, let event)):
        try write(try report(of: entry, event))
        try save(event.best)
      case .report(.camera(let event)):
        if isWanted, try !sink.write(event) { endWanting() }
      case .end(let failure):
        try save(stream.bestPictures(of: nil))
        if let failure { throw failure }
        return
      }
    }
  }

  private func submit(_ entry: WatchQueue.Entry) throws(Status) {
    switch entry.content {
    case .whole(let frame):
      if attempts?.start(at: frame.origin.timestamp) == true { stream.restartCheck() }
      do throws(Status) {
        let held = frame.held(as: image(frame))
        _ = try stream.submit(held, timestamp: frame.origin.timestamp)
      } catch {
        // A camera continues until the engine is back; frames of a stream must not be left out.
        guard mode == .newest || !error.isOfTheStream else { throw error }
        queue.settle(entry, error)
      }
    case .broken(let status, _): queue.settle(entry, status)
    }
  }

  private func report(of entry: WatchQueue.Entry, _ event: FrameEvent) throws(Status) -> FrameReport {
    let outcome: Result<DetectionResult, Status>
    switch event.outcome {
    case .faces(let result): outcome = .success(result)
    case .failed(let status): outcome = .failure(status)
    case .dropped:
      throw Status(.internal, "a frame was dropped from a stream that must keep all; please report this")
    }
    let frame: CapturedFrame?
    let origin: FrameOrigin
    switch entry.content {
    case .whole(let whole): (frame, origin) = (whole, whole.origin)
    case .broken(_, let place): (frame, origin) = (nil, place)
    }
    return FrameReport(
      number: entry.number, origin: origin, rate: frame?.rate, image: frame.map(image),
      keeper: frame, outcome: outcome, left: event.left, check: event.check, dropped: entry.dropped)
  }

  private func write(_ report: FrameReport) throws(Status) {
    if case .success = report.outcome { summary.answered += 1 } else { summary.failed += 1 }
    guard isWanted else { return }
    let isWantedStill = try sink.write(report)
    if let check = report.check { attempts?.update(check.state, at: report.origin.timestamp) }
    if !isWantedStill || attempts?.areOver == true { endWanting() }
  }

  private func save(_ pictures: [BestPicture]) throws(Status) {
    guard let best else { return }
    for picture in pictures {
      let path = try best.save(picture)
      if isWanted, try !sink.write(picture, savedAt: path) { endWanting() }
    }
  }

  private func endWanting() {
    isWanted = false
    stop()
  }
}

extension Status {
  /// Whether the connection failed, and not only this frame.
  fileprivate var isOfTheStream: Bool {
    switch code {
    case .unavailable, .failedPrecondition, .deadlineExceeded, .internal: true
    default: false
    }
  }
}
