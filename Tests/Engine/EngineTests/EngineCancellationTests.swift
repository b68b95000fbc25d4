import Dispatch
import Engine
import FaceCore
import ModelStore
import Synchronization
import TestSupport
import Testing

import func Foundation.usleep

/// Calls that are cancelled while they run, at every stage.
@Suite(.needsRealModel, .needsCenterFace) final class EngineCancellationTests: EngineSuite {
  /// Runs a call that is cancelled when its clock is read for the `turn`th time.
  /// - Returns: how the call ended, and how often the clock was read: twice for each stage that ran.
  private func call(
    _ options: DetectionOptions, cancelledAt turn: Int
  ) throws -> (outcome: Result<DetectionResult, Status>, turns: Int) {
    let canceller = Canceller()
    var turns = 0
    let clock = StageClock {
      turns += 1
      if turns == turn { canceller.cancel() }
      return .nanoseconds(Int64(turns))
    }
    let photo = try Fixture.photo("astronaut.png")
    let outcome = try photo.borrowed { (bytes) throws(Status) -> Result<DetectionResult, Status> in
      var image = ImageInput(.encoded(bytes))
      image.clock = clock
      do throws(Status) {
        image.cancellation = CancellationToken(canceller: canceller)
        return .success(try engine.detect(image, options: options))
      } catch {
        return .failure(error)
      }
    }
    return (outcome, turns)
  }

  @Test(arguments: [FaceOutputs(), .all], [Accuracy.balanced, .high])
  func cancelEndsACallAtTheNextStage(outputs: FaceOutputs, accuracy: Accuracy) throws {
    let options = adjusted(DetectionOptions()) { ($0.outputs, $0.accuracy) = (outputs, accuracy) }
    let whole = try call(options, cancelledAt: .max)
    #expect(try whole.outcome.get().faces.count == 1)
    for turn in 1...whole.turns {
      let ended = try call(options, cancelledAt: turn)
      #expect(throws: Canceller.status) { try ended.outcome.get() }
      // The longest run is from the start of the last network to the first face: the boxes of the pass and of
      // the vote.
      #expect(ended.turns <= turn + 9)
    }
  }

  /// Decoding has begun when `body` runs, on the stream's thread.
  private func submit(
    _ photo: UnsafeRawBufferPointer, to stream: any FrameStream, _ body: @escaping () -> Void
  ) throws(Status) {
    var image = ImageInput(.encoded(photo))
    var turns = 0
    image.clock = StageClock {
      turns += 1
      if turns == 1 { body() }
      return .nanoseconds(Int64(turns))
    }
    _ = try stream.submit(HeldImage(image) {}, timestamp: 0)
  }

  @Test func cancellerEndsTheFrameThatRuns() throws {
    let events = EventList()
    var options = StreamOptions()
    let canceller = Canceller()
    options.canceller = canceller
    let stream = try engine.openStream(options, deliver: events.add)
    try Fixture.photo("astronaut.png").borrowed { (photo) throws(Status) in
      try submit(photo, to: stream) { canceller.cancel() }
      events.wait()
      stream.close()
    }
    #expect(events.all.map(\.outcome) == [.failed(Canceller.status)])
  }

  @Test func closingEndsTheFrameThatRuns() throws {
    let events = EventList()
    let stream = try engine.openStream(StreamOptions(), deliver: events.add)
    let running = DispatchSemaphore(value: 0)
    try Fixture.photo("astronaut.png").borrowed { (photo) throws(Status) in
      try submit(photo, to: stream) {
        running.signal()
        // This waits until the other thread is inside close().
        while !stream.isClosed { usleep(1000) }
      }
      running.wait()
      stream.close()
    }
    let first = try #require(events.all.first)
    #expect(first.frame.number == 1 && first.outcome.code == .cancelled)
  }
}

extension FrameStream {
  /// Whether the stream is closed; submitting a frame is the only way to find out.
  fileprivate var isClosed: Bool {
    do throws(Status) {
      _ = try submit(
        HeldImage(ImageInput(.encoded(UnsafeRawBufferPointer(start: nil, count: 0)))) {}, timestamp: 0)
      return false
    } catch {
      return error.code == .failedPrecondition
    }
  }
}

extension FrameEvent.Outcome {
  fileprivate var code: StatusCode? { if case .failed(let status) = self { status.code } else { nil } }
}

private final class EventList: Sendable {
  private let events = Mutex<[FrameEvent]>([])
  private let came = DispatchSemaphore(value: 0)

  var all: [FrameEvent] { events.withLock { $0 } }

  func add(_ event: FrameEvent) {
    events.withLock { $0.append(event) }
    came.signal()
  }

  func wait() { came.wait() }
}
