import Capture
import FaceCore
import Posix

/// Searches the frames of one source as one stream, and writes what was found to a sink.
///
/// The source has a thread of its own, which fills a queue; so does the stream, which answers into it. The thread that
/// calls `run` does the rest.
final class Watch {
  /// What became of the frames.
  struct Summary {
    var answered = 0
    var failed = 0
    var dropped: UInt64 = 0
  }

  private let source: any FrameSource
  private let mode: StreamMode
  private let sink: any WatchSink
  private let image: (ImageInput.Source) -> ImageInput
  private let interruption: Interruption
  private let queue: WatchQueue
  private let stream: any FrameStream
  private var isWanted = true
  /// Of the guided check; `nil` where there is none.
  private(set) var attempts: CheckAttempts?
  private(set) var summary = Summary()

  /// - Parameters:
  ///   - mode: of the source's frames; that of `options` is ignored.
  ///   - attempts: where there is a guided check among the options.
  ///   - image: makes an image of a frame's content.
  ///   - interruption: what the source waits for beside its frames; signalled by `stop`.
  init(
    _ source: any FrameSource, _ mode: StreamMode, _ detector: any StreamingDetector,
    _ options: StreamOptions, _ attempts: CheckAttempts?, to sink: any WatchSink,
    interruption: Interruption, image: @escaping (ImageInput.Source) -> ImageInput
  ) throws(Status) {
    self.source = source
    self.mode = mode
    self.attempts = attempts
    self.sink = sink
    self.image = image
    self.interruption = interruption
    let queue = WatchQueue(mode)
    self.queue = queue
    var options = options
    // What is dropped is dropped in the queue, before it is sent anywhere.
    options.mode = .every
    stream = try detector.openStream(options) { event in queue.settle(event) }
  }

  /// Ends `run` after the frames that are with the engine. From any thread, by what is returned.
  var stop: @Sendable () -> Void {
    { [interruption, queue] in
      interruption.signal()
      queue.stop()
    }
  }

  /// Frames with the engine: where none is dropped, the next one is on its way while one is searched. With a check it waits
  /// for the answer, which decides whether it starts another attempt.
  private var window: Int { mode == .newest || attempts != nil ? 1 : 2 }

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
      switch queue.next(window: window) {
      case .submit(let entry): try submit(entry)
      case .report(.frame(let entry, let event)): try write(try report(of: entry, event))
      case .report(.camera(let event)):
        if isWanted, try !sink.write(event) { endWanting() }
      case .end(let failure):
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
        let held = frame.held(as: image(frame.content))
        _ = try stream.submit(held, timestamp: frame.origin.timestamp)
      } catch {
        // A camera goes on until the engine is back; of a stream no frame may be left out.
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
      throw Status(.internal, "a frame was dropped from a stream that drops none; please report it")
    }
    let frame: CapturedFrame?
    let origin: FrameOrigin
    switch entry.content {
    case .whole(let whole): (frame, origin) = (whole, whole.origin)
    case .broken(_, let place): (frame, origin) = (nil, place)
    }
    return FrameReport(
      number: entry.number, origin: origin, rate: frame?.rate, image: frame.map { image($0.content) },
      keeper: frame, outcome: outcome, left: event.left, check: event.check, dropped: entry.dropped)
  }

  private func write(_ report: FrameReport) throws(Status) {
    if case .success = report.outcome { summary.answered += 1 } else { summary.failed += 1 }
    guard isWanted else { return }
    let isWantedStill = try sink.write(report)
    if let check = report.check { attempts?.update(check.state, at: report.origin.timestamp) }
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
