import FaceCore
import GatewayCoding
import NIOCore

/// A connection to the engine that is being made: connect(2), then Hello. Ends once, wherever it hangs. Used on the
/// link's event loop.
final class ConnectionAttempt {
  /// Counted in ticks, so time during which this process was stopped does not count against the engine.
  private static let patience = 10

  private enum Stage {
    case connecting
    case greeting(EngineConnection)
    case over
  }

  private let pool: EnginePool
  private let completion: (ConnectionAttempt, Result<EngineConnection, CallFailure>) -> Void
  private var stage = Stage.connecting
  private var ticks = 0
  /// Whether the socket accepted it.
  private(set) var isReached = false

  /// - Parameter completion: called once, with the connection or the reason why there is none.
  init(
    pool: EnginePool,
    _ completion: @escaping (ConnectionAttempt, Result<EngineConnection, CallFailure>) -> Void
  ) {
    self.pool = pool
    self.completion = completion
  }

  func begin(_ connect: EngineLink.Connect) {
    connect().assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): self.greet(channel)
      case .failure: self.end(.failure(.unreachable))
      }
    }
  }

  private func greet(_ channel: any Channel) {
    guard case .connecting = stage else { return channel.close(promise: nil) }
    isReached = true
    let connection = EngineConnection(channel, pool: pool)
    stage = .greeting(connection)
    connection.start { failure in
      self.end(failure.map { .failure($0) } ?? .success(connection))
    }
  }

  /// Gives up when the engine has had its time.
  func tick() {
    ticks += 1
    if ticks == Self.patience { giveUp(.hung) }
  }

  /// Whether it should have ended.
  var isOverdue: Bool { ticks > Self.patience }

  func giveUp(_ failure: CallFailure) {
    let last = stage
    end(.failure(failure))
    if case .greeting(let connection) = last { connection.end(failure) }
  }

  private func end(_ result: Result<EngineConnection, CallFailure>) {
    if case .over = stage { return }
    stage = .over
    completion(self, result)
  }
}
