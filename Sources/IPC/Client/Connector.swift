import FaceCore
import Posix

/// Makes the connection that a client's calls share, and makes it again if it is lost: does what
/// `ConnectionSearch` decides.
final class Connector: Sendable {
  private struct State {
    var owner = CurrentProcess.id
    var search = ConnectionSearch<ClientConnection>()
  }

  private let address: EngineAddress
  private let state = Monitor(State())
  private let changed = Condition()

  init(_ address: EngineAddress) {
    self.address = address
  }

  /// A connection on which a call may be made.
  func connection(_ token: CancellationToken) throws(Status) -> ClientConnection {
    var caller = ConnectionSearch<ClientConnection>.Caller()
    let step = token.wait(in: state, for: changed) { state -> ConnectionSearch<ClientConnection>.Step? in
      if state.owner != CurrentProcess.id { state = State() }
      let step = state.search.step(
        of: &caller, at: .now(), isCancelled: token.isCancelled, isUsable: \.isUsable)
      if case .wait = step { return nil }
      return step
    }
    switch step {
    case .use(let connection): return connection
    case .connect: return try connect(token)
    case .fail(let failure): throw failure
    case .wait, nil: throw token.failure
    }
  }

  private func connect(_ token: CancellationToken) throws(Status) -> ClientConnection {
    var wasRefused = false
    let outcome = attempt { () throws(Status) in
      let socket = try FramedSocket(address, token)
      wasRefused = true
      return try ClientConnection(socket, token)
    }
    var isCallers = false
    if case .failure(let failure) = outcome { isCallers = failure == token.failure }
    var random = SystemRandomNumberGenerator()
    let old = state.withLock { state in
      state.search.finish(outcome, isCallers: isCallers, wasRefused: wasRefused, at: .now(), &random)
    }
    changed.wakeAll()
    return try withExtendedLifetime(old) { () throws(Status) in try outcome.get() }
  }
}
