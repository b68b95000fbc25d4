import FaceCore
import NIOCore

/// Notices an engine that accepts calls and answers none, as one that was stopped: by health checks on a connection of its own.
/// Used on the link's event loop.
final class EngineProbe {
  /// How often the link calls `tick`.
  static let interval = TimeAmount.milliseconds(250)
  private static let pause = TimeAmount.milliseconds(500)
  private static let patience = TimeAmount.seconds(2)

  /// Whether the engine answers nothing. One that is gone is not stuck: connections to it fail by themselves.
  private(set) var isStuck = false {
    didSet { if isStuck != oldValue { changed() } }
  }
  /// Called when `isStuck` has changed.
  var changed: () -> Void = {}
  private let pool: EnginePool
  /// The time of the check that is under way, or else of the end of the last one.
  private var since = NIODeadline.now()
  private var isUnderWay = false

  init(_ pool: EnginePool) {
    self.pool = pool
  }

  /// Begins a check when it is time, and looks how long the last one has taken.
  func tick(_ now: NIODeadline) {
    if isUnderWay {
      if now - since > Self.patience { isStuck = true }
    } else if now - since > Self.pause {
      check(now)
    }
  }

  private func check(_ now: NIODeadline) {
    isUnderWay = true
    since = now
    pool.start(
      EngineCall(EngineRequest(service: "faceengine.v1.Health", method: "Check"), pool) {
        [weak self] result in
        guard let self else { return }
        isUnderWay = false
        since = .now()
        // A connection that was closed says nothing; the next check does.
        if case .success = result { isStuck = false }
      })
  }
}
