import Engine
import FaceCore
import Imaging
import TestSupport
import Testing

import func Foundation.usleep

/// A call that is ended while its token is polled does not poll again: the work done after its end is the
/// work between two polls, which are counted for each stage.
@Suite(.needsRealModel, .needsAnalysisModels) struct StageCancellationTests {
  /// The way in which a call ends.
  enum End: CaseIterable {
    case cancel
    case deadline
    /// The client's cancel: the service cancels the work that runs for it.
    case death
  }

  /// A call that spends its time in one stage.
  struct Work: CustomTestStringConvertible {
    let name: String
    let stage: StageClock.Stage
    /// The lowest number of polls of that stage: its pixels, rows or faces divided by how many may be handled
    /// between two.
    let questions: Int
    var file: String?
    var orientation: Orientation = .up
    var maxSide = Self.side
    var faces = 0

    static let side = 1200
    static let steps = side * side / WorkPacer.step

    var testDescription: String { name }

    /// Pictures whose libraries cannot be polled are decoded on another thread: the caller waits and polls.
    static let all = [
      Work(name: "PNG", stage: .decode, questions: 2, file: "astronaut.png"),
      Work(name: "JPEG", stage: .decode, questions: steps, file: "jpeg"),
      Work(name: "WebP", stage: .decode, questions: 1, file: "large.webp"),
      Work(name: "GIF", stage: .decode, questions: 1, file: "large.gif"),
      Work(name: "TIFF", stage: .decode, questions: 1, file: "large.tiff"),
      Work(name: "AVIF", stage: .decode, questions: 1, file: "large.avif"),
      Work(name: "scale", stage: .convert, questions: steps, maxSide: 1000),
      Work(name: "turn", stage: .convert, questions: 2 * steps, orientation: .right),
      Work(name: "mirror", stage: .convert, questions: 2 * steps, orientation: .upMirrored),
      // The coarsest map is read two rows at a time.
      Work(name: "network", stage: .network, questions: side / 64),
      Work(name: "many faces", stage: .points, questions: 40, maxSide: 64, faces: 40),
    ]
  }

  /// Counts the polls of a call on one thread, and ends the call at one of them.
  private final class Examiner: @unchecked Sendable {
    let clock: StageClock
    private let end: End
    private let last: Int
    private let caller = Canceller()
    private let owner = Canceller(reason: Status(.cancelled, "its client is gone"))
    private let deadline: MonotonicTime
    /// The stage of each poll.
    private(set) var stages: [StageClock.Stage?] = []

    init(_ end: End, at last: Int) {
      (self.end, self.last) = (end, last)
      var turns: TimeSpan = .zero
      clock = StageClock {
        turns += 1
        return turns
      }
      deadline = end == .deadline && last < .max ? .now() + .milliseconds(20) : .never
    }

    var token: CancellationToken {
      var token = CancellationToken(deadline: deadline, canceller: caller, owner: owner)
      token.asked = { [unowned self] in
        stages.append(clock.current)
        if stages.count == last { endCall() }
      }
      return token
    }

    private func endCall() {
      switch end {
      case .cancel: caller.cancel()
      case .death: owner.cancel()
      case .deadline: while !deadline.isPast { usleep(1000) }
      }
    }

    var reason: Status? {
      switch end {
      case .cancel: caller.reason
      case .death: owner.reason
      case .deadline: nil
      }
    }
  }

  private let engine: Engine

  init() throws {
    engine = try Engine.yunet()
  }

  private static func noise() -> [UInt8] {
    var state: UInt32 = 1
    return (0..<Work.side * Work.side * 4).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
  }

  private static func bytes(_ work: Work) throws -> [UInt8] {
    switch work.file {
    case nil: return noise()
    case "astronaut.png"?: return try Fixture.photo("astronaut.png")
    case "jpeg"?:
      let size = PixelSize(width: Work.side, height: Work.side)
      return try noise().withView(.bgra, size: size) { (view) throws(Status) in
        try JPEGEncoder.encode(try PixelConverter.bitmap(from: view), maxBytes: 16 << 20)
      }
    case let name?: return try Fixture.image(name)
    }
  }

  private func call(_ work: Work, _ bytes: UnsafeRawBufferPointer, _ examiner: Examiner) throws(Status) {
    var image =
      work.file != nil
      ? ImageInput(.encoded(bytes))
      : ImageInput(
        .pixels(try ImageView(format: .bgra, width: Work.side, height: Work.side, stride: 0, bytes: bytes)))
    image.orientation = work.orientation
    image.clock = examiner.clock
    image.cancellation = examiner.token
    var options = DetectionOptions()
    options.maxSide = work.maxSide
    if work.faces > 0 {
      options.outputs = .landmarks
      options.boxes = (0..<work.faces).map { Box(x: Float(20 * $0), y: 30, width: 200, height: 200) }
    }
    _ = try engine.detect(image, options: options)
  }

  @Test(arguments: Work.all)
  func cancelledCallPollsItsTokenNoMore(work: Work) throws {
    try Self.bytes(work).borrowed { (bytes) throws(Status) in
      let whole = Examiner(.cancel, at: .max)
      try call(work, bytes, whole)
      let places = whole.stages.indices.filter { whole.stages[$0] == work.stage }
      #expect(places.count >= work.questions)
      guard let first = places.first, let last = places.last else { return }
      // These are the first poll of the stage, one in its middle and its last; a decoder on another thread is
      // polled a varying number of times.
      let isDetached = work.stage == .decode && work.questions == 1
      let chosen =
        isDetached ? [first] : [first, places[places.count / 2], last]
      for place in chosen {
        // In the short form every end is tried at the first place alone.
        for end in LongForm.isOn || place == first ? End.allCases : [.cancel] {
          let examiner = Examiner(end, at: place + 1)
          let ended = failure { () throws(Status) in try call(work, bytes, examiner) }
          #expect(ended?.code == (end == .deadline ? .deadlineExceeded : .cancelled))
          if let reason = examiner.reason { #expect(ended == reason) }
          // A deadline may pass earlier.
          #expect(end == .deadline ? examiner.stages.count <= place + 1 : examiner.stages.count == place + 1)
        }
      }
    }
  }
}
