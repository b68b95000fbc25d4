import Engine
import FaceCore
import Imaging
import Posix

/// What was measured, on what.
struct BenchReport {
  /// `nil` where the machine does not tell.
  let processor: String?
  let processors: Int
  let threadsPerFrame: Int
  let model: String
  let networkEngine: String
  let accuracy: Accuracy
  let rounds: Int
  let warmUp: Int
  let frames: Int
  /// Rather than the time on the wall.
  let isProcessorTime: Bool
  let subjects: [BenchSubject]
}

/// One image that is measured.
struct BenchSubject {
  let path: String
  let size: PixelSize
  /// What the network sees of it when it is searched whole; in accuracy `high`, what the first one does.
  let inputSize: PixelSize
  private(set) var faces = 0
  private(set) var searched = StageTimes()
  private(set) var followed = StageTimes()
  private let file: [UInt8]
  private let engine: Engine
  private let options: DetectionOptions

  init(_ path: String, file: [UInt8], engine: Engine, options: DetectionOptions) throws(Status) {
    self.path = path
    self.file = file
    self.engine = engine
    self.options = options
    do {
      let letterbox = try withBytes(of: file) { (bytes) throws(Status) in
        try engine.networkInput(ImageInput(.encoded(bytes)), options: options).letterbox
      }
      size = letterbox.image
      inputSize = letterbox.input
    } catch {
      throw Status(error.code, "\(path): \(error.message)")
    }
  }

  /// - Parameter counts: whether its times are kept.
  mutating func search(_ clock: BenchClock, counts: Bool) throws(Status) {
    let (engine, options) = (engine, options)
    faces = try measured(\.searched, clock, counts: counts) { (image) throws(Status) in
      try engine.detect(image, options: options).faces.count
    }
  }

  /// Follows the faces of a video in which nothing moves.
  mutating func follow(_ clock: BenchClock, frames: Int, warmUp: Int) throws(Status) {
    let tracker = try engine.makeTracker(TrackingOptions())
    let options = options
    for frame in 0..<warmUp + frames {
      try measured(\.followed, clock, counts: frame >= warmUp) { (image) throws(Status) in
        _ = try tracker.process(image, options: options)
      }
    }
  }

  private mutating func measured<Result>(
    _ times: WritableKeyPath<BenchSubject, StageTimes>, _ clock: BenchClock, counts: Bool,
    _ call: (ImageInput) throws(Status) -> Result
  ) throws(Status) -> Result {
    try withBytes(of: file) { (bytes) throws(Status) in
      var image = ImageInput(.encoded(bytes))
      image.clock = clock.stages
      return try self[keyPath: times].measure(clock, counts: counts) { () throws(Status) in try call(image) }
    }
  }
}

/// How long the stages of many calls took.
struct StageTimes {
  private var stages: [StageClock.Stage: Histogram] = [:]
  private var calls = Histogram()

  /// Runs one call, which must have been given the clock's stages.
  /// - Parameter counts: whether its times are kept.
  mutating func measure<Result>(
    _ clock: BenchClock, counts: Bool, _ call: () throws(Status) -> Result
  ) throws(Status) -> Result {
    let start = clock.now()
    let result = try call()
    let whole = clock.now() - start
    let times = clock.stages.takeTimes()
    guard counts else { return result }
    calls.record(whole)
    for (stage, time) in times { stages[stage, default: Histogram()].record(time) }
    return result
  }

  /// Of whole calls: more than the stages together, which do not cover everything.
  var whole: DurationSummary { calls.summary }

  /// Of the calls in which `stage` ran; `nil` when there were none.
  subscript(_ stage: StageClock.Stage) -> DurationSummary? { stages[stage]?.summary }
}

/// What is measured with: the clock on the wall, or the time of processors.
struct BenchClock {
  let stages: StageClock
  let now: () -> Int64

  init(measuresProcessor: Bool) {
    now = measuresProcessor ? { Processor.timeUsed } : { MonotonicTime.now().nanoseconds }
    stages = StageClock(now: now)
  }
}
