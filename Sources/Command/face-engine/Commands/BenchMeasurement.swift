import Engine
import FaceCore
import Imaging
import Posix

/// The results of `face-engine bench`, and the conditions under which they were measured.
struct BenchReport {
  /// The name of the processor; `nil` if unknown.
  let processor: String?
  let processors: Int
  let threadsPerFrame: Int
  let model: String
  let networkEngine: String
  let accuracy: Accuracy
  let rounds: Int
  let warmUp: Int
  let frames: Int
  /// Whether the times are processor time instead of elapsed time.
  let isProcessorTime: Bool
  let subjects: [BenchSubject]
}

/// The outputs of a call, from the cheapest to the dearest, each with those before it.
enum CostStep: CaseIterable {
  case boxes
  case pointsAndPose
  case expressions

  var outputs: FaceOutputs {
    switch self {
    case .boxes: []
    case .pointsAndPose: [.landmarks, .pose]
    case .expressions: [.landmarks, .pose, .expressions]
    }
  }
}

/// An image and the times measured with it.
struct BenchSubject {
  let path: String
  let size: PixelSize
  /// The size of the network's input; with accuracy `high`, that of the first network.
  let inputSize: PixelSize
  private(set) var faces = 0
  private(set) var searched = StageTimes()
  private(set) var tracked = StageTimes()
  /// Of searches with the outputs of each step; empty if those are not measured.
  private(set) var costs: [StageTimes] = []
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

  /// Searches the image.
  /// - Parameter counts: whether the times are recorded.
  mutating func search(_ clock: BenchClock, counts: Bool) throws(Status) {
    let (engine, options) = (engine, options)
    faces = try measured(\.searched, clock, counts: counts) { (image) throws(Status) in
      try engine.detect(image, options: options).faces.count
    }
  }

  /// Searches the image once with the outputs of each step.
  mutating func compareCosts(_ clock: BenchClock, counts: Bool) throws(Status) {
    if costs.isEmpty { costs = CostStep.allCases.map { _ in StageTimes() } }
    for (index, step) in CostStep.allCases.enumerated() {
      let engine = engine
      var options = options
      options.outputs = step.outputs
      try measured(\.costs[index], clock, counts: counts) { (image) throws(Status) in
        _ = try engine.detect(image, options: options)
      }
    }
  }

  /// Returns the time that each face takes beyond its box; `nil` if it takes none.
  func timePerFace(_ times: StageTimes) -> TimeSpan? {
    guard faces > 0, let points = times[.points] else { return nil }
    return points.p50 / Int64(faces)
  }

  /// Tracks the faces of the image as a video without motion.
  mutating func track(_ clock: BenchClock, frames: Int, warmUp: Int) throws(Status) {
    let tracker = try engine.makeTracker(TrackingOptions())
    let options = options
    for frame in 0..<warmUp + frames {
      try measured(\.tracked, clock, counts: frame >= warmUp) { (image) throws(Status) in
        _ = try tracker.trackFaces(image, options: options)
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

/// The times of the stages of many calls.
struct StageTimes {
  private var stages: [StageClock.Stage: Histogram] = [:]
  private var calls = Histogram()

  /// Runs and measures one call, whose image must have the clock's `stages`.
  /// - Parameter counts: whether the times are recorded.
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

  /// The times of whole calls, which are more than the sum of the stages, since these do not cover
  /// everything.
  var whole: DurationSummary { calls.summary }

  /// The times of the calls in which `stage` ran; `nil` if there were none.
  subscript(_ stage: StageClock.Stage) -> DurationSummary? { stages[stage]?.summary }
}

/// The clock of the measurement: elapsed time or processor time.
struct BenchClock {
  let stages: StageClock
  let now: () -> TimeSpan

  init(measuresProcessorTime: Bool) {
    now = measuresProcessorTime ? { Processor.timeUsed } : { .nanoseconds(MonotonicTime.now().nanoseconds) }
    stages = StageClock(now: now)
  }
}
