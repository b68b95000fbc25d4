import FaceCore
import GatewayCoding
import NIOCore
import Wire

/// Detects an engine that accepts calls but never answers, such as a stopped one, by health checks on its own
/// connection. Used on the link's event loop.
final class EngineProbe {
  /// How often the link calls `tick`.
  static let interval = TimeAmount.milliseconds(250)
  private static let pause = TimeAmount.milliseconds(500)
  /// Counted in timer ticks, so time during which this process was stopped does not count against the engine.
  private static let patience = 8
  /// The ticks after which the connection is given up: the engine may answer on another one.
  private static let connectionPatience = 40

  /// Whether the engine answers nothing. One that is gone is not stuck: connections to it fail by themselves.
  private(set) var isStuck = false {
    didSet { if isStuck != oldValue { changed() } }
  }
  /// Whether a check is not over although its connection was ended.
  var isLost: Bool { pool.isStuck || (waited ?? 0) > Self.connectionPatience + Self.patience }
  /// Called when `isStuck` has changed.
  var changed: () -> Void = {}
  private let pool: EnginePool
  /// The end of the last check.
  private var ended: NIODeadline
  /// The ticks since the check that is under way began.
  private var waited: Int?

  init(_ pool: EnginePool) {
    self.pool = pool
    ended = pool.loop.now
  }

  /// Begins a check when it is time, and looks how long the last one has taken.
  func tick(_ now: NIODeadline) {
    pool.tick(now)
    if let waited {
      self.waited = waited + 1
      if waited >= Self.patience { isStuck = true }
      if waited == Self.connectionPatience { pool.end(.unanswered) }
    } else if now - ended > Self.pause {
      check()
    }
  }

  private func check() {
    waited = 0
    pool.start(
      EngineCall(EngineRequest(.healthCheck), pool) { [weak self] result in
        guard let self else { return }
        waited = nil
        ended = pool.loop.now
        switch result {
        case .success: isStuck = false
        // A PING on its connection had no answer for as long. It may be older than the check, whose own time
        // must not begin anew then.
        case .failure(let failure) where failure.status == CallFailure.hung.status: isStuck = true
        // A connection that was closed says nothing; the next check does.
        case .failure: break
        }
      })
  }
}
